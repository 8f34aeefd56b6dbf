"""Triples of delimited text: row by row, and without quoting in blocks that pyarrow splits."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.columns import EdgeColumns
from graphbrick.graphs.readers.delimited import BLANK, Table, is_comment, literal_rows, note_comment, wrong_width
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.row_blocks import can_block
from graphbrick.graphs.readers.streams import blocks, line_fault, no_rows, whole_lines
from graphbrick.graphs.records.blocks import TripleBlock
from graphbrick.graphs.records.records import BadRecords, TripleRecord
from graphbrick.kernels.strings.spans import Bytes

_LARGEST = (1 << 31) - 2  # bytes that pyarrow reads at once


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
    """Return the triples of lines, which pyarrow splits; bad lines are then read one at a time."""
    # To pyarrow, every carriage return ends a line, and a byte order mark is not part of the first cell.
    lone_return = b"\r" in data and data.count(b"\r") != data.count(b"\r\n")
    if lone_return or data.startswith(codecs.BOM_UTF8) or len(data) > _LARGEST or line_fault(data):
        rows = literal_rows(first, data, triples.delimiter, triples.file, bad)
        return TripleBlock.of([triple for line, cells in rows if (triple := triples.of(line, cells, bad)) is not None])
    block, left_out = _split_block(data, triples)
    good = (block.starts < block.ends).all(axis=0)
    if good.all() and not left_out:
        return block
    lines = [(number, line) for number, line in enumerate(whole_lines(data), first) if line.strip(b"\r")]
    is_bad = np.ones(len(lines), dtype=np.bool_)
    is_bad[np.delete(np.arange(len(lines)), left_out)[good]] = False
    for place in np.flatnonzero(is_bad).tolist():
        for number, cells in literal_rows(*lines[place], triples.delimiter, triples.file, bad):
            triples.of(number, cells, bad)
    # In C order, as all blocks are: kernels are compiled for it.
    return block.kept(np.asarray(good))


def _split_block(data: bytes, triples: Triples) -> tuple[TripleBlock, list[int]]:
    """Return the stripped cells of lines with enough cells, and the indices of other filled lines."""
    import pyarrow
    from pyarrow import compute
    from pyarrow import csv as arrow

    left_out: list[int] = []

    def leave_out(row: arrow.InvalidRow) -> str:
        left_out.append(row.number - 1)
        return "skip"

    names = [str(place) for place in range(triples.width)]
    needed = [names[place] for place in triples.places if place is not None]
    types = dict.fromkeys(needed, pyarrow.string())
    table = arrow.read_csv(
        pyarrow.py_buffer(data),
        read_options=arrow.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
        parse_options=arrow.ParseOptions(delimiter=triples.delimiter, quote_char=False, invalid_row_handler=leave_out),
        convert_options=arrow.ConvertOptions(check_utf8=False, column_types=types, include_columns=needed),
    )
    if not table.num_rows:
        return TripleBlock.of([]), left_out
    columns = [compute.utf8_trim_whitespace(column).chunk(0).buffers() for column in table.columns]
    text = [np.frombuffer(column[2] or b"", dtype=np.uint8) for column in columns]
    ends = [np.frombuffer(column[1], dtype=np.int32) for column in columns]
    if triples.places[1] is None:
        return _with_relation(text, ends, triples.relation.encode()), left_out
    offsets = np.stack(ends)
    before = np.cumsum([0, *map(len, text[:2])])[:, np.newaxis]
    # Two arrays, as a builder moves starts and ends when it strips a prefix.
    return TripleBlock(np.concatenate(text), offsets[:, :-1] + before, offsets[:, 1:] + before), left_out


def _with_relation(text: list[Bytes], offsets: list[npt.NDArray[np.int32]], relation: bytes) -> TripleBlock:
    """Return a block of heads and tails that all have one relation."""
    data = np.concatenate([*text, np.frombuffer(relation, dtype=np.uint8)])
    size = len(data) - len(relation)
    (heads, tails), n = offsets, len(offsets[0]) - 1
    starts, ends = (
        np.stack([heads[part], np.full(n, middle), tails[part] + len(text[0])]).astype(np.int64)
        for part, middle in ((slice(None, -1), size), (slice(1, None), len(data)))
    )
    return TripleBlock(data, starts, ends)


def bad_triple(
    file: Path, line: int, cells: list[str], delimiter: str, width: int, places: tuple[int, int | None, int]
) -> InputError:
    """Return the error about a row that is not a triple: too many or too few cells, or an empty one."""
    if len(cells) != width:
        need = "a triple needs 3" if width == 3 else f"the first row has {width}"
        advice = "; choose three with --columns" if len(cells) > width == 3 else ""
        if len(cells) == 2 < width:
            advice = "; for edges without a relation give one for all: --relation NAME"
        return wrong_width(file, line, cells, delimiter, need, width, advice=advice)
    named = zip(("head", "relation", "tail"), places, strict=True)
    empty = next(name for name, place in named if place is not None and not cells[place].strip())
    advice = "; --relation NAME gives edges without a relation one" if empty == "relation" else ""
    reason = f"the {empty} is empty{advice}"
    return InputError(reason, file, line, delimiter.join(cells), code="reader.empty_cell", cell=empty)
