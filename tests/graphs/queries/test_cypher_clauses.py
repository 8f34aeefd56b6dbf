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
