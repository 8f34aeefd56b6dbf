"""Directions of relations in a query without rows, corrected by what the graph has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from graphbrick.bricks.retrieve.queries.named_steps import named_steps
from graphbrick.core.graph import QueryLanguage
from graphbrick.core.schema import Schema
from graphbrick.graphs.queries.check import Checked
from graphbrick.graphs.queries.check_cypher import CypherCheck, quoted

NO_PARAMETERS: Mapping[str, Any] = MappingProxyType({})

_TAILS, _ALIKE = 200, 0.1  # tails that are looked at, and the share that are heads too where both directions count


def with_directions_of(
    graph: QueryLanguage, text: str, schema: Schema, parameters: Mapping[str, Any] = NO_PARAMETERS
) -> Checked:
    """Return a Cypher query whose relations at named nodes have the direction that the graph has there.

    In a graph whose nodes are of one class, the schema does not tell that films, not actors, have the relation
    ``starred_actors``. So a relation at a node with a name is turned if the node has it only the other way round, and
    if less than a tenth of 200 of its tails are heads of it too: where a gene regulates a gene, both directions mean
    something, and nothing is an answer. Each takes up to four small queries. The name may stand in braces, or in a
    condition of WHERE: ``a.label = 'Heat'``, ``a.label IN ['Heat']``, ``toLower(a.label) CONTAINS $name``.

    Args:
        graph: The graph.
        text: The query.
        schema: Its schema.
        parameters: The parameters of the query.

    Raises:
        GraphbrickError: The graph refuses a query.
    """
    check = CypherCheck(text, Schema(schema.classes, schema.connections, is_complete=False))
    check.run()
    check.edits.forget()
    for step in named_steps(check):
        types = "|".join(map(quoted, step.types))
        out, into = f"{step.node}-[:{types}]->()", f"{step.node}<-[:{types}]-()"
        written, other = (
            f"{pattern} WHERE {step.where}" if step.where else pattern
            for pattern in ((out, into) if step.leaves else (into, out))
        )
        if not _has(graph, written, parameters) and _has(graph, other, parameters) and not _joins_alike(graph, types):
            check.turn(step.start, step.stop, step.types)
    return Checked(check.edits.applied(), tuple(check.edits.changes))


def _has(graph: QueryLanguage, pattern: str, parameters: Mapping[str, Any]) -> bool:
    return bool(graph.query(f"MATCH {pattern} RETURN 1 AS one LIMIT 1", parameters, 1).rows)


def _joins_alike(graph: QueryLanguage, types: str) -> bool:
    """Return whether many tails of a relation are heads of it too."""
    tails = f"MATCH ()-[:{types}]->(x) WITH DISTINCT x LIMIT {_TAILS}"
    n_tails = graph.query(f"{tails} RETURN count(x) AS n", {}, 1).rows[0][0]
    n_both = graph.query(f"{tails} MATCH (x)-[:{types}]->() RETURN count(DISTINCT x) AS n", {}, 1).rows[0][0]
    return bool(n_both > _ALIKE * n_tails)
