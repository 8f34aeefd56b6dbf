"""Triples of delimited text: row by row, and without quoting in blocks that a kernel splits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.columns import EdgeColumns
from graphbrick.graphs.readers.delimited import BLANK, Table, is_comment, literal_rows, note_comment, wrong_width
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.row_blocks import can_block
from graphbrick.graphs.readers.streams import blocks, line_fault, no_rows, whole_lines
from graphbrick.graphs.records.blocks import TripleBlock
from graphbrick.graphs.records.interner import as_bytes
from graphbrick.graphs.records.records import BadRecords, TripleRecord
from graphbrick.kernels.strings.delimited import split_triples


class Triples(NamedTuple):
    """Column layout of the triples in a file: number of columns, and indices of head, relation and tail.

    Without a column of relations, ``relation`` is that of all triples.
    """

    file: Path
    delimiter: str
    width: int
    places: tuple[int, int | None, int]
    relation: str = ""

    def of(self, line: int, cells: list[str], bad: BadRecords) -> TripleRecord | None:
        """Return the triple of a row; None if the row is bad."""
        if len(cells) == self.width:
            head, relation, tail = (self.relation if place is None else cells[place].strip() for place in self.places)
            if head and relation and tail:
                return head, relation, tail
        bad.add(bad_triple(self.file, line, cells, self.delimiter, self.width, self.places))
        return None


def in_blocks(table: Table, columns: EdgeColumns, reading: FileReading) -> bool:
    """Return whether the triples of a table can be read in blocks."""
    is_plain = can_block(columns) and not columns.fields and columns.spaces == ("", "")
    has_default = columns.relation is not None and reading.options.relation is not None
    is_literal = not table.quoted and len(table.delimiter.encode()) == 1 and table.delimiter != BLANK
    return is_plain and is_literal and not has_default and not reading.table.header


def blocks_of_triples(table: Table, columns: EdgeColumns, reading: FileReading) -> Iterator[TripleBlock]:
    """Yield the triples of a file without quoting, block by block."""
    places = (columns.head, columns.relation, columns.tail)
    triples = Triples(table.file, table.delimiter, columns.width, places, reading.options.relation or "")
    is_first, bad = True, reading.bad
    for first, data in blocks(table.file, reading.options.max_line_bytes, bad, reading.meter):
        start = 0
        if is_first:
            lines = enumerate(whole_lines(data), first)
            rows = (row for line in lines for row in literal_rows(*line, table.delimiter, table.file, bad))
            row = next(rows, None)
            while row is not None and is_comment(row[1], table.least):
                note_comment(table, row[1], reading)
                row = next(rows, None)
            if row is None:
                continue
            is_first = False
            # Everything before the first row is blank, a comment, or already reported.
            for _ in range(row[0] - first + columns.header):
                start = data.find(b"\n", start) + 1 or len(data)
            first = row[0] + columns.header
        if start < len(data):
            yield _block_of_triples(first, data[start:], triples, bad)
    if is_first and not bad.count:
        raise no_rows(table.file)


def _block_of_triples(first: int, data: bytes, triples: Triples, bad: BadRecords) -> TripleBlock:
    """Return the triples of lines, which a kernel splits; unusual lines are read one at a time."""
    if line_fault(data):
        rows = literal_rows(first, data, triples.delimiter, triples.file, bad)
        return TripleBlock.of([triple for line, cells in rows if (triple := triples.of(line, cells, bad)) is not None])
    places = np.array([-1 if place is None else place for place in triples.places], dtype=np.int64)
    text = as_bytes(data if triples.places[1] is not None else data + triples.relation.encode())
    starts, ends, odd = split_triples(text, len(data), ord(triples.delimiter), triples.width, places)
    before, records = list[int](), list[TripleRecord]()
    for number, start, end, n in odd.tolist():
        for line, cells in literal_rows(first + number, data[start:end], triples.delimiter, triples.file, bad):
            triple = triples.of(line, cells, bad)
            if triple is not None:
                before.append(n)
                records.append(triple)
    return TripleBlock(text, starts, ends).merged(before, records)


def bad_triple(
    file: Path, line: int, cells: list[str], delimiter: str, width: int, places: tuple[int, int | None, int]
) -> InputError:
    """Return the error about a row that is not a triple: too many or too few cells, or an empty one."""
    if len(cells) != width:
        need = "a triple needs 3" if width == 3 else f"the first row has {width}"
        advice = ""
        if len(cells) > width == 3:
            advice = "; choose three with --columns, or say --header if the first row names the columns of records"
        elif len(cells) == 2 < width:
            advice = "; for edges without a relation give one for all: --relation NAME; for records, say --header"
        elif len(cells) == 1 and width == 3:
            advice = "; for records below a header, say --header"
        return wrong_width(file, line, cells, delimiter, need, width, advice=advice)
    named = zip(("head", "relation", "tail"), places, strict=True)
    empty = next(name for name, place in named if place is not None and not cells[place].strip())
    advice = "; --relation NAME gives edges without a relation one" if empty == "relation" else ""
    reason = f"the {empty} is empty{advice}"
    return InputError(reason, file, line, delimiter.join(cells), code="reader.empty_cell", cell=empty)
