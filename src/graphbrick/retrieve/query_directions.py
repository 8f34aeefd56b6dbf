"""Directions of relations in a query without rows, corrected by what the graph has."""

from __future__ import annotations

from graphbrick.core.graph import QueryLanguage
from graphbrick.core.schema import Schema
from graphbrick.queries.check import Checked
from graphbrick.queries.check_cypher import CypherCheck, quoted


def with_directions_of(graph: QueryLanguage, text: str, schema: Schema) -> Checked:
    """Return a Cypher query whose relations at named nodes have the direction that the graph has there.

    In a graph whose nodes are of one class, the schema does not tell that films, not actors, have the relation
    ``starred_actors``. So a relation at a node with a name is turned if the node has it only the other way round.
    Each takes one or two queries for one row.

    Args:
        graph: The graph.
        text: The query.
        schema: Its schema.

    Raises:
        GraphbrickError: The graph refuses a query.
    """
    check = CypherCheck(text, Schema(schema.classes, schema.connections, is_complete=False))
    check.run()
    check.edits.forget()
    for step in check.named_steps():
        types = "|".join(map(quoted, step.types))
        out, into = f"{step.node}-[:{types}]->()", f"{step.node}<-[:{types}]-()"
        written, other = (out, into) if step.leaves else (into, out)
        if not _has(graph, written) and _has(graph, other):
            check.turn(step.start, step.stop, step.types)
    return Checked(check.edits.applied(), tuple(check.edits.changes))


def _has(graph: QueryLanguage, pattern: str) -> bool:
    return bool(graph.query(f"MATCH {pattern} RETURN 1 AS one LIMIT 1", {}, 1).rows)
