"""Answers that are asked for in an order: by numbers, dates, texts, counts and names."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_volcano": "id,label,name,elevation,opened,kind,author\n"
    "v1,Volcano,Etna,3357,1990-05-01,Stratovolcano,Bo\nv2,Volcano,Ischia,788,1980-02-01,Complex,Al\n"
    "v3,Volcano,Vesuvius,1281,2001-03-01,Stratovolcano,Cy\nv4,Volcano,Amiata,,1970-01-01,Dome,Al\n"
    "v5,Volcano,Hekla,1490,1999-01-01,Fissure,Bo\n",
    "nodes_country": "id,label,name\nc1,Country,Italy\nc2,Country,Iceland\nc3,Country,Malta\n",
    "edges_in": "start,end,type\nv1,c1,LOCATED_IN\nv2,c1,LOCATED_IN\nv3,c1,LOCATED_IN\n"
    "v4,c1,LOCATED_IN\nv5,c2,LOCATED_IN\n",
}


@pytest.fixture(scope="module")
def volcanoes(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("volcanoes"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("volcanoes in Italy sorted by elevation", ["Ischia", "Vesuvius", "Etna", "Amiata"]),
        ("Which volcanoes are in Italy, ordered by elevation descending?", ["Etna", "Vesuvius", "Ischia", "Amiata"]),
        ("List all volcanoes in Italy by elevation, highest first", ["Etna", "Vesuvius", "Ischia", "Amiata"]),
        ("rank the volcanoes in Italy by elevation", ["Etna", "Vesuvius", "Ischia", "Amiata"]),
        ("volcanoes in Italy sorted by elevation from low to high", ["Ischia", "Vesuvius", "Etna", "Amiata"]),
        ("List Etna, Hekla and Vesuvius sorted by elevation", ["Vesuvius", "Hekla", "Etna"]),
        ("sort the volcanoes in Italy by opened date", ["Amiata", "Ischia", "Etna", "Vesuvius"]),
        ("volcanoes in Italy ordered by opened, newest first", ["Vesuvius", "Etna", "Ischia", "Amiata"]),
        ("volcanoes in Italy sorted by kind", ["Ischia", "Amiata", "Etna", "Vesuvius"]),
        ("List the volcanoes in Italy alphabetically", ["Amiata", "Etna", "Ischia", "Vesuvius"]),
        ("sort the volcanoes in Italy by name", ["Amiata", "Etna", "Ischia", "Vesuvius"]),
        ("Which are the 2 highest volcanoes in Italy, sorted by name?", ["Etna", "Vesuvius"]),
        ("volcanoes in Italy in alphabetical order", ["Amiata", "Etna", "Ischia", "Vesuvius"]),
        ("countries sorted by number of volcanoes, most first", ["Italy", "Iceland", "Malta"]),
    ],
)
def test_answers_are_in_the_order_that_is_asked_for(volcanoes: Graph, question: str, answers: list[str]) -> None:
    assert list(default_pipeline(volcanoes)(volcanoes, question).texts) == answers


def test_those_without_a_value_are_told(volcanoes: Graph) -> None:
    run = default_pipeline(volcanoes).run(volcanoes, "volcanoes in Italy sorted by elevation")
    assert any("1 of them have no value" in event for event in run.trace.events)


@pytest.mark.parametrize(
    "question",
    ["volcanoes in Italy sorted by colour", "rank the volcanoes in Italy by beauty", "volcanoes in Italy by shoe size"],
)
def test_an_order_that_the_graph_does_not_know_is_refused(volcanoes: Graph, question: str) -> None:
    assert default_pipeline(volcanoes)(volcanoes, question).texts == ()
