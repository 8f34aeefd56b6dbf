"""«Evolve into» over EVOLVES_FROM, where a learned reader knows words without their order."""

from __future__ import annotations

from itertools import pairwise

import pytest

from graphbrick import Graph, build
from graphbrick.language import forms
from graphbrick.language.voice import begins_at, says_way
from graphbrick.learn.default import default_pipeline

CHAIN = ["Pebble", "Cobble", "Boulder"]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    triples = [(after, "EVOLVES_FROM", before) for before, after in pairwise(CHAIN)]
    triples += [("Cobble", "EVOLVES_WITH", "Iron Ring"), ("Boulder", "EVOLVES_WITH", "Gold Ring")]
    return build(triples, tmp_path_factory.mktemp("stones") / "stones.graph")


@pytest.mark.skipif(not forms.is_installed(), reason="needs graphbrick[learn]")
@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what does Pebble evolve into?", {"Cobble"}),
        ("what does Boulder evolve from?", {"Cobble"}),
        ("what does pebble evolve into?", {"Cobble"}),
    ],
)
def test_into_and_from_are_two_ways_of_one_relation(graph: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(graph)(graph, question).texts) == answers


@pytest.mark.skipif(not forms.is_installed(), reason="needs graphbrick[learn]")
def test_the_evolution_of_one_that_evolves_is_never_one_step(graph: Graph) -> None:
    assert set(default_pipeline(graph)(graph, "what does the evolution of Pebble evolve into?").texts) <= {"Boulder"}


def test_the_way_of_a_phrase() -> None:
    assert [says_way(text) for text in ("what does e0 evolve into", "which stone does e0 need")] == [True, False]
    label = ("evolv", "from")
    assert [begins_at(f"what does e0 evolve {way}", label) for way in ("from", "into")] == [True, False]
