"""The read-only guard: hostile queries are refused, harmless ones that look dangerous pass."""

from __future__ import annotations

import pytest
from faults import fails
from hostile_queries import HARMLESS, HOSTILE

from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, without_version


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


@pytest.mark.parametrize(
    "text",
    [
        "CYPHER 5 MATCH (n) RETURN n",
        "cypher 25\nRETURN 1",
        "CYPHER 5.1 UNWIND [1] AS x RETURN x",
        " CYPHER 5 CALL db.labels()",
    ],
)
def test_a_version_of_cypher_is_let_through_and_left_out(text: str) -> None:
    check_read_only(text, CYPHER)
    check_read_only(without_version(text), CYPHER)
    assert "cypher" not in without_version(text).lower()


@pytest.mark.parametrize(
    "text", ["CYPHER 5", "CYPHER 5 DROP INDEX x", "CYPHER 5 CYPHER 5 RETURN 1", "CYPHER runtime=slotted RETURN 1"]
)
def test_a_version_of_cypher_hides_nothing(text: str) -> None:
    with pytest.raises(RefusedQueryError):
        check_read_only(text, CYPHER)


@pytest.mark.parametrize(
    ("service", "variable", "language"),
    [
        ('SERVICE wikibase:label { bd:serviceParam wikibase:language "en". }', "filmLabel", "en"),
        ('SERVICE wikibase:label { bd:serviceParam wikibase:language "[AUTO_LANGUAGE],de,en" }', "filmLabel", "de"),
        ("SERVICE SILENT <http://wikiba.se/ontology#label> { ?x wikibase:language 'zh-hans' }", "filmLabel", "zh-hans"),
        ("service wikibase:label { }", "filmLabel", "en"),
    ],
)
def test_the_label_service_of_wikidata_says_what_to_write(service: str, variable: str, language: str) -> None:
    query = f"SELECT ?film ?filmLabel {{ ?film wdt:P31 wd:Q11424 . {service} }}"
    with fails("guard.label_service", RefusedQueryError, variable=variable, language=language) as error:
        check_read_only(query, SPARQL)
    written = f'OPTIONAL {{ ?film rdfs:label ?filmLabel FILTER(LANG(?filmLabel) = "{language}") }}'
    assert written in str(error.value)
    check_read_only(query.replace(service, written), SPARQL)
