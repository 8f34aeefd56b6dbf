"""Nodes and edges with the fields of a file, and the records that they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from graphbrick.core.properties.values import Value
from graphbrick.graphs.readers.formats.roles import EdgeRoles, NodeRoles
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, LeftOut, Record, RelationRecord

_NODES, _ELEMENTS = 1000, 20_000
UNKNOWN_ENDS = "edge ends that are not among the nodes"
UNDIRECTED = "undirected edges, read in the direction in which they are written"


@dataclass(slots=True)
class Node:
    """A node of a file: its key, and its fields by name."""

    key: str
    fields: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True)
class Edge:
    """An edge of a file: the keys of its ends, and its fields by name; these name the relation unless it is set."""

    head: str
    tail: str
    fields: dict[str, Value] = field(default_factory=dict)
    is_directed: bool = True
    relation: str = ""


Element: TypeAlias = Node | Edge | EntityRecord | RelationRecord


def records_of(
    elements: Iterable[Element], left_out: LeftOut, is_ours: Callable[[], bool] = lambda: False
) -> Iterator[Record]:
    """Yield the records of nodes and edges.

    The roles of fields are chosen from the first 1,000 nodes (at most 20,000 elements), which are kept until then. A
    node takes about 70 bytes, as the ends of edges are compared with the nodes.

    Args:
        elements: The nodes and edges in the order of the file.
        left_out: Receives the ends of edges that are not among the nodes, and the undirected edges.
        is_ours: Returns whether the file is an export of this package, once its first element is read.
    """
    rest = iter(elements)
    first = _first(rest)
    nodes, edges = _roles(first, is_ours())
    ends = _Ends()
    for element in chain(first, rest):
        if isinstance(element, RelationRecord):
            yield element
        elif isinstance(element, EntityRecord):
            ends.declare(element.key)
            yield element
        elif isinstance(element, Node):
            ends.declare(element.key)
            yield nodes.record(element.key, element.fields)
        else:
            ends.use(element.head, element.tail)
            if not element.is_directed:
                left_out.add(UNDIRECTED)
            yield from _edge_records(element, edges)
    ends.report(left_out)


def understood(elements: Iterable[Element], is_ours: Callable[[], bool] = lambda: False) -> str:
    """Return in one line how the first nodes and edges of a file are read."""
    first = _first(iter(elements))
    nodes, edges = _roles(first, is_ours())
    text = nodes.described(element.fields for element in first if isinstance(element, Node))
    other = edges.described(element.fields for element in first if isinstance(element, Edge))
    return "; ".join(part for part in (text, other) if part)


def _first(rest: Iterator[Element]) -> list[Element]:
    first, nodes = [], 0
    for element in rest:
        first.append(element)
        nodes += isinstance(element, Node | EntityRecord)
        if nodes == _NODES or len(first) == _ELEMENTS:
            break
    return first


def _roles(first: list[Element], is_ours: bool) -> tuple[NodeRoles, EdgeRoles]:
    if is_ours:
        return NodeRoles.of_ours(), EdgeRoles.of_ours()
    nodes = NodeRoles.of(element.fields for element in first if isinstance(element, Node))
    return nodes, EdgeRoles.of(element.fields for element in first if isinstance(element, Edge))


def _edge_records(edge: Edge, roles: EdgeRoles) -> Iterator[Record]:
    relation, label, properties = (edge.relation, None, edge.fields) if edge.relation else roles.taken(edge.fields)
    if label is not None:
        yield RelationRecord(relation, label)
    if properties:
        yield EdgeRecord(edge.head, relation, edge.tail, properties)
    else:
        yield edge.head, relation, edge.tail


class _Ends:
    """The hashes of nodes and of the ends of edges, once a file has stated a node."""

    def __init__(self) -> None:
        self._nodes: set[int] = set()
        self._open: dict[int, str] = {}

    def declare(self, key: str) -> None:
        self._nodes.add(hash(key))

    def use(self, *keys: str) -> None:
        if self._nodes:
            for key in keys:
                if hash(key) not in self._nodes:
                    self._open.setdefault(hash(key), key)

    def report(self, left_out: LeftOut) -> None:
        for mark, key in self._open.items():
            if mark not in self._nodes:
                left_out.add(UNKNOWN_ENDS, key)
