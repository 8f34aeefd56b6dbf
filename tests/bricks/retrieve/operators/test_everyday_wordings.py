"""Everyday wordings of questions over properties: names in one word, verbs, codes, classes beside names, namesakes."""

from __future__ import annotations

import datetime

import pytest
from staff import Indifferent

from graphbrick import PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import ASSUMED, EXPLAINED, Operators
from graphbrick.core.errors import LinkError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()


def _day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


CLERKS = [
    ("Ann Bell", "IT Manager", "1960-02-03", "2001-05-01", "Calgary"),
    ("Bob Cole", "IT Clerk", "1971-04-05", "2003-06-02", "Calgary"),
    ("Cid Dorn", "IT Clerk", "1969-06-07", "2004-07-03", "Lethbridge"),
]
ITEMS = [
    ("Tea", 18.0, 39, 0, 0, "Beverages"),
    ("Malt Beer", 14.0, 0, 5, 1, "Beverages"),
    ("Tofu Block", 23.25, 35, 0, 0, "Produce"),
    ("Eel", 60.0, 0, 0, 0, "Seafood"),
    ("Kelp", 6.0, 24, 9, 1, "Seafood"),
]
PLAYERS = [
    ("p1", "Lou Gray", "1970-01-01", "Osaka", "Japan", "L", "2010-03-04", 2015),
    ("p2", "Lou Gray", "1982-02-02", "Busan", "South Korea", "R", None, None),
    ("p3", "Max Ito", "1975-03-03", "Osaka", "Japan", "L", None, None),
    ("p4", "Ray Osaka", "1990-04-04", "Boston", "USA", "R", None, None),
]
TEAMS = [
    ("1999 Bears", 1999, 60, 102, False),
    ("2001 Bears", 2001, 116, 46, True),
    ("2001 Cubs", 2001, 80, 82, False),
]


def _records() -> list[Record]:
    records: list[Record] = [
        EntityRecord(
            name,
            types=("Employee",),
            properties={"title": title, "birthdate": _day(born), "hiredate": _day(hired), "city": city},
        )
        for name, title, born, hired, city in CLERKS
    ]
    records += [
        EntityRecord(
            name,
            types=("Product",),
            properties={"UnitPrice": price, "UnitsInStock": stock, "UnitsOnOrder": order, "Discontinued": gone},
        )
        for name, price, stock, order, gone, _ in ITEMS
    ]
    records += [EntityRecord(name, types=("Category",)) for name in ("Beverages", "Produce", "Seafood")]
    records += [(name, "PART_OF", category) for name, *_, category in ITEMS]
    records += [
        EntityRecord(
            key,
            name,
            types=("Player",),
            properties={"born": _day(born), "birth_city": city, "birth_country": country, "throws": throws}
            | ({"died": _day(died)} if died else {})
            | ({"inducted": inducted} if inducted else {}),
        )
        for key, name, born, city, country, throws, died, inducted in PLAYERS
    ]
    records += [
        EntityRecord(
            name, types=("Team",), properties={"season": season, "wins": wins, "losses": losses, "league_title": title}
        )
        for name, season, wins, losses, title in TEAMS
    ]
    records += [
        EntityRecord("Osaka Dome", types=("Ground",), properties={"city": "Osaka", "country": "Japan"}),
        EntityRecord("Dee Fox", types=("Customer",), properties={"country": "Japan", "company": "Fox Ltd"}),
        EntityRecord("Eve Gunn", types=("Customer",), properties={"country": "Japan"}),
        EntityRecord("Gil Hart", types=("Customer",), properties={"country": "Peru"}),
        ("Dee Fox", "supported_by", "Ann Bell"),
        ("Eve Gunn", "supported_by", "Bob Cole"),
        EntityRecord("i1", "Invoice 1", types=("Invoice",), properties={"date": _day("2009-01-02"), "total": 5.5}),
        EntityRecord("i2", "Invoice 2", types=("Invoice",), properties={"date": _day("2010-03-04"), "total": 25.0}),
        ("i1", "invoice_of", "Dee Fox"),
        ("i2", "invoice_of", "Eve Gunn"),
    ]
    return records


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(_records(), tmp_path_factory.mktemp("everyday") / "everyday.graph")


def asked(graph: Graph, question: str) -> list[str]:
    try:
        return sorted(PIPELINE(graph, question).texts)
    except LinkError:
        return []


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("when was ann bell hired", ["2001-05-01"]),
        ("When did Bob Cole join the company?", ["2003-06-02"]),
        ("Which IT clerks were hired in 2003?", ["Bob Cole"]),
        ("Who was the last employee to be hired?", ["Cid Dorn"]),
        ("Who are the first two employees to be hired?", ["Ann Bell", "Bob Cole"]),
        ("most recently hired employee", ["Cid Dorn"]),
        ("When was the first employee hired?", ["2001-05-01"]),
        ("Who was hired first, Bob Cole or Ann Bell?", ["Ann Bell"]),
        ("Was Ann Bell hired before Bob Cole?", ["yes"]),
        ("Was Ann Bell hired after Bob Cole?", ["no"]),
        ("Is Ann Bell an IT Manager?", ["yes"]),
        ("Is Bob Cole an IT Manager?", ["no"]),
        ("Which employees live in Calgary?", ["Ann Bell", "Bob Cole"]),
        ("Which employees live outside Calgary?", ["Cid Dorn"]),
        ("Which cities do our employees live in?", ["Calgary", "Lethbridge"]),
        ("How many countries do customers come from?", ["2"]),
    ],
)
def test_columns_in_one_word_and_the_verbs_of_columns(graph: Graph, question: str, texts: list[str]) -> None:
    assert asked(graph, question) == texts


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How many units of Tofu Block are in stock?", ["35"]),
        ("How many units of Kelp are on order?", ["9"]),
        ("Which products are out of stock?", ["Eel", "Malt Beer"]),
        ("Which products are in stock?", ["Kelp", "Tea", "Tofu Block"]),
        ("Which products have no units in stock?", ["Eel", "Malt Beer"]),
        ("Which product has the most units in stock?", ["Tea"]),
        ("Is Eel out of stock?", ["yes"]),
        ("Is Eel in stock?", ["no"]),
        ("Is Tea discontinued?", ["no"]),
        ("Which products are discontinued?", ["Kelp", "Malt Beer"]),
        ("Which discontinued products are still in stock?", ["Kelp"]),
        ("Which beverages cost less than 15?", ["Malt Beer"]),
        ("What is the most expensive seafood?", ["Eel"]),
        ("What is the cheapest product in the category Seafood?", ["Kelp"]),
        ("How many beverages are there?", ["2"]),
        ("Which products cost 14?", ["Malt Beer"]),
        ("number of invoices in 2009", ["1"]),
        ("Which invoices are over 20?", ["Invoice 2"]),
        ("What is the total of Invoice 1?", ["5.5"]),
        ("all customers in Japan except Ann Bell's", ["Eve Gunn"]),
        ("customers except those in Japan", ["Gil Hart"]),
        ("customers without a company", ["Eve Gunn", "Gil Hart"]),
        ("Which customers do not have a company?", ["Eve Gunn", "Gil Hart"]),
        ("Which customers have a company?", ["Dee Fox"]),
    ],
)
def test_amounts_yes_and_no_in_numbers_and_names_in_the_place_of_a_class(
    graph: Graph, question: str, texts: list[str]
) -> None:
    assert asked(graph, question) == texts


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("what city was max ito born in", ["Osaka"]),
        ("Where was Max Ito born?", ["Osaka"]),
        ("Who was born in Osaka?", ["Lou Gray", "Max Ito"]),
        ("how many players were born in japan", ["2"]),
        ("Which players were born in South Korea?", ["Lou Gray"]),
        ("Who throws left-handed?", ["Lou Gray", "Max Ito"]),
        ("Does Max Ito throw left-handed?", ["yes"]),
        ("Which players died in 2010?", ["Lou Gray"]),
        ("Which players have not died?", ["Lou Gray", "Max Ito", "Ray Osaka"]),
        ("Who was inducted in 2015?", ["Lou Gray"]),
        ("What are the dates of birth of the players called Lou Gray?", ["1970-01-01", "1982-02-02"]),
        ("How many players are called Lou Gray?", ["2"]),
        ("teams that lost more then 100 games", ["1999 Bears"]),
        ("Which team had the most wins in a season?", ["2001 Bears"]),
        ("Which team lost the most games?", ["1999 Bears"]),
        ("How many games did the 2001 Cubs win?", ["80"]),
        ("teams in 2001", ["2001 Bears", "2001 Cubs"]),
        ("Which teams won the league title?", ["2001 Bears"]),
    ],
)
def test_verbs_choose_the_property_and_codes_have_words(graph: Graph, question: str, texts: list[str]) -> None:
    assert asked(graph, question) == texts


@pytest.mark.parametrize(
    "question",
    [
        "Who died in Osaka?",
        "Which products are out of print?",
        "Which team had the most wins in a month?",
        "When did Max Ito die?",
        "Is Ann Bell left-handed?",
    ],
)
def test_what_the_graph_does_not_say_is_refused(graph: Graph, question: str) -> None:
    assert asked(graph, question) == []


def test_a_unit_that_the_graph_does_not_name_is_an_assumption(graph: Graph) -> None:
    answer = PIPELINE(graph, "Which products cost more than 20 pounds?")
    assert (sorted(answer.texts), answer.confidence) == (["Eel", "Tofu Block"], ASSUMED)
    assert PIPELINE(graph, "Which products cost more than 20?").confidence == EXPLAINED
