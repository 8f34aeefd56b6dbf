"""The clauses of a Cypher query, and where they begin and end."""

from __future__ import annotations

import pytest

from graphbrick.graphs.queries.cypher_clauses import clauses_of, parts_of
from graphbrick.graphs.queries.tokens import CYPHER, tokens_of


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("MATCH (n) RETURN n", ["MATCH (n)", "RETURN n"]),
        ("MATCH (n) OPTIONAL MATCH (m) RETURN m", ["MATCH (n)", "OPTIONAL MATCH (m)", "RETURN m"]),
        ("MATCH (optional) RETURN optional", ["MATCH (optional)", "RETURN optional"]),
        ("MATCH (n) WHERE n.a STARTS WITH 'x' RETURN 1", ["MATCH (n)", "WHERE n.a STARTS WITH 'x'", "RETURN 1"]),
        ("MATCH (n) RETURN n.match", ["MATCH (n)", "RETURN n.match"]),
        ("MATCH (n) RETURN count { MATCH (m) RETURN m }", ["MATCH (n)", "RETURN count { MATCH (m) RETURN m }"]),
    ],
)
def test_a_query_is_split_into_clauses(text: str, clauses: list[str]) -> None:
    found = clauses_of(tokens_of(text, CYPHER))
    assert [text[clause.start : clause.end] for clause in found] == clauses
    assert [clause.word for clause in found] == [clause.removeprefix("OPTIONAL ").split()[0] for clause in clauses]


@pytest.mark.parametrize(
    ("text", "path", "nodes", "relations", "fault"),
    [
        ("(a)-[r:R]->(:B {c: 1})", "", ["a", ""], ["r"], ""),
        ("p = (a:A)<-[]-(b WHERE b.c)", "p", ["a", "b"], [], ""),
        ("(a {x: 1})-[s*1..2]-()", "", ["a", ""], ["s"], ""),
        (
            "shortestPath((a)-[*]-(b))",
            "",
            [
                "",
            ],
            [],
            "a pattern that is not a chain",
        ),
        ("((a)-[r]->(b)){2}", "", [""], [], "a pattern within brackets"),
    ],
)
def test_a_pattern_has_variables(text: str, path: str, nodes: list[str], relations: list[str], fault: str) -> None:
    (clause, _) = clauses_of(tokens_of(f"MATCH {text} RETURN 1", CYPHER))
    (part,) = parts_of(clause)
    assert (part.path, [node.variable for node in part.nodes]) == (path, nodes)
    assert list(part.relations) == relations
    assert part.fault.startswith(fault)
    assert bool(part.fault) == bool(fault)


def test_patterns_are_split_at_commas_outside_of_brackets() -> None:
    (clause, _) = clauses_of(tokens_of("MATCH (a {x: [1, 2]}), (b) RETURN a", CYPHER))
    assert [[node.variable for node in part.nodes] for part in parts_of(clause)] == [["a"], ["b"]]


def test_an_optional_match_begins_at_its_first_word() -> None:
    text = "OPTIONAL MATCH (n) RETURN n AS match, n:With, {order: 1} ORDER BY n.skip LIMIT 3"
    clauses = clauses_of(tokens_of(text, CYPHER))
    assert [(clause.word, clause.start) for clause in clauses] == [
        ("MATCH", 0), ("RETURN", 19), ("ORDER", 57), ("LIMIT", 73),
    ]  # fmt: skip
    assert [text[clause.start : clause.end] for clause in clauses][2] == "ORDER BY n.skip"
    assert [token.text for token in clauses[-1].tokens] == ["3"]
    assert clauses_of(tokens_of("n", CYPHER)) == []


@pytest.mark.parametrize(
    ("pattern", "has_inner"),
    [
        ("(a)-[*]-(b)", True),
        ("(a)-[r:R*1..2]-(b)-[:S]-(c)", True),
        ("(a)-[:R]-(b)-[s*]-(c)", True),
        ("(a)-[r:R]-(b)-[:S]-(c)", False),
        ("(a)-[r:R {x: 2 * 3}]-(b)", False),
        ("(a)-[r WHERE r.x * 2 > 3]-(b)", False),
        ("(a {x: 2 * 3})--(b)", False),
        ("(a)-[r", False),
    ],
)
def test_a_relation_of_variable_length_has_inner_nodes(pattern: str, has_inner: bool) -> None:
    (clause,) = clauses_of(tokens_of(f"MATCH {pattern}", CYPHER))
    (part,) = parts_of(clause)
    assert part.has_inner == has_inner


@pytest.mark.parametrize(
    ("pattern", "fault", "variables"),
    [
        ("p = ", "a pattern that is not a chain of nodes, such as a shortest path", []),
        ("", "a pattern that is not a chain of nodes, such as a shortest path", []),
        ("p", "a pattern that is not a chain of nodes, such as a shortest path", []),
        ("(a)-[:R]->+(b)", "a pattern that is repeated", ["a", "b"]),
        ("(a)-[:R]->{2}(b)", "a pattern that is repeated", ["a", "b"]),
        ("((a)-[r]->(b))*", "a pattern within brackets", [""]),
        ("(a.b)-[]-(c d)", "", ["", ""]),
        ("(:A)--(3)--($x)", "", ["", "", ""]),
        ("(a {x: (1 + 2)})--(b)", "", ["a", "b"]),
    ],
)
def test_a_pattern_that_cannot_be_read_has_a_fault(pattern: str, fault: str, variables: list[str]) -> None:
    (clause,) = clauses_of(tokens_of(f"MATCH {pattern}", CYPHER))
    (part,) = parts_of(clause)
    assert (part.fault, [node.variable for node in part.nodes]) == (fault, variables)


def test_a_variable_can_be_written_after_the_bracket_and_before_the_pattern() -> None:
    text = "MATCH p = (:A)-[:R]->(), ()--(b)"
    (clause,) = clauses_of(tokens_of(text, CYPHER))
    first, second = parts_of(clause)
    assert (first.path, text[first.place :]) == ("p", "(:A)-[:R]->(), ()--(b)")
    assert (second.path, text[second.place :]) == ("", "()--(b)")
    assert [text[node.place :] for node in second.nodes] == [")--(b)", "b)"]
