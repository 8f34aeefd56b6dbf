"""Questions about works and the people who made them, where several relations lead from people to works."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from staff import Indifferent

from graphbrick import LinkLabels, PathAnswer, Patterns, Query
from graphbrick.bricks.retrieve.operators.stage import ASSUMED, EXPLAINED, Operators
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()

WORKS = [
    # name, year, released, minutes, oscars, gross, score, genres, language, directors, writers, actors
    ("Harbour", 1948, None, 90, 3, 9e5, 90, "Drama War", "English", "Ida Falk", "Ida Falk", "Tess Moro"),
    ("Long Night", 2005, "2005-03-01", 180, 0, 2e9, 70, "Drama", "English", "Ida Falk", "Bo Quist", "Rolf Aden"),
    ("Red Dune", 2006, "2006-05-02", 120, 6, 8e8, 81, "Western", "Danish", "Ida Falk", "Ida Falk", "Rolf Aden, Nia Bo"),
    ("Tin Star", 2011, "2011-07-03", 100, 1, 1.5e9, 60, "Western", "English", "Rolf Aden", "Bo Quist", "Ida Falk"),
    ("Glass Sea", 2007, None, 240, 0, 1e3, 50, "Comedy", "French", "Bo Quist", "Ida Falk", "Ida Falk, Tess Moro"),
]  # fmt: skip


def _records() -> list[Record]:
    records: list[Record] = []
    for name, year, released, minutes, oscars, gross, score, genres, language, *people in WORKS:
        properties: dict[str, object] = {
            "year": year, "runtime": minutes, "oscars": oscars, "box_office": int(gross), "metacritic": score,
        }  # fmt: skip
        if released:
            properties["released"] = datetime.date.fromisoformat(str(released))
        records.append(EntityRecord(name, types=("Film",), properties=properties))
        records += [(name, "has_genre", genre) for genre in str(genres).split()]
        records.append((name, "in_language", str(language)))
        directors, writers, actors = (str(names).split(", ") for names in people)
        records += [(name, "directed_by", one) for one in directors]
        records += [(name, "written_by", one) for one in writers]
        records += [(one, "acted_in", name) for one in actors]
    people = {"Ida Falk", "Bo Quist", "Tess Moro", "Rolf Aden", "Nia Bo"}
    records += [EntityRecord(name, types=("Person",)) for name in sorted(people)]
    records += [EntityRecord(name, types=("Genre",)) for name in ("Drama", "War", "Western", "Comedy")]
    return [*records, *(EntityRecord(name, types=("Language",)) for name in ("English", "Danish", "French"))]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(_records(), tmp_path_factory.mktemp("works") / "works.graph")


@pytest.mark.parametrize(
    ("question", "answers", "confidence"),
    [
        ("What is Ida Falk's longest film?", {"Long Night"}, ASSUMED),
        ("what is the longest Ida Falk film", {"Long Night"}, ASSUMED),
        ("Which films of Ida Falk are longer than 100 minutes?", {"Long Night", "Red Dune"}, ASSUMED),
        ("What genres has Ida Falk made films in?", {"Drama", "War", "Western"}, ASSUMED),
        ("Which languages do they speak in Ida Falk's films?", {"English", "Danish"}, ASSUMED),
        ("Who acted in Ida Falk films?", {"Tess Moro", "Rolf Aden", "Nia Bo"}, ASSUMED),
        ("Has Nia Bo ever been in an Ida Falk film?", {"yes"}, ASSUMED),
        ("Was Bo Quist in an Ida Falk film?", {"no"}, ASSUMED),
        ("What is the newest Nia Bo film?", {"Red Dune"}, EXPLAINED),
        ("Who's directed more films: Ida Falk or Rolf Aden?", {"Ida Falk"}, EXPLAINED),
    ],
)
def test_what_somebody_did_most_is_meant(graph: Graph, question: str, answers: set[str], confidence: float) -> None:
    answer = PIPELINE(graph, question)
    assert (set(answer.texts), answer.confidence) == (answers, confidence)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many Oscars did Red Dune win?", {"6"}),
        ("Did Red Dune win more than five Oscars?", {"yes"}),
        ("Did Red Dune win 5 Oscars?", {"no"}),
        ("Which films won more than 2 Oscars?", {"Harbour", "Red Dune"}),
        ("what films from before 1950 won at least 3 oscars", {"Harbour"}),
        ("Which films by Rolf Aden won an Oscar?", {"Tin Star"}),
        ("How many Oscars have Rolf Aden's films won altogether?", {"6"}),
        ("How many oscars do the films of Nia Bo have in total?", {"6"}),
        ("How much did Red Dune gross?", {"800000000"}),
        ("What is the Metacritic score of Red Dune?", {"81"}),
        ("Which western has the highest Metacritic score?", {"Red Dune"}),
        ("Rolf Aden films from 2005 to 2006", {"Long Night", "Red Dune"}),
        ("What did Ida Falk write in 2006?", {"Red Dune"}),
        ("Which films by Bo Quist came out in 2005?", {"Long Night"}),
        ("films that Ida Falk wrote but didn't direct", {"Glass Sea"}),
        ("Which films did Ida Falk direct but not write?", {"Long Night"}),
        ("Who's in the cast of Glass Sea?", {"Ida Falk", "Tess Moro"}),
        ("Which actors have worked for Ida Falk?", {"Tess Moro", "Rolf Aden", "Nia Bo"}),
        ("Which actors have worked for both Ida Falk and Bo Quist?", {"Tess Moro"}),
        ("Who has worked with Nia Bo?", {"Ida Falk", "Rolf Aden"}),
        ("Who wrote Ida Falk's films?", {"Ida Falk", "Bo Quist"}),
        ("The films that Ida Falk directed were in which genres?", {"Drama", "War", "Western"}),
        ("The films written by Ida Falk were directed by who?", {"Ida Falk", "Bo Quist"}),
        ("Nia Bo's films are in which languages", {"Danish"}),
        ("How many comedies are in French?", {"1"}),
        ("Show me everything with a Metacritic score of 81 or 60, please.", {"Red Dune", "Tin Star"}),
        ("Which film made the most money?", {"Long Night"}),
        ("In which year did Rolf Aden first appear in a film?", {"2005"}),
        ("Who directed more than 2 films?", {"Ida Falk"}),
        ("Which people directed at least one film?", {"Ida Falk", "Rolf Aden", "Bo Quist"}),
        ("Which actors acted in more than one film?", {"Tess Moro", "Rolf Aden", "Ida Falk"}),
        ("Which directors made more than 2 films?", {"Ida Falk"}),
        ("Which films have more than one genre?", {"Harbour"}),
        ("What is the most common genre?", {"Western", "Drama"}),
        ("Which language is used the most?", {"English"}),
        ("What is the least common genre of films?", {"War", "Comedy"}),
    ],
)
def test_everyday_wordings_are_read(graph: Graph, question: str, answers: set[str]) -> None:
    assert set(PIPELINE(graph, question).texts) == answers


def test_a_word_of_a_property_is_not_a_typing_error(graph: Graph) -> None:
    answer = PIPELINE(graph, "How many oscars does Red Dune have?")
    assert answer.confidence == EXPLAINED
    assert "operators.misspelt" not in answer.trace.event_codes


def test_particles_stand_inside_names(tmp_path: Path) -> None:
    people = [
        EntityRecord(name, types=("Person",)) for name in ("Guillermo del Toro", "Ludwig van Beethoven", "Gil Toro")
    ]
    graph = build(
        [*people, ("Guillermo del Toro", "made", "Red Dune"), ("Gil Toro", "made", "Op 1")], tmp_path / "g.graph"
    )
    query = LinkLabels().link(graph, Query("What did Guilermo del Torro make?"))
    assert [graph.label(seed) for seed in query.seeds] == ["Guillermo del Toro"]


def test_a_noun_that_only_says_what_a_number_is_is_an_assumption(graph: Graph) -> None:
    assert PIPELINE(graph, "What is the Metacritic score of Red Dune?").confidence == ASSUMED
    assert PIPELINE(graph, "What is the metacritic of Red Dune?").confidence == EXPLAINED
    assert PIPELINE(graph, "What is the grade of the language of Red Dune?").texts != ("Danish",)
