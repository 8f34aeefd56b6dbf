"""Export a graph to Parquet tables, which ``graphbrick build`` reads again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress, silent
from graphbrick.core.files.parquet import require_pyarrow
from graphbrick.core.properties.values import Kind, Properties, Value, value_text
from graphbrick.graphs.export.blocks import mapped_texts, triple_blocks, writable
from graphbrick.graphs.export.columns import PropertyTitles
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.place import Export, new_export_folder
from graphbrick.graphs.readers.parquet import MARK
from graphbrick.graphs.records.columns import ColumnKey
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.graphs.store.stored import StoredGraph

_ROWS = 1 << 17  # per row group
_FILES = ("nodes.parquet", "edges.parquet", "relations.parquet")


def to_parquet(
    graph: StoredGraph, target: str | PathLike[str], *, overwrite: bool = False, progress: Progress = silent
) -> Path:
    """Write a graph as a folder with ``nodes.parquet``, ``edges.parquet`` and ``relations.parquet``.

    Nodes have the columns id, label, types, description and aliases (types and aliases are lists); edges have head,
    relation and tail, which are keys; relations have key and label. Each property is a further column of its type; a
    second column of one name is called such as ``price (text)``. Date-times in several zones are texts, in a column
    such as ``seen (date-time)``. ``graphbrick build TARGET NEW --labels TARGET/relations.parquet`` gives a graph with
    the same entities and triples. Memory does not grow with the graph.

    Args:
        graph: The graph.
        target: The folder to make.
        overwrite: Replace an earlier export.
        progress: Called now and then with the name of the step, what is done and the total.

    Raises:
        GraphbrickError: The target exists or cannot be written.
        ModelError: pyarrow is not installed.
    """
    require_pyarrow("this export")
    path = Path(target)
    with (
        new_export_folder(path, _FILES, overwrite=overwrite) as work,
        tempfile.TemporaryDirectory(dir=work, ignore_cleanup_errors=True) as scratch,
    ):
        _write(graph, work, Path(scratch), progress)  # closes what it maps, as Windows could not remove it before
    return path


EXPORT = Export(to_parquet, takes=("progress",))


def _write(graph: StoredGraph, work: Path, scratch: Path, progress: Progress) -> None:
    import pyarrow

    _write_nodes(graph, work / "nodes.parquet", progress)
    keys = mapped_texts(scratch / "keys", map(graph.key, range(graph.n_entities)))
    relations = [writable(graph.relation_key(relation)) for relation in range(graph.n_relations)]
    labels = [writable(graph.relation_label(relation)) for relation in range(graph.n_relations)]
    text = pyarrow.string()
    with _writer(work / "relations.parquet", {"key": text, "label": text}) as table:
        table.write_table(pyarrow.table({"key": relations, "label": labels}, table.schema))
    _write_edges(graph, work / "edges.parquet", keys, relations, progress)


def _write_nodes(graph: StoredGraph, file: Path, progress: Progress) -> None:
    import pyarrow

    text = pyarrow.string()
    texts = pyarrow.list_(text)
    fixed = {"id": text, "label": text, "types": texts, "description": text, "aliases": texts}
    columns = _Columns(graph, fixed, of_triples=False)
    with _writer(file, fixed | columns.types) as nodes:
        for first in range(0, graph.n_entities, _ROWS):
            last = min(first + _ROWS, graph.n_entities)
            rows = [
                {**_facts(record), **columns.row(record.properties)} for record in entity_records(graph, first, last)
            ]
            nodes.write_table(pyarrow.Table.from_pylist(rows, nodes.schema))
            progress("nodes", last, graph.n_entities)


def _facts(record: EntityRecord) -> dict[str, Any]:
    return {
        "id": writable(record.key),
        "label": writable(record.label or ""),
        "types": list(map(writable, record.types)),
        "description": None if record.description is None else writable(record.description),
        "aliases": list(map(writable, record.aliases)),
    }


def _write_edges(graph: StoredGraph, file: Path, keys: Any, relations: list[str], progress: Progress) -> None:
    import pyarrow

    text = pyarrow.string()
    done, between = 0, pyarrow.array(relations, text)
    fixed = {"head": text, "relation": text, "tail": text}
    columns = _Columns(graph, fixed, of_triples=True)
    with _writer(file, fixed | columns.types) as edges:
        for block in triple_blocks(graph):
            ends = zip((keys, between, keys), (block.heads, block.relations, block.tails), strict=True)
            parts = [table.take(pyarrow.array(ids)).cast(text) for table, ids in ends]
            if columns.types:
                parts += columns.arrays([columns.row(graph.triple_properties(t)) for t in block.ids.tolist()])
            edges.write_table(pyarrow.table(parts, schema=edges.schema))
            done += len(block.heads)
            progress("triples", done, graph.n_triples)


class _Columns:
    """The columns of properties of one table.

    Attributes:
        types: The Arrow type of each column by title.
    """

    def __init__(self, graph: StoredGraph, fixed: dict[str, Any], *, of_triples: bool) -> None:
        self._properties = PropertyTitles(graph, of_triples=of_triples, taken=set(fixed))
        self.types: dict[str, Any] = {}
        self._texts: dict[ColumnKey, str] = {}
        for column, title in self._properties.titles.items():
            type_ = self._type(column)
            if type_ is None:  # date-times in several zones
                self._texts[column] = title = f"{column.name} ({column.form})"
                type_ = _listed(column, _string())
            self.types[title] = type_

    def _type(self, column: ColumnKey) -> Any:
        import pyarrow

        if column.kind != Kind.DATETIME:
            scalars = {
                Kind.TEXT: pyarrow.string(),
                Kind.INTEGER: pyarrow.int64(),
                Kind.NUMBER: pyarrow.float64(),
                Kind.BOOLEAN: pyarrow.bool_(),
                Kind.DATE: pyarrow.date32(),
            }
            assert column.kind is not None
            return _listed(column, scalars[column.kind])
        zones = self._properties.zones(column)
        if len(zones) > 1:
            return None
        return _listed(column, pyarrow.timestamp("us", _zone_name(next(iter(zones), None))))

    def row(self, properties: Properties) -> dict[str, Any]:
        """Return the values of an entity or a triple by title."""
        row: dict[str, Any] = {}
        for title, column, value in self._properties.items(properties):
            as_text = column in self._texts
            row[self._texts.get(column, title)] = _arrow_value(value, as_text=as_text)
        return row

    def arrays(self, rows: list[dict[str, Any]]) -> Iterator[Any]:
        """Return the columns of rows."""
        import pyarrow

        return (pyarrow.array((row.get(title) for row in rows), type_) for title, type_ in self.types.items())


def _arrow_value(value: Value, *, as_text: bool) -> Any:
    if isinstance(value, tuple):
        return [_arrow_value(element, as_text=as_text) for element in value]
    if as_text:
        return value_text(value)
    return writable(value) if isinstance(value, str) else value


def _zone_name(minutes: int | None) -> str | None:
    if not minutes:
        return None if minutes is None else "UTC"
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _string() -> Any:
    import pyarrow

    return pyarrow.string()


def _listed(column: ColumnKey, type_: Any) -> Any:
    import pyarrow

    return pyarrow.list_(type_) if column.is_list else type_


def _writer(file: Path, columns: dict[str, Any]) -> Any:
    import pyarrow
    from pyarrow import parquet

    return parquet.ParquetWriter(file, pyarrow.schema(list(columns.items()), {MARK: file.stem}), compression="zstd")
