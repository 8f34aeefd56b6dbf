"""The read-only guard: hostile queries are refused, harmless ones that look dangerous pass."""

from __future__ import annotations

import pytest
from hostile_queries import HARMLESS, HOSTILE

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL


def test_there_are_enough_of_each() -> None:
    assert len(set(HOSTILE)) >= 150
    assert len(set(HARMLESS)) >= 60


@pytest.mark.parametrize(("language", "text"), HOSTILE)
def test_a_hostile_query_is_refused(language: str, text: str) -> None:
    with pytest.raises(RefusedQueryError, match="the query was not run"):
        check_read_only(text, language)


@pytest.mark.parametrize(("language", "text"), HARMLESS)
def test_a_harmless_query_passes(language: str, text: str) -> None:
    check_read_only(text, language)


@pytest.mark.parametrize(
    ("language", "text", "named"),
    [
        (CYPHER, "MATCH (n) DETACH DELETE n", "DETACH at character 11"),
        (CYPHER, "MATCH (n) RETURN n; MATCH (m) RETURN m", "another statement begins after the ; at character 19"),
        (CYPHER, "CALL apoc.cypher.doIt('x', {})", "CALL apoc.cypher.doit at character 1"),
        (CYPHER, "ＣＲＥＡＴＥ (n)", "looks like CREATE"),
        (CYPHER, "MATCH (n) RETURN 'abc", "a string that does not end, at character 18"),
        (CYPHER, "EXPLAIN MATCH (n) RETURN n", "begins with EXPLAIN"),
        (CYPHER, "MATCH (n) RETURN n)", "the ) at character 19 closes nothing"),
        (CYPHER, "MATCH (n] RETURN n", "the ] at character 9 closes nothing"),
        (SPARQL, "SELECT * { ?s ?p ?o", "a bracket is not closed; write the }"),
        (SPARQL, "DELETE WHERE {?s ?p ?o}", "begins with DELETE"),
        (SPARQL, "SELECT * {SERVICE <http://x.org/> {?s ?p ?o}}", "SERVICE at character 11"),
    ],
)
def test_the_error_names_the_word(language: str, text: str, named: str) -> None:
    with pytest.raises(RefusedQueryError) as refused:
        check_read_only(text, language)
    assert named in str(refused.value)


def test_a_language_without_a_guard_is_refused() -> None:
    with pytest.raises(GraphbrickError, match="Cypher and SPARQL"):
        check_read_only("SELECT 1", "SQL")
    check_read_only("MATCH (n) RETURN n", "cypher")


@pytest.mark.parametrize("language", [CYPHER, SPARQL])
def test_an_escape_hides_only_ascii_characters(language: str) -> None:
    query = "MATCH (n {name: '%s'}) RETURN n" if language == CYPHER else "SELECT * {?s ?p '%s'}"
    check_read_only(query % r"\u0080", language)
    with pytest.raises(RefusedQueryError, match="hides a character"):
        check_read_only(query % r"\u007F", language)
