"""Kinds that are a part of the values of a column: «SUVs» of «Small SUV 4WD» and «Standard SUV 2WD»."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_car": "id,label,name,class,mpg,note\n"
    "c1,Car,Falcon,Small SUV 4WD,30,first\nc2,Car,Kite,Standard SUV 2WD,22,second\nc3,Car,Robin,Midsize Cars,35,third\n"
    "c4,Car,Heron,Midsize Cars,28,a wagon\nc5,Car,Swift,Small Pick-up Trucks 4WD,20,fifth\n"
    'c6,Car,Crane,Small SUV 4WD,26,sixth\nc7,Car,Finch,"Special Purpose Vehicle, minivan 2WD",24,seventh\n'
    "c8,Car,Raven,Standard SUV 2WD,25,eighth\nc9,Car,Stork,Small Pick-up Trucks 4WD,21,ninth\n",
    "nodes_brand": "id,label,name\nb1,Brand,Avian\nb2,Brand,Raptor\n",
    "edges_made": "start,end,type\nc1,b1,MADE_BY\nc2,b1,MADE_BY\nc3,b1,MADE_BY\nc4,b2,MADE_BY\nc5,b2,MADE_BY\n"
    "c6,b2,MADE_BY\nc7,b2,MADE_BY\n",
}


@pytest.fixture(scope="module")
def cars(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("kinds"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("how many SUVs are there?", {"4"}),
        ("which cars are SUVs?", {"Falcon", "Kite", "Crane", "Raven"}),
        ("which SUV has the best mpg?", {"Falcon"}),
        ("is the Falcon an SUV?", {"yes"}),
        ("Is the Robin an SUV?", {"no"}),
        ("SUVs with over 25 mpg", {"Falcon", "Crane"}),
        ("Which brands make pickup trucks?", {"Raptor"}),  # two words of the value are one in the question
        ("average mpg of minivans", {"24"}),
    ],
)
def test_a_part_of_several_values_is_a_kind(cars: Graph, question: str, answers: set[str]) -> None:
    result = default_pipeline(cars).run(cars, question)
    told = [str(event) for event in result.trace.events if event.code == "operators.assumption"]
    assert (set(result.answer.texts), result.answer.confidence) == (answers, 0.5)
    assert any("is taken for class " in text for text in told)


@pytest.mark.parametrize(
    "question",
    [
        "which cars are wagons?",  # a word of a note, which tells no kind
        "cars of a steering wheel",
        "cars that are small",  # not all of them
    ],
)
def test_other_words_of_values_are_no_kinds(cars: Graph, question: str) -> None:
    assert default_pipeline(cars).run(cars, question).answer.texts == ()


@pytest.mark.parametrize(
    "question",
    [
        "how many minivans have an mpg over 90?",
        "how many SUVs have more than 32 mpg?",
        "which SUVs have more than 32 mpg?",
    ],
)
def test_nothing_of_an_assumed_kind_is_no_answer(cars: Graph, question: str) -> None:
    result = default_pipeline(cars).run(cars, question)
    assert result.answer.texts == ()  # neither «0» nor the other cars
    assert "operators.no_fit" in [event.code for event in result.trace.events]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("how many different classes of cars does Avian make?", {"3"}),
        ("number of different classes", {"5"}),
        ("how many different brands are there", {"2"}),
    ],
)
def test_different_values_are_counted(cars: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(cars).run(cars, question).answer.texts) == answers
