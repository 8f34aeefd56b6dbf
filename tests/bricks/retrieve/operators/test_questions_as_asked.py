"""Questions as people ask them, in several wordings each, over a small film rental and a small racing series."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest
from staff import Indifferent

from graphbrick import EdgeRecord, EntityRecord, PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import EXPLAINED, MISSPELT, Operators
from graphbrick.core.errors import LinkError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
FILMS = [
    ("Blue Harbour", 2004, 130, 2.99, "Drama", ("Ida Falk", "Omar Reid")),
    ("Red Orchard", 2006, 95, 4.99, "Comedy", ("Ida Falk", "Tess Moro")),
    ("Silent Quarry", 2006, 160, 0.99, "Thriller", ("Omar Reid",)),
]
CUSTOMERS = [("Nia Boateng", "Ghana", True), ("Karl Sand", "United States", True), ("Lea Prim", "France", False)]
RENTALS = [
    ("Rental 1", "Nia Boateng", "Blue Harbour", "2005-03-01", 2.99),
    ("Rental 2", "Nia Boateng", "Red Orchard", "2006-04-02", 4.99),
    ("Rental 3", "Karl Sand", "Blue Harbour", "2006-05-03", 2.99),
    ("Rental 4", "Nia Boateng", "Blue Harbour", "2006-06-04", 1.99),
]
DRIVERS = [("d1", "Rolf Aden", "Norwegian", "1970-01-02"), ("d2", "Pia Stern", "Austrian", "1974-05-06"),
           ("d3", "Jo Lind", "Swedish", "1969-07-08"), ("d4", "Jo Lind", "Swedish", "1990-09-10")]  # fmt: skip
RACES = [
    ("2001 Alpine Cup", "2001-05-01", "Tauern Ring", "Alpine Cup", ("d1", "d2", "d3")),
    ("2002 Alpine Cup", "2002-05-02", "Tauern Ring", "Alpine Cup", ("d1", "d3", "d2")),
    ("2002 Fjord Trophy", "2002-08-03", "Oslo Oval", "Fjord Trophy", ("d2", "d1", "d4")),
]
DROVE = [("d1", "Team North", 2001, 30), ("d1", "Team South", 2002, 50), ("d2", "Team South", 2001, 40),
         ("d2", "Team South", 2002, 45), ("d3", "Team North", 2001, 5), ("d4", "Team North", 2002, 7)]  # fmt: skip
BEAT = [("2001 Team North", "2001 Team South", "Final Round"), ("2001 Team North", "2001 Team East", "Semi Final")]


def _rental_records() -> Iterator[Record]:
    for name, year, length, price, genre, actors in FILMS:
        yield EntityRecord(
            name, types=("film",), properties={"release_year": year, "length_minutes": length, "price": price}
        )
        yield name, "in_genre", genre
        for actor in actors:
            yield actor, "acted_in", name
    for genre in ("Drama", "Comedy", "Thriller"):
        yield EntityRecord(genre, types=("genre",))
    for actor in ("Ida Falk", "Omar Reid", "Tess Moro"):
        yield EntityRecord(actor, types=("actor",))
    yield EntityRecord("Vera Holt", types=("employee",))
    for name, country, active in CUSTOMERS:
        yield EntityRecord(name, types=("customer",), properties={"country": country, "active": active})
        yield name, "supported_by", "Vera Holt"
    for name, customer, film, day, amount in RENTALS:
        date = datetime.date.fromisoformat(day)
        yield EntityRecord(name, types=("rental",), properties={"date": date, "amount": amount})
        yield name, "rented_by", customer
        yield name, "of_film", film


def _racing_records() -> Iterator[Record]:
    for key, name, nationality, born in DRIVERS:
        properties = {"nationality": nationality, "born": datetime.date.fromisoformat(born)}
        yield EntityRecord(key, name, types=("driver",), properties=properties)
    for name, city in (("Tauern Ring", "Salzburg"), ("Oslo Oval", "Oslo")):
        yield EntityRecord(name, types=("circuit",), properties={"city": city})
    for name in ("Alpine Cup", "Fjord Trophy"):
        yield EntityRecord(name, types=("series",))
    for name in ("Team North", "Team South"):
        yield EntityRecord(name, types=("constructor",))
    for name, wins, title in (
        ("2001 Team North", 9, True),
        ("2001 Team South", 12, False),
        ("2001 Team East", 3, False),
    ):
        yield EntityRecord(name, types=("squad",), properties={"wins": wins, "grand_series_title": title})
    for name, day, circuit, series, order in RACES:
        yield EntityRecord(name, types=("race",), properties={"date": datetime.date.fromisoformat(day)})
        yield name, "held_at", circuit
        yield name, "edition_of", series
        yield order[0], "won", name
        for position, driver in enumerate(order, 1):
            yield EdgeRecord(driver, "finished", name, {"position": position})
    for driver, team, season, points in DROVE:
        yield EdgeRecord(driver, "drove_for", team, {"season": season, "points": points})
    for one, other, stage in BEAT:
        yield EdgeRecord(one, "beat", other, {"stage": stage})


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graph]:
    folder: Path = tmp_path_factory.mktemp("asked")
    records = {"rental": _rental_records(), "racing": _racing_records()}
    return {name: build(own, folder / f"{name}.graph") for name, own in records.items()}


def _answers(graph: Graph, question: str) -> list[str]:
    try:
        return sorted(PIPELINE(graph, question).texts)
    except LinkError:
        return []


COMPARED = [
    ("racing", "Who won more races, Rolf Aden or Pia Stern?", ["Rolf Aden"]),
    ("racing", "Did Rolf Aden or Pia Stern win more races?", ["Rolf Aden"]),
    ("racing", "Between Rolf Aden and Pia Stern, who won fewer races?", ["Pia Stern"]),
    ("racing", "did rolf aden win more races than pia stern", ["yes"]),
    ("racing", "Who scored more points, Rolf Aden or Pia Stern?", ["Pia Stern"]),
    ("racing", "who scored more points in 2002, Rolf Aden or Pia Stern", ["Rolf Aden"]),
    ("racing", "Did more drivers drive for Team North or Team South?", ["Team North"]),
    ("racing", "Who is older, Rolf Aden or Pia Stern?", ["Rolf Aden"]),
    ("rental", "Who has more rentals, Nia Boateng or Karl Sand?", ["Nia Boateng"]),
    ("rental", "Who spent more, Nia Boateng or Karl Sand?", ["Nia Boateng"]),
    ("rental", "Which film is longer, Blue Harbour or Red Orchard?", ["Blue Harbour"]),
    ("rental", "which costs less, Blue Harbour or Red Orchard?", ["Blue Harbour"]),
    ("rental", "Do we have more films with Ida Falk or with Tess Moro?", ["Ida Falk"]),
    ("rental", "Does Ida Falk have more films than Tess Moro?", ["yes"]),
]
ON_THE_WAY = [
    ("rental", "Which films did Nia Boateng rent in 2006?", ["Blue Harbour", "Red Orchard"]),
    ("rental", "How many films did Nia Boateng rent in 2005?", ["1"]),
    ("rental", "who rented Blue Harbour in 2006", ["Karl Sand", "Nia Boateng"]),
    ("rental", "which customers rented Blue Harbour in 2005", ["Nia Boateng"]),
    ("rental", "Which genres did Karl Sand rent in 2006?", ["Drama"]),
    ("racing", "Which races did Rolf Aden win in 2002?", ["2002 Alpine Cup"]),
    ("racing", "Who won the race in Salzburg in 2002?", ["Rolf Aden"]),
    ("racing", "How many times did Rolf Aden win the Alpine Cup?", ["2"]),
    ("racing", "Which drivers won races in Oslo?", ["Pia Stern"]),
]
OF_TRIPLES = [
    ("racing", "Which squad did the 2001 Team North beat in the Final Round?", ["2001 Team South"]),
    ("racing", "who beat the 2001 Team East in the semi final", ["2001 Team North"]),
    ("racing", "Did the 2001 Team North beat the 2001 Team East in the Semi Final?", ["yes"]),
    ("racing", "Who finished second in the 2001 Alpine Cup?", ["Pia Stern"]),
    ("racing", "who came third in the 2002 Fjord Trophy", ["Jo Lind"]),
    ("racing", "how many points did stern score in 2001", ["40"]),
]
PRIZES = [
    ("racing", "Did the 2001 Team South win the Grand Series?", ["no"]),
    ("racing", "did the 2001 team north win the grand series", ["yes"]),
    ("racing", "Which squads won the Grand Series with fewer than 10 wins?", ["2001 Team North"]),
    ("racing", "Which squads haven't won the Grand Series?", ["2001 Team East", "2001 Team South"]),
    ("racing", "who were the grand series winners", ["2001 Team North"]),
    ("rental", "Which customers aren't active?", ["Lea Prim"]),
    ("rental", "isn't Karl Sand active?", ["yes"]),
]
WORDED = [
    ("rental", "Whose films are in the Comedy genre?", []),  # several acted in each
    ("rental", "whose rentals were over 4 dollars", ["Nia Boateng"]),
    ("rental", "Who looks after Karl Sand?", ["Vera Holt"]),
    ("rental", "how many customers does Vera Holt look after", ["3"]),
    ("rental", "Who's Karl Sand's support rep?", ["Vera Holt"]),
    ("rental", "what do all rentals add up to?", ["12.96"]),
    ("rental", "What is the total amount of all rentals?", ["12.96"]),
    ("rental", "What's our longest film ever?", ["Silent Quarry"]),
    ("rental", "Which film was rented most often?", ["Blue Harbour"]),
    ("rental", "which films has nobody rented", ["Silent Quarry"]),
    ("rental", "films longer than 2 hours", ["Blue Harbour", "Silent Quarry"]),
    ("rental", "which films are longer than 2 hours and cost more than 2", ["Blue Harbour"]),
    ("rental", "films that came out in 2006", ["Red Orchard", "Silent Quarry"]),
    ("rental", "How many customers live in the US?", ["1"]),
    ("rental", "who rented dramas but no comedies", ["Karl Sand"]),
    ("rental", "Who rented Blue Harbour but no Red Orchard?", ["Karl Sand"]),
    ("rental", "films not in the Drama genre", ["Red Orchard", "Silent Quarry"]),
    ("rental", "Who lives in Ghana?", ["Nia Boateng"]),
    ("racing", "Which series did both Rolf Aden and Pia Stern win?", []),
    ("racing", "who won both the Alpine Cup and the Fjord Trophy series", []),
    ("racing", "Which Swedish driver was born last?", ["Jo Lind"]),
    ("racing", "which teams did the Jo Lind who was born in 1969 drive for", ["Team North"]),
    ("racing", "When was the younger Jo Lind born?", ["1990-09-10"]),
    ("racing", "How many races did the Jo Lind born in 1990 finish?", ["1"]),
]
MISTYPED = [
    ("rental", "wich film is the longst?", ["Silent Quarry"]),
    ("rental", "how mnay customers are ther", ["3"]),
    ("rental", "averge price of all films", ["2.99"]),
    ("racing", "who has teh most winns", ["Rolf Aden"]),
    ("racing", "whcih driver is the oldst", ["Jo Lind"]),
]


@pytest.mark.parametrize(
    ("graph", "question", "expected"), [*COMPARED, *ON_THE_WAY, *OF_TRIPLES, *PRIZES, *WORDED, *MISTYPED]
)
def test_questions_as_people_ask_them(graphs: dict[str, Graph], graph: str, question: str, expected: list[str]) -> None:
    assert _answers(graphs[graph], question) == expected


def test_a_typing_error_in_a_word_of_the_question_lowers_the_confidence(graphs: dict[str, Graph]) -> None:
    answer = PIPELINE(graphs["rental"], "wich film is the longst?")
    assert answer.confidence == MISSPELT
    assert answer.trace is not None
    assert answer.trace.event_codes.count("operators.misspelt") == 2
    assert PIPELINE(graphs["rental"], "Which film is the longest?").confidence == EXPLAINED


def test_the_words_that_tell_namesakes_apart_are_told(graphs: dict[str, Graph]) -> None:
    answer = PIPELINE(graphs["racing"], "which teams did the Jo Lind who was born in 1969 drive for")
    assert answer.trace is not None
    told = next(one for one in answer.trace.events if getattr(one, "code", "") == "operators.told_apart")
    assert getattr(told, "values", {})["by"] == "was born in 1969"
