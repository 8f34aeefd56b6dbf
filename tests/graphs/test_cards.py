"""Cards: all that a graph knows about one entity."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick import index
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.cards import card_of, cards_of
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.local import LocalAround
from graphbrick.graphs.opening import open as open_graph
from graphbrick.graphs.records.records import EntityRecord, Record
from graphbrick.testing import NeighboursOnly, tiny_graph

N = 1_500
HUB: list[Record] = [
    *((f"Person {i:04}", "lives in", "Big Town") for i in range(N)),
    *((f"Person {i:04}", "visits", "Person 0700") for i in range(3)),
]


def test_the_best_known_neighbours_come_first_with_the_number_of_all(tmp_path: Path) -> None:
    graph = build(HUB, tmp_path / "hub.graph")
    (group,) = card_of(graph, graph.entity("Big Town")).groups
    assert (group.count, group.triples, group.forward) == (N, N, False)
    assert [end.label for end in group.best] == ["Person 0700", "Person 0000", "Person 0001"]
    assert card_of(graph, graph.entity("Big Town")).text == (
        "Big Town\n- ← lives in (1,500): Person 0700, Person 0000, Person 0001, ..."
    )


def test_parallel_triples_are_one_neighbour(tmp_path: Path) -> None:
    from graphbrick.graphs.records.records import EdgeRecord

    records = [EdgeRecord("Lee", "bought", "Mug", {"on": day}) for day in ("May 1", "May 2")]
    graph = build(records, tmp_path / "shop.graph")
    (group,) = card_of(graph, graph.entity("Lee")).groups
    assert (group.triples, group.count) == (2, 1)


def test_prose_is_first_and_identifiers_are_last(tmp_path: Path) -> None:
    own = {"homepage": "http://a.example", "user_id": "7", "city": "Oslo", "summary": "A shop."}
    graph = build([EntityRecord("a", "A Shop", properties=own), ("a", "in", "Oslo")], tmp_path / "a.graph")
    assert list(card_of(graph, graph.entity("a")).properties) == ["summary", "city", "homepage", "user_id"]


def test_numbers_at_the_end_of_triples_are_lines_of_properties(tmp_path: Path) -> None:
    graph = build([("Kenya", "population", "51,393,010"), ("Kenya", "capital", "Nairobi")], tmp_path / "world.graph")
    assert card_of(graph, graph.entity("Kenya")).text == "Kenya\n- population: 51,393,010\n- → capital: Nairobi"


@pytest.mark.whole
def test_a_database_counts_what_a_request_does_not_bring(tmp_path: Path) -> None:
    to_ladybug(build(HUB, tmp_path / "hub.graph"), tmp_path / "hub.lbdb")
    graph = open_graph(f"ladybug:{tmp_path / 'hub.lbdb'}")
    (group,) = card_of(graph, graph.entity("Big Town")).groups
    assert (group.count, group.triples, group.is_cut) == (N, N, False)
    local, _ = LocalAround(graph).for_question("Tell me about Big Town", ())
    (group,) = card_of(local, local.entity("Big Town")).groups
    assert (group.count, group.triples, group.is_cut) == (N, N, False)


def test_a_copy_of_a_graph_that_does_not_count_says_that_there_are_more() -> None:
    elsewhere = NeighboursOnly(record for record in HUB if isinstance(record, tuple))
    local, _ = LocalAround(elsewhere, limit_per_node=10).for_question("", ["Big Town"])
    card = card_of(local, local.entity("Big Town"))
    assert card.is_cut
    assert "lives in (10 or more)" in card.text


def test_namesakes_of_a_database_are_copied_beside_the_seed(tmp_path: Path) -> None:
    records = [EntityRecord("k1", "Kim"), EntityRecord("k2", "Kim"), ("k1", "in", "Oslo"), ("k2", "in", "Rome")]
    to_ladybug(build(records, tmp_path / "kim.graph"), tmp_path / "kim.lbdb")
    graph = LocalAround(open_graph(f"ladybug:{tmp_path / 'kim.lbdb'}"))
    local, seeds = graph.for_question("Who is Kim?", ())
    assert (len(seeds), local.has_namesakes, len(local.named("Kim"))) == (1, True, 2)
    assert not graph.for_question("Who is Kim?", ["k1"])[0].has_namesakes


def test_namesakes_that_differ_in_nothing_are_told_by_their_keys(tmp_path: Path) -> None:
    graph = build(
        [EntityRecord("a", "Twin"), EntityRecord("b", "Twin"), ("a", "r", "x"), ("b", "r", "x")], tmp_path / "t"
    )
    assert [card.apart for card in cards_of(graph, graph.named("Twin"))] == ["a", "b"]


def test_a_card_cites_passages_of_the_documents(tmp_path: Path) -> None:
    (tmp_path / "kenya.md").write_text("# Kenya\nKenya is a country in East Africa. Its capital is Nairobi.\n")
    graph = index([tmp_path / "kenya.md"], tmp_path / "notes.graph").graph
    entity = next(one for one in range(graph.n_entities) if graph.label(one) == "Kenya")
    card = card_of(graph, entity)
    assert card.passages
    assert [citation.document for citation in card.citations] == [one.document for one in card.passages]
    assert "Its capital is Nairobi." in card.text
    assert card.to_dict()["passages"][0]["document"].endswith("kenya.md")


def test_a_relation_that_holds_both_ways_is_one_line(tmp_path: Path) -> None:
    triples = [("Kenya", "borders", "Uganda"), ("Uganda", "borders", "Kenya"), ("Kenya", "birthPlace", "Oslo")]
    graph = build([*triples, ("Oslo", "CbG", "Kenya")], tmp_path / "world.graph")
    lines = card_of(graph, graph.entity("Kenya")).text.split("\n")
    assert lines == ["Kenya", "- → birth place: Oslo", "- ↔ borders: Uganda", "- ← CbG: Oslo"]


def test_keys_are_shown_where_they_are_asked_for() -> None:
    graph: Graph = tiny_graph()
    assert "- → capital: Nairobi [Nairobi]" in card_of(graph, graph.entity("Kenya")).lines(keys=True)
