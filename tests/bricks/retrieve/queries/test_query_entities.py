"""The entities of a question as queries find them, and names of a query in the spelling of the graph."""

from __future__ import annotations

import pytest

from graphbrick import Graph, build
from graphbrick.bricks.retrieve.queries.query_entities import entities_named, entity_lines
from graphbrick.bricks.retrieve.queries.query_names import with_names_of
from graphbrick.core.schema import NodeClass, Property, Schema
from graphbrick.graphs.records.records import EntityRecord

NAMED = (Property("label"), Property("key"))
SCHEMA = Schema((NodeClass("country", NAMED), NodeClass("US_state", NAMED), NodeClass("city", NAMED)))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    records = [
        EntityRecord("country:GE", "Georgia", types=("country",)),
        EntityRecord("state:GA", "Georgia", types=("US state",), aliases=("Peach State",)),
        EntityRecord("city:1", "Time", types=("city",)),
        EntityRecord("city:2", "Saint-Étienne", types=("city",), aliases=("Sant-Etiève",)),
        EntityRecord("city:3", "King's Lynn", types=("city",)),
        EntityRecord("city:4", "Most", types=("city",)),
        EntityRecord("city:5", "bolivia", types=("city",)),
        EntityRecord("country:BO", "Bolivia", types=("country",)),
        EntityRecord("1066", "1066", types=()),
    ]
    return build([*records, ("city:2", "twin", "city:3")], tmp_path_factory.mktemp("places") / "p.graph")


def lines(graph: Graph, question: str) -> list[str]:
    return entity_lines(graph, entities_named(graph, question, SCHEMA), SCHEMA, "Cypher", by_key=False)


def test_namesakes_are_all_shown_and_names_in_another_case_only_where_no_other_is(places: Graph) -> None:
    both = ["(:country {label: 'Georgia'})", "(:US_state {label: 'Georgia'})"]
    assert sorted(lines(places, "At which time is lunch in Georgia?")) == sorted(both)
    assert lines(places, "at which time is lunch?") == ["(:city {label: 'Time'})"]
    assert lines(places, "Which country has the most cities in bolivia?") == ["(:city {label: 'bolivia'})"]
    assert lines(places, "Which city has the most states?") == []
    assert lines(places, "Who was born in Most?") == ["(:city {label: 'Most'})"]
    assert lines(places, "Who lives in King's Lynn?") == ["(:city {label: 'King\\'s Lynn'})"]


def test_a_seed_with_a_namesake_is_written_with_its_key(places: Graph) -> None:
    seeds = [places.entity("state:GA"), places.entity("city:1")]
    assert entity_lines(places, seeds, SCHEMA, "Cypher", by_key=True) == [
        "(:US_state {key: 'state:GA'})",
        "(:city {label: 'Time'})",
    ]


def test_an_entity_without_a_class_and_one_for_sparql_are_described(places: Graph) -> None:
    assert entity_lines(places, [places.entity("1066")], SCHEMA, "Cypher", by_key=False) == ["'1066'"]
    seed = [places.entity("city:1")]
    assert entity_lines(places, seed, SCHEMA, "SPARQL", by_key=False) == ["'Time' (city, key 'city:1')"]


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("(c {label: 'saint-etienne'})", "(c {label: 'Saint-Étienne'})"),
        ('(c {label: "Sant Etieve"})', "(c {label: 'Saint-Étienne'})"),
        ("(c) WHERE c.label = 'TIME'", "(c) WHERE c.label = 'Time'"),
        ("(c) WHERE 'TIME' = c.label", "(c) WHERE 'Time' = c.label"),
        ("(c) WHERE c.label IN ['time', 'Time']", "(c) WHERE c.label IN ['Time', 'Time']"),
        ("(c {key: 'Time'})", "(c {key: 'city:1'})"),
        ("(c {label: 'king\\'s lynn'})", "(c {label: 'King\\'s Lynn'})"),
    ],
)
def test_names_get_the_spelling_of_the_graph(places: Graph, written: str, right: str) -> None:
    checked = with_names_of(places, f"MATCH {written} RETURN c.label", "Cypher", SCHEMA)
    assert checked.text == f"MATCH {right} RETURN c.label"
    assert len(checked.changes) == 1


@pytest.mark.parametrize(
    "written",
    [
        "(c {label: 'Time'})",
        "(c {key: 'city:1'})",
        "(c {key: 'Georgia'})",  # of two entities
        "(c {label: 'Atlantis'})",
        "(c {motto: 'time'})",
        "(c) WHERE c.label CONTAINS 'time'",
        "(c) WHERE c.label STARTS WITH 'time'",
    ],
)
def test_other_texts_stay(places: Graph, written: str) -> None:
    text = f"MATCH {written} RETURN c.label"
    checked = with_names_of(places, text, "Cypher", SCHEMA)
    assert (checked.text, checked.changes) == (text, ())


RDF = Schema((NodeClass("http://example.org/City", (Property("http://example.org/title"),)),))


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("?c rdfs:label 'time'", "?c rdfs:label 'Time'"),
        (
            '?c a p1:City ; p1:title "TIME"@en ; p1:motto "time"',
            "?c a p1:City ; p1:title 'Time'@en ; p1:motto \"time\"",
        ),
        ("?c rdfs:label ?l FILTER(?l = 'time')", "?c rdfs:label ?l FILTER(?l = 'Time')"),
        ("?c rdfs:label ?l FILTER('time' = STR(?l))", "?c rdfs:label ?l FILTER('Time' = STR(?l))"),
        (
            "?c rdfs:label ?l FILTER(STR(?l) IN ('time', 'most'))",
            "?c rdfs:label ?l FILTER(STR(?l) IN ('Time', 'Most'))",
        ),
        ("?c rdfs:label ?l FILTER(LCASE(?l) = 'time')", "?c rdfs:label ?l FILTER(LCASE(?l) = 'time')"),
        ("?c p1:motto ?l FILTER(?l = 'time')", "?c p1:motto ?l FILTER(?l = 'time')"),
        ("?c rdfs:label 'Time' , 'georgia'", "?c rdfs:label 'Time' , 'Georgia'"),
    ],
)
def test_names_in_sparql_get_the_spelling_of_the_graph(places: Graph, written: str, right: str) -> None:
    query = "PREFIX p1: <http://example.org/>\nSELECT ?c {{ {} }}"
    assert with_names_of(places, query.format(written), "SPARQL", RDF).text == query.format(right)
