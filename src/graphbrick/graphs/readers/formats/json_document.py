"""Reader of JSON documents: node-link, Cytoscape, JSON Graph Format, graphology, triples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.formats.elements import Element, records_of, understood
from graphbrick.graphs.readers.formats.json_elements import EDGES, NODES, OTHER_PARTS, JsonElements
from graphbrick.graphs.readers.formats.json_stream import JsonPath, JsonStream
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.streams import open_source
from graphbrick.graphs.records.blocks import Part

_GRAPHS = {(), ("elements",), ("graph",), ("graphs",), ("graphs", None)}


def _opens(path: JsonPath) -> bool:
    return path in _GRAPHS or (path[:-1] in _GRAPHS and path[-1] in (*NODES, *EDGES))


def _role(path: JsonPath) -> str | None:
    """Return the role of the value at a path; None if it is neither a node nor an edge."""
    holder = path[-2] if len(path) > 1 else None
    if holder in NODES:
        return "node"
    if holder in EDGES:
        return "edge"
    return "" if path == (None,) or (holder == "elements" and path[-1] is None) else None


class _Document:
    """A JSON document that is read as a graph."""

    def __init__(self, file: Path, reading: FileReading) -> None:
        self._file, self._reading = file, reading
        self.json = JsonElements(file, reading, has_positions=True)

    def elements(self) -> Iterator[Element]:
        """Yield the nodes and edges."""
        names: list[str] = []
        with open_source(self._file, self._reading.meter) as stream:
            source = JsonStream(stream, self._file, _opens)
            for path, value in source.values():
                role = _role(path)
                if role is not None:
                    yield from self.json.taken(value, role, source.line, path[-1])
                else:
                    names += [str(path[-1])] if len(path) == 1 else []
                    self._state(path, value)
        yield from self.json.finish()
        if not self.json.count:
            reason = f"the JSON holds neither nodes nor edges; its names are {', '.join(names[:10]) or '(none)'}"
            raise InputError(reason, self._file, code="json.no_graph", names=names)

    def _state(self, path: JsonPath, value: object) -> None:
        """Take what a document states about the graph."""
        name = path[-1] if path else "the whole document"
        if name == "directed" and isinstance(value, bool):
            self.json.is_directed = value
        elif name == "multigraph" and isinstance(value, bool):
            self.json.is_multigraph = value
        elif path == ("graph", "kinds") and isinstance(value, dict) and self.json.take_kinds(value):
            return
        elif name == "hyperedges" and isinstance(value, list):
            self._reading.left_out.add("hyperedges", n=len(value))
        elif value not in (None, "", [], {}):
            what = "attributes of the graph" if path[:1] in (("graph",), ("graphs",)) else OTHER_PARTS
            self._reading.left_out.add(what, str(name))


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the nodes and edges of a JSON document.

    Raises:
        InputError: Not JSON, truncated, without nodes and edges, or the first bad record unless ``bad`` skips them.
    """
    document = _Document(file, reading)
    return records_of(document.elements(), reading, lambda: document.json.is_ours)


def _understood(file: Path, reading: FileReading) -> str:
    document = _Document(file, reading)
    return understood(document.elements(), reading, lambda: document.json.is_ours)


READER = Reader(_read, is_checked=True, understood=_understood)
