"""Questions for all that is known about entities, and the card that answers them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from property_graphs import shop_graph
from staff import Indifferent

from graphbrick import LLM, Generate, PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import EXPLAINED, Operators
from graphbrick.core.errors import LinkError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.cards import Card
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.pipeline.run_json import run_json
from graphbrick.testing import ScriptedLLM

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
KETTLE = """Blue Kettle (Product)
A kettle with a whistle.
- price: 24.5
- inStock: true
- colour: blue
- launched: 2021-03-04
- rating: 4.5
- weight_kg: 1.2
- ← bought: Ada Rowe
- ← sells: Orlen Trading"""
STAFF = [
    EntityRecord("p1", "Kim Weber", types=("Person",), properties={"title": "Engineer", "staff_id": "0071"}),
    EntityRecord("p2", "Kim Weber", types=("Person",), properties={"title": "Engineer", "staff_id": "0072"}),
    EntityRecord("t1", "Blue Team", types=("Team",)),
    EntityRecord("t2", "Red Team", types=("Team",)),
    ("p1", "MEMBER_OF", "t1"),
    ("p2", "MEMBER_OF", "t2"),
    ("p2", "MEMBER_OF", "t1"),
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return shop_graph(tmp_path_factory.mktemp("shop"))


@pytest.mark.parametrize(
    "question",
    [
        "Tell me about the Blue Kettle",
        "tell me more about blue kettle please",
        "Describe Blue Kettle.",
        "Describe the product Blue Kettle",
        "What is Blue Kettle?",
        "What's Blue Kettle?",
        "What does Blue Kettle do?",
        "What is Blue Kettle about?",
        "Summarise Blue Kettle",
        "Give me an overview of the Blue Kettle",
        "What do you know about the Blue Kettle?",
        "What can you tell me about the Blue Kettle?",
        "I'd like to know more about Blue Kettle",
        "Could you tell me about the product Blue Kettle in a few words?",
        "Info on Blue Kettle",
        "Blue Kettle details",
        "Blue Kettle?",
        "about Blue Kettle",
    ],
)
def test_a_card_has_description_properties_and_relations(shop: Graph, question: str) -> None:
    answer = PIPELINE(shop, question)
    assert answer.texts == (KETTLE,)
    assert answer.entities == (shop.entity("Blue Kettle"),)
    assert answer.confidence == EXPLAINED


def test_the_card_is_its_own_evidence_with_its_fields_in_json(shop: Graph) -> None:
    run = PIPELINE.run(shop, "Tell me about the Blue Kettle")
    facts = run_json(run, PIPELINE)
    (answer,) = facts["answers"]
    (card,) = (facts["support"][i]["card"] for i in answer["support"])
    assert (card["key"], card["types"], card["description"]) == (
        "Blue Kettle",
        ["Product"],
        "A kettle with a whistle.",
    )
    assert list(card["properties"].items())[:2] == [("price", 24.5), ("inStock", True)]
    sells = card["relations"][-1]
    assert (sells["label"], sells["direction"], sells["triples"], sells["count"]) == ("SELLS", "in", 1, 1)
    assert sells["best"] == [{"key": "Orlen Trading", "label": "Orlen Trading"}]


def test_a_model_reads_the_card(shop: Graph) -> None:
    with ScriptedLLM(["It costs 24.50 [1, 2]."]) as server:
        pipeline = Operators(Patterns(Indifferent())) >> Generate(LLM(base_url=server.base_url))
        answer = pipeline(shop, "Tell me about the Blue Kettle")
        (request,) = server.requests
    assert request.prompt.count("- price: 24.5") == 1
    assert any(isinstance(item, Card) for item in answer.evidence.items)


def test_several_entities_have_a_card_each(shop: Graph) -> None:
    answer = PIPELINE(shop, "Tell me about Blue Kettle and Red Toaster")
    assert [text.partition("\n")[0] for text in answer.texts] == ["Blue Kettle (Product)", "Red Toaster (Product)"]


def test_a_class_beside_the_name_must_be_one(shop: Graph) -> None:
    assert PIPELINE(shop, "Tell me about the price of Blue Kettle").texts == ("24.5",)
    assert not any("\n" in text for text in texts(shop, "Tell me about the vendors of Blue Kettle"))


def texts(graph: Graph, question: str) -> Sequence[str]:
    try:
        return PIPELINE(graph, question).texts
    except LinkError:
        return ()


def test_namesakes_are_all_told_with_what_tells_them_apart(tmp_path: Path) -> None:
    graph = build(STAFF, tmp_path / "staff.graph")
    answer = PIPELINE(graph, "Who is Kim Weber?")
    assert sorted(text.split("\n")[0] for text in answer.texts) == [
        "Kim Weber (Person; member of Blue Team, staff_id 0071)",
        "Kim Weber (Person; staff_id 0072, member of Blue Team, Red Team)",
    ]
    run = PIPELINE.run(graph, "Who is Kim Weber?", seeds=["p2"])
    assert run.answer is not None
    assert run.answer.entities == (graph.entity("p2"),)


def test_a_relation_answers_what_somebody_does(tmp_path: Path) -> None:
    triples = [("Ada Rowe", "occupation", "baker"), ("Ada Rowe", "lives in", "Oslo"), ("Bo Lind", "lives in", "Oslo")]
    graph = build(triples, tmp_path / "people.graph")
    assert PIPELINE(graph, "What does Ada Rowe do?").texts == ("baker",)
    assert PIPELINE(graph, "What does Bo Lind do?").texts == ("Bo Lind\n- → lives in: Oslo",)


def test_a_graph_without_properties_has_cards_too(tmp_path: Path) -> None:
    graph = build([("Kenya", "capital", "Nairobi"), ("Kenya", "borders", "Uganda")], tmp_path / "world.graph")
    assert PIPELINE(graph, "Tell me about Kenya").texts == ("Kenya\n- → borders: Uganda\n- → capital: Nairobi",)


def test_describing_may_be_a_relation_where_nothing_has_a_description(tmp_path: Path) -> None:
    films = [("Salt Road", "described as", "moody"), ("Under Glass", "described as", "tense")]
    graph = build(films, tmp_path / "films.graph")
    assert PIPELINE(graph, "describe Salt Road").texts == ("moody",)
    described = build([*films, EntityRecord("Salt Road", description="A film.")], tmp_path / "described.graph")
    assert PIPELINE(described, "describe Salt Road").texts == ("Salt Road\nA film.\n- → described as: moody",)
