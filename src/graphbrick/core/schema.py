"""The schema of a graph, which says what queries may name, and the rows that queries return."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from graphbrick.core.properties.values import NO_PROPERTIES, Properties, json_value


@dataclass(frozen=True)
class Property:
    """A property of nodes or relations.

    Attributes:
        name: Its name in queries.
        type: Its type in the words of the query language, such as "STRING" or "xsd:date"; empty if not known.
        examples: Some of its values as text.
    """

    name: str
    type: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeClass:
    """A class of nodes: a label in Cypher, an RDF class in SPARQL.

    Attributes:
        name: Its name in queries.
        properties: What its nodes have.
        count: How many nodes it has; None if not known.
    """

    name: str
    properties: tuple[Property, ...] = ()
    count: int | None = None


@dataclass(frozen=True)
class Connection:
    """A relation between two classes, in its direction.

    Attributes:
        head: Name of the class that it leaves.
        relation: Its name in queries.
        tail: Name of the class that it enters.
        properties: What the relation itself has.
        count: How many triples there are; None if not known.
        label: The value of the property ``label`` of its triples, if several relations share one name in queries;
            else empty.
    """

    head: str
    relation: str
    tail: str
    properties: tuple[Property, ...] = ()
    count: int | None = None
    label: str = ""


@dataclass(frozen=True)
class Schema:
    """The classes and relations that queries may name.

    Attributes:
        classes: The classes of nodes, largest first.
        connections: The relations between them, largest first.
        is_complete: False if it was read from a sample, so that there may be more.
    """

    classes: tuple[NodeClass, ...] = ()
    connections: tuple[Connection, ...] = ()
    is_complete: bool = True

    @classmethod
    def by_count(cls, classes: Iterable[NodeClass], connections: Iterable[Connection], is_complete: bool) -> Schema:
        """Return a schema sorted by frequency, most frequent first; ties are in order of name."""
        return cls(
            tuple(sorted(classes, key=lambda one: (-(one.count or 0), one.name))),
            tuple(sorted(connections, key=lambda one: (-(one.count or 0), one.head, one.relation, one.tail))),
            is_complete,
        )


class NodeKey(str):
    """The key of a node that a query returned, as a value of a row; it differs from an equal text.

    Attributes:
        label: The name that people use; empty where nothing but the key is known.
        types: The types of the node.
        properties: All values that the database has of it, by name.
    """

    label: str = ""
    types: tuple[str, ...] = ()
    properties: Properties = NO_PROPERTIES

    @classmethod
    def of(cls, key: str, label: str, types: tuple[str, ...], properties: Properties) -> NodeKey:
        """Return the key of a node about which more is known."""
        node = cls(key)
        node.label, node.types, node.properties = label, types, properties
        return node

    def to_dict(self) -> dict[str, object]:
        """Return the node as plain JSON types."""
        own = {name: json_value(value) for name, value in self.properties.items()}
        return {"key": str(self), "label": self.label, "types": [*self.types], "properties": own}


class RelationType(str):
    """The type of a relation as a value of a row, with the properties of the relation that the query returned.

    Attributes:
        properties: The properties by name.
    """

    properties: Properties = NO_PROPERTIES

    @classmethod
    def of(cls, name: str, properties: Properties) -> RelationType:
        """Return the type of a relation with properties."""
        relation = cls(name)
        relation.properties = properties
        return relation

    def to_dict(self) -> dict[str, object]:
        """Return the relation as plain JSON types."""
        return {"type": str(self), "properties": {name: json_value(value) for name, value in self.properties.items()}}


class Rows(NamedTuple):
    """The result of a query.

    Attributes:
        columns: Names of the columns.
        rows: One tuple of values a row.
        is_cut: Whether there are more rows than the limit.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    is_cut: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON types: nodes and relations as objects; values of other types become texts."""
        rows = [[_json_value(value) for value in row] for row in self.rows]
        return {"columns": list(self.columns), "rows": rows, "is_cut": self.is_cut}


def _json_value(value: object) -> object:
    if type(value) in (str, int, bool):
        return value  # most values, and the tests below take time
    if isinstance(value, RelationType) or (isinstance(value, NodeKey) and value.label):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _json_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_value(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has neither NaN nor Infinity
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() else float(value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
