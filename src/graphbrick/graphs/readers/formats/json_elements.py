"""Nodes and edges from values of JSON, in the forms in which programs write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Value
from graphbrick.graphs.readers.fields import Field
from graphbrick.graphs.readers.formats.elements import Edge, Element, Node
from graphbrick.graphs.readers.formats.values import json_property
from graphbrick.graphs.readers.own import own_field, own_value
from graphbrick.graphs.readers.reader import FileReading

NODES = ("nodes", "vertices", "entities")
EDGES = ("edges", "links", "relationships", "rels", "relations", "triples")
OTHER_PARTS = "parts of the file that are not nodes or edges"

_IDS = ("id", "key", "_id", "_key", "~id", "uri", "iri", "identifier", "uuid", "identity", "elementId")
_EDGE_IDS = ("id", "key", "_id", "_key", "identity")
_NAMES = ("name", "label", "title")
_HOLDERS = ("data", "attributes", "properties", "metadata")
# Names of the ends in lower case without underscores, and the name of the relation that belongs to them alone.
_PAIRS = (
    *(("source", "target", ""), ("from", "to", ""), ("head", "tail", ""), ("subject", "object", "")),
    *(("start", "end", ""), ("src", "dst", ""), ("s", "o", "p"), ("h", "t", "r")),
    *(("sourceid", "targetid", ""), ("startid", "endid", ""), ("headid", "tailid", ""), ("fromid", "toid", "")),
    *(("subjectid", "objectid", ""), ("startnode", "endnode", ""), ("startnodeid", "endnodeid", "")),
)
_ROLES = {
    **dict.fromkeys(("node", "nodes", "vertex", "entity"), "node"),
    **dict.fromkeys(("edge", "edges", "relationship", "relation"), "edge"),
}
_OURS = {"label", "types", "description", "aliases"}
_SEEN = 1 << 16
_Object: TypeAlias = dict[str, Any]
Line: TypeAlias = Callable[[], int]
"""Returns the number of the line that is being read; counting lines takes time."""


@dataclass
class _Positions:
    """Keys of nodes by position: edges may name nodes by numbers, unless the ids of nodes are numbers."""

    count: int = 0
    has_ids: bool = True
    is_used: bool = False
    keys: list[str] = field(default_factory=list)
    by_name: dict[str, str] = field(default_factory=dict)

    def add(self, raw: object, name: object) -> str | None:
        """Return the key of the next node; None if it lacks the id that the first node has."""
        if not self.count:
            self.has_ids = raw is not None
            self.is_used = raw is None or (isinstance(raw, str) and not raw.isdigit())
        key = key_of(raw)
        if raw is None and not self.has_ids:
            key = str(self.count)
            if isinstance(name, str):
                self.by_name.setdefault(name, key)
        self.count += 1
        if self.is_used:
            self.keys.append(key or "")
        return key

    def key(self, end: object) -> str | None:
        """Return the key of the node that an end names."""
        if self.is_used and isinstance(end, int) and 0 <= end < len(self.keys):
            return self.keys[end]
        return self.by_name.get(end, end) if isinstance(end, str) else key_of(end)


class JsonElements:
    """Converter of values of JSON into nodes and edges.

    Attributes:
        is_directed: Whether edges that do not say it are directed.
        is_multigraph: Whether a text called ``key`` is the relation of an edge, as networkx writes them.
        is_ours: Whether the nodes are those of an export of this package.
        count: Number of nodes and edges so far.
    """

    def __init__(self, file: Path, reading: FileReading, *, has_positions: bool) -> None:
        self.file, self.reading, self.left_out = file, reading, reading.left_out
        self.is_directed, self.is_multigraph, self.is_ours, self.count = True, False, False, 0
        self._positions = _Positions() if has_positions else None
        self._held: list[tuple[Edge, tuple[object, object]]] = []
        self._seen: dict[str, int] = {}
        self._own: dict[str, dict[str, Field]] = {"node": {}, "edge": {}}

    def take_kinds(self, kinds: dict[str, Any]) -> bool:
        """Take the kinds of properties that an export of this package states; return whether they are such."""
        own: dict[str, dict[str, Field]] = {"node": {}, "edge": {}}
        for role in own:
            stated = kinds.get(f"{role}s", {})
            fields = {title: own_field(title, str(form)) for title, form in dict(stated).items()}
            if None in fields.values():
                return False
            own[role] = {title: field for title, field in fields.items() if field is not None}
        self._own = own
        return True

    def _own_values(self, value: _Object, role: str) -> dict[str, Value]:
        """Remove and return the properties that this package exported and no other program changed."""
        values: dict[str, Value] = {}
        for title, field_ in self._own.get(role, {}).items():
            read = own_value(value.get(title), field_)
            if read is not None:
                values[field_.name] = read
                del value[title]
        return values

    def taken(self, value: object, role: str, line: Line, id_: str | None = None) -> Iterator[Element]:
        """Yield the nodes and edges of a value.

        Args:
            value: What `json` made of it.
            role: "node", "edge", or empty if the value must tell.
            line: Returns its line, for error messages.
            id_: The name of the value in an object that holds it.
        """
        if isinstance(value, dict):
            yield from self._object(value, role, line, id_)
        elif isinstance(value, list) and role != "node":
            yield from self._array(value, role, line)
        elif role == "node" and key_of(value):
            yield from self._node({"id": value}, {}, None, line)
        else:
            self._bad("a node or an edge is an object or an array", "json.not_an_element", line, value)

    def finish(self) -> Iterator[Element]:
        """Yield the edges that were stated before the nodes which they name by numbers."""
        for edge, ends in self._held:
            yield self._placed(edge, ends)

    def _bad(self, reason: str, code: str, line: Line, value: object) -> None:
        text = json.dumps(value, ensure_ascii=False)[:200]
        self.reading.bad.add(InputError(reason, self.file, line(), text, code=code))

    def _array(self, value: list[Any], role: str, line: Line) -> Iterator[Element]:
        """Yield the edge [head, relation, tail], [head, tail, fields] or, among edges, [head, tail]."""
        fields: _Object = {}
        relation: str | None
        if len(value) == 3 and isinstance(value[2], dict):
            ends, relation, fields = (value[0], value[1]), "", value[2]
        elif len(value) == 3:
            ends, relation = (value[0], value[2]), key_of(value[1])
        elif len(value) == 2 and role == "edge":
            ends, relation = (value[0], value[1]), ""
        else:
            ends, relation = (None, None), None
        if None in map(key_of, ends) or relation is None:
            reason = "an array is [head, relation, tail], three texts that are not empty"
            self._bad(reason, "json.not_a_triple", line, value)
            return
        yield from self._checked_edge(Edge("", "", self._fields(fields), self.is_directed, relation), ends)

    def _object(self, value: _Object, role: str, line: Line, id_: str | None) -> Iterator[Element]:
        outer = dict(value)
        if not role and _is_graph(outer):
            for names, kind in ((NODES, "node"), (EDGES, "edge")):
                for name in names:
                    for item in outer.pop(name, ()):
                        yield from self.taken(item, kind, line)
            for name in outer:
                self.left_out.add(OTHER_PARTS, name)
            return
        if not role and (values := _of_browser(outer)):
            for item, kind in values:
                yield from self._object(item, kind, line, None)
            for name, item in outer.items():
                if not _of_browser(item):
                    self.left_out.add("values of query records that are not nodes or edges", name)
            return
        own = self._own_values(outer, role)
        role = _stated_role(outer, role) or role
        inner: _Object = {}
        for name in _HOLDERS:
            if isinstance(outer.get(name), dict):
                inner |= outer.pop(name)
                if name == "data":
                    self._leave_drawing(outer)
        pair = None if role == "node" else _pair(outer, role) or _pair(inner, role)
        if pair is not None:
            yield from _with_own(self._edge(outer, inner, pair, line), own)
        elif role == "edge":
            self._bad("the edge has no source or no target", "json.no_end", line, value)
        else:
            yield from _with_own(self._node(outer, inner, id_, line), own)

    def _leave_drawing(self, outer: _Object) -> None:
        """Leave what Cytoscape states about the drawing of an element."""
        for name in [name for name in outer if name not in (*_HOLDERS, *_IDS)]:
            if outer.pop(name) not in (None, "", [], {}):
                self.left_out.add("elements of the drawing", name)

    def _node(self, outer: _Object, inner: _Object, id_: str | None, line: Line) -> Iterator[Element]:
        if not self.count:
            self.is_ours = outer.keys() >= _OURS and all(isinstance(outer[name], list) for name in ("types", "aliases"))
        place = next(
            ((fields, name) for fields in (outer, inner) for name in _IDS if fields.get(name) is not None), None
        )
        raw = id_ if place is None else place[0].pop(place[1])
        fields = inner | outer
        name = next((fields[name] for name in _NAMES if key_of(fields.get(name))), None)
        key = key_of(name if raw is None else raw)
        if self._positions is not None and (raw is None or key is not None):
            key = self._positions.add(raw, name)
        if key is None:
            self._bad("the node has no id", "json.no_id", line, fields)
            return
        self.count += 1
        yield Node(key, self._fields(fields))

    def _edge(
        self, outer: _Object, inner: _Object, pair: tuple[_Object, str, str, str], line: Line
    ) -> Iterator[Element]:
        holder, first, second, named = pair
        ends = holder.pop(first), holder.pop(second)
        if None in map(key_of, ends):
            value = {first: ends[0], second: ends[1]}
            self._bad("the edge has no source or no target", "json.no_end", line, value)
            return
        for end in ends:
            if isinstance(end, dict) and len(end) > 1:
                yield from self._end(end, line)
        relation = str(holder.pop(named)).strip() if isinstance(holder.get(named), str) else ""
        directed = self._direction(outer)
        for fields in (outer, inner) if outer.keys() & set(_IDS) else (inner,):
            for name in [name for name in _EDGE_IDS if name in fields]:
                self._leave_id(name, fields)
        yield from self._checked_edge(Edge("", "", self._fields(inner | outer), directed, relation), ends)

    def _end(self, end: _Object, line: Line) -> Iterator[Element]:
        """Yield the node that an edge describes at one of its ends, unless an edge described it lately."""
        key, described = str(key_of(end)), hash(json.dumps(end))
        if key not in self._seen:
            self._seen = self._seen if len(self._seen) < _SEEN else {}
            self._seen[key] = described
            yield from self._object(end, "node", line, None)
        elif self._seen[key] != described:
            self.left_out.add("nodes that a later edge describes otherwise", key)

    def _checked_edge(self, edge: Edge, ends: tuple[object, object]) -> Iterator[Edge]:
        self.count += 1
        numbers = all(isinstance(end, int) for end in ends)
        if numbers and self._positions is not None and not self._positions.count:
            self._held.append((edge, ends))
        else:
            yield self._placed(edge, ends)

    def _placed(self, edge: Edge, ends: tuple[object, object]) -> Edge:
        of = key_of if self._positions is None else self._positions.key
        edge.head, edge.tail = (str(of(end)) for end in ends)
        return edge

    def _direction(self, outer: _Object) -> bool:
        if isinstance(outer.get("directed"), bool):
            return bool(outer.pop("directed"))
        if isinstance(outer.get("undirected"), bool):
            return not outer.pop("undirected")
        return self.is_directed

    def _leave_id(self, name: str, fields: _Object) -> None:
        """Leave the id of an edge; a text that tells parallel edges apart is their relation."""
        value = fields.pop(name)
        if name == "key" and self.is_multigraph and isinstance(value, str) and "relation" not in fields:
            fields["relation"] = value
        elif name == "key" and str(value).startswith(f"{fields.get('relation')} ("):
            return  # a parallel edge of an export of this package
        elif value is not None:
            self.left_out.add("ids of edges", str(value))

    def _fields(self, fields: Mapping[str, Any]) -> dict[str, Value]:
        values = {name: self._value(name, value) for name, value in fields.items() if name.strip()}
        if len(values) < len(fields):
            self.left_out.add("fields without a name", n=len(fields) - len(values))
        return {name: value for name, value in values.items() if value is not None}

    def _value(self, name: str, value: object) -> Value | None:
        if self.is_ours and name in _OURS and isinstance(value, str):
            return value.strip() or None  # a text, whatever it looks like
        return json_property(value, self.left_out)


def key_of(value: object) -> str | None:
    """Return the key that a value of JSON is; None if it is not one.

    >>> key_of(" a "), key_of(1.0), key_of({"id": 7}), key_of("")
    ('a', '1', '7', None)
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dict):
        return next((key for name in (*_IDS, *_NAMES, "$oid") if (key := key_of(value.get(name)))), None)
    return json.dumps(value, ensure_ascii=False)


def is_record(value: _Object) -> bool:
    """Return whether an object may be a row of a table: it is no edge, and does not say that it is part of a graph.

    >>> is_record({"id": 1, "name": "Ann"}), is_record({"source": 1, "target": 2}), is_record({"type": "node"})
    (True, False, False)
    """
    fields = record_fields(value)
    is_graph = all(any(isinstance(value.get(name), list | dict) for name in names) for names in (NODES, EDGES))
    is_part = is_graph or _of_browser(value) or _stated_role(dict(value), "")
    return not (is_part or _pair(value, "") or _pair(fields, ""))


def record_fields(value: _Object) -> _Object:
    """Return the fields of a record; those in ``properties`` and the like are its own, where no name comes twice."""
    fields: _Object = {}
    for name, item in value.items():
        own = item if name in _HOLDERS and isinstance(item, dict) else {name: item}
        fields |= {name: item} if own.keys() & (fields.keys() | value.keys() - {name}) else own
    return fields


def _is_graph(value: _Object) -> bool:
    """Return whether an object is a whole graph, with a list of nodes and one of edges."""
    return all(any(isinstance(value.get(name), list) for name in names) for names in (NODES, EDGES))


def _of_browser(value: Any) -> list[tuple[_Object, str]]:
    """Return the nodes and edges, with their roles, of a record that the browser of Neo4j saved."""
    if isinstance(value, list):
        return [one for item in value for one in _of_browser(item)]
    if not isinstance(value, dict):
        return []
    if "identity" in value and isinstance(value.get("properties"), dict):
        drop = {"elementId", "startNodeElementId", "endNodeElementId"}
        plain = {name: item for name, item in value.items() if name not in drop}
        return [(plain, "edge" if "start" in value and "end" in value else "node")]
    if "segments" in value:
        return _of_browser(value["segments"])
    return [one for item in value.values() if isinstance(item, dict | list) for one in _of_browser(item)]


def _stated_role(value: _Object, role: str) -> str:
    """Remove and return the role that an object states; empty if it states none."""
    for name in ("group", "type"):
        stated = _ROLES.get(value[name], "") if isinstance(value.get(name), str) else ""
        if stated and (not role or role == stated):
            del value[name]
            return stated
    return ""


def _pair(fields: _Object, role: str) -> tuple[_Object, str, str, str] | None:
    """Return the fields, and the names of those of both ends and of the relation that belongs to them."""
    names = {name.replace("_", "").casefold(): name for name in reversed(fields)}
    for first, second, relation in _PAIRS:
        if first not in names or second not in names:
            continue
        ends = fields[names[first]], fields[names[second]]
        if role or first != "start" or all(isinstance(end, dict) for end in ends):
            return fields, names[first], names[second], names.get(relation, "")
    return None


def _with_own(elements: Iterable[Element], own: dict[str, Value]) -> Iterator[Element]:
    """Yield elements, of which nodes and edges have properties of an export of this package."""
    for element in elements:
        if isinstance(element, Node | Edge):
            element.own = own
        yield element
