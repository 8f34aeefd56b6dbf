"""Changes in a Cypher database whose nodes and relations carry the time of their last change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.core.trace import event
from graphbrick.graphs.databases.nodes import Node

if TYPE_CHECKING:
    from graphbrick.graphs.databases.cypher.cypher import CypherGraph

_MOST = 1_000_000  # changed nodes or relations; beyond that a whole copy is not slower


class ChangedTriple(NamedTuple):
    """A triple that was made or changed.

    Attributes:
        head: The node it leaves.
        relation: Key of the relation.
        label: Name of the relation that people use.
        tail: The node it enters.
        properties: Its properties by name.
    """

    head: Node
    relation: str
    label: str
    tail: Node
    properties: Properties = NO_PROPERTIES


def cypher_mark(graph: CypherGraph, stamp: str) -> dict[str, Any] | None:
    """Return the numbers of nodes and relations, and their latest time.

    Args:
        graph: The database.
        stamp: The property with the time, quoted.

    Returns:
        None, which is an event, if no relation has it, or if it is neither a number nor a text.
    """
    nodes, latest_node = graph.fetch(f"MATCH (n) RETURN count(n), max(n.{stamp})", {}, 1).rows[0]
    relations, latest = graph.fetch(f"MATCH ()-[r]->() RETURN count(r), max(r.{stamp})", {}, 1).rows[0]
    times = [time for time in (latest_node, latest) if time is not None]
    if latest is None or any(type(time) not in (int, float, str) for time in times) or len({*map(type, times)}) > 1:
        text = f"the property {stamp} of {graph.address} has no numbers or texts of relations, so everything is copied"
        event(text, "changes.unusable_stamp", stamp=stamp)
        return None
    return {"nodes": nodes, "relations": relations, "latest": max(times)}


def changed_since(graph: CypherGraph, stamp: str, since: Any) -> tuple[list[Node], list[ChangedTriple]] | None:
    """Return the nodes and triples that were changed at a time or later; None if there are more than a million."""
    nodes = graph.fetch(
        f"MATCH (n) WHERE n.{stamp} >= $since RETURN {graph.shown('n', whole=True)} AS node", {"since": since}, _MOST
    )
    triples = graph.fetch(
        f"MATCH (a)-[r]->(b) WHERE r.{stamp} >= $since "
        f"RETURN {graph.shown('a', whole=True)} AS head, {graph.relation('r', whole=True)} AS relation, "
        f"{graph.shown('b', whole=True)} AS tail",
        {"since": since},
        _MOST,
    )
    if nodes.is_cut or triples.is_cut:
        return None
    changed = []
    for head, relation, tail in triples.rows:
        _, key, label = graph.read_relation(relation)
        ends = graph.read(head, whole=True), graph.read(tail, whole=True)
        changed.append(ChangedTriple(ends[0], key, label, ends[1], graph.of_triple(relation)))
    return [graph.read(row[0], whole=True) for row in nodes.rows], changed
