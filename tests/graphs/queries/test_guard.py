"""The read-only guard: hostile queries are refused, harmless ones that look dangerous pass."""

from __future__ import annotations

import pytest
from faults import fails

from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, without_version
from hostile_queries import HARMLESS, HOSTILE


def test_there_are_enough_of_each() -> None:
    assert len(set(HOSTILE)) >= 150
    assert len(set(HARMLESS)) >= 60


def test_hostile_queries_are_refused() -> None:
    assert [(language, text) for language, text in HOSTILE if not is_refused(language, text)] == []


def is_refused(language: str, text: str) -> bool:
    try:
        check_read_only(text, language)
    except RefusedQueryError as refused:
        return refused.code.startswith(("guard.", "query."))
    return False


@pytest.mark.parametrize("text", ["x" * 9_999, f"MATCH (n) RETURN {'y' * 9_999}.delete(n)"])
def test_a_refusal_shows_the_begin_of_a_long_word(text: str) -> None:
    with pytest.raises(RefusedQueryError) as refused:
        check_read_only(text, CYPHER)
    assert len(str(refused.value)) < 500


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


def test_a_query_has_at_most_a_hundred_thousand_characters() -> None:
    check_read_only("RETURN 1".ljust(100_000), CYPHER)
    with fails("guard.too_long", RefusedQueryError):
        check_read_only("RETURN 1".ljust(100_001), CYPHER)


@pytest.mark.parametrize("brackets", ["()", "[]", "{}"])
def test_at_most_a_hundred_brackets_are_open(brackets: str) -> None:
    opening, closing = brackets[0], brackets[1]
    check_read_only(f"RETURN {opening * 100}{closing * 100} + {opening}{closing}", CYPHER)
    with fails("guard.too_deep", RefusedQueryError, place=108):
        check_read_only(f"RETURN {opening * 101}{closing * 101}", CYPHER)


@pytest.mark.parametrize(
    ("language", "text", "code", "values"),
    [
        (CYPHER, "RETURN 1\rRETURN 2", "guard.bad_character", {"place": 9}),
        (CYPHER, "RETURN 'a\x00b'", "guard.bad_character", {"place": 10}),
        (CYPHER, "RETURN 'ab'\u00a0", "guard.bad_character", {"place": 12}),
        (CYPHER, "RETURN \u200b1", "query.strange_character", {"place": 8}),
        (CYPHER, "RETURN na\u0301me", "query.strange_character", {"place": 10}),
        (CYPHER, r"RETURN 'a\u0027'", "guard.escape", {"place": 10}),
        (CYPHER, r"RETURN 'a\uu0027'", "guard.escape", {"place": 10}),
        (CYPHER, r"RETURN 'a\U00000027'", "guard.escape", {"place": 10}),
        (CYPHER, "MATCH (n) ЅET n.x = 1", "guard.lookalike", {"word": "SET", "place": 11}),
        (CYPHER, "MATCH (n) СALL x()", "guard.lookalike", {"word": "CALL", "place": 11}),
        (SPARQL, "SELECT * {ЅERVICE ?x {}}", "guard.lookalike", {"word": "SERVICE", "place": 11}),
        (CYPHER, "", "guard.empty", {}),
        (CYPHER, " ; ;", "guard.empty", {}),
        (SPARQL, "# nothing", "guard.empty", {}),
        (CYPHER, "RETURN 1;; RETURN 2", "guard.several_statements", {"place": 9}),
        (SPARQL, "SELECT * {?s ?p ?o} ; ASK {?s ?p ?o}", "guard.several_statements", {"place": 21}),
        (CYPHER, "MATCH (n) RETURN (n))", "guard.closes_nothing", {"place": 21}),
        (CYPHER, "RETURN ([1)]", "guard.closes_nothing", {"place": 11}),
        (CYPHER, "RETURN ([1]", "guard.not_closed", {"missing": ")"}),
        (CYPHER, "RETURN 1.SET", "guard.refused_word", {"word": "SET", "place": 10}),
        (CYPHER, "RETURN 1e.SET", "guard.refused_word", {"word": "SET", "place": 11}),
        (CYPHER, "RETURN [1, SET]", "guard.refused_word", {"word": "SET", "place": 12}),
        (CYPHER, "MATCH (n), SET", "guard.refused_word", {"word": "SET", "place": 12}),
        (CYPHER, "MATCH (n SET : 3)", "guard.refused_word", {"word": "SET", "place": 10}),
        (CYPHER, "CALL", "guard.unknown_procedure", {"name": "", "place": 1}),
        (CYPHER, "MATCH (n) CALL db.labels RETURN 1", "guard.unknown_procedure", {"name": "db.labels", "place": 11}),
        (CYPHER, "MATCH (n) CALL db.`create`()", "guard.unknown_procedure", {"name": "db.create", "place": 11}),
        (CYPHER, "RETURN x.y.z(1)", "guard.unknown_function", {"name": "x.y.z", "place": 8}),
        (CYPHER, "RETURN 1 + `x`.`y`(1)", "guard.unknown_function", {"name": "x.y", "place": 12}),
        (CYPHER, "RETURN apoc.cypher.call('x')", "guard.unknown_function", {"name": "apoc.cypher.call", "place": 8}),
        (CYPHER, "RETURN NextVal('s')", "guard.unknown_function", {"name": "nextval", "place": 8}),
        (CYPHER, "RETURN dates.x(1)", "guard.unknown_function", {"name": "dates.x", "place": 8}),
        (CYPHER, "CALL {RETURN 1} IN TRANSACTIONS", "guard.refused_word", {"word": "TRANSACTIONS", "place": 20}),
        (
            CYPHER,
            "CALL {RETURN 1} IN $n CONCURRENT TRANSACTION OF 3 ROWS",
            "guard.refused_word",
            {"word": "TRANSACTION", "place": 34},
        ),
        (CYPHER, "CALL {RETURN 1} IN 3 TRANSACTIONS", "guard.refused_word", {"word": "TRANSACTIONS", "place": 22}),
        (SPARQL, "SELECT (bif:exec('x') AS ?x) {}", "guard.runs_code", {"name": "bif:exec", "place": 9}),
        (SPARQL, "SELECT (<SQL:f>('x') AS ?x) {}", "guard.runs_code", {"name": "SQL:f", "place": 9}),
        (SPARQL, "PREFIX f: <sql:> SELECT (f:x() AS ?x) {}", "guard.runs_code", {"name": "f:", "place": 8}),
        (SPARQL, "PREFIX f: <bi> SELECT (f:f:x() AS ?x) {}", "guard.runs_code", {"name": "f:f:x", "place": 24}),
        (SPARQL, "SELECT (a::bif:exec() AS ?x) {}", "guard.runs_code", {"name": "a::bif:exec", "place": 9}),
        (SPARQL, "SELECT * {?s e:p e:o.INSERT}", "guard.ends_in_keyword", {"name": "e:o.INSERT", "place": 18}),
        (SPARQL, "PREFIX e: <http://x.org/>", "guard.no_select", {}),
        (SPARQL, "BASE <http://x.org/>", "guard.no_select", {}),
    ],
)
def test_every_reason_has_its_code_and_place(language: str, text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, RefusedQueryError, **values):
        check_read_only(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (CYPHER, "MATCH (n)\r\nRETURN\tn\n"),
        (CYPHER, "MATCH (n {name: 'a\u200bb\u00a0c\u0301'}) RETURN n.`a\u00a0b`"),
        (SPARQL, "SELECT * {?s <http://x.org/a\u200db> ?o}"),
        (CYPHER, "RETURN 'Ѕet' AS x, n.`ЅET`"),
        (CYPHER, "MATCH (größe) RETURN größe"),
        (
            CYPHER,
            "MATCH (n:SET {set: 1, delete: [2]}) RETURN n.set, $p.set, x[0].set, {a: 1}.set, size(n).set, `n`.set",
        ),
        (CYPHER, "RETURN 1 n.set"),  # a number and a property of n
        (CYPHER, "MATCH (n) WHERE n.x IN transactions RETURN n"),
        (CYPHER, "MATCH (n) WHERE n.x IN [1] RETURN n.transactions, transactions"),
        (CYPHER, "CALL db.labels"),
        (CYPHER, "CALL db.labels YIELD label RETURN label"),
        (CYPHER, "CALL DB.Labels() YIELD label RETURN label"),
        (CYPHER, "CALL (n) {RETURN 1} RETURN 2"),
        (
            CYPHER,
            "RETURN (1 + 2), [3], (n)-[:R]->(), apoc.text.join(['a'], ','), date.truncate('day', x), nextvalue(1)",
        ),
        (CYPHER, "RETURN {call: 1}.call, n.call"),
        (SPARQL, "SELECT * {?s ?p ?o ; ?q ?r}"),
        (SPARQL, "SELECT * {?s bif:contains 'x'}"),
        (SPARQL, "PREFIX e: <http://x.org/> PREFIX f: <http://y.org/> ASK {?s e:a.b f:file}"),
        (SPARQL, "PREFIX e: <http://x.org/> SELECT * {?s e:p e:o.x ; e:insert e:delete}"),
    ],
)
def test_what_only_looks_like_a_reason_passes(language: str, text: str) -> None:
    check_read_only(text, language)


def test_the_error_tells_what_to_write_in_the_language() -> None:
    with fails("guard.refused_word") as refused:
        check_read_only("MATCH (n) DELETE n", CYPHER)
    assert "MATCH ... RETURN; a name that is such a word goes in backticks" in str(refused.value)
    with fails("guard.refused_word") as refused:
        check_read_only("SELECT * {SERVICE ?x {}}", SPARQL)
    assert str(refused.value).endswith("write SELECT or ASK over the graph itself")
