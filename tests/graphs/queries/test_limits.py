"""Limits written into queries."""

from __future__ import annotations

import pytest
from faults import fails

from graphbrick.graphs.databases.sparql.sparql_text import limited
from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.limits import lower_limit, with_limit
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL


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
        (CYPHER, "MATCH (a) RETURN a.limit", "MATCH (a) RETURN a.limit LIMIT 10"),
        (CYPHER, "MATCH (a) RETURN a.limit LIMIT 99", "MATCH (a) RETURN a.limit LIMIT 10"),
        (CYPHER, "RETURN 1 AS limit ORDER BY limit", "RETURN 1 AS limit ORDER BY limit LIMIT 10"),
        (CYPHER, "RETURN", "RETURN LIMIT 10"),
        (CYPHER, "MATCH (a) RETURN a, [a] LIMIT 99", "MATCH (a) RETURN a, [a] LIMIT 10"),
        (CYPHER, "MATCH (a) RETURN a LIMIT 9 + 90", "MATCH (a) RETURN a LIMIT 9 + 90"),
        (CYPHER, "MATCH (a) RETURN a LIMIT 99 + 9", "MATCH (a) RETURN a LIMIT 99 + 9"),
        (CYPHER, "MATCH (a) RETURN a LIMIT (99)", "MATCH (a) RETURN a LIMIT (99)"),
        (CYPHER, "RETURN 1 UNION RETURN 2", "RETURN 1 UNION RETURN 2"),
        (CYPHER, "CALL db.labels()", "CALL db.labels()"),
        (SPARQL, "SELECT * { ?s ?p ?o }", "SELECT * { ?s ?p ?o } LIMIT 10"),
        (SPARQL, "SELECT * { { SELECT * { } LIMIT 1 } }", "SELECT * { { SELECT * { } LIMIT 1 } } LIMIT 10"),
        (SPARQL, "SELECT * { ?s ?p ?o } LIMIT 99 OFFSET 3", "SELECT * { ?s ?p ?o } LIMIT 10 OFFSET 3"),
        (SPARQL, "SELECT * { ?s ?p ?o } VALUES ?s { 1 }", "SELECT * { ?s ?p ?o } LIMIT 10 VALUES ?s { 1 }"),
        (SPARQL, "ASK { ?s ?p ?o }", "ASK { ?s ?p ?o }"),
        (SPARQL, "ASK { ?s ?p ?o };", "ASK { ?s ?p ?o }"),
        (SPARQL, "SELECT * { ?s ?p ?o } LIMIT 3; # few", "SELECT * { ?s ?p ?o } LIMIT 3"),
        (CYPHER, "RETURN 1 UNION RETURN 2 ; ;", "RETURN 1 UNION RETURN 2"),
    ],
)  # fmt: skip
def test_the_outermost_result_gets_the_limit(language: str, text: str, limited: str) -> None:
    assert with_limit(text, language, 10) == limited
    assert with_limit(limited, language, 10) == limited


@pytest.mark.parametrize(
    ("text", "limited"),
    [
        ("RETURN;", "RETURN LIMIT 10"),
        (";", ";"),
        ("", ""),
        ("RETURN 1 LIMIT 99 SKIP - x", "RETURN 1 LIMIT 10 SKIP - x"),
        ("RETURN 1 LIMIT", "RETURN 1 LIMIT"),
        ("RETURN 1 LIMIT 9.5", "RETURN 1 LIMIT 9.5"),
        ("RETURN DISTINCT limit, x.limit, limit", "RETURN DISTINCT limit, x.limit, limit LIMIT 10"),
        ("RETURN limit LIMIT 10", "RETURN limit LIMIT 10"),
        ("UNWIND x AS y WITH limit RETURN y", "UNWIND x AS y WITH limit RETURN y LIMIT 10"),
    ],
)
def test_a_word_limit_is_a_limit_only_at_its_place(text: str, limited: str) -> None:
    assert with_limit(text, CYPHER, 10) == limited


@pytest.mark.parametrize(("digits", "lower"), [("0", 0), ("00007", 7), ("9", 9), ("12", 12), ("13", 12), ("100", 12)])
def test_the_lower_of_two_limits_is_taken(digits: str, lower: int) -> None:
    assert lower_limit(digits, 12) == lower
    assert lower_limit("0" * 9000 + digits, 12) == lower


def test_a_limit_of_many_digits_is_lowered() -> None:
    assert with_limit(f"RETURN 1 LIMIT {'9' * 5000}", CYPHER, 5) == "RETURN 1 LIMIT 5"
    assert limited(f"SELECT * {{ ?s ?p ?o }} LIMIT {'9' * 5000}", 5) == "SELECT * { ?s ?p ?o } LIMIT 5"


def test_a_prefix_with_two_meanings_is_refused() -> None:
    prefix = "PREFIX e: <urn:a> "
    check_read_only(f"{prefix}{prefix}SELECT * {{ ?s e:x ?o }}", SPARQL)
    with fails("guard.prefix_twice", RefusedQueryError, prefix="e:", place=26):
        check_read_only(f"{prefix}PREFIX e: <urn:b> SELECT * {{ ?s e:x ?o }}", SPARQL)
