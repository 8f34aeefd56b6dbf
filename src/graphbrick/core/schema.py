"""What a graph is made of: classes of nodes with their properties, and which relations lead between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


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
    """What queries may name.

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
        """Return a schema in which what is frequent stands first; ties go by name."""
        return cls(
            tuple(sorted(classes, key=lambda one: (-(one.count or 0), one.name))),
            tuple(sorted(connections, key=lambda one: (-(one.count or 0), one.head, one.relation, one.tail))),
            is_complete,
        )
