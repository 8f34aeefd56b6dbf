"""Questions about properties: values, conditions, superlatives, properties of triples, cards, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from faults import told
from property_graphs import clinic_graph, shop_graph, shop_records
from staff import Indifferent

from graphbrick import PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import ASSUMED, EXPLAINED, Operators
from graphbrick.core.errors import LinkError
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import Properties, PropertyColumn, kind_of
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.local import LocalAround
from graphbrick.graphs.records.records import EntityRecord, Record
from graphbrick.testing import NeighboursOnly

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return shop_graph(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return clinic_graph(tmp_path_factory.mktemp("clinic"))


def asked(graph: Graph, question: str) -> list[str]:
    try:
        return sorted(PIPELINE(graph, question).texts)
    except LinkError:
        return []


SHOP = [
    ("What is the price of Blue Kettle?", ["24.5"]),
    ("How much does the Red Toaster cost?", ["39"]),
    ("Which products cost more than 30?", ["Copper Pot", "Oak Board", "Red Toaster"]),
    ("Is the Oak Board in stock?", ["yes"]),
    ("Is the Glass Jug not in stock?", ["yes"]),
    ("Is the Red Toaster red?", ["yes"]),
    ("Is the Red Toaster brown?", ["no"]),
    ("Which red products are in stock?", ["Copper Pot"]),
    ("What colour is the Steel Pan?", ["silver"]),
    ("When was Ada Rowe born?", ["1970-01-02"]),
    ("What is Bo Lind's email address?", ["bo@post.example"]),
    ("Which is the most expensive product?", ["Copper Pot"]),
    ("What is the cheapest product of Nord Supply?", ["Glass Jug"]),
    ("What is the highest price?", ["89"]),
    ("What is the average price of the products that Bergmann & Co sells?", ["53.5"]),
    ("How many products are not in stock?", ["2"]),
    ("Which red or brown products are there?", ["Copper Pot", "Oak Board", "Red Toaster"]),
    ("Which products other than red ones cost less than 30?", ["Blue Kettle", "Glass Jug", "Steel Pan"]),
    ("Which products are neither red nor blue?", ["Glass Jug", "Oak Board", "Steel Pan"]),
    ("Which products are not red?", ["Blue Kettle", "Glass Jug", "Oak Board", "Steel Pan"]),
    ("Since when does Orlen Trading sell the Red Toaster?", ["2021"]),
    ("Which vendor is the oldest?", ["Bergmann & Co"]),
    ("Which customers are VIP?", ["Ada Rowe"]),
    ("products launched after 2021", ["Oak Board", "Red Toaster"]),
    ("Which products were launched in 2019?", ["Steel Pan"]),
    ("In what year was the Steel Pan launched?", ["2019"]),
    ("What is heavier, the Copper Pot or the Red Toaster?", ["Red Toaster"]),
    ("In which country is the vendor of the Glass Jug?", ["Norway"]),
    ("products under 20 euros that are in stock", ["Steel Pan"]),
    ("What are the tags of Nord Supply?", ["norway", "wholesale"]),
    ("What is the highest rated product?", ["Copper Pot"]),
]
CLINIC = [
    ("What is Tom Hale's blood type?", ["A+"]),
    ("When was Mia Berg admitted?", ["2024-03-02T14:00:00"]),
    ("How many beds does the South Ward have?", ["40"]),
    ("On which floor is the Garden Ward?", ["1"]),
    ("Which patients have blood type A+?", ["Tom Hale"]),
    ("Is Eva Roth insured?", ["no"]),
    ("Which doctor is the youngest?", ["Sam Adeyemi"]),
    ("Who earns the most?", ["Sam Adeyemi"]),
    ("Which cardiology doctors work part time?", ["Lena Fuchs"]),
    ("How many patients are insured?", ["2"]),
    ("What is the total number of beds?", ["76"]),
    ("Which patients were born before 1970?", ["Eva Roth", "Tom Hale"]),
    ("Which insured patients lie on the North Ward?", ["Tom Hale", "Ugo Silva"]),
    ("What is the speciality of the doctor who treats Mia Berg?", ["neurology"]),
    ("Since when has Lena Fuchs worked on the North Ward?", ["2020-10-01"]),
    ("Which wards have more than 20 beds?", ["North Ward", "South Ward"]),
    ("Which medicines are not prescription only?", ["Painex"]),
    ("Which doctors work on floor 1?", ["Ines Moreau", "Lena Fuchs", "Sam Adeyemi"]),
    ("Which floor does Paul Okoro work on?", ["2"]),
    ("What is the average salary of doctors?", ["9,050"]),
]


@pytest.mark.parametrize(("question", "texts"), SHOP)
def test_the_shop(shop: Graph, question: str, texts: list[str]) -> None:
    assert asked(shop, question) == texts


@pytest.mark.parametrize(("question", "texts"), CLINIC)
def test_the_clinic(clinic: Graph, question: str, texts: list[str]) -> None:
    assert asked(clinic, question) == texts


@pytest.mark.parametrize(
    ("question", "text", "counted"),
    [
        ("How many patients are insured?", "2", 2),
        ("How many beds does the South Ward have?", "40", None),
        ("On which floor is the Garden Ward?", "1", None),
        ("What is the total number of beds?", "76", None),
        ("How many different blood types are there?", "4", 4),
    ],
)
def test_only_a_count_says_how_many_it_counts(clinic: Graph, question: str, text: str, counted: int | None) -> None:
    run = PIPELINE.run(clinic, question).to_dict()
    (answer,) = run["answers"]
    rows = [run["support"][i] for i in answer["support"] if run["support"][i]["kind"] == "row"]
    assert (answer["text"], [row.get("counted") for row in rows]) == (text, [counted] if rows else [])


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the price of Orlen Trading?", "price"),
        ("How much does Ada Rowe cost?", "cost"),
        ("What is the warranty of the Blue Kettle?", "warranty"),
        ("What is the population of Nord Supply?", "population"),
        ("When was the Blue Kettle born?", "known time for 'born'"),
        ("Is Ada Rowe in stock?", "inStock"),
    ],
)
def test_a_property_that_something_lacks_is_not_answered_by_a_neighbour(shop: Graph, question: str, name: str) -> None:
    answer = PIPELINE(shop, question)
    assert answer.texts == ()
    assert answer.trace is not None
    (values,) = (values for code, values in told(answer.trace.events) if code == "operators.not_answered")
    assert (values["reason"], values["name"]) == ("operators.no_value", name)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Is the Red Toaster red on weekends?", ("weekend",)),
        ("What colour is the Blue Kettle painted in China?", ("china",)),
        ("Since when does Orlen Trading sell the Red Toaster in Berlin?", ("berlin",)),
        ("Since when does Orlen Trading sell the Red Toaster to Ada Rowe?", ("e2",)),
        ("Is the Blue Kettle made in 2019 blue?", ("2019",)),
        ("What is the sell price of Blue Kettle?", ("pric",)),
        ("Blue Kettle price tax", ("pric",)),
        ("What colour is the Blue Kettle launched?", ("launch",)),
        ("Which vendors born in Germany are there?", ("bear",)),
        ("Who was born in Germany?", ("bear",)),
    ],
)
def test_words_that_the_plan_of_a_value_leaves_unread_refuse_it(
    shop: Graph, question: str, words: tuple[str, ...]
) -> None:
    answer = PIPELINE(shop, question)
    assert answer.texts == ()
    assert answer.trace is not None
    (values,) = (values for code, values in told(answer.trace.events) if code == "operators.not_answered")
    assert (values["reason"], values["words"]) == ("operators.unread_words", words)


@pytest.mark.parametrize(
    ("question", "texts", "confidence"),
    [
        ("What colour is the Blue Kettle?", ("blue",), EXPLAINED),
        ("What colour is the Blue Kettle painted?", ("blue",), EXPLAINED),
        ("What colour is the Blue Kettle shipped in?", ("blue",), ASSUMED),
        ("Which products cost more than 80?", ("Copper Pot",), EXPLAINED),
        ("Which products cost more than $80?", ("Copper Pot",), ASSUMED),
        ("Which products cost more than 80 euros?", ("Copper Pot",), ASSUMED),
        ("Which vendors are based in Germany?", ("Bergmann & Co",), EXPLAINED),
        ("Which vendors boycotted in Germany are there?", ("Bergmann & Co",), ASSUMED),
    ],
)
def test_a_verb_or_currency_that_the_graph_does_not_know_is_an_assumption(
    shop: Graph, question: str, texts: tuple[str, ...], confidence: float
) -> None:
    answer = PIPELINE(shop, question)
    assert (answer.texts, answer.confidence) == (texts, confidence)
    assert answer.trace is not None
    assert ("operators.assumption" in answer.trace.event_codes) == (confidence == ASSUMED)


def test_a_value_that_nothing_has_is_no_condition(shop: Graph) -> None:
    assert asked(shop, "Which products are purple?") == []


def test_the_evidence_shows_the_property_with_its_stage(shop: Graph) -> None:
    answer = PIPELINE(shop, "What is the price of Blue Kettle?")
    items = answer.evidence.items
    assert [item.text for item in items] == ["answer: 24.5, plan: price of: Blue Kettle", "Blue Kettle: price 24.5"]
    assert [item.kind for item in items] == ["row", "property"]
    assert answer.support == ((1, 0),)
    assert answer.confidence == EXPLAINED


def test_the_evidence_of_a_condition_shows_each_value(shop: Graph) -> None:
    answer = PIPELINE(shop, "Which red products are in stock?")
    texts = [item.text for item in answer.evidence.items]
    assert texts[1:] == ["Copper Pot: colour red", "Copper Pot: inStock true"]


def test_the_evidence_of_a_property_of_a_triple_names_the_triple(shop: Graph) -> None:
    answer = PIPELINE(shop, "Since when does Orlen Trading sell the Red Toaster?")
    assert answer.evidence.items[1].text == "Orlen Trading -> SELLS -> Red Toaster: since 2021"


def test_values_that_a_change_brings_are_read(tmp_path: Path) -> None:
    graph = build(shop_records(), tmp_path / "shop.graph")
    new = [EntityRecord("Blue Kettle", properties={"price": 27.0, "inStock": False, "colour": "Green"})]
    change(graph.path, add=new)
    changed = Graph.open(tmp_path / "shop.graph")
    assert asked(changed, "What is the price of Blue Kettle?") == ["27"]
    assert asked(changed, "Which green products are there?") == ["Blue Kettle"]
    assert asked(changed, "Which products cost less than 25?") == ["Glass Jug", "Steel Pan"]


class Elsewhere(NeighboursOnly, HasProperties):
    """A client of a database whose nodes have properties."""

    def __init__(self, records: Sequence[Record]) -> None:
        super().__init__(record[:3] for record in records if isinstance(record, tuple))
        self._properties = {r.key: r.properties for r in records if isinstance(r, EntityRecord)}
        self._types = {r.key: list(r.types) for r in records if isinstance(r, EntityRecord)}

    def types(self, entity: int) -> list[str]:
        return self._types[self.key(entity)]

    def property_columns(self) -> Sequence[PropertyColumn]:
        names = {name: value for own in self._properties.values() for name, value in own.items()}
        return [
            PropertyColumn(name, kind_of(value), 1) for name, value in names.items() if not isinstance(value, tuple)
        ]

    def properties(self, entity: int) -> Properties:
        return self._properties[self.key(entity)]

    own_properties = properties

    def matching(self, condition: Condition) -> Sequence[int]:
        raise AssertionError("a question about a named entity needs no filter")

    def entities_where(self, name: str, **bounds: object) -> Sequence[int]:
        raise AssertionError("a question about a named entity needs no filter")


def test_properties_of_a_database_are_read_around_the_seeds() -> None:
    elsewhere = LocalAround(Elsewhere(shop_records()))
    for question, texts in (
        ("What is the price of Blue Kettle?", ("24.5",)),
        ("When was Ada Rowe born?", ("1970-01-02",)),
        ("Is Red Toaster red?", ("yes",)),
    ):
        assert PIPELINE(elsewhere, question).texts == texts


def test_an_amount_in_another_currency_than_that_of_the_graph_is_refused(tmp_path: Path) -> None:
    records = [
        EntityRecord(name, name, (), ("Lamp",), None, {"price_eur": n}) for name, n in (("Ray", 20), ("Glow", 40))
    ]
    graph = build([*records, ("Ray", "beside", "Glow")], tmp_path / "lamps.graph")
    assert asked(graph, "Which lamps cost more than 30 euros?") == ["Glow"]
    assert asked(graph, "Which lamps cost more than €30?") == ["Glow"]
    answer = PIPELINE(graph, "Which lamps cost more than $30?")
    assert answer.texts == ()
    assert answer.trace is not None
    (values,) = (values for code, values in told(answer.trace.events) if code == "operators.not_answered")
    assert (values["reason"], values["own"]) == ("operators.other_currency", "€")
