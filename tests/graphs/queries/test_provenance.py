"""The nodes that queries match, over one graph in ladybug and in an RDF store, with known answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from faults import fails

import graphbrick
from graphbrick import build
from graphbrick.core.session import Session
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.export.ntriples import to_ntriples
from graphbrick.graphs.queries.provenance import NoProvenanceError, node_queries
from graphbrick.graphs.queries.tokens import QueryTextError
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.study.metrics.execution import provenance

ox = pytest.importorskip("pyoxigraph")
pytest.importorskip("ladybug")

Nodes = Callable[[str], set[str]]
PREFIXES = "PREFIX t: <urn:graphbrick:type/> PREFIX r: <urn:graphbrick:relation/> PREFIX e: <urn:graphbrick:entity/>\n"


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Nodes]]:
    """For each language a function from a query to the keys of its nodes."""
    folder = tmp_path_factory.mktemp("provenance")
    kinds = {"Scott": "Person", "Mann": "Person", "Alien": "Film", "Blade": "Film", "Heat": "Film", "USA": "Country"}
    graph = build(
        [
            *(EntityRecord(name, types=(kind,)) for name, kind in kinds.items()),
            *(("Scott", "directed", film) for film in ("Alien", "Blade")),
            ("Mann", "directed", "Heat"),
            *((film, "made in", "USA") for film in ("Alien", "Heat")),
            *((film, "year", year) for film, year in {"Alien": "1979", "Blade": "1982", "Heat": "1995"}.items()),
        ],
        folder / "films.graph",
    )
    store = ox.Store(str(folder / "store"))
    store.bulk_load(path=str(to_ntriples(graph, folder / "films.nt")), format=ox.RdfFormat.N_TRIPLES)
    store.flush()
    with Session():
        cypher = graphbrick.open(f"ladybug:{to_ladybug(graph, folder / 'films.ladybug')}")
        sparql = graphbrick.open(f"oxigraph:{folder / 'store'}")
        yield {
            "Cypher": lambda text: set(provenance(cypher, text)),
            "SPARQL": lambda text: {
                key.removeprefix("urn:graphbrick:entity/") for key in provenance(sparql, PREFIXES + text)
            },
        }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MATCH (p:Person {label: 'Scott'})-[:directed]->(f:Film) RETURN count(f)", {"Scott", "Alien", "Blade"}),
        ("MATCH (:Person {label: 'Scott'})-[:directed]->(f) RETURN f.label;", {"Scott", "Alien", "Blade"}),
        ("MATCH (f:Film) WHERE f.year > 1980 RETURN f.label ORDER BY f.year DESC LIMIT 1", {"Blade", "Heat"}),
        ("MATCH (f:Film) WHERE f.label STARTS WITH 'A' RETURN f.label", {"Alien"}),
        ("MATCH (f:Film) WHERE NOT EXISTS { MATCH (f)-[:made_in]->(c) } RETURN f.label", {"Blade"}),
        ("MATCH (f:Film {label: 'Blade'}) OPTIONAL MATCH (f)-[:made_in]->(c) RETURN f.label, c.label", {"Blade"}),
        ("MATCH (p:Person)-[:directed]->(f) WITH p, count(f) AS n RETURN p.label ORDER BY n DESC LIMIT 1",
         {"Scott", "Mann", "Alien", "Blade", "Heat"}),
        ("MATCH (p:Person {label: 'Mann'})-[:directed]->(f) WITH f MATCH (f)-[:made_in]->(c) RETURN c.label",
         {"Mann", "Heat", "USA"}),
        ("MATCH (p:Person {label: 'Mann'})-[*1..2]->(c:Country) RETURN c.label", {"Mann", "Heat", "USA"}),
        ("MATCH (p:Person) WHERE p.label = 'nobody' RETURN count(p)", set()),
        ("MATCH (p {label: 'Mann'}) RETURN p.label UNION ALL MATCH ({label: 'Scott'})-[:directed]->(f) RETURN f.label"
         " AS union UNION MATCH (c:Country) RETURN c.label", {"Mann", "Scott", "Alien", "Blade", "USA"}),
    ],
)  # fmt: skip
def test_in_cypher(nodes: dict[str, Nodes], text: str, expected: set[str]) -> None:
    assert nodes["Cypher"](text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT (COUNT(?f) AS ?n) { ?p a t:Person ; rdfs:label 'Scott' ; r:directed ?f }",
         {"Scott", "Alien", "Blade"}),
        ("SELECT ?f { e:Scott r:directed ?f }", {"Scott", "Alien", "Blade"}),
        ("SELECT ?f { ?f r:year ?y FILTER(STR(?y) > '1980') } ORDER BY DESC(?y) LIMIT 1", {"Blade", "Heat"}),
        ("SELECT ?f { ?f a t:Film FILTER NOT EXISTS { ?f <urn:graphbrick:relation/made%20in> ?c } }", {"Blade"}),
        ("SELECT ?f { ?f a t:Film MINUS { ?p r:directed ?f . ?p rdfs:label 'Scott' } }", {"Heat"}),
        ("SELECT ?f ?c { ?f rdfs:label 'Blade' OPTIONAL { ?f <urn:graphbrick:relation/made%20in> ?c } }", {"Blade"}),
        ("ASK { ?f ^r:directed e:Mann }", {"Mann", "Heat"}),
        ("SELECT ?p (COUNT(?f) AS ?n) { ?p r:directed ?f } GROUP BY ?p ORDER BY DESC(?n) LIMIT 1",
         {"Scott", "Mann", "Alien", "Blade", "Heat"}),
        ("SELECT ?p { e:Alien r:directed ?p }", set()),
    ],
)  # fmt: skip
def test_in_sparql(nodes: dict[str, Nodes], text: str, expected: set[str]) -> None:
    labels = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
    assert nodes["SPARQL"](labels + text) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("MATCH (p)-[:directed]->(f) WITH p, count(f) AS n WHERE n > 1 RETURN p", "conditions_after_with"),
        ("MATCH (p) WITH p LIMIT 1 MATCH (p)-->(f) RETURN f", "conditions_after_with"),
        ("MATCH (p)-->(f) WITH p MATCH (p)-->(f) RETURN f", "variable_reused"),
        ("MATCH (p) RETURN p UNION ALL CALL db.labels()", "no_result"),
        ("CALL db.labels()", "no_result"),
        ("MATCH p = shortestPath((a)-[*]->(b)) RETURN p", "unreadable_pattern"),
        ("MATCH ((a)-[:r]->(b)){1,3} RETURN a", "unreadable_pattern"),
        ("MATCH (a)-[:r]->+(b) RETURN a", "unreadable_pattern"),
        ("RETURN 1", "no_nodes"),
    ],
)
def test_some_cypher_has_none(text: str, code: str) -> None:
    with fails(f"provenance.{code}", NoProvenanceError):
        node_queries(text, "Cypher")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT ?x { ?x <urn:p>/<urn:q> ?y }", "inner_nodes"),
        ("SELECT ?x { ?x <urn:p>+ ?y }", "inner_nodes"),
        ("SELECT ?x { { SELECT ?x { ?x <urn:p> ?y } LIMIT 1 } }", "subquery"),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x HAVING(?n > 1)", "conditions_on_result"),
        ("SELECT ?x { ?x <urn:p> ?y OPTIONAL { ?x <urn:q> <urn:z> } }", "optional_node"),
        ("SELECT ?x { ?x <urn:p> [ <urn:q> 1 ] }", "blank_nodes"),
        ("ASK { <urn:a> <urn:p> <urn:b> }", "no_variable"),
        ("SELECT ?x { ?x <urn:p> ?y", "not_closed"),
        ("DESCRIBE <urn:x>", "wrong_form"),
    ],
)
def test_some_sparql_has_none(text: str, code: str) -> None:
    with fails(f"provenance.{code}", NoProvenanceError):
        node_queries(text, "SPARQL")


def test_names_that_look_like_clauses_are_none() -> None:
    text = "MATCH (n:With {match: ')'})-[:RETURN]->(`where x`) RETURN n.limit AS match"
    (pattern,) = {query.rpartition(" RETURN DISTINCT ")[0] for query in node_queries(text, "Cypher")[0]}
    assert pattern == "MATCH (n:With {match: ')'})-[:RETURN]->(`where x`)"
    with pytest.raises(QueryTextError):
        node_queries("MATCH (n {x: 'open}) RETURN n", "Cypher")


def test_the_datatype_of_a_literal_is_no_node() -> None:
    text = "SELECT ?f { ?f <urn:released> '1979-05-25'^^<http://www.w3.org/2001/XMLSchema#date> }"
    queries, named = node_queries(text, "SPARQL")
    assert (len(queries), named) == (1, frozenset())
