"""Graphs that are not folder graphs: the needs of bricks, local graphs, and bricks that need only neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import fails, told
from pages import example

from graphbrick import BM25, PPR, KHop, PathAnswer, PruneTriples, Rerank, Session, ShortestPaths, build
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Adjacency, Capability, Labels, Neighbours, capabilities_of
from graphbrick.core.items import Report
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.local.local import LocalAround, local_graph
from graphbrick.graphs.local.seeds import mentioned, seeds_in
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline.parsing import parse
from graphbrick.testing import TINY, NeighboursOnly, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"


@dataclass(frozen=True, repr=False)
class NeighbourReports(RetrieveStage):
    """An example brick that needs only labels and neighbours: one item a triple around the seeds."""

    needs = frozenset({Capability.LABELS, Capability.NEIGHBOURS})

    limit: int = 10

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        graph = subgraph.graph
        assert isinstance(graph, Neighbours)
        items = []
        for rows, _ in graph.neighbours(query.seeds, limit=self.limit):
            for head, relation, tail in rows.tolist():
                text = f"{graph.label(head)} -> {graph.relation_label(relation)} -> {graph.label(tail)}"
                items.append(Report(graph, (head, tail), text, source=repr(self)))
        return Evidence(tuple(items))


@pytest.fixture
def remote() -> NeighboursOnly:
    return NeighboursOnly(TINY)


def test_capabilities(remote: NeighboursOnly) -> None:
    assert capabilities_of(remote) == {Capability.LABELS, Capability.NEIGHBOURS}
    assert capabilities_of(tiny_graph()) == frozenset(Capability) - {Capability.PASSAGES, Capability.CORPUS}
    assert isinstance(tiny_graph(), Adjacency)
    assert isinstance(tiny_graph(), Labels)
    assert not capabilities_of("a text")


def test_a_brick_that_needs_more_is_refused_with_advice_before_anything_runs(remote: NeighboursOnly) -> None:
    pipeline = PPR(k=1000) >> ShortestPaths() >> PathAnswer()
    advice = "use LocalAround(graph, hops=2), which copies the part of it around the seeds"
    with fails("graph.missing_capability", missing={Capability.ADJACENCY}, advice=advice):
        pipeline(remote, QUESTION)  # type: ignore[arg-type]
    assert remote.calls == 0
    with fails("graph.not_a_graph"):
        pipeline("x", QUESTION)  # type: ignore[arg-type]


def test_a_brick_that_needs_neighbours_runs_directly(remote: NeighboursOnly) -> None:
    pipeline = NeighbourReports() >> Rerank(BM25(), n=2)
    for graph in (remote, tiny_graph()):
        run = pipeline.run(graph, "What is the capital of Kenya?")
        assert run.evidence is not None
        assert run.evidence.items[0].text == "Kenya -> capital -> Nairobi"
    by_seed = pipeline.run(remote, "What is the capital?", seeds=["kenya"])
    assert [remote.label(seed) for seed in by_seed.query.seeds] == ["Kenya"]
    with fails("run.no_entity", LinkError, question="What is it?"):
        pipeline.run(remote, "What is it?")
    with fails("seeds.unknown_name", LinkError, name="Ken") as caught:
        pipeline.run(remote, "What is it?", seeds=["Ken"])
    assert "Kenya" in caught.value.values["nearest"]


@pytest.mark.parametrize(
    "pipeline",
    [
        parse(DEFAULT_PIPELINE),
        parse("PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(BM25(), n=32, by='pattern') >> PathAnswer()"),
        KHop(2) >> PruneTriples(BM25(), n=20) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer(),
    ],
    ids=repr,
)
def test_bricks_of_the_default_pipeline_run_on_a_local_graph(remote: NeighboursOnly, pipeline) -> None:
    answer = pipeline(LocalAround(remote, hops=2), QUESTION)
    assert answer.texts == pipeline(tiny_graph(), QUESTION).texts == ("Kenyan shilling",)
    assert answer.trace is not None
    first = answer.trace.stages[0]
    assert (first.stage, first.kind) == ("LocalAround(NeighboursOnly, hops=2)", "local")
    assert pipeline(LocalAround(remote), QUESTION, seeds=["Nairobi"]).texts == ("Kenyan shilling",)


@pytest.mark.whole
def test_texts_are_embedded_once_for_all_questions_around_seeds(remote: NeighboursOnly) -> None:
    pipeline = parse("PPR(k=1000) >> ShortestPaths() >> Rerank(MiniLM(), n=32) >> PathAnswer()")
    with Session():
        around = LocalAround(remote, hops=2)
        runs = [pipeline.run(around, QUESTION), pipeline.run(around, "Which language is spoken around Nairobi?")]
    first, second = (next(stage for stage in run.trace.stages if stage.kind == "rerank") for run in runs)
    assert first.cache_hits == 0
    assert second.cache_hits > 1
    assert second.calls < first.calls  # only the question itself
    place = runs[0].graph.vectors_place
    assert place == runs[1].graph.vectors_place
    assert list(place.glob("*/*.seg"))  # written when the session was closed
    del around
    assert not place.parent.exists()


@pytest.mark.whole
def test_a_folder_graph_keeps_the_vectors_of_what_is_around_seeds(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "tiny.graph")
    with Session():
        run = parse("ShortestPaths() >> Rerank(MiniLM(), n=32) >> PathAnswer()").run(LocalAround(graph), QUESTION)
    assert run.answer is not None
    assert list((tmp_path / "tiny.graph.vectors").glob("MiniLM-*/*.seg"))


def test_a_local_graph_holds_what_is_within_the_hops(remote: NeighboursOnly) -> None:
    seeds = [remote.entity("Nairobi")]
    one, two = (set(local_graph(remote, seeds, hops=hops).key_triples()) for hops in (1, 2))
    assert one == {("Kenya", "capital", "Nairobi")}
    assert two == {triple for triple in TINY if "Kenya" in triple}
    everything = local_graph(remote, seeds, hops=5)
    assert set(everything.key_triples()) == set(TINY)
    everything.check()
    out = local_graph(remote, [remote.entity("Rwanda")], hops=1, direction="out")
    assert set(out.key_triples()) == {triple for triple in TINY if triple[0] == "Rwanda"}


def test_neighbours_are_asked_for_in_batches() -> None:
    remote = NeighboursOnly([("hub", "r", f"leaf {i}") for i in range(2500)])
    local_graph(remote, [remote.entity("hub")], hops=2, limit_per_node=2500)
    assert remote.calls == 1 + 3  # the hub, then 2,500 leaves, 1,024 a call


def test_triples_that_the_server_keeps_back_are_not_a_matter_of_the_limit() -> None:
    class Partial(NeighboursOnly):
        def neighbours(self, entities: Any, **options: Any) -> Any:
            """Say that there are more triples, as of a blank node or after a reply that broke off."""
            return [lists._replace(is_cut=True) for lists in super().neighbours(entities, **options)]

    remote = Partial([("Kenya", "capital", "Nairobi")])
    with record(Trace(), "local", "local") as entry:
        local_graph(remote, [remote.entity("Kenya")], hops=1)
    assert entry.events == []


def test_a_limit_that_cuts_is_an_event() -> None:
    remote = NeighboursOnly([("hub", "r", f"leaf {i}") for i in range(50)])
    seeds = [remote.entity("hub")]
    with record(Trace(), "local", "local") as entry:
        graph = local_graph(remote, seeds, hops=1, limit_per_node=10)
    assert graph.n_triples == 10
    assert told(entry.events) == [("local.entities_cut", {"limit": 10, "entities": ["hub"]})]
    with record(Trace(), "local", "local") as entry:
        assert local_graph(remote, seeds, hops=3, max_triples=20).n_triples == 50
    assert told(entry.events) == [("local.stopped", {"hop": 2, "triples": 50})]


def test_faults_of_local_graphs(remote: NeighboursOnly) -> None:
    with fails("local.bad_number", name="hops"):
        LocalAround(remote, hops=0)
    with fails("local.no_seeds"):
        local_graph(remote, [])
    alone = NeighboursOnly([("a", "r", "b")])
    with fails("local.no_triples", seeds=["b"]):
        local_graph(alone, [alone.entity("b")], direction="out")


@pytest.mark.parametrize("seed", [99, -1, np.int32(99)])
def test_an_id_that_the_graph_does_not_have_is_an_error_with_its_number(remote: NeighboursOnly, seed: int) -> None:
    with fails("seeds.unknown_id", LinkError, seed=seed):
        LocalAround(remote).for_question("?", [seed])


@pytest.mark.parametrize("seed", [1.7, True, None])
def test_what_is_no_id_is_not_taken_for_one(remote: NeighboursOnly, seed: object) -> None:
    with fails("seeds.bad_type", LinkError):
        LocalAround(remote).for_question("?", [seed])  # type: ignore[list-item]


def test_the_temporary_folder_goes_with_the_graph(remote: NeighboursOnly) -> None:
    graph = local_graph(remote, [0])
    place: Path = graph.path
    assert place.exists()
    del graph
    assert not place.exists()


def test_neighbours_of_a_folder_graph() -> None:
    graph = tiny_graph()
    kenya, rwanda, borders = graph.entity("Kenya"), graph.entity("Rwanda"), graph.relation_of(graph.triples_from(0)[-1])
    for direction in ("out", "in", "both"):
        other = NeighboursOnly(TINY)
        ((rows, _),) = graph.neighbours([kenya], direction=direction)
        ((expected, _),) = other.neighbours([other.entity("Kenya")], direction=direction)
        named = {(graph.label(h), graph.relation_label(r), graph.label(t)) for h, r, t in rows.tolist()}
        assert named == {(other.label(h), other.relation_label(r), other.label(t)) for h, r, t in expected.tolist()}
    (both, cut) = graph.neighbours([rwanda, kenya], relations=[borders], limit=1)
    assert np.array_equal(both.triples, [[rwanda, borders, rwanda]]) or both.is_cut
    assert cut.is_cut
    assert [graph.label(e) for e in graph.search("the capital of Kenya and of RWANDA", 2)] == ["Rwanda", "Kenya"]
    assert graph.label(graph.search("Ugandann", 1)[0]) == "Uganda"


def test_the_graph_of_the_contributing_page_runs() -> None:
    exec(example("CONTRIBUTING.md", "Capitals"), {"__name__": "page"})


def test_the_seeds_of_a_call_or_of_the_query_are_what_the_graph_is_made_around(remote: NeighboursOnly) -> None:
    local, query = LocalAround(remote), Query("Which is its capital?")
    pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
    kenya = remote.entity("Kenya")
    for run in (pipeline.run(local, query, seeds=["Kenya"]), pipeline.run(local, replace(query, seeds=(kenya,)))):
        assert [run.graph.label(seed) for seed in run.query.seeds] == ["Kenya"]
        assert run.answer is not None
        assert "Nairobi" in run.answer.texts


@pytest.mark.parametrize(
    ("name", "designer"), [("C", "Dennis"), ("C++", "Bjarne"), ("C#", "Anders"), ("c++", "Bjarne")]
)
def test_names_that_differ_in_signs_are_told_apart(name: str, designer: str) -> None:
    remote = NeighboursOnly(
        [("C", "designed by", "Dennis"), ("C++", "designed by", "Bjarne"), ("C#", "designed by", "Anders")]
    )
    (named,) = mentioned(remote, f"Who designed {name}?")
    assert seeds_in(remote, "", [name]) == [named]
    ((rows, _),) = remote.neighbours([named])
    assert [remote.label(tail) for _, _, tail in rows.tolist()] == [designer]
