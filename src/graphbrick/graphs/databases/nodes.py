"""Entities and triples as databases describe them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphbrick.core.properties.values import NO_PROPERTIES, Properties


@dataclass(frozen=True, slots=True)
class Node:
    """An entity as a database describes it.

    Attributes:
        key: The unique name.
        label: The name that people use.
        types: Its types.
        description: A sentence about it.
        aliases: Other names.
        properties: Its other properties by name.
        handle: The fastest way for the database to find it, such as an internal id; None if that is the key.
    """

    key: str
    label: str
    types: tuple[str, ...] = ()
    description: str = ""
    aliases: tuple[str, ...] = ()
    handle: Any = field(default=None, compare=False)
    properties: Properties = field(default_factory=dict, hash=False)


class Edge(NamedTuple):
    """One triple of an entity, seen from it.

    Attributes:
        key: Key of the relation.
        label: Name of the relation that people use.
        node: The other end.
        forward: Whether the triple leaves the entity.
        properties: The properties of the triple by name.
    """

    key: str
    label: str
    node: Node
    forward: bool
    properties: Properties = NO_PROPERTIES


class Edges(NamedTuple):
    """The triples of an entity.

    Attributes:
        edges: Each once; those that leave it first.
        is_cut: Whether there are more than the limit.
    """

    edges: list[Edge]
    is_cut: bool
