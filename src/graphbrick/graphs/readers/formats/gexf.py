"""Reader of GEXF 1.1 to 1.3, as Gephi, networkx and sigma.js write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graphbrick.core.properties.values import Scalar, Value
from graphbrick.graphs.readers.formats.elements import Edge, Node, records_of, understood
from graphbrick.graphs.readers.formats.values import one_kind, typed_value
from graphbrick.graphs.readers.formats.xml import OpenElement, XmlGraph
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.records.blocks import Part

_TIMES = ("start", "end", "startopen", "endopen", "timestamp")
_DRAWING = {"color", "position", "size", "shape", "thickness"}
_OWN = {"node": {"id", "pid", *_TIMES}, "edge": {"id", "source", "target", "type", *_TIMES}}


@dataclass
class _Attribute:
    """A declared attribute of nodes or edges."""

    title: str
    type: str
    default: Value | None = None


class Gexf(XmlGraph):
    """A GEXF file."""

    root = "gexf"

    def __init__(self, file: Path, reading: FileReading) -> None:
        super().__init__(file, reading)
        self._declared: dict[str, dict[str, _Attribute]] = {"node": {}, "edge": {}, "graph": {}}
        self._class = "node"
        self._attribute: _Attribute | None = None
        self._open: list[OpenElement] = []
        self._directed = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take the start of an element."""
        if name == "graph":
            self._directed = attributes.get("defaultedgetype", "undirected") != "undirected"
            self._count_times(attributes)
        elif name == "attributes":
            self._class = attributes.get("class", "node")
        elif name == "attribute":
            title = attributes.get("title", "").strip() or attributes.get("id", "").strip()
            self._attribute = _Attribute(title, attributes.get("type", "string"))
            self._declared.setdefault(self._class, {})[attributes.get("id", title)] = self._attribute
        elif name in ("node", "edge"):
            self._open.append(OpenElement(name, attributes))
        elif name == "attvalue" and self._open:
            self._add_value(attributes)
        elif name in ("spell", "slice"):
            self._count_times(attributes)
        elif name == "parent":
            self.left_out.add("parents of nodes", attributes.get("for", ""))
        elif name in _DRAWING and self._open:
            self.left_out.add("elements of the drawing", name)

    def end(self, name: str, text: str) -> None:
        """Take the end of an element."""
        if name == "default" and self._attribute is not None:
            self._attribute.default = self._value(text, self._attribute)
        elif name == "attribute":
            self._attribute = None
        elif name in ("creator", "keywords", "description") and not self._open and text.strip():
            self.left_out.add("attributes of the graph", name)
        elif name in ("node", "edge"):
            self._close(self._open.pop())

    def _count_times(self, attributes: dict[str, str]) -> None:
        for name in _TIMES:
            if name in attributes:
                self.left_out.add("times at which nodes, edges and values are valid", f"{name} {attributes[name]}")

    def _add_value(self, attributes: dict[str, str]) -> None:
        self._count_times(attributes)
        item = self._open[-1]
        id_ = attributes.get("for", attributes.get("id", ""))
        declared = self._declared[item.name].get(id_) or _Attribute(id_.strip(), "string")
        if not declared.title:
            self.bad("the attvalue does not name its attribute", "gexf.no_attribute")
            return
        value = self._value(attributes.get("value", ""), declared)
        if value is None:
            return
        if declared.title in item.fields:
            self.left_out.add("earlier values of attributes that change in time", declared.title)
        item.fields[declared.title] = value

    def _value(self, text: str, attribute: _Attribute) -> Value | None:
        if not attribute.type.casefold().startswith("list"):
            return typed_value(text, attribute.type, self.left_out)
        type_ = attribute.type[4:].casefold().removesuffix("s")
        inner = re.fullmatch(r"\s*\[(.*)\]\s*", text, re.DOTALL)
        parts = _listed(inner[1]) if inner else re.split(r"[|;,]" if type_ != "string" else r"[|;]", text)
        values = [typed_value(part, type_, self.left_out) for part in parts]
        items: list[Scalar] = [value for value in values if value is not None]
        return one_kind(items) or None

    def _close(self, item: OpenElement) -> None:
        attributes = item.attributes
        self._count_times(attributes)
        fields: dict[str, Value] = {
            attribute.title: attribute.default
            for attribute in self._declared[item.name].values()
            if attribute.default is not None
        }
        own = {name: text for name, text in attributes.items() if name not in _OWN[item.name] and text.strip()}
        for name, text in own.items():
            value = typed_value(text, "double" if name == "weight" else "string", self.left_out)
            fields |= {} if value is None else {name: value}
        fields |= item.fields
        if item.name == "node":
            self._add_node(attributes, fields)
        else:
            self._add_edge(attributes, fields)

    def _add_node(self, attributes: dict[str, str], fields: dict[str, Value]) -> None:
        if attributes.get("pid"):
            self.left_out.add("parents of nodes", attributes["pid"])
        elif any(item.name == "node" for item in self._open):
            self.left_out.add("parents of nodes", self._open[-1].attributes.get("id", ""))
        if attributes.get("id", "").strip():
            self.out.append(Node(attributes["id"], fields))
        else:
            self.bad("the node has no id", "gexf.no_id")

    def _add_edge(self, attributes: dict[str, str], fields: dict[str, Value]) -> None:
        ends = attributes.get("source", ""), attributes.get("target", "")
        if not all(end.strip() for end in ends):
            self.bad("the edge has no source or no target", "gexf.no_end")
            return
        key = fields.pop("networkx_key", None)  # tells parallel edges apart; a text is their relation
        if isinstance(key, str):
            fields.setdefault("relation", key)
        elif key is not None:
            self.left_out.add("ids of edges", str(key))
        if attributes.get("id"):
            self.left_out.add("ids of edges", attributes["id"])
        type_ = attributes.get("type", "").casefold()
        self.out.append(Edge(*ends, fields, type_ == "directed" if type_ else self._directed))


def _listed(text: str) -> list[str]:
    """Return the elements of a list such as ``a, "b, c"``."""
    parts = re.findall(r'\s*(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|([^,]+))\s*(?:,|$)', text)
    return [re.sub(r"\\(.)", r"\1", double or single) or plain.strip() for double, single, plain in parts]


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the nodes and edges of a GEXF file.

    Raises:
        InputError: Not GEXF, truncated, or the first bad record unless ``bad`` skips them.
    """
    return records_of(Gexf(file, reading).elements(), reading)


def _understood(file: Path, reading: FileReading) -> str:
    return understood(Gexf(file, reading).elements(), reading)


READER = Reader(_read, is_checked=True, understood=_understood)
