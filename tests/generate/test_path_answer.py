from __future__ import annotations

import pytest

from graphbrick import Answer, Evidence, GraphBuilder, PathAnswer, Query, ShortestPaths, Subgraph
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records import EntityRecord
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


def test_seeds_are_no_answers(films: Graph) -> None:
    # Ann and Bob are both seeds; the path that leads from one to the other answers nothing.
    query, evidence = paths(films, "Ann", "Bob", max_hops=2)
    between = pick(evidence, "Ann -> acted in -> Beta <- acted in <- Bob")
    with record(Trace(), "PathAnswer()", "generate") as entry:
        assert PathAnswer().generate(query, between) == Answer()
    assert entry.events == ["no answer: every path of the evidence ends at a seed"]
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


def test_no_evidence() -> None:
    with record(Trace(), "PathAnswer()", "generate") as entry:
        assert PathAnswer().generate(Query("?", seeds=(0,)), Evidence()) == Answer()
    assert entry.events == ["no answer: the evidence is empty"]
