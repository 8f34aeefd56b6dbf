"""The read-only guard: hostile queries are refused, harmless ones that look dangerous pass."""

from __future__ import annotations

import pytest
from faults import fails
from hostile_queries import HARMLESS, HOSTILE

from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL


def test_there_are_enough_of_each() -> None:
    assert len(set(HOSTILE)) >= 150
    assert len(set(HARMLESS)) >= 60


@pytest.mark.parametrize(("language", "text"), HOSTILE)
def test_a_hostile_query_is_refused(language: str, text: str) -> None:
    with pytest.raises(RefusedQueryError) as refused:
        check_read_only(text, language)
    assert refused.value.code.startswith(("guard.", "query."))


@pytest.mark.parametrize(("language", "text"), HARMLESS)
def test_a_harmless_query_passes(language: str, text: str) -> None:
    check_read_only(text, language)


@pytest.mark.parametrize(
    ("language", "text", "code", "values"),
    [
        (CYPHER, "MATCH (n) DETACH DELETE n", "guard.refused_word", {"word": "DETACH", "place": 11}),
        (CYPHER, "MATCH (n) RETURN n; MATCH (m) RETURN m", "guard.several_statements", {"place": 19}),
        (CYPHER, "CALL apoc.cypher.doIt('x', {})", "guard.unknown_procedure", {"name": "apoc.cypher.doit", "place": 1}),
        (CYPHER, "ＣＲＥＡＴＥ (n)", "guard.lookalike", {"word": "CREATE"}),
        (CYPHER, "MATCH (n) RETURN 'abc", "query.no_end", {"place": 18}),
        (CYPHER, "EXPLAIN MATCH (n) RETURN n", "guard.wrong_beginning", {"word": "EXPLAIN"}),
        (CYPHER, "MATCH (n) RETURN n)", "guard.closes_nothing", {"place": 19}),
        (CYPHER, "MATCH (n] RETURN n", "guard.closes_nothing", {"place": 9}),
        (SPARQL, "SELECT * { ?s ?p ?o", "guard.not_closed", {"missing": "}"}),
        (SPARQL, "DELETE WHERE {?s ?p ?o}", "guard.wrong_beginning", {"word": "DELETE"}),
        (
            SPARQL,
            "SELECT * {SERVICE <http://x.org/> {?s ?p ?o}}",
            "guard.refused_word",
            {"word": "SERVICE", "place": 11},
        ),
    ],
)
def test_the_error_names_the_word(language: str, text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, RefusedQueryError, **values):
        check_read_only(text, language)


def test_a_language_without_a_guard_is_refused() -> None:
    with fails("query.unknown_language", language="SQL"):
        check_read_only("SELECT 1", "SQL")
    check_read_only("MATCH (n) RETURN n", "cypher")


@pytest.mark.parametrize("language", [CYPHER, SPARQL])
def test_an_escape_hides_only_ascii_characters(language: str) -> None:
    query = "MATCH (n {name: '%s'}) RETURN n" if language == CYPHER else "SELECT * {?s ?p '%s'}"
    check_read_only(query % r"\u0080", language)
    with fails("guard.escape", RefusedQueryError):
        check_read_only(query % r"\u007F", language)
