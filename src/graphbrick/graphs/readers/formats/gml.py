"""Reader of GML, the Graph Modelling Language, as networkx, igraph, Gephi and yEd write it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Value
from graphbrick.graphs.readers.formats.elements import Edge, Element, Node, records_of, understood
from graphbrick.graphs.readers.formats.json_elements import key_of
from graphbrick.graphs.readers.formats.values import json_property
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.records.blocks import Part

_TOKEN = re.compile(r'\s*(?:"([^"]*)("?)|([\[\]])|([^\s\[\]"]+))')
_DRAWING = {"graphics", "LabelGraphics", "edgeAnchor"}
_LIST_START = "_networkx_list_start"


@dataclass
class _Block:
    """A block in square brackets that is being read: its name, its line, and its values by name."""

    name: str
    line: int
    values: dict[str, list[Any]] = field(default_factory=dict)

    def value(self, name: str) -> object:
        """Return the first value with a name, which the block then lacks; None if there is none."""
        return self.values.pop(name, [None])[0]


def _tokens(file: Path, reading: FileReading) -> Iterator[tuple[str, object, int]]:
    """Yield (kind, value, line); the kind is "[", "]", "word" or, in quotes, "text"."""
    open_text: list[str] = []
    is_first = True
    for number, line in reading.lines(file):
        if is_first and line.lstrip().startswith("<"):
            reason = "this is XML, perhaps the Geography Markup Language, and not a graph in GML"
            raise InputError(reason, file, number, code="gml.is_xml")
        is_first = is_first and not line.strip()
        at = 0
        if open_text:
            rest, quote, _ = line.partition('"')
            open_text.append(rest)
            if not quote:
                continue
            yield "text", unescape("\n".join(open_text)), number
            open_text, at = [], len(rest) + 1
        elif line.lstrip().startswith("#"):
            continue
        while match := _TOKEN.match(line, at):
            at = match.end()
            if match[3] is not None:
                yield match[3], None, number
            elif match[4] is not None:
                yield "word", match[4], number
            elif match[2]:
                yield "text", unescape(match[1]), number
            else:
                open_text = [match[1]]
    if open_text:
        raise _truncated(file)


def _truncated(file: Path) -> InputError:
    reason = "the file ends within a text or a block; it is truncated, fetch it again"
    return InputError(reason, file, code="gml.truncated")


class _Gml:
    """A GML file."""

    def __init__(self, file: Path, reading: FileReading) -> None:
        self.file, self.reading, self.left_out = file, reading, reading.left_out
        self._blocks = [_Block("", 1)]
        self._has_graph = False

    def elements(self) -> Iterator[Element]:
        """Yield the nodes and edges."""
        name: str | None = None
        for kind, value, line in _tokens(self.file, self.reading):
            if name is None and kind == "]" and len(self._blocks) > 1:
                yield from self._close(self._blocks.pop())
            elif name is None and kind == "word":
                name = str(value)
            elif name is not None and kind == "[":
                self._blocks.append(_Block(name, line))
                self._has_graph = self._has_graph or name == "graph"
                name = None
            elif name is not None and kind in ("word", "text"):
                self._blocks[-1].values.setdefault(name, []).append(_number(value) if kind == "word" else value)
                name = None
            else:
                reason = f"expected a value of {name}" if name is not None else "expected a name"
                raise InputError(f"not GML: {reason}", self.file, line, code="gml.not_gml")
        if name is not None or len(self._blocks) > 1:
            raise _truncated(self.file)
        if not self._has_graph:
            raise InputError("the file holds no block 'graph'", self.file, code="gml.no_graph")
        self._leave_attributes(self._blocks[0])

    def _close(self, block: _Block) -> Iterator[Element]:
        parent = self._blocks[-1]
        if block.name == "graph":
            self._leave_attributes(block)
        elif parent.name == "graph" and block.name == "node":
            key = key_of(block.value("id"))
            if key is None:
                self._bad("the node has no id", "gml.no_id", block)
            else:
                yield Node(key, self._fields(block))
        elif parent.name == "graph" and block.name == "edge":
            ends = [key_of(block.value(name)) for name in ("source", "target")]
            if None in ends:
                self._bad("the edge has no source or no target", "gml.no_end", block)
                return
            graph = parent.values
            for name in ("id", "key"):
                self._leave_id(name, block, is_relation=name == "key" and graph.get("multigraph") == [1])
            yield Edge(str(ends[0]), str(ends[1]), self._fields(block), graph.get("directed") == [1])
        elif block.name in _DRAWING:
            self.left_out.add("elements of the drawing", block.name)
        else:
            parent.values.setdefault(block.name, []).append(_plain(block))

    def _leave_id(self, name: str, block: _Block, is_relation: bool) -> None:
        """Leave the id of an edge; a text that tells parallel edges apart is their relation."""
        value = block.value(name)
        if is_relation and isinstance(value, str) and "relation" not in block.values:
            block.values["relation"] = [value]
        elif value is not None:
            self.left_out.add("ids of edges", str(value))

    def _leave_attributes(self, block: _Block) -> None:
        for name in block.values:
            if name not in ("directed", "multigraph"):
                self.left_out.add("attributes of the graph", name)

    def _fields(self, block: _Block) -> dict[str, Value]:
        fields = {name: json_property(value, self.left_out) for name, value in _plain(block).items()}
        return {name: value for name, value in fields.items() if value is not None}

    def _bad(self, reason: str, code: str, block: _Block) -> None:
        self.reading.bad.add(InputError(reason, self.file, block.line, json.dumps(_plain(block))[:200], code=code))


def _plain(block: _Block) -> dict[str, Any]:
    """Return the values of a block; names that come several times have lists, as networkx writes them."""
    return {
        name: values[0] if len(values) == 1 else [value for value in values if value != _LIST_START]
        for name, values in block.values.items()
    }


def _number(word: object) -> object:
    """Return the number that a word is; the word itself if it is not one."""
    text = str(word)
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return math.nan if text.casefold().lstrip("+-") == "nan" else text


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the nodes and edges of a GML file.

    Raises:
        InputError: Not GML, truncated, without a graph, or the first bad record unless ``bad`` skips them.
    """
    return records_of(_Gml(file, reading).elements(), reading)


def _understood(file: Path, reading: FileReading) -> str:
    return understood(_Gml(file, reading).elements(), reading)


READER = Reader(_read, is_checked=True, understood=_understood)
