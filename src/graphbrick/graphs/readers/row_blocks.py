"""Rows of delimited tables as blocks of facts and triples: many rows at a time, column by column.

The records of single rows (`graphbrick.graphs.readers.rows`) say the same; they are several times slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.columns import EdgeColumns, NodeColumns
from graphbrick.graphs.readers.delimited import Row
from graphbrick.graphs.readers.fields import Field, cell_reader, own_list, several_of, split_list, split_type
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.rows import empty_key
from graphbrick.graphs.records.blocks import FactBlock, TripleBlock, TripleValues
from graphbrick.graphs.records.columns import ColumnKey, property_facts
from graphbrick.graphs.records.interner import spans_of
from graphbrick.graphs.records.records import ALIAS, DESCRIBED, DESCRIPTION, LABEL, PROPERTY, TYPE

_ROWS = 1 << 14  # per block
_NOTHING = ("", "\\N")

Fault = Callable[[int, list[str]], InputError]


class Group(NamedTuple):
    """Facts of one kind.

    Attributes:
        kind: The kind.
        rows: The row of each fact.
        texts: Their texts.
        column: The number of the column of properties; 0 for other kinds.
    """

    kind: int
    rows: Sequence[int] | npt.NDArray[np.int64]
    texts: Sequence[str]
    column: int = 0


def node_blocks(
    rows: Iterator[Row], columns: NodeColumns, header: Sequence[str], reading: FileReading, file: Path
) -> Iterator[FactBlock]:
    """Yield the entities of rows; a row without a key is a bad record.

    Args:
        rows: The rows, all with as many cells as there are columns.
        columns: The columns of the table.
        header: The names of the columns.
        reading: Receives bad records and what is not read.
        file: The file.
    """
    prefix = f"{columns.space}/" if columns.space and reading.table.spaces else ""
    values = ColumnValues(columns.properties(reading.table.spaces), reading, file.name)

    def with_keys() -> Iterator[list[str]]:
        for line, cells in rows:
            if cells[columns.key].strip():
                yield cells
            else:
                reading.bad.add(empty_key(file, line, cells))

    good = with_keys()
    while batch := list(islice(good, _ROWS)):
        cells_of = list(zip(*batch, strict=True))
        keys = _stripped(cells_of[columns.key])
        groups = [*_names(columns, header, cells_of), *_types(columns, reading, cells_of)]
        if columns.description is not None:
            groups.append(filled(DESCRIPTION, _stripped(cells_of[columns.description])))
        groups += values.groups(cells_of)
        yield fact_block([prefix + key for key in keys] if prefix else keys, groups, values.columns)


def _stripped(cells: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in cells]


def filled(kind: int, texts: Sequence[str], column: int = 0) -> Group:
    """Return the facts of one column; empty cells are none."""
    if all(texts):
        return Group(kind, np.arange(len(texts)), texts, column)
    rows = [row for row, text in enumerate(texts) if text]
    return Group(kind, rows, [texts[row] for row in rows], column)


def _names(columns: NodeColumns, header: Sequence[str], cells_of: Sequence[Sequence[str]]) -> Iterator[Group]:
    """Yield names: the first filled column of each row, and its further elements as aliases."""
    n = len(cells_of[0])
    names, more = [""] * n, list[tuple[int, str]]()
    for place in columns.names:
        is_list = columns.header and split_type(header[place])[1].endswith("[]")
        for row, cell in enumerate(_stripped(cells_of[place])):
            if cell and not names[row]:
                parts = split_list(cell, ";") if is_list else [cell]
                if parts:
                    names[row] = parts[0]
                    more += ((row, part) for part in parts[1:])
    yield filled(LABEL, names)
    for place in columns.aliases:
        more += ((row, text) for row, cell in enumerate(cells_of[place]) for text in _several(columns, cell))
    more = [(row, text) for row, text in more if text != names[row]]
    yield Group(ALIAS, [row for row, _ in more], [text for _, text in more])


def _several(columns: NodeColumns, cell: str) -> tuple[str, ...]:
    return own_list(cell) if columns.is_exact else several_of(cell.strip())


def _types(columns: NodeColumns, reading: FileReading, cells_of: Sequence[Sequence[str]]) -> Iterator[Group]:
    """Yield the types of entities."""
    if columns.types is None:
        if reading.table.type:
            yield filled(TYPE, [reading.table.type] * len(cells_of[0]))
        return
    distinct = {cell: _several(columns, cell) for cell in set(cells_of[columns.types])}
    several = [(row, text) for row, cell in enumerate(cells_of[columns.types]) for text in distinct[cell]]
    yield Group(TYPE, [row for row, _ in several], [text for _, text in several])


class ColumnValues:
    """The reader of the columns of properties.

    Args:
        fields: The columns.
        reading: Receives the cells that are not what the header says.
        file_name: The name of the file, for reports.
    """

    def __init__(self, fields: Sequence[Field], reading: FileReading, file_name: str) -> None:
        self._numbers: dict[ColumnKey, int] = {}
        self._fields = [(field, cell_reader(field, reading.left_out, file_name)) for field in fields]

    @property
    def columns(self) -> tuple[ColumnKey, ...]:
        """The columns, by number."""
        return tuple(self._numbers)

    def number(self, key: ColumnKey) -> int:
        """Return the number of a column."""
        return self._numbers.setdefault(key, len(self._numbers))

    def groups(self, cells_of: Sequence[Sequence[str]]) -> Iterator[Group]:
        """Yield the values of each property."""
        for field, read in self._fields:
            texts = cells_of[field.place] if field.is_exact else _stripped(cells_of[field.place])
            nothing = ("",) if field.is_exact else _NOTHING
            if field.kind is None:
                raw = ["" if text == "\\N" else text for text in texts] if "\\N" in texts else texts
                yield filled(PROPERTY, raw, self.number(ColumnKey(field.name, None, unit=field.unit)))
                continue
            by_column: dict[int, tuple[list[int], list[str]]] = {}
            for row, text in enumerate(texts):
                value = None if text in nothing else read(text)
                if value is not None:
                    for key, carried in property_facts({field.name: value}):
                        number = self.number(key._replace(unit=field.unit))
                        rows, carried_texts = by_column.setdefault(number, ([], []))
                        rows.append(row)
                        carried_texts.append(carried)
            for column, (rows, carried_texts) in by_column.items():
                yield Group(PROPERTY, rows, carried_texts, column)


def fact_block(keys: Sequence[str], groups: Sequence[Group], columns: tuple[ColumnKey, ...]) -> FactBlock:
    """Return facts about entities as a block; each entity exists, whatever is said of it."""
    n = len(keys)
    data, starts, ends = spans_of([*keys, *(text for group in groups for text in group.texts)])
    rows = np.concatenate([np.arange(n), *(np.asarray(group.rows, dtype=np.int64) for group in groups)])
    sizes = [n, *(len(group.texts) for group in groups)]
    kind = np.repeat(np.array([DESCRIBED, *(group.kind for group in groups)], dtype=np.uint8), sizes)
    column = np.repeat(np.array([0, *(group.column for group in groups)], dtype=np.int32), sizes)
    key_starts, key_ends = starts[:n][rows], ends[:n][rows]
    starts[:n] = ends[:n] = 0  # that an entity exists has no text
    rank = np.zeros(len(kind), dtype=np.uint8)
    return FactBlock(data, key_starts, key_ends, starts, ends, kind, rank, columns, column if columns else None)


def can_block(columns: EdgeColumns) -> bool:
    """Return whether the rows of a table of edges are read by `edge_blocks`."""
    return columns.direction is None and columns.relation_label is None


def edge_blocks(
    rows: Iterator[Row], columns: EdgeColumns, reading: FileReading, file: Path, fault: Fault
) -> Iterator[TripleBlock]:
    """Yield the edges of rows; a row without head, relation or tail is a bad record.

    Args:
        rows: The rows, all with as many cells as there are columns.
        columns: The columns of the table, for which `can_block` holds.
        reading: Receives bad records and what is not read.
        file: The file.
        fault: Makes the error about a row.
    """
    default = reading.options.relation or ""
    first, last = (f"{space}/" if space and reading.table.spaces else "" for space in columns.spaces)
    values = ColumnValues(columns.fields, reading, file.name)

    def complete() -> Iterator[list[str]]:
        for line, cells in rows:
            relation = default if columns.relation is None else cells[columns.relation].strip() or default
            if cells[columns.head].strip() and relation and cells[columns.tail].strip():
                yield cells
            else:
                reading.bad.add(fault(line, cells))

    good = complete()
    while batch := list(islice(good, _ROWS)):
        cells_of = list(zip(*batch, strict=True))
        heads, tails = (_stripped(cells_of[place]) for place in (columns.head, columns.tail))
        relations = [default] * len(heads)
        if columns.relation is not None:
            relations = [cell.strip() or default for cell in cells_of[columns.relation]]
        if first or last:
            heads, tails = [first + head for head in heads], [last + tail for tail in tails]
        yield triple_block((heads, relations, tails), list(values.groups(cells_of)), values.columns)


def triple_block(
    cells: tuple[list[str], list[str], list[str]], groups: list[Group], columns: tuple[ColumnKey, ...]
) -> TripleBlock:
    """Return heads, relations and tails with the properties of the triples as a block."""
    n = len(cells[0])
    data, starts, ends = spans_of(
        [*cells[0], *cells[1], *cells[2], *(text for group in groups for text in group.texts)]
    )
    triple_starts, triple_ends = starts[: 3 * n].reshape(3, n), ends[: 3 * n].reshape(3, n)
    sizes = [len(group.texts) for group in groups]
    if not sum(sizes):
        return TripleBlock(data, triple_starts, triple_ends)
    triple = np.concatenate([np.asarray(group.rows, dtype=np.int64) for group in groups])
    column = np.repeat(np.array([group.column for group in groups], dtype=np.int32), sizes)
    own = TripleValues(columns, triple, column, starts[3 * n :], ends[3 * n :])
    return TripleBlock(data, triple_starts, triple_ends, own)
