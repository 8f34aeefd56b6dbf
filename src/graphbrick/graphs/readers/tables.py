"""Readers of node tables (delimited text, Parquet) and of edge tables (Parquet)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import delimited
from graphbrick.graphs.readers.columns import node_columns, triple_columns, unrecognised
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.streams import PACKED, no_rows
from graphbrick.graphs.records.records import EntityRecord, TripleRecord

_BATCH_ROWS = 1 << 16

Cell: TypeAlias = str | tuple[str, ...]
"""The value of a cell; a tuple if the table stores a list."""


def _read_nodes(file: Path, reading: FileReading) -> Iterator[EntityRecord]:
    """Yield the entities of a delimited node table.

    A header names the columns (see `node_columns`). A table without a header has two columns, key and label. Several
    types or aliases in one cell are separated by ``|`` or ``;``.

    Raises:
        InputError: No rows, no key column, or the first bad record unless ``bad`` skips them.
    """
    options, bad = reading.options, reading.bad
    delimiter = delimited.choose_delimiter(file, options, columns=2, required=False)
    rows = delimited.read_rows(file, delimiter, options.max_line_bytes, bad, reading.meter)
    first = delimited.first_row(rows, file, bad)
    if first is None:
        return
    places, header = node_columns(first[1], file)
    width = len(first[1]) if header else 2
    need = f"the header has {width}" if header else "a node table without a header needs 2, key and label"
    for line, cells in rows if header else chain([first], rows):
        if len(cells) != width:
            bad.add(delimited.wrong_width(file, line, cells, delimiter, need, width))
            continue
        values = {role: cells[place].strip() for role, place in places.items()}
        record = _entity(values)
        if record is None:
            bad.add(_empty_key(file, line, delimiter.join(cells)))
        else:
            yield record


def _entity(values: Mapping[str, Cell]) -> EntityRecord | None:
    """Return the entity of a row; None if the key is empty."""
    key = _one(values.get("key", ""))
    if not key:
        return None
    return EntityRecord(
        key,
        label=_one(values.get("label", "")) or None,
        aliases=_several(values.get("aliases", "")),
        types=_several(values.get("types", "")),
        description=_one(values.get("description", "")) or None,
    )


def _empty_key(file: Path, row: int, text: str) -> InputError:
    return InputError("the key is empty", file, row, text, code="reader.empty_key")


def _one(cell: Cell) -> str:
    return cell if isinstance(cell, str) else next(iter(cell), "")


def _several(cell: Cell) -> tuple[str, ...]:
    parts = re.split(r"[|;]", cell) if isinstance(cell, str) else cell
    return tuple(part.strip() for part in parts if part.strip())


def _read_parquet_nodes(file: Path, reading: FileReading) -> Iterator[EntityRecord]:
    """Yield the entities of a Parquet node table.

    Columns are recognised by name as in delimited tables. Types and aliases may also be list columns.

    Raises:
        InputError: Not Parquet, no key column, or the first bad record unless skipped.
    """
    with _Parquet(file) as table:
        places, header = node_columns(table.names, file)
        if not header:
            raise unrecognised("the key", table.names, file, "call it id")
        for row, cells in table.rows(list(places.values())):
            record = _entity(dict(zip(places, map(_cell, cells), strict=True)))
            if record is None:
                reading.bad.add(_empty_key(file, row, str(cells)))
            else:
                yield record


def _read_parquet(file: Path, reading: FileReading) -> Iterator[TripleRecord]:
    """Yield the triples of a Parquet edge table.

    Columns are recognised by name unless the options name them.

    Raises:
        InputError: Not Parquet, no such column, or the first bad record unless skipped.
    """
    with _Parquet(file) as table:
        places, header = triple_columns(table.names, reading.options, file)
        if not header and not reading.options.columns:
            raise unrecognised("head, relation and tail", table.names, file, "name them with --columns")
        for row, cells in table.rows(places):
            head, relation, tail = (cell.strip() if isinstance(cell, str) else _one(_cell(cell)) for cell in cells)
            if head and relation and tail:
                yield head, relation, tail
            else:
                reason = "the head, the relation or the tail is empty"
                reading.bad.add(InputError(reason, file, row, str(cells), code="reader.empty_end"))


DELIMITED = Reader(delimited.read_triples, _read_nodes, is_checked=True)
PARQUET = Reader(_read_parquet, _read_parquet_nodes, is_checked=True)


def _cell(value: object) -> Cell:
    """Return a Parquet value as text; whole floats become integers, as ids are often stored as floats."""
    if value is None or value != value:  # some tables store NaN instead of null
        return ""
    if isinstance(value, list):
        return tuple(_one(_cell(item)) for item in value)
    if isinstance(value, bytes):
        try:
            return value.decode().strip()
        except UnicodeDecodeError:
            return value.hex()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _values(column: Any) -> list[object]:
    """Return the values of an Arrow column; dates and times as text, as Python cannot represent all."""
    import pyarrow

    if pyarrow.types.is_temporal(column.type) and not pyarrow.types.is_duration(column.type):
        column = column.cast(pyarrow.string())
    values: list[object] = column.to_pylist()
    return values


class _Parquet:
    """An open Parquet file: its column names, and its rows read in batches."""

    def __init__(self, file: Path) -> None:
        if file.suffix.lower() in PACKED:
            tool = "gunzip" if file.suffix.lower() == ".gz" else "unzstd"
            reason = f"Parquet is compressed inside; unpack it with {tool} first"
            raise InputError(reason, file, code="reader.packed_parquet", tool=tool)
        import pyarrow
        from pyarrow import parquet

        self._file, self._errors = file, (pyarrow.ArrowException, OSError)
        try:
            self._parquet: Any = parquet.ParquetFile(file)
        except self._errors as error:
            raise self._fault(error) from error
        self.names: list[str] = self._parquet.schema_arrow.names

    def __enter__(self) -> _Parquet:
        return self

    def __exit__(self, *_: object) -> None:
        self._parquet.close()

    def _fault(self, error: Exception) -> InputError:
        return InputError(f"not a Parquet file that can be read: {error}", self._file, code="reader.not_parquet")

    def rows(self, places: Sequence[int]) -> Iterator[tuple[int, tuple[object, ...]]]:
        """Yield (1-based row number, values of the columns at the indices ``places``)."""
        names = [self.names[place] for place in places]
        twice = next((name for name in names if self.names.count(name) > 1), None)
        if twice is not None:
            reason = f"several columns are called {twice!r}; rename them"
            raise InputError(reason, self._file, code="reader.column_twice", column=twice)
        before = 0
        try:
            for batch in self._parquet.iter_batches(_BATCH_ROWS, columns=names):
                columns = [_values(batch.column(name)) for name in names]
                yield from enumerate(zip(*columns, strict=True), before + 1)
                before += batch.num_rows
        except (*self._errors, ValueError, OverflowError) as error:
            raise self._fault(error) from error
        if not before:
            raise no_rows(self._file)
