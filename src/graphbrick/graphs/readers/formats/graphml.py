"""Reader of GraphML of this package, networkx, igraph, yEd, Gephi, APOC and TinkerPop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from graphbrick.core.properties.values import Value
from graphbrick.graphs.readers.fields import Field
from graphbrick.graphs.readers.formats.elements import Edge, Node, records_of, understood
from graphbrick.graphs.readers.formats.values import MISMATCHED, json_property, typed_value
from graphbrick.graphs.readers.formats.xml import OpenElement, XmlGraph
from graphbrick.graphs.readers.own import own_field, own_value
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.records.blocks import Part

_OURS = {"label", "types", "description", "aliases", "relation"}
_KIND = "graphbrick.kind"  # of a declared attribute of an export of this package
_OUTSIDE = {"port": "ports of nodes", "hyperedge": "hyperedges", "locator": "links to other files"}


@dataclass
class _Key:
    """A declared attribute: its elements, its name and type, and whether its texts are JSON lists.

    ``own`` is the property that it is in an export of this package.
    """

    of: str
    name: str
    type: str
    is_list: bool
    default: Value | None = None
    own: Field | None = None


class GraphML(XmlGraph):
    """A GraphML file."""

    root = "graphml"

    def __init__(self, file: Path, reading: FileReading) -> None:
        super().__init__(file, reading)
        self._keys: dict[str, _Key] = {}
        self._key: _Key | None = None
        self._open: list[OpenElement] = []
        self._data = ""
        self._directed = [True]
        self._skipped = 0
        self._is_ours = False

    def is_ours(self) -> bool:
        """Return whether the declared attributes are those of an export of this package."""
        return {key.name for id_, key in self._keys.items() if id_ == key.name} >= _OURS

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take the start of an element."""
        if self._skipped or name in _OUTSIDE:
            if not self._skipped:
                self.left_out.add(_OUTSIDE[name], attributes.get("name", attributes.get("id", "")))
            self._skipped += 1
        elif name == "key":
            self._declare(attributes)
        elif name == "graph":
            self._is_ours = self.is_ours()
            if any(item.name == "node" for item in self._open):
                self.left_out.add("nested graphs, whose nodes and edges are read and whose outer node is not kept")
            self._directed.append(attributes.get("edgedefault", "directed") != "undirected")
            self._open.append(OpenElement(name, attributes))
        elif name in ("node", "edge"):
            self._open.append(OpenElement(name, attributes))
        elif name == "data":
            self._data = attributes.get("key", "")
            if not self._data:
                self.bad("the data element has no key", "graphml.no_key")

    def end(self, name: str, text: str) -> None:
        """Take the end of an element."""
        if self._skipped:
            self._skipped -= 1
        elif name == "key":
            self._key = None
        elif name == "default" and self._key is not None:
            self._key.default = self._value(text, self._key)
        elif name == "data":
            self._add_data(text)
            self._data = ""
        elif name in ("NodeLabel", "EdgeLabel") and self._open and text.strip():
            if self._open[-1].fields.setdefault("label", text.strip()) != text.strip():
                self.left_out.add("further labels of nodes and edges", text.strip()[:40])
        elif name == "desc" and text.strip() and self._key is None:
            if self._open and self._open[-1].name != "graph":
                self._open[-1].fields.setdefault("description", text.strip())
            else:
                self.left_out.add("attributes of the graph", "desc")
        elif name in ("node", "edge", "graph"):
            self._close(self._open.pop())
        elif self._data:
            self.left_out.add("elements of the drawing", name)

    def _declare(self, attributes: dict[str, str]) -> None:
        id_ = attributes.get("id", "")
        if not id_:
            self.bad("the key has no id", "graphml.no_key_id")
            return
        name = attributes.get("attr.name", "").strip() or id_
        type_ = attributes.get("attr.list") or attributes.get("attr.type", "string")
        self._key = _Key(attributes.get("for", "all"), name, type_, "attr.list" in attributes)
        if _KIND in attributes:
            self._key.own = own_field(attributes.get("attr.name", id_), attributes[_KIND])
        self._keys[id_] = self._key

    def _add_data(self, text: str) -> None:
        key = self._keys.get(self._data)
        if key is not None and key.own is not None and self._open:
            self._open[-1].own[key.own.name] = self._own_value(text, key.own)
            return
        if not self._data or not text.strip():
            return
        key = key or _Key("all", self._data, "string", False)
        if not self._open or self._open[-1].name == "graph":
            self.left_out.add("attributes of the graph", key.name)
            return
        value = self._value(text, key)
        if value is not None:
            if self._open[-1].fields.get(key.name, value) != value:
                self.left_out.add("values that a later one of the same name replaces", key.name)
            self._open[-1].fields[key.name] = value

    def _value(self, text: str, key: _Key) -> Value | None:
        if key.is_list:
            try:
                items = json.loads(text)
            except (ValueError, RecursionError):
                items = None
            if isinstance(items, list):
                return json_property(items, self.left_out)
        if key.name in _OURS and self._is_ours:
            return text.strip() or None
        return typed_value(text, key.type, self.left_out)

    def _own_value(self, text: str, own: Field) -> Value:
        """Return a value that this package exported; the text if another program changed it."""
        value: Value | None = None
        with suppress(ValueError, RecursionError):
            value = own_value(json.loads(text) if own.is_list else text, own)
        if value is None:
            self.left_out.add(MISMATCHED, text[:40])
        return text if value is None else value

    def _close(self, item: OpenElement) -> None:
        if item.name == "graph":
            self._directed.pop()
            return
        attributes = item.attributes
        fields: dict[str, Value] = {
            key.name: key.default
            for key in self._keys.values()
            if key.of in (item.name, "all") and key.default is not None
        }
        known = ("id", "source", "target", "directed", "sourceport", "targetport")
        fields |= {name: value for name, value in attributes.items() if name not in known and value.strip()}
        fields |= item.fields
        if item.name == "node":
            self._add_node(item, fields)
        else:
            self._add_edge(item, fields)

    def _add_node(self, item: OpenElement, fields: dict[str, Value]) -> None:
        key = item.attributes.get("id", "")
        if key.strip():
            self.out.append(Node(key, fields, item.own))
        else:
            self.bad("the node has no id", "graphml.no_id")

    def _add_edge(self, item: OpenElement, fields: dict[str, Value]) -> None:
        attributes = item.attributes
        ends = attributes.get("source", ""), attributes.get("target", "")
        if not all(end.strip() for end in ends):
            self.bad("the edge has no source or no target", "graphml.no_end")
            return
        if attributes.get("id"):
            self.left_out.add("ids of edges", attributes["id"])
        ports = sum(name in attributes for name in ("sourceport", "targetport"))
        if ports:
            self.left_out.add("ports of edges", n=ports)
        directed = attributes.get("directed")
        self.out.append(
            Edge(*ends, fields, self._directed[-1] if directed is None else directed != "false", own=item.own)
        )


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the nodes and edges of a GraphML file.

    Raises:
        InputError: Not GraphML, truncated, or the first bad record unless ``bad`` skips them.
    """
    graph = GraphML(file, reading)
    return records_of(graph.elements(), reading, graph.is_ours)


def _understood(file: Path, reading: FileReading) -> str:
    graph = GraphML(file, reading)
    return understood(graph.elements(), reading, graph.is_ours)


READER = Reader(_read, is_checked=True, understood=_understood)
