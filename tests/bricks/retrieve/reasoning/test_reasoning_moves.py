"""Moves and offers at an entity: order, mediators, hubs, and equality with a readable reference."""

from __future__ import annotations

from pathlib import Path as File

import pytest

from graphbrick import Graph, Query, Subgraph, build
from graphbrick.bricks.retrieve.reasoning.moves import moves_from, name_of, offers, starts, text_of
from graphbrick.testing import tiny_graph
from graphbrick.testing.graphs import TINY


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    triples = [("hub", "of", f"leaf {i}") for i in range(500)]
    triples += [("hub", "via", f"m.0{i}") for i in range(500)] + [(f"m.0{i}", "to", f"end {i}") for i in range(500)]
    return build(triples, tmp_path_factory.mktemp("hub") / "hub.graph")


@pytest.mark.parametrize("seed", ["Kenya", "Uganda", "Rwanda", "Kampala"])
@pytest.mark.parametrize("direction", ["both", "out", "in"])
def test_moves_are_the_triples_of_an_entity(seed: str, direction: str) -> None:
    graph = tiny_graph()
    view = Subgraph(graph)
    (start,) = starts(Query("?", (graph.entity(seed),)), view)
    found = {
        (move.text, name_of(view, end)) for move in moves_from(view, start, direction) for end in move.ends.tolist()
    }
    out = {(f"-> {r}", t) for h, r, t in TINY if h == seed and t != seed}
    into = {(f"<- {r}", h) for h, r, t in TINY if t == seed and h != seed}
    assert found == (out if direction != "in" else set()) | (into if direction != "out" else set())
    texts = [move.text for move in moves_from(view, start, direction)]
    assert len(set(texts)) == len(texts)


def test_offers_of_a_hub_hold_a_few_more_than_are_of_use(hub: Graph) -> None:
    view = Subgraph(hub)
    found = offers(view, starts(Query("?", (hub.entity("hub"),)), view), "both", most=10)
    assert {text: len(paths) for text, paths in found.items()} == {"-> of": 11, "-> via -> to": 11}
    assert text_of(view, found["-> via -> to"][0]).startswith("hub -> via -> m.0")


def test_offers_of_several_entities_are_one(tmp_path: File) -> None:
    graph = tiny_graph()
    view = Subgraph(graph)
    both = starts(Query("?", (graph.entity("Kenya"), graph.entity("Uganda"))), view)
    found = offers(view, both, "out", most=10)
    assert [text_of(view, path) for path in found["-> capital"]] == [
        "Kenya -> capital -> Nairobi",
        "Uganda -> capital -> Kampala",
    ]
