"""Nodes and edges with the fields of a file, and the records that they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Properties, Value
from graphbrick.graphs.readers.ends import counted_ends
from graphbrick.graphs.readers.formats.roles import UNNAMED, EdgeRoles, NodeRoles, plain
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.records.blocks import Part
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, LeftOut, Record, RelationRecord

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

_NODES, _ELEMENTS = 1000, 20_000
BOTH_WAYS = "undirected edges without a relation, read in both directions"
ONE_WAY = "undirected edges that name a relation, read in the direction in which they are written"


@dataclass(slots=True)
class Node:
    """A node of a file: its key, its fields by name, and what the file says are properties."""

    key: str
    fields: dict[str, Value] = field(default_factory=dict)
    own: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True)
class Edge:
    """An edge of a file: the keys of its ends, and its fields by name.

    The fields name the relation unless it is set. ``own`` are what the file says are properties.
    """

    head: str
    tail: str
    fields: dict[str, Value] = field(default_factory=dict)
    is_directed: bool = True
    relation: str = ""
    own: dict[str, Value] = field(default_factory=dict)


Element: TypeAlias = Node | Edge | EntityRecord | RelationRecord


def records_of(
    elements: Iterable[Element], reading: FileReading, is_ours: Callable[[], bool] = lambda: False
) -> Iterator[Part]:
    """Yield the records of nodes and edges.

    The roles of fields are chosen from the first 1,000 nodes (at most 20,000 elements), which are kept until then.

    Args:
        elements: The nodes and edges in the order of the file.
        reading: Its options may name the fields of names and types, and the relation of edges that name none; it
            receives the counts of undirected edges, of edge ends that are not nodes, and of nodes without a name.
        is_ours: Returns whether the file is an export of this package, once its first element is read.
    """
    return counted_ends(_records(elements, reading, is_ours), reading.left_out, if_nodes=True)


def _records(elements: Iterable[Element], reading: FileReading, is_ours: Callable[[], bool]) -> Iterator[Record]:
    rest = iter(elements)
    first = _first(rest)
    nodes, edges = _roles(first, is_ours(), reading.options)
    for element in chain(first, rest):
        if isinstance(element, RelationRecord | EntityRecord):
            yield element
        elif isinstance(element, Node):
            record = nodes.record(element.key, element.fields)
            yield replace(record, properties={**record.properties, **element.own}) if element.own else record
        else:
            yield from _edge_records(element, edges, reading.left_out)


def understood(elements: Iterable[Element], reading: FileReading, is_ours: Callable[[], bool] = lambda: False) -> str:
    """Return in one line how the first nodes and edges of a file are read."""
    first = _first(iter(elements))
    nodes, edges = _roles(first, is_ours(), reading.options)
    text = nodes.described({**element.fields, **element.own} for element in first if isinstance(element, Node))
    other = edges.described(
        (element.relation, {**element.fields, **element.own}) for element in first if isinstance(element, Edge)
    )
    return "; ".join(part for part in (text, other) if part)


def _first(rest: Iterator[Element]) -> list[Element]:
    first, nodes = [], 0
    for element in rest:
        first.append(element)
        nodes += isinstance(element, Node | EntityRecord)
        if nodes == _NODES or len(first) == _ELEMENTS:
            break
    return first


def _roles(first: list[Element], is_ours: bool, options: ReadOptions) -> tuple[NodeRoles, EdgeRoles]:
    if is_ours:
        return NodeRoles.of_ours(), EdgeRoles.of_ours()
    fields = [element.fields for element in first if isinstance(element, Node)]
    for name in (options.name, options.type):
        if name is not None and fields and not any(plain(name) == plain(other) for own in fields for other in own):
            listed = sorted({other for own in fields for other in own})
            reason = f"no node has a field {name!r}; the fields are {', '.join(listed[:30])}"
            raise InputError(reason, code="fields.no_name", field=name, fields=listed)
    nodes = NodeRoles.of(fields, options.name, options.type)
    edges = (element.fields for element in first if isinstance(element, Edge))
    return nodes, EdgeRoles.of(edges, options.relation or UNNAMED)


def _edge_records(edge: Edge, roles: EdgeRoles, left_out: LeftOut) -> Iterator[Record]:
    """Yield the triple of an edge, or one in each direction if it has neither direction nor relation."""
    relation, label, properties = (edge.relation, None, edge.fields) if edge.relation else roles.taken(edge.fields)
    if label is not None:
        yield RelationRecord(relation, label)
    properties = {**properties, **edge.own} if edge.own else properties
    yield _triple(edge.head, relation or roles.unnamed, edge.tail, properties)
    if edge.is_directed:
        return
    left_out.add(ONE_WAY if relation else BOTH_WAYS)
    if not relation and edge.head != edge.tail:
        yield _triple(edge.tail, roles.unnamed, edge.head, properties)


def _triple(head: str, relation: str, tail: str, properties: Properties) -> Record:
    return EdgeRecord(head, relation, tail, properties) if properties else (head, relation, tail)
