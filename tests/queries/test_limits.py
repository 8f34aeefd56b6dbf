"""Limits written into queries."""

from __future__ import annotations

import pytest

from graphbrick.queries import CYPHER, SPARQL
from graphbrick.queries.limits import with_limit


@pytest.mark.parametrize(
    ("language", "text", "limited"),
    [
        (CYPHER, "MATCH (n) RETURN n", "MATCH (n) RETURN n LIMIT 10"),
        (CYPHER, "MATCH (n) RETURN n // all", "MATCH (n) RETURN n LIMIT 10"),
        (CYPHER, "MATCH (n) RETURN n limit 3", "MATCH (n) RETURN n limit 3"),
        (CYPHER, "MATCH (n) RETURN n SKIP 2 LIMIT 30", "MATCH (n) RETURN n SKIP 2 LIMIT 10"),
        (CYPHER, "MATCH (n) WITH n LIMIT 1 RETURN n", "MATCH (n) WITH n LIMIT 1 RETURN n LIMIT 10"),
        (CYPHER, "CALL { RETURN 1 LIMIT 1 } RETURN 2", "CALL { RETURN 1 LIMIT 1 } RETURN 2 LIMIT 10"),
        (CYPHER, "MATCH (n) RETURN 'LIMIT 99'", "MATCH (n) RETURN 'LIMIT 99' LIMIT 10"),
        (CYPHER, "MATCH (n) RETURN n LIMIT $n", "MATCH (n) RETURN n LIMIT $n"),
        (CYPHER, "RETURN 1 UNION RETURN 2", "RETURN 1 UNION RETURN 2"),
        (CYPHER, "CALL db.labels()", "CALL db.labels()"),
        (SPARQL, "SELECT * { ?s ?p ?o }", "SELECT * { ?s ?p ?o } LIMIT 10"),
        (SPARQL, "SELECT * { { SELECT * { } LIMIT 1 } }", "SELECT * { { SELECT * { } LIMIT 1 } } LIMIT 10"),
        (SPARQL, "SELECT * { ?s ?p ?o } LIMIT 99 OFFSET 3", "SELECT * { ?s ?p ?o } LIMIT 10 OFFSET 3"),
        (SPARQL, "SELECT * { ?s ?p ?o } VALUES ?s { 1 }", "SELECT * { ?s ?p ?o } LIMIT 10 VALUES ?s { 1 }"),
        (SPARQL, "ASK { ?s ?p ?o }", "ASK { ?s ?p ?o }"),
    ],
)  # fmt: skip
def test_the_outermost_result_gets_the_limit(language: str, text: str, limited: str) -> None:
    assert with_limit(text, language, 10) == limited
    assert with_limit(limited, language, 10) == limited
