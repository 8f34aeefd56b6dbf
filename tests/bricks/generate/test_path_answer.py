from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from faults import told
from following import follow_pattern

from graphbrick import (
    BM25,
    Answer,
    Budget,
    Evidence,
    GraphBuilder,
    Passage,
    Path,
    PathAnswer,
    Query,
    Rerank,
    ShortestPaths,
    Subgraph,
    build,
    spending,
)
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.patterns import Followed
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.pipeline import ExtractStage
from graphbrick.pipeline.budget import StoppedError
from graphbrick.testing import tiny_graph

FILMS = (
    ("Ann", "acted in", "Alpha"),
    ("Ann", "acted in", "Beta"),
    ("Ann", "directed", "Gamma"),
    ("Bob", "acted in", "Beta"),
    ("Bob", "acted in", "m1"),
    ("Bob", "acted in", "m2"),
    ("Cid", "acted in", "Alpha"),
)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    with GraphBuilder(tmp_path_factory.mktemp("answer") / "films.graph", source="test") as builder:
        for triple in FILMS:
            builder.add(triple)
        builder.add(EntityRecord("m1", label="Hamlet"))
        builder.add(EntityRecord("m2", label="Hamlet"))
        return builder.finish()


def paths(graph: Graph, *seeds: str, max_hops: int = 1) -> tuple[Query, Evidence]:
    query = Query("?", seeds=tuple(graph.entity(seed) for seed in seeds))
    return query, ShortestPaths(max_hops=max_hops).retrieve(query, Subgraph(graph))


def pick(evidence: Evidence, *texts: str) -> Evidence:
    """The paths of these texts in this order."""
    return Evidence(tuple(next(path for path in evidence.items if path.text == text) for text in texts))


def test_all_ends_of_the_best_pattern(films: Graph) -> None:
    query, evidence = paths(films, "Ann")
    answer = PathAnswer().generate(query, pick(evidence, "Ann -> acted in -> Beta", "Ann -> directed -> Gamma"))
    # Beta is in the evidence; Alpha has the same pattern; Gamma has another.
    assert answer.texts == ("Beta", "Alpha")
    assert answer.entities == (films.entity("Beta"), films.entity("Alpha"))
    assert [path.text for path in answer.evidence.items] == ["Ann -> acted in -> Beta", "Ann -> acted in -> Alpha"]


def test_those_in_the_evidence_come_first_in_its_order(films: Graph) -> None:
    query, evidence = paths(films, "Bob", max_hops=1)
    assert [path.end for path in evidence.items] == [films.entity(name) for name in ("Beta", "m1", "m2")]
    turned = Evidence(evidence.items[::-1])
    assert PathAnswer().generate(query, turned).texts == ("Hamlet", "Hamlet", "Beta")


def test_homonyms_are_two_answers(films: Graph) -> None:
    query, evidence = paths(films, "Bob")
    answer = PathAnswer().generate(query, Evidence(evidence.items[1:2]))
    assert answer.texts == ("Hamlet", "Beta", "Hamlet")
    assert len(set(answer.entities)) == 3


def test_seeds_are_answers_only_where_nothing_else_is(films: Graph) -> None:
    query, evidence = paths(films, "Ann", "Bob", max_hops=2)
    between = pick(evidence, "Ann -> acted in -> Beta <- acted in <- Bob")
    with record(Trace(), "PathAnswer()", "generate") as entry:
        assert PathAnswer().generate(query, between).texts == ("Bob", "Cid")
    assert told(entry.events) == [("path_answer.between_seeds", {})]
    further = pick(
        evidence, "Ann -> acted in -> Beta <- acted in <- Bob", "Ann -> acted in -> Alpha <- acted in <- Cid"
    )
    assert PathAnswer().generate(query, further).texts == ("Cid",)


def test_the_pattern_is_followed_from_each_seed_that_has_it(films: Graph) -> None:
    query, evidence = paths(films, "Ann", "Bob")
    both = pick(evidence, "Ann -> acted in -> Alpha", "Bob -> acted in -> Beta")
    assert PathAnswer().generate(query, both).texts == ("Alpha", "Beta", "Hamlet", "Hamlet")
    assert PathAnswer().generate(query, pick(evidence, "Ann -> acted in -> Alpha")).texts == ("Alpha", "Beta")


def test_the_directions_are_part_of_the_pattern() -> None:
    graph = tiny_graph()
    query, evidence = paths(graph, "Kenya")
    out = pick(evidence, "Kenya -> borders -> Uganda")
    assert PathAnswer().generate(query, out).texts == ("Uganda",)
    query, evidence = paths(graph, "Uganda")
    back = pick(evidence, "Uganda <- borders <- Rwanda")
    assert PathAnswer().generate(query, back).texts == ("Rwanda", "Kenya")


FAMILY = (
    ("Xa", "child", "Zoe"),
    ("Zoe", "parent", "Xa"),
    ("Zoe", "parent", "Yan"),
    ("Xa", "spouse", "Yan"),
    ("Yan", "spouse", "Xa"),
    ("Xa", "gender", "female"),
)


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(FAMILY, tmp_path_factory.mktemp("answer") / "family.graph")


def came_back(graph: Graph, start: str, *steps: tuple[str, bool]) -> Path:
    """The first path of a pattern that comes back to its start."""
    relations = {graph.relation_label(i): i for i in range(graph.n_relations)}
    pattern = [(relations[name], forward) for name, forward in steps]
    found = follow_pattern(graph, graph.entity(start), pattern, back=True)
    return next(path for path in found if path.comes_back)


def test_a_seed_is_the_answer_where_the_best_path_comes_back_to_it(family: Graph) -> None:
    query = Query("Who are the parents of Xa's child?", seeds=(family.entity("Xa"),))
    path = came_back(family, "Xa", ("child", True), ("parent", True))
    answer = PathAnswer().generate(query, Evidence((path.with_score(1),)))
    assert answer.texts == ("Xa", "Yan")
    assert answer.evidence.items[0] == path
    other = next(path for path in follow_pattern(family, path.start, path.pattern) if path.end == family.entity("Yan"))
    assert PathAnswer().generate(query, Evidence((other,))).texts == ("Yan",)  # «which other parent»


def test_a_path_may_come_through_the_seed(family: Graph) -> None:
    query = Query("What is the gender of the spouse of Xa's spouse?", seeds=(family.entity("Xa"),))
    path = came_back(family, "Xa", ("spouse", True), ("spouse", True), ("gender", True))
    assert PathAnswer().generate(query, Evidence((path,))).texts == ("female",)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    rows = (("hub", "has", f"leaf {i}") for i in range(60_000))
    more = (("hub", "next to", "near"), ("near", "next to", "hub"))
    return build([*rows, *more], tmp_path_factory.mktemp("answer") / "hub.graph")


@pytest.mark.whole
def test_answers_are_capped_and_the_number_is_an_event(hub: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    query, subgraph = Query("?", seeds=(hub.entity("hub"),)), Subgraph(hub)
    path = next(item for item in ShortestPaths(max_hops=1, cap=10).retrieve(query, subgraph).paths)
    made, path_of = [], Followed.path
    monkeypatch.setattr(Followed, "path", lambda ends, *where: made.append(where) or path_of(ends, *where))
    with record(Trace(), "PathAnswer()", "generate") as entry:
        answer = PathAnswer().generate(query, Evidence((path,), subgraph))
    assert len(made) < 1000  # not one for each of 60,000 entities
    assert len(answer.texts) == len(answer.evidence) == 1000
    assert told(entry.events) == [("path_answer.cap", {"n": 60_000, "cap": 1000})]
    assert len(PathAnswer(cap=3).generate(query, Evidence((path,), subgraph)).texts) == 3


@dataclass(frozen=True, repr=False)
class FourLeaves(ExtractStage):
    """The hub and four of its leaves."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        nodes = np.array(sorted([*query.seeds, *(graph.entity(f"leaf {i}") for i in range(4))]), dtype=np.int32)
        return Subgraph(graph, nodes, induced_triples(graph.csr.rows, nodes))


def test_answers_stay_in_the_subgraph_unless_told_otherwise(hub: Graph) -> None:
    pipeline = FourLeaves() >> ShortestPaths() >> Rerank(BM25(), n=1)
    inside = (pipeline >> PathAnswer())(hub, "What has the hub?", seeds=("hub",))
    assert sorted(inside.texts) == [f"leaf {i}" for i in range(4)]
    assert len((pipeline >> PathAnswer(within="graph"))(hub, "What has the hub?", seeds=("hub",)).texts) == 1000


def test_a_budget_of_seconds_ends_the_search(hub: Graph) -> None:
    query, subgraph = Query("?", seeds=(hub.entity("hub"),)), Subgraph(hub)
    path = ShortestPaths(max_hops=1, cap=10).retrieve(query, subgraph).paths[0]
    with spending(Budget(seconds=1e-9)), pytest.raises(StoppedError):
        PathAnswer().generate(query, Evidence((path,), subgraph))


def test_evidence_without_paths() -> None:
    with record(Trace(), "PathAnswer()", "generate") as entry:
        assert PathAnswer().generate(Query("?", seeds=(0,)), Evidence((Passage("Words."),))) == Answer()
    assert told(entry.events) == [("path_answer.no_path", {"items": 1})]


def test_no_evidence() -> None:
    with record(Trace(), "PathAnswer()", "generate") as entry:
        assert PathAnswer().generate(Query("?", seeds=(0,)), Evidence()) == Answer()
    assert told(entry.events) == [("path_answer.no_path", {"items": 0})]
