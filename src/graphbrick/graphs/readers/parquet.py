"""Reader of nodes and edges in Parquet tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.files.parquet import require_pyarrow
from graphbrick.graphs.readers.columns import EdgeColumns, NodeColumns, edge_columns, node_columns
from graphbrick.graphs.readers.fields import cell_text, one_of
from graphbrick.graphs.readers.own import own_typed_edges, own_typed_nodes
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.roles import unrecognised
from graphbrick.graphs.readers.rows import (
    EdgeMaker,
    entities,
    entity_maker,
    note_ignored,
    understood_edges,
    understood_nodes,
)
from graphbrick.graphs.readers.streams import PACKED, PACKINGS, no_rows
from graphbrick.graphs.records.records import EntityRecord, Record

MARK = b"graphbrick"
"""The metadata that says "nodes" or "edges" in tables that this package exported."""

_BATCH_ROWS = 1 << 16
_SAMPLE_ROWS = 1 << 10
_TOOLS = {"gzip": "gunzip", "Zstandard": "unzstd", "bzip2": "bunzip2", "xz": "unxz"}


def _read_nodes(file: Path, reading: FileReading) -> Iterator[EntityRecord]:
    """Yield the entities of a Parquet node table.

    Columns are recognised by name as in delimited tables. Types and aliases may also be list columns; a list of names
    is a name and aliases.

    Raises:
        InputError: Not Parquet, no key column, or the first bad record unless skipped.
    """
    with ParquetTable(file) as table:
        columns = _node_columns(table, reading)
        note_ignored(columns, file.name, reading)
        make = entity_maker(columns, table.names, reading, file.name, typed=True)
        yield from entities(table.rows(_roles(columns)), make, file, reading)


def _node_columns(table: ParquetTable, reading: FileReading) -> NodeColumns:
    options = reading.options
    if table.own_role == "nodes" and not (options.key or options.name or options.type):
        return own_typed_nodes(table.names)
    columns = node_columns(table.names, table.samples(), options, table.file)
    if not columns.header:
        raise unrecognised("the key", table.names, table.file, "call it id, or name it with --key")
    return columns


def _read_edges(file: Path, reading: FileReading) -> Iterator[Record]:
    """Yield the edges of a Parquet table.

    Columns are recognised by name unless the options name them. A list gives an edge for each of its elements.

    Raises:
        InputError: Not Parquet, no such column, or the first bad record unless skipped.
    """
    with ParquetTable(file) as table:
        columns = _edge_columns(table, reading)
        note_ignored(columns, file.name, reading)
        maker = EdgeMaker(columns, reading, file.name, typed=True)
        ends = (columns.head, columns.relation, columns.tail)
        plain = columns.relation is not None and maker.is_plain
        first, second, third = columns.head, columns.relation or 0, columns.tail
        for row, cells in table.rows(_roles(columns)):
            if plain:
                head, relation, tail = cells[first], cells[second], cells[third]
                if isinstance(head, str) and isinstance(relation, str) and isinstance(tail, str):
                    triple = head.strip(), relation.strip(), tail.strip()
                    if all(triple):
                        yield triple
                        continue
            records = maker.records(cells)
            if not records:
                reason = "the head, the relation or the tail is empty"
                text = ", ".join(str(cell_text(cells[place])) for place in ends if place is not None)
                reading.bad.add(InputError(reason, file, row, text, code="reader.empty_end"))
            yield from records


def _edge_columns(table: ParquetTable, reading: FileReading) -> EdgeColumns:
    if table.own_role == "edges" and not reading.options.columns:
        return own_typed_edges(table.names)
    columns = edge_columns(table.names, table.samples(), reading.options, table.file)
    if not columns.header and not reading.options.columns:
        raise unrecognised("head, relation and tail", table.names, table.file, "name them with --columns")
    return columns


def _roles(columns: NodeColumns | EdgeColumns) -> set[int]:
    """Return the columns that are not properties: their times are read as texts."""
    fields = {field.place for field in columns.fields}
    return {place for place in range(columns.width) if place not in fields}


def _understood(file: Path, reading: FileReading) -> str:
    """Return in one line how a Parquet table is read."""
    with ParquetTable(file) as table:
        if reading.table.role == "nodes":
            return understood_nodes(_node_columns(table, reading), table.names, reading)
        return understood_edges(_edge_columns(table, reading), table.names, reading)


PARQUET = Reader(_read_edges, _read_nodes, is_checked=True, understood=_understood)


def _values(column: Any, *, as_text: bool) -> list[object]:
    """Return the Python values of an Arrow column; times that Python lacks are texts."""
    import pyarrow

    kinds = pyarrow.types
    kind = column.type
    if kinds.is_dictionary(kind):
        return _values(column.dictionary_decode(), as_text=as_text)
    if kinds.is_map(kind):
        return [None if value is None else dict(value) for value in column.to_pylist()]
    if kinds.is_duration(kind):
        column = column.cast(pyarrow.duration("us"), safe=False)
    if as_text and kinds.is_temporal(kind) and not kinds.is_duration(kind):
        return list(column.cast(pyarrow.string()).to_pylist())
    try:
        if kinds.is_timestamp(kind) and kind.unit == "ns":
            column = column.cast(pyarrow.timestamp("us", kind.tz))
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        if not kinds.is_temporal(kind):
            raise
        return list(column.cast(pyarrow.string()).to_pylist())


class ParquetTable:
    """An open Parquet file: its column names, and its rows read in batches."""

    def __init__(self, file: Path) -> None:
        suffix = file.suffix.lower()
        if suffix in PACKED:
            tool = _TOOLS[PACKINGS[suffix]]
            reason = f"Parquet is compressed inside; unpack it with {tool} first"
            raise InputError(reason, file, code="reader.packed_parquet", tool=tool)
        require_pyarrow(f"reading {file.name}")
        import pyarrow
        from pyarrow import parquet

        self.file, self._errors = file, (pyarrow.ArrowException, OSError)
        try:
            self._parquet: Any = parquet.ParquetFile(file)
        except self._errors as error:
            raise self._fault(error) from error
        self.names: list[str] = self._parquet.schema_arrow.names
        self.own_role = (self._parquet.schema_arrow.metadata or {}).get(MARK, b"").decode()
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            reason = f"several columns are called {twice!r}; rename them"
            raise InputError(reason, self.file, code="reader.column_twice", column=twice)

    def __enter__(self) -> ParquetTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._parquet.close()

    def _fault(self, error: Exception) -> InputError:
        return InputError(f"not a Parquet file that can be read: {error}", self.file, code="reader.not_parquet")

    def samples(self) -> list[list[str]]:
        """Return the first rows as texts."""
        try:
            batch = next(self._parquet.iter_batches(_SAMPLE_ROWS), None)
            columns = [] if batch is None else [_values(column, as_text=True) for column in batch.columns]
        except (*self._errors, ValueError, OverflowError) as error:
            raise self._fault(error) from error
        return [[one_of(cell_text(cell)) for cell in row] for row in zip(*columns, strict=True)]

    def rows(self, roles: Collection[int]) -> Iterator[tuple[int, tuple[object, ...]]]:
        """Yield (1-based row number, values of all columns); the columns in ``roles`` are read as texts."""
        before = 0
        try:
            for batch in self._parquet.iter_batches(_BATCH_ROWS):
                columns = [_values(column, as_text=place in roles) for place, column in enumerate(batch.columns)]
                yield from enumerate(zip(*columns, strict=True), before + 1)
                before += batch.num_rows
        except (*self._errors, ValueError, OverflowError) as error:
            raise self._fault(error) from error
        if not before:
            raise no_rows(self.file)
