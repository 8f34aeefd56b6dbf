"""Questions about two entities: how they are connected, and what they have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from staff import Indifferent

from graphbrick import Graph, PathAnswer, Patterns, Subgraph, build
from graphbrick.bricks.retrieve.operators.paths.connection import paths_between
from graphbrick.bricks.retrieve.operators.sets import Place
from graphbrick.bricks.retrieve.operators.stage import Operators

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
TRIPLES = [
    ("Ada Marsh", "works in", "Finance"), ("Ben Okoro", "works in", "Finance"), ("Ada Marsh", "speaks", "French"),
    ("Ben Okoro", "speaks", "French"), ("Cleo Diaz", "speaks", "French"), ("Cleo Diaz", "reports to", "Ada Marsh"),
    ("Cleo Diaz", "mentors", "Ada Marsh"), ("Finance", "part of", "Holding"), ("Holding", "based in", "Oslo"),
    ("Dan Frost", "plays", "Chess"),
]  # fmt: skip


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(TRIPLES, tmp_path_factory.mktemp("people") / "people.graph")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (
            "How are Cleo Diaz and Ada Marsh connected?",
            {"Cleo Diaz -> reports to -> Ada Marsh", "Cleo Diaz -> mentors -> Ada Marsh"},
        ),
        ("How is Ben Okoro related to Holding?", {"Ben Okoro -> works in -> Finance -> part of -> Holding"}),
        (
            "What is the connection between Oslo and Ben Okoro?",
            {"Oslo <- based in <- Holding <- part of <- Finance <- works in <- Ben Okoro"},
        ),
        ("What do Ada Marsh and Ben Okoro have in common?", {"Finance", "French"}),
        ("What does Cleo Diaz have in common with Ben Okoro?", {"French"}),
    ],
)
def test_what_is_between_two_entities(people: Graph, question: str, answers: set[str]) -> None:
    answer = PIPELINE(people, question)
    assert set(answer.texts) == answers
    assert answer.evidence is not None
    assert any(item.kind == "path" for item in answer.evidence.items)


@pytest.mark.parametrize(
    "question", ["How are Dan Frost and Ada Marsh connected?", "What do Dan Frost and Oslo have in common?"]
)
def test_entities_that_nothing_connects(people: Graph, question: str) -> None:
    answer = PIPELINE(people, question)
    assert answer.texts == ()
    assert answer.trace is not None
    assert any(getattr(one, "values", {}).get("reason") == "connection.nothing" for one in answer.trace.events)


def test_of_many_common_neighbours_the_least_connected_are_given(tmp_path: Path) -> None:
    rows = [(one, "likes", f"Song {n}") for one in ("Ada", "Ben") for n in range(30)]
    graph = build([*rows, *((f"Fan {n}", "likes", "Song 0") for n in range(9))], tmp_path / "songs.graph")
    answer = PIPELINE(graph, "What do Ada and Ben have in common?")
    assert len(answer.texts) == 20
    assert "Song 0" not in answer.texts
    assert answer.trace is not None
    assert "connection.many" in answer.trace.event_codes


@pytest.mark.whole
@given(edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=14))
def test_paths_are_as_short_as_a_search_in_breadth_says(
    tmp_path_factory: pytest.TempPathFactory, edges: list[tuple[int, int]]
) -> None:
    graph = build([(f"n{u}", "r", f"n{v}") for u, v in edges], tmp_path_factory.mktemp("any") / "g.graph")
    place = Place(graph, Subgraph(graph), {})
    one, *others = range(graph.n_entities)
    near = {n: {graph.triple(t)[2] for t in graph.triples_from(n)} | {graph.triple(t)[0] for t in graph.triples_to(n)}
            for n in range(graph.n_entities)}  # fmt: skip
    distance, layer = {one: 0}, {one}
    while layer:
        layer = {v for u in layer for v in near[u]} - set(distance)
        distance |= dict.fromkeys(layer, max(distance.values()) + 1)
    for other in others:
        paths = paths_between(place, one, other)
        assert {len(path.triples) for path in paths} == ({distance[other]} if other in distance else set())
        assert all((path.nodes[0], path.nodes[-1]) == (one, other) for path in paths)
