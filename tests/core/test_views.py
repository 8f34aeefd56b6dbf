"""Views of a graph, and items that speak of its entities."""

from __future__ import annotations

from pathlib import Path as Folder

import numpy as np

from graphbrick import Citation, Passage, Path, Row, Subgraph, Triple, build, change
from graphbrick.core.items import Entity
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.testing import TINY, tiny_graph


def view(graph: Graph, nodes: list[int], triples: list[int]) -> Subgraph:
    return Subgraph(graph, np.array(nodes, dtype=np.int32), np.array(triples, dtype=np.int32))


def test_entities_of_the_whole_graph_are_those_that_it_has() -> None:
    graph = tiny_graph()
    assert Subgraph(graph).local([-1, 0, 7, 8, 3, 3]) == [0, 7, 3, 3]
    part = view(graph, [2, 5, 7], [])
    assert part.local([7, 8, 2, -1, 6, 5, 5]) == [2, 0, 1, 1]
    assert view(graph, [], []).local([0]) == []


def test_triples_are_written_in_their_order() -> None:
    graph = tiny_graph()
    texts = [graph.triple_text(triple) for triple in range(graph.n_triples)]
    assert Subgraph(graph).triple_texts() == texts
    assert view(graph, list(range(8)), [1, 4, 9]).triple_texts() == [texts[1], texts[4], texts[9]]
    assert texts[0] == " -> ".join(TINY[0])


def test_only_the_whole_of_a_changed_graph_has_its_ids_listed(tmp_path: Folder) -> None:
    whole = Subgraph(tiny_graph())
    assert whole.listed() is whole
    build(TINY, tmp_path / "tiny.graph")
    change(tmp_path / "tiny.graph", add=[("Kenya", "borders", "Tanzania")])
    graph = Graph.open(tmp_path / "tiny.graph")
    listed = Subgraph(graph).listed()
    assert listed.nodes is not None
    assert listed.triples is not None
    assert listed.nodes.tolist() == list(range(graph.n_entities))
    assert listed.triples.tolist() == graph.triple_ids().tolist()
    assert (listed.n_nodes, listed.n_triples) == (9, len(TINY) + 1)
    assert sorted(listed.triple_texts()) == sorted(Subgraph(graph).triple_texts())
    part = view(graph, [0], [])
    assert part.listed() is part


def test_texts_of_triples_and_entities_have_their_descriptions(tmp_path: Folder) -> None:
    records = [*TINY, EntityRecord("Kenya", types=("country", "state"), description="in Africa")]
    graph = build(records, tmp_path / "typed.graph")
    kenya, nairobi = graph.entity("Kenya"), graph.entity("Nairobi")
    assert Entity(graph, kenya).text == "Kenya (country, state): in Africa"
    assert Entity(graph, nairobi).text == "Nairobi"
    capital = next(triple for triple in graph.triples_from(kenya) if graph.triple(triple)[2] == nairobi)
    path = Path(graph, (nairobi, kenya, nairobi), (capital, capital), (False, True))
    assert path.types == ("country", "")
    assert path.pattern_text == "Nairobi <- capital <- country -> capital ->"
    assert (path.start_label, [step.relation for step in path.steps]) == ("Nairobi", ["capital", "capital"])
    triple = Triple(graph, next(iter(graph.triples_from(kenya))), description="as they say")
    assert triple.text == f"{graph.triple_text(triple.id)}: as they say"
    assert triple.entities == (kenya, graph.triple(triple.id)[2])
    assert (triple.score, triple.source, triple.citations, triple.pattern_text) == (0.0, "", (), triple.text)
    assert triple == Triple(graph, triple.id, 0.5, "other", "", (Citation("a.txt"),))


def test_items_are_equal_by_kind_words_entities_and_places() -> None:
    here = Passage("The same.", (Citation("a.txt", 0, 9),), (1,))
    assert here == Passage("The same.", (Citation("a.txt", 0, 9),), (1,), None, 0.5, "other")
    others = [
        Passage("Another.", here.citations, (1,)),
        Passage("The same.", (Citation("a.txt", 1, 9),), (1,)),
        Passage("The same.", here.citations, (2,)),
    ]
    assert all(here != other for other in others)
    assert len({here, *others}) == 4
    assert Row(("a", "b"), ("1", "2")).text == "a: 1, b: 2"
    assert Row(("a",), ("1",)) != Passage("a: 1")
