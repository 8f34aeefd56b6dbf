"""Export a graph to the files that ``neo4j-admin database import full`` reads."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

from graphbrick.core.compute import Progress, silent
from graphbrick.core.properties.values import Kind, Properties, Scalar, value_text
from graphbrick.graphs.export.blocks import triple_blocks, writable
from graphbrick.graphs.export.columns import PropertyTitles
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.ladybug_names import identifier, new_name
from graphbrick.graphs.export.place import Export, new_export_folder, tell_left_out
from graphbrick.graphs.records.columns import ColumnKey
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.stored import StoredGraph

_FILES = ("nodes.csv", "edges.csv")
_PROGRESS = 1 << 14
_LINES = re.compile(r"[\r\n]+")
_NODES = ("key:ID", "label", "description", "aliases:string[]", "types:string[]", ":LABEL")
_EDGES = (":START_ID", ":END_ID", ":TYPE", "key", "label")
_TYPES = {Kind.TEXT: "string", Kind.INTEGER: "long", Kind.NUMBER: "double", Kind.BOOLEAN: "boolean", Kind.DATE: "date"}
_BROKEN = "line breaks in texts, written as blanks"
_JOINED = "semicolons in elements of lists, written as commas"
_EMPTY = "empty texts and empty lists, which are no values"
UNTYPED = "Entity"
"""The label of nodes without a type."""


def to_neo4j_csv(
    graph: StoredGraph,
    target: str | PathLike[str],
    *,
    overwrite: bool = False,
    progress: Progress = silent,
    left_out: LeftOut | None = None,
) -> Path:
    """Write a graph as a folder with ``nodes.csv`` and ``edges.csv`` for the import of Neo4j.

    Load it with ``neo4j-admin database import full NAME --nodes=TARGET/nodes.csv --relationships=TARGET/edges.csv``.
    Nodes have the properties key, label, description, aliases and types; their Neo4j labels are their types, as names
    that need no backticks, or Entity. Edges have the properties key and label of their relation. Properties of the
    graph are further columns with their types. In lists, which Neo4j separates by semicolons, a semicolon becomes a
    comma; a line break becomes a space; an empty text or list is no value.

    Args:
        graph: The graph.
        target: The folder to make.
        overwrite: Replace an earlier export.
        progress: Called now and then with the name of the step, what is done and the total.
        left_out: Receives what the files cannot hold.

    Raises:
        GraphbrickError: The target exists or cannot be written.
    """
    path, left_out = Path(target), LeftOut() if left_out is None else left_out
    cells = _Cells(left_out)
    with new_export_folder(path, _FILES, overwrite=overwrite) as work:
        _write_nodes(graph, work / "nodes.csv", cells, progress)
        _write_edges(graph, work / "edges.csv", cells, progress)
    tell_left_out(left_out)
    return path


EXPORT = Export(to_neo4j_csv, takes=("progress", "left_out"))


def _write_nodes(graph: StoredGraph, path: Path, cells: _Cells, progress: Progress) -> None:
    taken: set[str] = set()
    names: dict[str, str] = {}
    columns = _Columns(graph, _NODES, cells, of_triples=False)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*_NODES, *columns.header])
        for done, record in enumerate(entity_records(graph), 1):
            for name in record.types:
                if name not in names:
                    names[name] = new_name(identifier(name, "Type"), taken)
            labels = ";".join(names[name] for name in record.types) or UNTYPED
            texts = map(cells.text, (record.key, record.label or "", record.description or ""))
            lists = cells.list(record.aliases), cells.list(record.types)
            rows.writerow([*texts, *lists, labels, *columns.row(record.properties)])
            if done % _PROGRESS == 0 or done == graph.n_entities:
                progress("nodes", done, graph.n_entities)


def _write_edges(graph: StoredGraph, path: Path, cells: _Cells, progress: Progress) -> None:
    taken: set[str] = set()
    between = []
    for relation in range(graph.n_relations):
        label, key = graph.relation_label(relation), graph.relation_key(relation)
        between.append((new_name(identifier(label, "relation"), taken), cells.text(key), cells.text(label)))
    columns = _Columns(graph, _EDGES, cells, of_triples=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows, done = csv.writer(file, lineterminator="\n"), 0
        rows.writerow([*_EDGES, *columns.header])
        for block in triple_blocks(graph):
            for head, relation, tail, properties in block.rows(graph):
                ends = cells.text(graph.key(head)), cells.text(graph.key(tail))
                rows.writerow([*ends, *between[relation], *columns.row(properties)])
            done += len(block.heads)
            progress("triples", done, graph.n_triples)


class _Cells:
    """Writer of the cells of the files.

    Args:
        left_out: Receives what a cell cannot hold.
    """

    def __init__(self, left_out: LeftOut) -> None:
        self.left_out = left_out

    def text(self, text: str) -> str:
        """Return a text in one line."""
        line = _LINES.sub(" ", writable(text))
        if len(line) != len(text) or "\n" in text or "\r" in text:
            self.left_out.add(_BROKEN, line[:40])
        return line

    def list(self, texts: Iterable[str]) -> str:
        """Return texts separated by semicolons."""
        parts = list(map(self.text, texts))
        for part in parts:
            if ";" in part:
                self.left_out.add(_JOINED, part[:40])
        return ";".join(part.replace(";", ",") for part in parts)

    def value(self, title: str, value: Scalar | tuple[Scalar, ...]) -> str:
        """Return the value of a property."""
        if value in ("", (), ("",)):
            self.left_out.add(_EMPTY, title)
        if isinstance(value, tuple):
            return self.list(map(_value_text, value))
        return self.text(_value_text(value))


class _Columns:
    """The columns of properties of one file."""

    def __init__(self, graph: StoredGraph, fixed: Sequence[str], cells: _Cells, *, of_triples: bool) -> None:
        taken = {name.partition(":")[0].casefold() for name in fixed}
        self._properties = PropertyTitles(graph, of_triples=of_triples, taken=taken)
        self._cells = cells
        titles = self._properties.titles
        self._place = {title: place for place, title in enumerate(titles.values())}
        self.header = [cells.text(f"{title}:{self._type(column)}") for column, title in titles.items()]

    def _type(self, column: ColumnKey) -> str:
        assert column.kind is not None
        # Neo4j reads a date-time without a zone as one of Greenwich, unless no date-time of the column has a zone.
        is_local = column.kind == Kind.DATETIME and self._properties.zones(column) == {None}
        name = _TYPES.get(column.kind, "localdatetime" if is_local else "datetime")
        return f"{name}[]" if column.is_list else name

    def row(self, properties: Properties) -> list[str]:
        """Return the cells of an entity or a triple."""
        row = [""] * len(self._place)
        for title, _, value in self._properties.items(properties):
            row[self._place[title]] = self._cells.value(title, value)
        return row


def _value_text(value: Scalar) -> str:
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value_text(value)
