"""The common part of graphs in Cypher databases: plain Cypher for labels, neighbours and names, no procedures.

A database differs in how it is connected to, how it returns nodes, and in few words (`Dialect`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from graphbrick.core.deferred import cached_property
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import NO_PROPERTIES, Properties, PropertyColumn
from graphbrick.core.schema import NodeKey, Rows, Schema
from graphbrick.core.trace import event
from graphbrick.graphs.databases.address import Address
from graphbrick.graphs.databases.changes import cypher_mark
from graphbrick.graphs.databases.cypher import properties as of_properties
from graphbrick.graphs.databases.cypher.around import Followed, edges_around
from graphbrick.graphs.databases.cypher.called import Called
from graphbrick.graphs.databases.cypher.dialect import Dialect, quoted
from graphbrick.graphs.databases.cypher.finding import node_with_key
from graphbrick.graphs.databases.cypher.keys import Keys
from graphbrick.graphs.databases.cypher.values import properties_among
from graphbrick.graphs.databases.errors import TooSlowError
from graphbrick.graphs.databases.graph import DatabaseGraph, check_options
from graphbrick.graphs.databases.names import KEYS, best, part_of_names, relation_words, spans, whole_number
from graphbrick.graphs.databases.nodes import Edge, Edges, Node
from graphbrick.graphs.queries.tokens import without_version

OPTIONS = ("key", "label", "changed", "timeout", "hops", "limit", "triples", "whole")
"""Options of an address that every Cypher database knows."""
UNTYPED = "Entity"
"""The label of nodes without a type, which says nothing about them."""
FACTS = ("types", "description", "aliases")


class CypherGraph(DatabaseGraph, HasProperties):
    """A graph in a Cypher database.

    Entities are nodes. Their key is the property that ``?key=`` names, or ``key``, or ``id``, or else the internal id;
    their label is the property that ``?label=`` names, or ``label``, ``name`` or ``title``, or one that is called like
    a name (`Called`), or else the key; their types are the list ``types`` or the labels of the node. The key of a
    relation is its property ``key``, or its type.

    Args:
        address: Where the graph is.
    """

    options: tuple[str, ...] = OPTIONS

    def __init__(self, address: Address) -> None:
        check_options(address, self.options)
        super().__init__(address)
        self._key_names = (self.option("key"),) if self.option("key") else KEYS
        self._keys_of = Keys()
        self.relation_types: dict[str, set[str]] = {}
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

    def shown(self, variable: str, *, whole: bool = False) -> str:
        """Return the expression that a query must return for a node, so that `read` can read it."""
        values = ", ".join(f"{variable}.{quoted(name)}" for name in self._properties)
        own = f"properties({variable})" if whole else values
        return f"[{self.dialect.handle.format(variable)}, labels({variable}), {own}]"

    def read(self, value: Any, *, whole: bool = False) -> Node:
        """Return the node of a value that was returned as `shown` says; only a whole one has properties."""
        handle, labels, *values = value
        own = values[0] if whole else dict(zip(self._properties, values, strict=True))
        return self.made(handle, labels, own, whole)

    def relation(self, variable: str, *, whole: bool = False) -> str:
        """Return the expression that a query must return for a relation, so that `read_relation` can read it."""
        own = f", properties({variable})" if whole else ""
        return f"[{self.dialect.type.format(variable)}, {variable}.key, {variable}.label{own}]"

    def read_relation(self, value: Any) -> tuple[str, str, str]:
        """Return the type, the key and the label of a relation."""
        kind, key, label, *_ = value
        return kind, _text(key) or kind, _text(label) or relation_words(kind)

    def of_triple(self, relation: Any) -> Properties:
        """Return the properties of a relation that was returned whole."""
        return self.own(relation[3], ("key", "label"))

    def own(self, values: Mapping[str, Any], without: Collection[str]) -> Properties:
        """Return the properties among the values of a node or relation."""
        return properties_among(values, without)

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
        return tuple(dict.fromkeys((*self._key_names, *self.called.names, *self.called.parts, *FACTS)))

    @cached_property
    def called(self) -> Called:
        """The properties that nodes are called by."""
        return Called.of(self.option("label"), self.properties_of_classes().values())

    def made(self, handle: Any, labels: Sequence[str], properties: Mapping[str, Any], whole: bool = False) -> Node:
        """Return the node with this handle, labels and values; ``whole`` if these are all values that it has."""
        key_name = _first(self.key_names(labels), properties)
        value = _text(properties[key_name]) if key_name else _text(handle)
        key = self._keys_of.own(value, handle, next(iter(labels), ""))
        called = self.called.by(properties)
        named = [name for name in ("types", "aliases") if isinstance(properties.get(name), str | list | tuple)]
        types = _texts(properties["types"]) if "types" in named else tuple(map(str, labels))
        return Node(
            key,
            " ".join(_text(properties[name]) for name in called) or key,
            () if types == (UNTYPED,) else types,
            _text(properties.get("description")),
            _texts(properties.get("aliases")),
            handle,
            self.own(properties, (key_name, *called, "description", *named)) if whole else NO_PROPERTIES,
        )

    def repeated(self, handle: Any) -> Collection[str]:
        """Return the properties of a node that only repeat its triples."""
        return ()

    def key_names(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Return the properties that hold the key of a node with these labels, best first."""
        return self._key_names

    def find(self, key: str) -> Node | None:
        """Return the entity with exactly this key; None if there is none."""
        return node_with_key(self, self._key_names, key)

    def by_handle(self, key: str) -> Node | None:
        """Return the node with an internal id, where nodes have no keys; None if there is none."""
        where = f"WHERE {self.dialect.handle.format('n')} = $handle"
        number = whole_number(key)
        handle = key if number is None or self.dialect.handle != "id({})" else number
        rows = self.fetch(f"MATCH (n) {where} RETURN {self.shown('n')} LIMIT 1", {"handle": handle}, 1).rows
        return self.read(rows[0][0]) if rows else None

    def equal(self, name: str) -> str:
        """Return the condition that a property of ``n`` is ``$text``, or one of ``$values``: a text and numbers."""
        return f"n.{quoted(name)} IN $values"

    def nodes_after(self, after: Any, n: int) -> list[Node]:
        """Return at most ``n`` whole nodes in the order of their internal ids, after one; None for the first."""
        # ArcadeDB finds nothing where the id is compared without a name of its own.
        place = f"WITH n, {self.dialect.handle.format('n')} AS place"
        where = "" if after is None else " WHERE place > $after"
        text = f"MATCH (n) {place}{where} RETURN {self.shown('n', whole=True)} AS node ORDER BY place LIMIT {n}"
        return [self.read(row[0], whole=True) for row in self.fetch(text, {"after": after}, n).rows]

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
        names = [name for name in (*self.called.names, *self.called.parts) if self.is_property(name)]
        return names or ([] if self.knows_all_properties() else list(self.called.names))

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
        followed = None
        if relations is not None:
            types = sorted({t for key in relations for t in self.relation_types.get(key, {key})})
            followed = Followed(types, relations)
        return edges_around(self, handles, direction, followed, limit)

    def edges(
        self, handles: list[Any], forward: bool, followed: Followed | None, limit: int, *, whole: bool = False
    ) -> list[tuple[Any, Edge]]:
        """Return at most ``limit`` edges of nodes in one direction, each with the handle of its node."""
        arrow = "-[r]->" if forward else "<-[r]-"
        where = f"{self.dialect.handle.format('n')} = h" + self.of_relations(followed)
        text = (
            f"UNWIND $handles AS h MATCH (n){arrow}(m) WHERE {where} "
            f"RETURN h, {self.relation('r', whole=whole)} AS relation, {self.shown('m')} AS node LIMIT {limit}"
        )
        rows = self.fetch(text, {"handles": handles, **self.followed_values(followed)}, limit).rows
        return [(row[0], self.edge(row[1], row[2], forward, whole=whole)) for row in rows]

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

    def edge(self, relation: Any, node: Any, forward: bool, *, whole: bool = False) -> Edge:
        """Return the edge of a relation and a node as the database returned them."""
        kind, key, label = self.read_relation(relation)
        self.relation_types.setdefault(key, set()).add(kind)
        if key != kind and self.carries_key(kind):
            self._mixed_types.add(kind)
        return Edge(key, label, self.read(node), forward, self.of_triple(relation) if whole else NO_PROPERTIES)

    # Properties

    def nodes_at(self, handles: Sequence[Any]) -> list[Node]:
        """Return the whole nodes with these handles, in any order, without those that are gone."""
        where = f"{self.dialect.handle.format('n')} = h"
        text = f"UNWIND $handles AS h MATCH (n) WHERE {where} RETURN {self.shown('n', whole=True)} AS node"
        rows = self.fetch(text, {"handles": [*handles]}, len(handles)).rows
        return [self.read(row[0], whole=True) for row in rows]

    def properties(self, entity: int) -> Properties:
        """Return the properties of an entity by name; those of the last 20,000 entities are remembered."""
        return self.properties_of([entity])[0]

    def properties_of(self, entities: Sequence[int]) -> list[Properties]:
        """Return the properties of each entity, with one request for a thousand of them."""
        return self._of_entities.of(entities)

    def own_properties(self, entity: int) -> Properties:
        """Return the properties of an entity that are not tails of triples as well."""
        return self.own_properties_of([entity])[0]

    def own_properties_of(self, entities: Sequence[int]) -> list[Properties]:
        """Return `own_properties` of each entity, with one request for a thousand of them."""
        rows = zip(entities, self._of_entities.of(entities), strict=True)
        return [self.without_repeated(self.handle(entity), properties) for entity, properties in rows]

    def without_repeated(self, handle: Any, properties: Properties) -> Properties:
        """Return properties of a node without those that only repeat its triples."""
        repeated = self.repeated(handle) if properties else ()
        return {name: value for name, value in properties.items() if name not in repeated} if repeated else properties

    @cached_property
    def _of_entities(self) -> of_properties.Remembered:
        return of_properties.Remembered(self)

    def property_columns(self) -> Sequence[PropertyColumn]:
        """Return the properties of nodes, most frequent first; read once.

        Where the database does not declare them, they are read from samples, which is an event.
        """
        return self._property_columns

    @cached_property
    def _property_columns(self) -> list[PropertyColumn]:
        return self.read_property_columns()

    def read_property_columns(self) -> list[PropertyColumn]:
        """Ask the database for the properties of nodes."""
        return of_properties.sampled_columns(self)

    def searches(self, condition: Condition) -> Iterable[of_properties.Search]:
        """Return the searches that together find all nodes with a property that meets a condition, and a few more."""
        return of_properties.searches(self, condition, ("date", "localdatetime", "datetime"))

    def matching(self, condition: Condition) -> Sequence[int]:
        """Return the entities with a property that meets a condition, ascending; the database looks for them."""
        return self._of_entities.matching(condition)

    # Queries

    def run(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads; entities among the values are given by their keys."""
        return self.rows(without_version(text), parameters, limit)

    def rows(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query as it is, and return plain values."""
        result = self.fetch(text, parameters, limit)
        return Rows(result.columns, [tuple(map(self.plain, row)) for row in result.rows], result.is_cut)

    def node_value(self, node: Node, values: Mapping[str, Any]) -> NodeKey:
        """Return a node and all its values as a value of a row."""
        return NodeKey.of(self.key(self.met(node)), node.label, node.types, self.own(values, ()))


def _first(names: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the first name that has a value which is not an empty text; empty if none has."""
    return next((name for name in names if _text(values.get(name))), "")


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in value.split(";") if part)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
