"""Queries checked against a schema."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.graphs.queries.check import check_query
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL

E = "http://example.org/"


def schema(prefix: str = "") -> Schema:
    def named(*names: str) -> tuple[Property, ...]:
        return tuple(Property(prefix + name) for name in names)

    return Schema(
        (NodeClass(f"{prefix}Film", named("title", "year")), NodeClass(f"{prefix}Person", named("name"))),
        (
            Connection(f"{prefix}Person", f"{prefix}DIRECTED", f"{prefix}Film"),
            Connection(f"{prefix}Person", f"{prefix}ACTED_IN", f"{prefix}Film", named("role")),
            Connection(f"{prefix}Film", f"{prefix}SEQUEL_OF", f"{prefix}Film"),
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (p:Person)-[:DIRECTED]->(f:Film) RETURN p.name, f.title",
        "MATCH (p:Person)-[r:ACTED_IN|DIRECTED]->(f:Film {title: 'x', year: 3}) RETURN r.role",
        "MATCH (a:Film)-[:SEQUEL_OF*1..3]->(b:Film)<-[:DIRECTED]-(p) RETURN p.name, count(a)",
        "MATCH (f:Film) WHERE NOT (f)<-[:DIRECTED]-() RETURN f.title AS anything",
        "MATCH (f:Film) WITH f.title AS t, count(*) AS n WHERE n > 1 RETURN t",
        "MATCH (f)-[:DIRECTED]-(p) WHERE EXISTS { MATCH (p)-[:ACTED_IN]->(f) } RETURN f",
        "MATCH (f:Film WHERE f.year > 3)--(p:Person) RETURN p",
    ],
)
def test_cypher_that_fits_is_not_changed(text: str) -> None:
    assert check_query(text, CYPHER, schema()) == (text, (), ())


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("MATCH (p:Person)<-[:DIRECTED]-(f:Film) RETURN p", "MATCH (p:Person)-[:DIRECTED]->(f:Film) RETURN p"),
        ("MATCH (f:Film)-[:DIRECTED]->(p) RETURN p", "MATCH (f:Film)<-[:DIRECTED]-(p) RETURN p"),
        (
            "MATCH (f:Film), (p:Person) MATCH (f)-[r:ACTED_IN {role: 'x'}]->(p)-[:DIRECTED]->(g) RETURN g",
            "MATCH (f:Film), (p:Person) MATCH (f)<-[r:ACTED_IN {role: 'x'}]-(p)-[:DIRECTED]->(g) RETURN g",
        ),
        ("MATCH (p:person)-[:acted_in]->(f:FILM) RETURN p", "MATCH (p:Person)-[:ACTED_IN]->(f:Film) RETURN p"),
        ("MATCH (f:Film {name: 'x'}) RETURN f.label", "MATCH (f:Film {title: 'x'}) RETURN f.title"),
        ("MATCH (f:Film {Title: 'x'}) RETURN f.YEAR", "MATCH (f:Film {title: 'x'}) RETURN f.year"),
    ],
)  # fmt: skip
def test_cypher_is_corrected_where_one_reading_is_left(text: str, corrected: str) -> None:
    checked = check_query(text, CYPHER, schema())
    assert (checked.text, checked.problems) == (corrected, ())
    assert checked.changes


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("MATCH (f:Movie) RETURN f", "there is no class 'Movie'; there are 'Film', 'Person'"),
        ("MATCH (f:Films) RETURN f", "there is no class 'Films'; did you mean 'Film'?"),
        ("MATCH (f)-[:DIRECTED_BY]->(p) RETURN p", "there is no relation 'DIRECTED_BY'; did you mean 'DIRECTED'"),
        ("MATCH (f:Film) RETURN f.titel", "there is no property of Film 'titel'; did you mean 'title'?"),
        ("MATCH (f:Film {actor: 'x'}) RETURN f", "there is no property of Film 'actor'"),
        (
            "MATCH (f:Film) RETURN f.directed",
            "'directed' is no property but a relation; follow it to a node: -[:DIRECTED]->",
        ),
        ("MATCH ()-[r:ACTED_IN]->() RETURN r.roles", "there is no property of ACTED_IN 'roles'; did you mean 'role'?"),
        ("MATCH (p:Person)-[:SEQUEL_OF]->(f:Film) RETURN p", "the graph has no (:Person)-[:SEQUEL_OF]->(:Film)"),
    ],
)
def test_cypher_that_does_not_fit_is_a_problem(text: str, problem: str) -> None:
    (found,) = check_query(text, CYPHER, schema()).problems
    assert problem in found
    assert check_query(text, CYPHER, replace(schema(), is_complete=False)).problems == ()


@pytest.mark.parametrize(
    "pattern",
    [
        "?f a e:Film ; e:title ?t . ?p e:DIRECTED ?f",
        "?p e:ACTED_IN/e:SEQUEL_OF* ?f . ?f rdfs:label 'x'@en",
        "?f a e:Film . OPTIONAL { ?p e:DIRECTED ?f . FILTER(?p != ?f) } MINUS { ?f e:year 3 , 4 }",
        "VALUES ?f { e:x } ?p ?any ?f . FILTER NOT EXISTS { ?f e:title ?t }",
        "?f a e:Film ; ^e:DIRECTED ?p",
    ],
)
def test_sparql_that_fits_is_not_changed(pattern: str) -> None:
    text = f"PREFIX e: <{E}> SELECT ?f {{ {pattern} }} ORDER BY ?f LIMIT 3"
    assert check_query(text, SPARQL, schema(E)) == (text, (), ())


def test_sparql_is_corrected_where_one_reading_is_left() -> None:
    text = f"PREFIX e: <{E}> SELECT ?f {{ ?f a e:film . ?f e:DIRECTED ?p . ?p a e:Person }}"
    checked = check_query(text, SPARQL, schema(E))
    assert checked.text.endswith(f"{{ ?f a <{E}Film> . ?f ^e:DIRECTED ?p . ?p a e:Person }}")
    assert checked.changes == ("wrote 'Film' for 'e:film'", "turned the direction of e:DIRECTED")
    assert checked.problems == ()


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("?f a e:Films", "there is no class 'e:Films'; did you mean e:Film?"),
        ("?f e:titel ?t", "there is no relation or property 'e:titel'; did you mean e:title?"),
        (
            "?p a e:Person ; e:SEQUEL_OF ?f . ?f a e:Film",
            "e:SEQUEL_OF does not lead so; it leads from e:Film to e:Film",
        ),
    ],
)
def test_sparql_that_does_not_fit_is_a_problem(pattern: str, problem: str) -> None:
    text = f"PREFIX e: <{E}> SELECT * {{ {pattern} }}"
    assert check_query(text, SPARQL, schema(E)).problems == (problem,)


def test_a_relation_that_begins_with_has_is_known_without_it() -> None:
    told = Schema((NodeClass("country", (Property("label"),)),), (Connection("country", "has_currency", "country"),))
    (found,) = check_query("MATCH (c:country) RETURN c.currency", CYPHER, told).problems
    assert found == "'currency' is no property but a relation; follow it to a node: -[:has_currency]->"


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        (
            "MATCH (p:Person)-[:DIRECTED]->(f:Film {title: 'x'})-[:ACTED_IN]->(g:Film) RETURN p.name",
            "MATCH (p:Person)-[:DIRECTED]->(f:Film {title: 'x'}), (p)-[:ACTED_IN]->(g:Film) RETURN p.name",
        ),
        (
            "MATCH (a:Film), (p:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(g:Film) RETURN p.name",
            "MATCH (a:Film), (p:Person)-[:DIRECTED]->(f:Film), (p)-[:ACTED_IN]->(g:Film) RETURN p.name",
        ),
    ],
)
def test_what_begins_at_one_node_is_taken_out_of_a_chain(text: str, moved: str) -> None:
    assert check_query(text, CYPHER, schema()) == (moved, ("let ACTED_IN begin at p",), ())


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(g:Film) RETURN g",  # no variable
        "MATCH (f:Film) WHERE (:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(:Film) RETURN f",  # no MATCH
        "MATCH (f:Film) RETURN [(p:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(g:Film) | g]",
        "MATCH q = (p:Person)-[:DIRECTED]->(f:Film)-[:ACTED_IN]->(g:Film) RETURN q",  # one path
        "MATCH (p:Person)-[:DIRECTED]->(f:Film)<-[:DIRECTED]-(o:Person)-[:DIRECTED]->(g:Film)-[:ACTED_IN]->(h:Film) "
        "RETURN h",  # two that may be meant
    ],
)
def test_a_chain_with_no_or_several_readings_is_a_problem(text: str) -> None:
    checked = check_query(text, CYPHER, schema())
    assert (checked.text, len(checked.problems)) == (text, 1)


@pytest.mark.parametrize(("count", "is_turned"), [(None, False), (7, True)])
def test_a_direction_is_not_turned_by_a_sample(count: int | None, is_turned: bool) -> None:
    for prefix, language, text in (
        ("", CYPHER, "MATCH (f:Film)-[:DIRECTED]->(p:Person) RETURN p.name"),
        (E, SPARQL, f"PREFIX e: <{E}> SELECT ?p {{ ?f a e:Film ; e:DIRECTED ?p . ?p a e:Person }}"),
    ):
        whole = schema(prefix)
        known = tuple(replace(connection, count=count) for connection in whole.connections)
        checked = check_query(text, language, Schema(whole.classes, known, is_complete=False))
        assert bool(checked.changes) == (checked.text != text) == is_turned


def test_labels_that_a_node_must_not_have_say_nothing_of_directions() -> None:
    for text in ("MATCH (n:!Film)-[:DIRECTED]->(m) RETURN m", "MATCH (n:!Film&!Person)-[:DIRECTED]->(m) RETURN m"):
        assert check_query(text, CYPHER, schema()) == (text, (), ())


@pytest.mark.parametrize(
    "pattern",
    [
        "?p a e:Person ; e:ACTED_IN [ e:SEQUEL_OF ?f ; e:title 'x' ] . ?f a e:Film",
        "?p e:ACTED_IN [ a e:Film ; e:SEQUEL_OF [ e:title ?t ] ] ; e:name ?n",
        "[ a e:Person ] e:DIRECTED ?f . ?f a e:Film",
        "[] e:DIRECTED ?f . ?f a e:Film",
        "?f e:year '1979'^^xsd:gYear ; e:title 'x'",
    ],
)
def test_blank_nodes_and_datatypes_of_sparql_are_read(pattern: str) -> None:
    text = f"PREFIX e: <{E}> SELECT * {{ {pattern} }}"
    assert check_query(text, SPARQL, schema(E)) == (text, (), ())


def test_names_within_blank_nodes_are_checked() -> None:
    text = f"PREFIX e: <{E}> SELECT * {{ ?p e:ACTED_IN [ e:titel ?t ] }}"
    assert check_query(text, SPARQL, schema(E)).problems == (
        "there is no relation or property 'e:titel'; did you mean e:title?",
    )


def test_the_label_of_relations_that_share_a_name_is_written_as_a_property() -> None:
    shared = Schema(
        (NodeClass("City", (Property("name"),)), NodeClass("Person", (Property("name"),))),
        (
            Connection("City", "other", "Person", (Property("label"),), label="born in"),
            Connection("City", "other", "City", (Property("label"),), label="twin of"),
            Connection("City", "NEAR", "City"),
        ),
    )

    def checked(relation: str) -> tuple[str, int]:
        found = check_query(f"MATCH (a:City)-[{relation}]->(b) RETURN b", CYPHER, shared)
        return found.text.removeprefix("MATCH (a:City)-[").removesuffix("]->(b) RETURN b"), len(found.problems)

    assert checked(":born_in") == (":other {label: 'born in'}", 0)
    assert checked("r:`TWIN OF`") == ("r:other {label: 'twin of'}", 0)
    assert checked(":NEAR") == (":NEAR", 0)
    assert checked(":other {label: 'Twin of'}") == (":other {label: 'twin of'}", 0)
    assert checked(":born_in|NEAR")[1] == 1  # a property would be asked of both


def test_names_that_are_words_of_the_language_get_backticks() -> None:
    schema = Schema(
        (NodeClass("Order", (Property("limit"), Property("group"))),), (Connection("Order", "IN", "Order"),)
    )
    text = "MATCH (o:Order {group: 1})-[:IN]->(p:Order) RETURN o.limit, o.group"
    right = "MATCH (o:`Order` {`group`: 1})-[:`IN`]->(p:`Order`) RETURN o.limit, o.`group`"
    assert check_query(text, "Cypher", schema) == (right, (), ())
