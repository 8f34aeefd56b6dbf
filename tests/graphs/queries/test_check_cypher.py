"""Branches of the check of Cypher: brackets, labels of shared relations, keys of maps, chains and arrows."""

from __future__ import annotations

import pytest

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.graphs.queries.check import Checked, check_query
from graphbrick.graphs.queries.tokens import CYPHER

NAME = (Property("name"),)
FILMS = Schema(
    (NodeClass("Film", (Property("title"), Property("year"))), NodeClass("Person", NAME)),
    (
        Connection("Person", "DIRECTED", "Film"),
        Connection("Person", "ACTED_IN", "Film", (Property("role"),)),
        Connection("Film", "SEQUEL_OF", "Film"),
    ),
)
CITIES = Schema(  # two relations share the name "other", and are told apart by their label
    (NodeClass("City", NAME), NodeClass("Person", NAME)),
    (
        Connection("City", "other", "Person", (Property("label"), Property("weight")), label="birthplace of"),
        Connection("City", "other", "City", (Property("label"),), label="twin of"),
        Connection("City", "NEAR", "City", (Property("label"), Property("km"))),
    ),
)


def checked(text: str, schema: Schema = FILMS) -> Checked:
    return check_query(text, CYPHER, schema)


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("(f:film)--()", "(f:Film)--()"),  # a pattern alone
        ("MATCH ((a:film)-[:sequel_of]->(b:FILM)){2} RETURN a", "MATCH ((a:Film)-[:SEQUEL_OF]->(b:Film)){2} RETURN a"),
        ("RETURN (x) - -3, [(g:film)--() | g]", "RETURN (x) - -3, [(g:Film)--() | g]"),  # a difference, not an arrow
        ("MATCH (f:film $values)--(g:film) RETURN g", "MATCH (f:Film $values)--(g:Film) RETURN g"),
        ("MATCH (f:Film $v)-[:DIRECTED]->(p) RETURN p", "MATCH (f:Film $v)<-[:DIRECTED]-(p) RETURN p"),
        ("MATCH (f:film)--(g:film) RETURN g", "MATCH (f:Film)--(g:Film) RETURN g"),
        ("MATCH (f)--(p:person)--(g:film) RETURN g", "MATCH (f)--(p:Person)--(g:Film) RETURN g"),
        ("MATCH (a:film),(b:film) RETURN a", "MATCH (a:Film),(b:Film) RETURN a"),
        ("MATCH ()-[:acted_in {Role: 1}]->(b:film) RETURN b", "MATCH ()-[:ACTED_IN {role: 1}]->(b:Film) RETURN b"),
        ("MATCH (a)-[r:acted_in*2 {Role: 'x'}]->() RETURN a", "MATCH (a)-[r:ACTED_IN*2 {role: 'x'}]->() RETURN a"),
        (
            "MATCH (a)-[:sequel_of*1..3 (r, n | WHERE n.x[0] = 1)]->(b:film) RETURN b",
            "MATCH (a)-[:SEQUEL_OF*1..3 (r, n | WHERE n.x[0] = 1)]->(b:Film) RETURN b",
        ),
        (
            "MATCH (f:Film WHERE f.year > (3) AND f.year IN [4, (5)])-[:DIRECTED]->(p:Person) RETURN p",
            "MATCH (f:Film WHERE f.year > (3) AND f.year IN [4, (5)])<-[:DIRECTED]-(p:Person) RETURN p",
        ),
        ("MATCH (f:film)-[:directed]->(p:person) RETURN p", "MATCH (f:Film)<-[:DIRECTED]-(p:Person) RETURN p"),
        ("MATCH (f:Film)-->(p) RETURN f.YEAR, p.name, f.Title", "MATCH (f:Film)-->(p) RETURN f.year, p.name, f.title"),
        ("MATCH ()-[r:ACTED_IN]->() RETURN r.ROLE", "MATCH ()-[r:ACTED_IN]->() RETURN r.role"),
        ("MATCH ()-[r:DIRECTED|ACTED_IN]->() RETURN r.Role", "MATCH ()-[r:DIRECTED|ACTED_IN]->() RETURN r.role"),
        ("MATCH (`the film`:Film) RETURN `the film`.`Title`", "MATCH (`the film`:Film) RETURN `the film`.title"),
    ],
)  # fmt: skip
def test_names_are_corrected_in_every_place_of_a_pattern(text: str, corrected: str) -> None:
    assert checked(text)[::2] == (corrected, ())


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (f:Film)-[:DIRECTED*1..3]->(p:Person) RETURN p",  # inner nodes may be of any class
        "MATCH (f:Film {year: [1, 2]}) RETURN f",
        "MATCH (f:Film {year: [x, y]}) RETURN f",
        "MATCH (p:Person)-[:DIRECTED]-(f:Film)-[:DIRECTED]-(q:Person) RETURN q",
        "MATCH (f:Film) RETURN point.titel(f), f.titel(3), x.f.titel",  # of functions and of maps
        "MATCH (f:Film)-[r]->() RETURN f.year.titel, y.titel",
        "MATCH ()-[r:DIRECTED]->() RETURN r.anything",  # no property of it is known
        "RETURN f.",
        "MATCH (f:Film WHERE f.year > 3",
        "MATCH (f:Film)-[:DIRECTED*1..3",
        "MATCH (f:Film) WHERE f.title = $title",
        "MATCH (f)-[:DIRECTED]->(g) MATCH (f)-[:DIRECTED",
        "WITH 3 AS n MATCH (n {x: 1}) RETURN 1",
    ],
)
def test_what_is_not_known_to_be_wrong_is_left_alone(text: str) -> None:
    schema = Schema((*FILMS.classes, NodeClass("Town")), FILMS.connections) if "{x: 1}" in text else FILMS
    assert checked(text, schema) == (text, (), ())


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("MATCH (p:Person)-[:SEQUEL_OF]-(f:Film) RETURN p", ["the graph has no (:Person)-[:SEQUEL_OF]->(:Film)"]),
        ("MATCH (p:Person)<-[:SEQUEL_OF]-(f:Film) RETURN p", ["the graph has no (:Film)-[:SEQUEL_OF]->(:Person)"]),
        ("MATCH (p:Person)-[:ACTED_IN]->(:Person) RETURN p", ["the graph has no (:Person)-[:ACTED_IN]->(:Person)"]),
        (
            "MATCH (f:Movie:Film {titel: 'x'}) RETURN f",
            ["there is no class 'Movie'", "there is no property of Movie or Film 'titel'"],
        ),
        ("MATCH (f:!Film {titel: 'x'}) RETURN f", ["there is no property of nodes 'titel'; did you mean 'title'?"]),
        ("MATCH (f:Film)-[:DIRECTED]->(p:Persn) RETURN p", ["there is no class 'Persn'; did you mean 'Person'?"]),
        ("MATCH (f {titel: 'x'}) RETURN f", ["there is no property of nodes 'titel'; did you mean 'title'?"]),
        ("MATCH (f:Film) RETURN f.x.y, f.titel", ["there is no property of Film 'titel'; did you mean 'title'?"]),
        ("MATCH ()-[r]->() RETURN r.rolle", ["there is no property of nodes 'rolle'; did you mean 'role'?"]),
    ],
)
def test_every_problem_is_told_once(text: str, problems: list[str]) -> None:
    told = checked(text).problems
    assert len(told) == len(problems)
    assert all(problem.startswith(start) for problem, start in zip(told, problems, strict=True))


def test_the_first_five_connections_of_a_relation_are_told() -> None:
    classes = [NodeClass(name) for name in "ABCDEFGH"]
    connections = (Connection("A", "S", "A"), *(Connection(known.name, "R", "H") for known in classes[:7]))
    (told,) = checked("MATCH (:H)-[:R]->(:H) RETURN 1", Schema(tuple(classes), connections)).problems
    listed = ", ".join(f"(:{name})-[:R]->(:H)" for name in "ABCDE")
    assert told == f"the graph has no (:H)-[:R]->(:H); it has {listed}"


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (f:Film) RETURN count(f), (p:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(g:Film)",
        "MATCH (f:Film) WHERE (p:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(:Film) RETURN p",
        "MATCH (p:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(g) RETURN g",  # the end may be of any class
        "MATCH (p:Person)-[:DIRECTED]->(f:Film)<-[:ACTED_IN]-(g:Film) RETURN g",
    ],
)
def test_a_chain_is_only_split_in_a_pattern_that_is_matched(text: str) -> None:
    assert checked(text).text in (text, text.replace("-[:ACTED_IN]->(g)", "<-[:ACTED_IN]-(g)"))


def test_a_chain_is_split_where_one_node_before_can_have_the_relation() -> None:
    text = "MATCH (p:Person)-[:DIRECTED]->(f:Film)-[:SEQUEL_OF]->(g:Film)-[:ACTED_IN|DIRECTED]->(h:Film) RETURN h"
    moved = text.replace("(g:Film)-", "(g:Film), (p)-")
    assert checked(text) == (moved, ("let ACTED_IN|DIRECTED begin at p",), ())


@pytest.mark.parametrize(
    ("relation", "written", "problems"),
    [
        (":birthplace_of", ":other {label: 'birthplace of'}", []),
        (":other {label: 'Twin of'}", ":other {label: 'twin of'}", []),
        (":other {label: 'twins'}", None, ["there is no relation with the label 'twins'"]),
        (":other {weight: 'x'}", None, []),
        (":other {label: 3}", None, []),
        (":other {label: $label}", None, []),
        (":NEAR {label: 'x'}", None, []),
        (":NEAR {km: 3}", None, []),
        (":other|NEAR {label: 'x'}", None, []),
        (":other]->()-[:birthplace_of", ":other]->()-[:other {label: 'birthplace of'}", []),
        (":NEAR|twinof", None, ["there is no relation 'twinof'; did you mean 'twin of'?"]),
        ("r:twinof {km: 3}", None, ["there is no relation 'twinof'; did you mean 'twin of'?"]),
        (":Near", ":NEAR", []),
    ],
)
def test_relations_that_share_a_name_are_known_by_their_label(
    relation: str, written: str | None, problems: list[str]
) -> None:
    text, _, told = checked(f"MATCH (a:City)-[{relation}]->(b) RETURN b", CITIES)
    assert text == f"MATCH (a:City)-[{written or relation}]->(b) RETURN b"
    assert [problem.split(";")[0] for problem in told] == [problem.split(";")[0] for problem in problems]
    assert all(problem in sentence for problem, sentence in zip(problems, told, strict=True))


def test_the_arrow_of_a_relation_known_by_its_label_is_turned() -> None:
    text, changes, problems = checked("MATCH (p:Person)-[:birthplace_of]->(c:City) RETURN p", CITIES)
    assert text == "MATCH (p:Person)<-[:other {label: 'birthplace of'}]-(c:City) RETURN p"
    assert changes[1] == "turned the direction of other"
    assert problems == ()


def test_the_arrow_of_a_shared_relation_is_not_turned_by_a_sample() -> None:
    counted = tuple(
        Connection(known.head, known.relation, known.tail, known.properties, 5, known.label)
        for known in CITIES.connections
    )
    sample = Schema(CITIES.classes, counted, is_complete=False)
    text = "MATCH (p:Person)-[:other]->(c:City), (p)-[:NEAR]->(c) RETURN p"
    assert checked(text, sample) == (text, (), ())
    both = Schema(CITIES.classes, (*counted, Connection("Person", "LIVES_IN", "City", count=5)), is_complete=False)
    turned = "MATCH (c:City)<-[:LIVES_IN]-(p:Person) RETURN p"
    assert checked("MATCH (c:City)-[:LIVES_IN]->(p:Person) RETURN p", both).text == turned
