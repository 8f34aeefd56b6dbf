"""Questions about properties of triples: time and value, counts, sums, superlatives, dates of what triples lead to."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest
from staff import Indifferent

from graphbrick import EdgeRecord, EntityRecord, PathAnswer, Patterns, change
from graphbrick.bricks.retrieve.operators.stage import ASSUMED, EXPLAINED, Operators
from graphbrick.core.errors import LinkError
from graphbrick.core.properties.values import Value
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
PLAYED = [
    ("Ana Berg", "Oslo Bears", 2001, 10, 100), ("Ana Berg", "Oslo Bears", 2002, 20, 150),
    ("Ana Berg", "Bergen Foxes", 2003, 5, 90), ("Bo Lund", "Oslo Bears", 2002, 24, 120),
    ("Bo Lund", "Oslo Bears", 2003, 2, 130), ("Cleo Dahl", "Bergen Foxes", 2002, 9, 200),
    ("Cleo Dahl", "Tromso Seals", 2002, 16, 0),
]  # fmt: skip
WON = [
    ("Ana Berg", "Gold Shoe", 2001, "North"), ("Ana Berg", "Gold Shoe", 2002, "North"),
    ("Bo Lund", "Gold Shoe", 2002, "South"), ("Bo Lund", "Silver Ball", 2002, "South"),
    ("Ana Berg", "Silver Ball", 2001, "North"),
]  # fmt: skip
LED = [("Bo Lund", "Bergen Foxes", 2004, 2006), ("Cleo Dahl", "Bergen Foxes", 2007, 2009)]
ORDERS = [("Order 1", "Ana Berg", "2010-01-05", 10.5), ("Order 2", "Ana Berg", "2011-03-04", 20.0),
          ("Order 3", "Ana Berg", "2011-09-09", 4.5), ("Order 4", "Bo Lund", "2011-02-02", 7.0)]  # fmt: skip


def league_records() -> Iterator[Record]:
    """Yield players, clubs, prizes and orders, with seasons, terms of office and dates."""
    for name in ("Ana Berg", "Bo Lund", "Cleo Dahl"):
        yield EntityRecord(
            name, types=("player",), properties={"born": datetime.date(1980, 5, 6), "city": f"{name[0]}by"}
        )
    for name in ("Oslo Bears", "Bergen Foxes", "Tromso Seals"):
        yield EntityRecord(name, types=("club",))
    for year in (2001, 2002):
        yield EntityRecord(f"{year} Oslo Bears", types=("team",))
        yield f"{year} Oslo Bears", "season_of", "Oslo Bears"
    for name in ("Gold Shoe", "Silver Ball"):
        yield EntityRecord(name, types=("prize",))
    for order, _, day, total in ORDERS:
        properties: dict[str, Value] = {"date": datetime.date.fromisoformat(day), "total": total}
        yield EntityRecord(order, types=("order",), properties=properties)
    for player, club, season, goals, salary in PLAYED:
        yield EdgeRecord(player, "played_for", club, {"season": season, "goals": goals, "salary": salary})
    for player, prize, season, side in WON:
        yield EdgeRecord(player, "won_prize", prize, {"season": season, "side": side})
    for player, club, begin, end in LED:
        yield EdgeRecord(player, "LED", club, {"from_year": begin, "to_year": end})
    for order, player, _, _ in ORDERS:
        yield order, "order_of", player


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(league_records(), tmp_path_factory.mktemp("league") / "league.graph")


def answers(graph: Graph, question: str) -> list[str]:
    try:
        return sorted(PIPELINE(graph, question).texts)
    except LinkError:
        return []


CONDITIONS = [
    ("Who played for the Oslo Bears in 2002?", ["Ana Berg", "Bo Lund"]),
    ("Who has played for the Bears since 2003?", ["Bo Lund"]),
    ("Which clubs did Ana Berg play for before 2003?", ["Oslo Bears"]),
    ("Which clubs did Ana Berg play for between 2002 and 2003?", ["Bergen Foxes", "Oslo Bears"]),
    ("Which club was Ana Berg with in 2003?", ["Bergen Foxes"]),
    ("Who won the Gold Shoe in 2002?", ["Ana Berg", "Bo Lund"]),
    ("Who won the South Gold Shoe in 2002?", ["Bo Lund"]),
    ("Who was the 2001 Gold Shoe winner?", ["Ana Berg"]),
    ("Who led the Bergen Foxes in 2008?", ["Cleo Dahl"]),
    ("Who was the leader of the Bergen Foxes in 2005?", ["Bo Lund"]),
    ("Which orders did Ana Berg place in 2011?", ["Order 2", "Order 3"]),
    ("Did Ana Berg play for the Bears in 2002?", ["yes"]),
    ("Did Ana Berg play for the Bears in 2003?", ["no"]),
    ("Did Cleo Dahl ever play for the Bears?", ["no"]),
]
NUMBERS = [
    ("How many Gold Shoes did Ana Berg win?", ["2"]),
    ("How many times did Ana Berg win the Gold Shoe?", ["2"]),
    ("How many prizes did Ana Berg win?", ["3"]),
    ("How many prizes did Bo Lund win in 2002?", ["2"]),
    ("How many goals did Ana Berg score altogether?", ["35"]),
    ("How many goals did Ana Berg score for the Bears?", ["30"]),
    ("How many goals did Ana Berg score in 2002?", ["20"]),
    ("How many seasons did Ana Berg play for the Bears?", ["2"]),
    ("How many players played for the Oslo Bears in 2002?", ["2"]),
    ("How many players have won the Gold Shoe?", ["2"]),
    ("How many orders were there in 2011?", ["3"]),
    ("What was Ana Berg's salary in 2002?", ["150"]),
    ("What was Ana Berg's highest salary?", ["150"]),
    ("How much did Ana Berg earn in total?", ["340"]),
    ("How much has Ana Berg spent?", ["35"]),
    ("How much did Ana Berg spend in 2011?", ["24.5"]),
]
SUPERLATIVES = [
    ("Who scored the most goals?", ["Ana Berg"]),
    ("Who scored the most goals in one season?", ["Cleo Dahl"]),
    ("Who scored the most goals in 2001?", ["Ana Berg"]),
    ("Which player scored the most goals for the Bergen Foxes?", ["Cleo Dahl"]),
    ("Who won the most prizes?", ["Ana Berg"]),
    ("Who won the most prizes in 2002?", ["Bo Lund"]),
    ("Who won the Gold Shoe most often?", ["Ana Berg"]),
    ("Which player had the highest salary in 2002?", ["Cleo Dahl"]),
    ("Who earned the most in 2003?", ["Bo Lund"]),
    ("Which player spent the most in 2011?", ["Ana Berg"]),
    ("Which players scored more than 20 goals in 2002?", ["Bo Lund", "Cleo Dahl"]),
    ("How many players scored more than 20 goals in a season?", ["2"]),
    ("In which season did Ana Berg score the most goals?", ["2002"]),
    ("Who was the first leader of the Bergen Foxes?", ["Bo Lund"]),
    ("Which club did Ana Berg last play for?", ["Bergen Foxes"]),
    ("Which prize did Ana Berg win the most?", ["Gold Shoe"]),
    ("Who was the highest paid player in 2002?", ["Cleo Dahl"]),
]
DATES = [
    ("Since when has Ana Berg been with the Bears?", ["2001"]),
    ("When did Ana Berg first win the Gold Shoe?", ["2001"]),
    ("When did Ana Berg last play for the Bears?", ["2002"]),
    ("Which seasons did Ana Berg play for the Bears?", ["2001", "2002"]),
    ("When did Ana Berg last order something?", ["2011-09-09"]),
    ("What is the date of the first order of Ana Berg?", ["2010-01-05"]),
    ("When was the last order?", ["2011-09-09"]),
    ("When was the 2001 Gold Shoe winner born?", ["1980-05-06"]),
    ("On which side did Bo Lund win the Silver Ball?", ["South"]),
]
REFUSED = [
    "Who trained the Oslo Bears in 2002?",
    "Which clubs did Ana Berg leave in 2002?",
    "How many own goals did Ana Berg score?",
    "Which orders did Ana Berg place last year?",
    "Who bought the most prizes?",
    "How much does Ana Berg cost?",
    "Which prizes did Ana Berg win in 1990?",
]


@pytest.mark.parametrize(("question", "texts"), CONDITIONS + NUMBERS + SUPERLATIVES + DATES)
def test_a_question_about_triples(league: Graph, question: str, texts: list[str]) -> None:
    assert answers(league, question) == texts


@pytest.mark.parametrize("question", REFUSED)
def test_what_triples_do_not_say_is_refused(league: Graph, question: str) -> None:
    assert answers(league, question) == []


def test_the_plan_says_that_triples_are_counted(league: Graph) -> None:
    answer = PIPELINE(league, "How many Gold Shoes did Ana Berg win?")
    assert answer.evidence.items[0].text.endswith("number of triples of: Ana Berg → won_prize → Gold Shoe")
    assert answer.confidence == EXPLAINED


def test_the_evidence_has_the_triples_with_their_properties(league: Graph) -> None:
    answer = PIPELINE(league, "Who led the Bergen Foxes in 2008?")
    assert [item.text for item in answer.evidence.items[1:]] == [
        "Cleo Dahl -> LED -> Bergen Foxes: from_year 2007",
        "Cleo Dahl -> LED -> Bergen Foxes",
    ]


def test_relations_that_no_word_tells_apart_are_an_assumption(league: Graph) -> None:
    answer = PIPELINE(league, "Which club was Bo Lund with in 2002?")
    assert answer.texts == ("Oslo Bears",)
    assert answer.confidence in (ASSUMED, EXPLAINED)


def test_triples_of_changes_count(tmp_path: Path) -> None:
    graph = build(league_records(), tmp_path / "changed.graph")
    done = change(
        tmp_path / "changed.graph",
        add=[EdgeRecord("Ana Berg", "won_prize", "Gold Shoe", {"season": 2005, "side": "South"})],
        delete=[EdgeRecord("Bo Lund", "won_prize", "Gold Shoe", {"season": 2002, "side": "South"})],
    )
    assert graph.n_triples == done.graph.n_triples
    assert answers(done.graph, "How many Gold Shoes did Ana Berg win?") == ["3"]
    assert answers(done.graph, "Who won the Gold Shoe in 2005?") == ["Ana Berg"]
    assert answers(done.graph, "Who won the South Gold Shoe in 2005?") == ["Ana Berg"]
    assert answers(done.graph, "Who won the Gold Shoe in 2002?") == ["Ana Berg"]
