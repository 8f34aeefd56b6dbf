"""Nodes of a Cypher database by their keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphbrick.graphs.databases.cypher.dialect import quoted
from graphbrick.graphs.databases.names import whole_number
from graphbrick.graphs.databases.nodes import Node

if TYPE_CHECKING:
    from graphbrick.graphs.databases.cypher.cypher import CypherGraph


def node_with_key(graph: CypherGraph, names: Sequence[str], key: str) -> Node | None:
    """Return the node with exactly this key; None if there is none.

    Args:
        graph: The graph.
        names: The properties that hold keys, best first.
        key: The key; one that several nodes have is known with the label of the node before it.
    """
    for name in names:
        node = _node_with(graph, name, key)
        if node is not None and node.key == key:
            return node
    label, colon, rest = key.partition(":")
    if colon and rest and label in graph.properties_of_classes():
        for name in names:
            node = _node_with(graph, name, rest, label)
            if node is not None:
                return replace(node, key=key)
    node = graph.by_handle(key)
    if node is not None and node.key == key:
        return node
    node = graph.by_handle(rest) if colon and rest else None
    return replace(node, key=key) if node is not None and node.key in (rest, key) and label in node.types else None


def _node_with(graph: CypherGraph, name: str, key: str, label: str = "") -> Node | None:
    """Return a node with a value of a property, as text or number; label by label, as indexes belong to labels."""
    labels = [of_class for of_class, names in graph.properties_of_classes().items() if name in names]
    if label:
        labels = [of_class for of_class in labels if of_class == label]
    elif not labels and not graph.knows_all_properties():
        labels = [""]
    parameters = {"text": key, "values": [key, *_numbers(key)]}
    for of_class in labels:
        pattern = f"(n:{quoted(of_class)})" if of_class else "(n)"
        query = f"MATCH {pattern} WHERE {graph.equal(name)} RETURN {graph.shown('n')} AS node LIMIT 1"
        rows = graph.fetch(query, parameters, 1).rows
        if rows:
            return graph.read(rows[0][0])
    return None


def _numbers(key: str) -> list[int | float]:
    """Return the number that a key may stand for in the database."""
    number = whole_number(key)
    if number is not None:
        return [number]
    try:
        decimal = float(key)
    except ValueError:
        return []
    return [decimal] if math.isfinite(decimal) and str(decimal) == key else []
