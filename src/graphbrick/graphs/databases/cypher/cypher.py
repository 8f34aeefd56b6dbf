"""The common part of graphs in Cypher databases: plain Cypher for labels, neighbours and names, no procedures.

A database differs in how it is connected to, how it returns nodes, and in few words (`Dialect`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphbrick.core.deferred import cached_property
from graphbrick.core.graph import follow
from graphbrick.core.schema import Rows, Schema
from graphbrick.core.trace import event
from graphbrick.graphs.databases.address import Address
from graphbrick.graphs.databases.changes import cypher_mark
from graphbrick.graphs.databases.errors import TooSlowError
from graphbrick.graphs.databases.graph import DatabaseGraph, check_options
from graphbrick.graphs.databases.names import (
    KEYS,
    LABELS,
    best,
    part_of_names,
    relation_words,
    spans,
    whole_number,
)
from graphbrick.graphs.databases.nodes import Edge, Edges, Node

OPTIONS = ("key", "label", "changed", "timeout", "hops", "limit", "triples")
"""Options of an address that every Cypher database knows."""
UNTYPED = "Entity"
"""The label of nodes without a type, which says nothing about them."""
_LARGEST_BATCH = 20_000  # triples of one request
_FACTS = ("types", "description", "aliases")


@dataclass(frozen=True)
class Dialect:
    """Words that differ between Cypher databases; ``{}`` stands for a variable.

    Attributes:
        handle: The internal id of a node.
        type: The type of a relation.
        text: A value as text.
    """

    handle: str = "id({})"
    type: str = "type({})"
    text: str = "toString({})"


class Followed(NamedTuple):
    """The relations to follow.

    Attributes:
        types: Their types in the database.
        keys: Their keys, since relations of one type may have different keys.
    """

    types: list[str]
    keys: list[str]


class CypherGraph(DatabaseGraph):
    """A graph in a Cypher database.

    Entities are nodes. Their key is the property that ``?key=`` names, or ``key``, or ``id``, or else the internal id;
    their label is the property that ``?label=`` names, or ``label``, ``name`` or ``title``, or else the key; their
    types are the list ``types`` or the labels of the node. The key of a relation is its property ``key``, or its type.

    Args:
        address: Where the graph is.
    """

    options: tuple[str, ...] = OPTIONS

    def __init__(self, address: Address) -> None:
        check_options(address, self.options)
        super().__init__(address)
        self._key_names = (self.option("key"),) if self.option("key") else KEYS
        self._label_names = (self.option("label"),) if self.option("label") else LABELS
        self._relation_types: dict[str, set[str]] = {}
        self._mixed_types: set[str] = set()  # whose relations carry their own keys

    @property
    def language(self) -> str:
        """The name of the query language."""
        return "Cypher"

    # What differs between databases

    @property
    @abstractmethod
    def dialect(self) -> Dialect:
        """The words that differ."""

    @abstractmethod
    def fetch(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query and return values as the client returns them.

        Raises:
            GraphbrickError: The query failed or took too long, or the database does not answer.
        """

    @abstractmethod
    def plain(self, value: Any) -> Any:
        """Return a value as plain data: entities as keys, relations as their types, paths as lists of both."""

    @abstractmethod
    def read_schema(self) -> Schema:
        """Ask the database for its schema."""

    def shown(self, variable: str) -> str:
        """Return the expression that a query must return for a node, so that `read` can read it."""
        properties = ", ".join(f"{variable}.{quoted(name)}" for name in self._properties)
        return f"[{self.dialect.handle.format(variable)}, labels({variable}), {properties}]"

    def read(self, value: Any) -> Node:
        """Return the node of a value that was returned as `shown` says."""
        handle, labels, *values = value
        return self.made(handle, labels, dict(zip(self._properties, values, strict=True)))

    def relation(self, variable: str) -> str:
        """Return the expression that a query must return for a relation, so that `read_relation` can read it."""
        return f"[{self.dialect.type.format(variable)}, {variable}.key, {variable}.label]"

    def read_relation(self, value: Any) -> tuple[str, str, str]:
        """Return the type, the key and the label of a relation."""
        kind, key, label = value
        return kind, _text(key) or kind, _text(label) or relation_words(kind)

    # What all share

    @cached_property
    def _schema(self) -> Schema:
        return self.read_schema()

    def schema(self) -> Schema:
        """Return labels, properties and relations; read once, from samples where the database counts none itself."""
        return self._schema

    def properties_of_classes(self) -> Mapping[str, Collection[str]]:
        """Return the names of the properties of each class of nodes."""
        return {node_class.name: [prop.name for prop in node_class.properties] for node_class in self.schema().classes}

    def knows_all_properties(self) -> bool:
        """Return whether `properties_of_classes` was not read from a sample."""
        return self.schema().is_complete

    @cached_property
    def _properties(self) -> tuple[str, ...]:
        """The properties to ask for."""
        return tuple(dict.fromkeys((*self._key_names, *self._label_names, *_FACTS)))

    def made(self, handle: Any, labels: Sequence[str], properties: Mapping[str, Any]) -> Node:
        """Return the node with this handle, labels and properties."""
        key = next((_text(properties[n]) for n in self._key_names if _text(properties.get(n))), _text(handle))
        known = self._ids.get(key)
        if known is not None and self._handles[known] != handle:
            key = f"{next(iter(labels), '')}:{key}"  # ids are often unique within a label only
        label = next((_text(properties[n]) for n in self._label_names if _text(properties.get(n))), key)
        stated = properties.get("types")
        types = tuple(map(str, labels)) if stated is None else _texts(stated)
        types = () if types == (UNTYPED,) else types
        description = _text(properties.get("description"))
        return Node(key, label, types, description, _texts(properties.get("aliases")), handle)

    def find(self, key: str) -> Node | None:
        """Return the entity with exactly this key; None if there is none."""
        for name in self._key_names:
            for node in self._nodes_with(name, key):
                if node.key == key:
                    return node
        label, colon, rest = key.partition(":")
        if colon and rest and label in self.properties_of_classes():
            for name in self._key_names:
                for node in self._nodes_with(name, rest, label):
                    return Node(key, node.label, node.types, node.description, node.aliases, node.handle)
        return self.by_handle(key)

    def by_handle(self, key: str) -> Node | None:
        """Return the node with an internal id, where nodes have no keys; None if there is none."""
        where = f"WHERE {self.dialect.handle.format('n')} = $handle"
        number = whole_number(key)
        handle = key if number is None or self.dialect.handle != "id({})" else number
        rows = self.fetch(f"MATCH (n) {where} RETURN {self.shown('n')} LIMIT 1", {"handle": handle}, 1).rows
        node = self.read(rows[0][0]) if rows else None
        return node if node is not None and node.key == key else None

    def _nodes_with(self, name: str, key: str, label: str = "") -> list[Node]:
        """Return a node with a value of a property, as text or number; label by label, as indexes belong to labels."""
        labels = [of_class for of_class, names in self.properties_of_classes().items() if name in names]
        if label:
            labels = [of_class for of_class in labels if of_class == label]
        elif not labels and not self.knows_all_properties():
            labels = [""]
        number = whole_number(key)
        parameters = {"text": key, "values": [key] if number is None else [key, number]}
        for of_class in labels:
            pattern = f"(n:{quoted(of_class)})" if of_class else "(n)"
            query = f"MATCH {pattern} WHERE {self.equal(name)} RETURN {self.shown('n')} AS node LIMIT 1"
            rows = self.fetch(query, parameters, 1).rows
            if rows:
                return [self.read(rows[0][0])]
        return []

    def equal(self, name: str) -> str:
        """Return the condition that a property of ``n`` is ``$text``, or one of ``$values``: a text and a number."""
        return f"n.{quoted(name)} IN $values"

    def nodes_after(self, after: Any, n: int) -> list[Node]:
        """Return at most ``n`` nodes in the order of their internal ids, beginning after one; None for the first."""
        # ArcadeDB finds nothing where the id is compared without a name of its own.
        place = f"WITH n, {self.dialect.handle.format('n')} AS place"
        where = "" if after is None else " WHERE place > $after"
        text = f"MATCH (n) {place}{where} RETURN {self.shown('n')} AS node ORDER BY place LIMIT {n}"
        return [self.read(row[0]) for row in self.fetch(text, {"after": after}, n).rows]

    def mark(self) -> dict[str, Any] | None:
        """Return numbers and the latest time of changes if the address names their property; else None."""
        return cypher_mark(self, self.stamp) if self.stamp else None

    @cached_property
    def stamp(self) -> str:
        """The property with the time of the last change, quoted; empty for none."""
        return quoted(self.option("changed")) if self.option("changed") else ""

    # Names

    def named(self, text: str, n: int) -> list[Node]:
        """Return at most ``n`` entities whose names occur in a text, equal or contain it, best first."""
        nodes = [*self.full_text(text, 5 * n)]
        try:
            if not nodes:
                nodes += self.named_in(text, 5 * n)
            part = part_of_names(text)
            if len(nodes) < n and part:
                nodes += self._nodes_where(self._contains(), {"part": part}, 5 * n)
        except TooSlowError as error:
            message = f"the search for names was given up: {error}; an index of names, or ?timeout=, helps"
            event(message, "cypher.search_given_up")
        return best(text, nodes, n)

    def named_in(self, text: str, n: int) -> list[Node]:
        """Return at most ``n`` entities whose names are parts of a text, compared in lower case."""
        forms = spans(text)
        return self._nodes_where(self._is_one_of(forms), {"forms": forms}, n)

    def full_text(self, text: str, n: int) -> Iterable[Node]:
        """Return entities from a full-text index of the database; none by default."""
        return ()

    def _nodes_where(self, condition: str, parameters: Mapping[str, Any], limit: int) -> list[Node]:
        if not condition:
            return []
        text = f"MATCH (n) WHERE {condition} RETURN {self.shown('n')} AS node LIMIT {limit}"
        return [self.read(row[0]) for row in self.fetch(text, parameters, limit).rows]

    def names(self) -> list[str]:
        """Return the properties with names that some node has."""
        names = [name for name in self._label_names if self.is_property(name)]
        return names or ([] if self.knows_all_properties() else list(self._label_names))

    def is_property(self, name: str) -> bool:
        """Return whether a node may have a property."""
        return any(name in names for names in self.properties_of_classes().values())

    def _is_one_of(self, forms: list[str]) -> str:
        if not forms:
            return ""
        conditions = [f"{self._lower(name)} IN $forms" for name in self.names()]
        if self.is_property("aliases"):
            conditions.append("any(x IN n.aliases WHERE toLower(x) IN $forms)")
        return " OR ".join(conditions)

    def _contains(self) -> str:
        return " OR ".join(f"{self._lower(name)} CONTAINS $part" for name in self.names())

    def _lower(self, name: str) -> str:
        return f"toLower({self.dialect.text.format(f'n.{quoted(name)}')})"

    # Neighbours

    def around(self, handles: Sequence[Any], direction: str, relations: list[str] | None, limit: int) -> list[Edges]:
        """Return the triples of nodes; requests hold at most 20,000 triples, or ``limit`` if that is more."""
        out, into = follow(direction)
        followed = None
        if relations is not None:
            types = sorted({t for key in relations for t in self._relation_types.get(key, {key})})
            followed = Followed(types, relations)
        collected: dict[Any, list[Edge]] = {_hashable(handle): [] for handle in handles}
        for forward in (True,) * out + (False,) * into:
            self._collect(collected, [*handles], forward, followed, limit)
        lists = []
        for handle in handles:
            edges = [
                edge
                for edge in collected[_hashable(handle)]
                if (relations is None or edge.key in relations)
                and not (out and not edge.forward and _hashable(edge.node.handle) == _hashable(handle))
            ]
            edges = list({(edge.forward, edge.key, edge.node.key): edge for edge in edges}.values())
            lists.append(Edges(edges[:limit], len(edges) > limit))
        return lists

    def _collect(
        self, collected: dict[Any, list[Edge]], handles: list[Any], forward: bool, followed: Followed | None, limit: int
    ) -> None:
        """Add the edges of one direction; query a node with very many alone, so that no edges of others are lost."""
        if not handles:
            return
        most = limit + 1 if len(handles) == 1 else max(limit + 1, _LARGEST_BATCH)
        rows = self.edges(handles, forward, followed, most)
        lists: dict[Any, list[Edge]] = {_hashable(handle): [] for handle in handles}
        for handle, edge in rows:
            lists[_hashable(handle)].append(edge)
        complete = len(rows) < most or len(handles) == 1
        for handle in handles:
            edges = lists[_hashable(handle)]
            if complete or len(edges) > limit:
                collected[_hashable(handle)] += sorted(edges[: limit + 1], key=lambda edge: (edge.key, edge.node.key))
        if not complete:
            left = [handle for handle in handles if len(lists[_hashable(handle)]) <= limit]
            half = len(left) if len(left) < len(handles) else (len(left) + 1) // 2
            for part in (left[:half], left[half:]):
                self._collect(collected, part, forward, followed, limit)

    def edges(self, handles: list[Any], forward: bool, followed: Followed | None, limit: int) -> list[tuple[Any, Edge]]:
        """Return at most ``limit`` edges of nodes in one direction, each with the handle of its node."""
        arrow = "-[r]->" if forward else "<-[r]-"
        where = f"{self.dialect.handle.format('n')} = h" + self.of_relations(followed)
        text = (
            f"UNWIND $handles AS h MATCH (n){arrow}(m) WHERE {where} "
            f"RETURN h, {self.relation('r')} AS relation, {self.shown('m')} AS node LIMIT {limit}"
        )
        rows = self.fetch(text, {"handles": handles, **self.followed_values(followed)}, limit).rows
        return [(row[0], self.edge(row[1], row[2], forward)) for row in rows]

    def of_relations(self, followed: Followed | None) -> str:
        """Return the condition that a relation is one of those to follow."""
        if followed is None:
            return ""
        condition = f" AND {self.dialect.type.format('r')} IN $types"
        if self._mixed_types.isdisjoint(followed.types):
            return condition
        return f"{condition} AND (NOT {self.dialect.type.format('r')} IN $mixed OR r.key IN $keys)"

    def followed_values(self, followed: Followed | None) -> dict[str, list[str]]:
        """Return the parameters of the condition that `of_relations` returns."""
        if followed is None:
            return {}
        mixed = sorted(self._mixed_types & {*followed.types})
        return {"types": followed.types, **({"mixed": mixed, "keys": followed.keys} if mixed else {})}

    def carries_key(self, kind: str) -> bool:
        """Return whether relations of a type whose keys differ from it may be several."""
        return True

    def edge(self, relation: Any, node: Any, forward: bool) -> Edge:
        """Return the edge of a relation and a node as the database returned them."""
        kind, key, label = self.read_relation(relation)
        self._relation_types.setdefault(key, set()).add(kind)
        if key != kind and self.carries_key(kind):
            self._mixed_types.add(kind)
        return Edge(key, label, self.read(node), forward)

    # Queries

    def run(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads; entities among the values are given by their keys."""
        result = self.fetch(text, parameters, limit)
        return Rows(result.columns, [tuple(map(self.plain, row)) for row in result.rows], result.is_cut)


def quoted(name: str) -> str:
    """Return a name as Cypher writes it.

    >>> quoted("largest city"), quoted("a`b")
    ('`largest city`', '`a``b`')
    """
    return "`" + name.replace("`", "``") + "`"


def _hashable(handle: Any) -> Any:
    return tuple(handle) if isinstance(handle, list) else handle


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in value.split(";") if part)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
