"""What bricks need of graphs, and what is advised where a graph does not give it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from faults import fails

from graphbrick.core.graph import Capabilities, Capability, capabilities_of, check_needs, follow
from graphbrick.testing import TINY, NeighboursOnly, tiny_graph

LABELS, NEIGHBOURS = Capability.LABELS, Capability.NEIGHBOURS
ADJACENCY, PASSAGES, CORPUS = Capability.ADJACENCY, Capability.PASSAGES, Capability.CORPUS


@dataclass(frozen=True)
class Needy:
    needs: Capabilities


def needy(*needs: Capability) -> Needy:
    return Needy(frozenset(needs))


class OnlyLabels:
    """A graph without neighbours."""

    def __getattr__(self, name: str) -> object:
        raise AttributeError(name)


for name in ("label", "key", "relation_label", "relation_key", "entity", "search", "types", "first_type",
             "description", "aliases", "describe"):  # fmt: skip
    setattr(OnlyLabels, name, lambda self, *arguments: "")


@pytest.mark.parametrize(
    ("needs", "advice"),
    [
        ([ADJACENCY], "use LocalAround(graph, hops=2), which copies the part of it around the seeds"),
        ([LABELS, ADJACENCY], "use LocalAround(graph, hops=2), which copies the part of it around the seeds"),
        (
            [ADJACENCY, PASSAGES],
            "use a brick that needs only labels and neighbours, or a graph that gives adjacency and passages",
        ),
        ([PASSAGES], "use a brick that needs only labels and neighbours, or a graph that gives passages"),
        ([CORPUS], "make the graph from documents, with graphbrick index"),
        ([CORPUS, ADJACENCY], "make the graph from documents, with graphbrick index"),
    ],
)
def test_the_advice_fits_what_is_missing(needs: list[Capability], advice: str) -> None:
    graph = NeighboursOnly(TINY)
    missing = frozenset(needs) - {LABELS}
    with fails("graph.missing_capability", missing=missing, advice=advice) as refused:
        check_needs([needy(LABELS), needy(*needs), needy()], graph)
    assert "but NeighboursOnly gives labels and neighbours; " in str(refused.value)
    check_needs([needy(LABELS, NEIGHBOURS), needy()], graph)


def test_a_graph_without_neighbours_cannot_be_copied() -> None:
    assert capabilities_of(OnlyLabels()) == {LABELS}
    advice = "use a brick that needs only labels, or a graph that gives adjacency"
    with fails("graph.missing_capability", missing={ADJACENCY}, advice=advice):
        check_needs([needy(ADJACENCY)], OnlyLabels())
    advice = "use a brick that needs only labels, or a graph that gives neighbours, adjacency and passages"
    with fails("graph.missing_capability", advice=advice):
        check_needs([needy(NEIGHBOURS, PASSAGES, ADJACENCY)], OnlyLabels())


def test_what_is_no_graph_is_refused_even_if_nothing_is_needed() -> None:
    with fails("graph.not_a_graph"):
        check_needs([], "a text")
    check_needs([], tiny_graph())


def test_directions() -> None:
    assert [follow(direction) for direction in ("both", "out", "in")] == [(True, True), (True, False), (False, True)]
