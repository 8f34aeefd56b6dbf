"""The clauses of a Cypher query, and where they begin and end."""

from __future__ import annotations

import pytest

from graphbrick.graphs.queries.cypher_clauses import clauses_of
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
