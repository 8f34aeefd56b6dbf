"""Nodes of a Cypher database by their keys."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
        for node in _nodes_with(graph, name, key):
            if node.key == key:
                return node
    label, colon, rest = key.partition(":")
    if colon and rest and label in graph.properties_of_classes():
        for name in names:
            for node in _nodes_with(graph, name, rest, label):
                return replace(node, key=key)
    found = graph.by_handle(key)
    if found is not None and found.key == key:
        return found
    found = graph.by_handle(rest) if colon and rest else None
    return replace(found, key=key) if found is not None and found.key in (rest, key) and label in found.types else None


def _nodes_with(graph: CypherGraph, name: str, key: str, label: str = "") -> Iterator[Node]:
    """Yield a node of each label with a value of a property, as text or number; indexes belong to labels."""
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
        yield from (graph.read(row[0]) for row in rows)


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
