"""Reader of delimited text: rows with their line numbers, and triples made from rows.

Comma and semicolon files are CSV as defined by RFC 4180: quoted cells may hold delimiters and line ends. A cell of
over 131,072 characters is a bad record, as it is most likely an unclosed quote. With any other delimiter, lines are
split at every delimiter and quotes are ordinary characters. Triples in such lines are split by pyarrow, block by block.
"""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.columns import triple_columns
from graphbrick.graphs.readers.streams import (
    Meter,
    blocks,
    line_fault,
    no_rows,
    not_text,
    open_source,
    text_lines,
    unpacked_name,
    whole_lines,
)
from graphbrick.graphs.records.blocks import TripleBlock
from graphbrick.graphs.records.records import BadRecords, TripleRecord

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions
    from graphbrick.graphs.readers.reader import FileReading

DELIMITERS: dict[str, str | None] = {".txt": None, ".tsv": "\t", ".tab": "\t", ".csv": ",", ".psv": "|"}
"""Delimiter by file suffix; None if it has to be detected from the lines."""

_CANDIDATES = ("|", "\t", ",", ";")
_QUOTED = (",", ";")
_SPELLED = {"\\t": "\t", "tab": "\t"}
_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon"}
_SAMPLE_BYTES = 1 << 16
_SAMPLE_LINES = 50
_LARGEST = (1 << 31) - 2  # bytes that pyarrow reads at once

Row: TypeAlias = tuple[int, list[str]]
"""(number of the row's first line, cells)"""


def suffix(file: Path) -> str:
    """Return the suffix that names the format of a file, lower-case and without ``.gz`` or ``.zst``.

    >>> suffix(Path("kb.TXT.gz"))
    '.txt'
    """
    return Path(unpacked_name(file)).suffix


def read_triples(file: Path, reading: FileReading) -> Iterator[TripleBlock | TripleRecord]:
    """Yield the triples of a delimited file.

    The file has three columns, or a header or the options name the columns to use.

    Raises:
        InputError: No rows, a missing column, or the first bad record unless ``bad`` skips them.
    """
    options, bad = reading.options, reading.bad
    delimiter = choose_delimiter(file, options, columns=3)

    def layout(cells: list[str]) -> tuple[Triples, bool]:
        places, header = triple_columns(cells, options, file)
        return Triples(file, delimiter, len(cells) if header or options.columns else 3, places), header

    if delimiter not in _QUOTED and len(delimiter.encode()) == 1:
        yield from _blocks_of_triples(file, delimiter, layout, reading)
        return
    rows = read_rows(file, delimiter, options.max_line_bytes, bad, reading.meter)
    first = first_row(rows, file, bad)
    if first is None:
        return
    triples, header = layout(first[1])
    for line, cells in rows if header else chain([first], rows):
        if (triple := triples.of(line, cells, bad)) is not None:
            yield triple


class Triples(NamedTuple):
    """Column layout of the triples in a file: number of columns, and indices of head, relation and tail."""

    file: Path
    delimiter: str
    width: int
    places: tuple[int, int, int]

    def of(self, line: int, cells: list[str], bad: BadRecords) -> TripleRecord | None:
        """Return the triple of a row; None if the row is bad."""
        if len(cells) == self.width:
            head, relation, tail = (cells[place].strip() for place in self.places)
            if head and relation and tail:
                return head, relation, tail
        bad.add(_bad_triple(self.file, line, cells, self.delimiter, self.width, self.places))
        return None


def _blocks_of_triples(
    file: Path, delimiter: str, layout: Callable[[list[str]], tuple[Triples, bool]], reading: FileReading
) -> Iterator[TripleBlock]:
    """Yield the triples of a file without quoting, block by block."""
    triples, bad = None, reading.bad
    for first, data in blocks(file, reading.options.max_line_bytes, bad, reading.meter):
        start = 0
        if triples is None:
            lines = enumerate(whole_lines(data), first)
            row = next((row for line in lines for row in _literal_rows(*line, delimiter, file, bad)), None)
            if row is None:
                continue
            triples, header = layout(row[1])
            # Everything before the first row is blank or already reported.
            for _ in range(row[0] - first + header):
                start = data.find(b"\n", start) + 1 or len(data)
            first = row[0] + header
        if start < len(data):
            yield _block_of_triples(first, data[start:], triples, bad)
    if triples is None and not bad.count:
        raise no_rows(file)


def _block_of_triples(first: int, data: bytes, triples: Triples, bad: BadRecords) -> TripleBlock:
    """Return the triples of a block of lines: pyarrow splits it, and bad lines are then read one at a time."""
    # To pyarrow, every carriage return ends a line, and a byte order mark is not part of the first cell.
    lone_return = b"\r" in data and data.count(b"\r") != data.count(b"\r\n")
    if lone_return or data.startswith(codecs.BOM_UTF8) or len(data) > _LARGEST or line_fault(data):
        rows = _literal_rows(first, data, triples.delimiter, triples.file, bad)
        return TripleBlock.of([triple for line, cells in rows if (triple := triples.of(line, cells, bad)) is not None])
    block, left_out = _split_block(data, triples)
    good = (block.starts < block.ends).all(axis=0)
    if good.all() and not left_out:
        return block
    lines = [(number, line) for number, line in enumerate(whole_lines(data), first) if line.strip(b"\r")]
    is_bad = np.ones(len(lines), dtype=np.bool_)
    is_bad[np.delete(np.arange(len(lines)), left_out)[good]] = False
    for place in np.flatnonzero(is_bad).tolist():
        for number, cells in _literal_rows(*lines[place], triples.delimiter, triples.file, bad):
            triples.of(number, cells, bad)
    # In C order, as all blocks are: kernels are compiled for it.
    return block.kept(np.asarray(good))


def _split_block(data: bytes, triples: Triples) -> tuple[TripleBlock, list[int]]:
    """Return the stripped cells of lines with enough cells, and the indices of the other lines that are not empty."""
    import pyarrow
    from pyarrow import compute
    from pyarrow import csv as arrow

    left_out: list[int] = []

    def leave_out(row: arrow.InvalidRow) -> str:
        left_out.append(row.number - 1)
        return "skip"

    names = [str(place) for place in range(triples.width)]
    needed = [names[place] for place in triples.places]
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
    offsets = np.stack([np.frombuffer(column[1], dtype=np.int32) for column in columns])
    before = np.cumsum([0, *map(len, text[:2])])[:, np.newaxis]
    # Two arrays, as a builder moves starts and ends when it strips a prefix.
    return TripleBlock(np.concatenate(text), offsets[:, :-1] + before, offsets[:, 1:] + before), left_out


def _bad_triple(
    file: Path, line: int, cells: list[str], delimiter: str, width: int, places: tuple[int, int, int]
) -> InputError:
    if len(cells) != width:
        need = "a triple needs 3" if width == 3 else f"the first row has {width}"
        advice = "; choose three with --columns" if len(cells) > width == 3 else ""
        return wrong_width(file, line, cells, delimiter, need, width, advice=advice)
    named = zip(("head", "relation", "tail"), places, strict=True)
    empty = next(name for name, place in named if not cells[place].strip())
    return InputError(f"the {empty} is empty", file, line, delimiter.join(cells), code="reader.empty_cell", cell=empty)


def wrong_width(
    file: Path, line: int, cells: list[str], delimiter: str, need: str, width: int, *, advice: str = ""
) -> InputError:
    """Return the error for a row with too many or too few columns; suggests a delimiter that fits."""
    text = delimiter.join(cells)
    columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
    reason = f"{columns} with delimiter {_named(delimiter)}; {need}"
    other = next((mark for mark in _CANDIDATES if mark != delimiter and len(split_line(text, mark)) == width), None)
    if other is not None:
        held, spelled = ("a tab", "tab") if other == "\t" else (repr(other), repr(other))
        reason += f"; the line holds {held}: try --delimiter {spelled}"
    values = {"columns": len(cells), "width": width, "delimiter": delimiter, "fits": other}
    return InputError(reason + advice, file, line, text, code="reader.wrong_width", **values)


def _named(delimiter: str) -> str:
    return _NAMES.get(delimiter, repr(delimiter))


def first_row(rows: Iterator[Row], file: Path, bad: BadRecords) -> Row | None:
    """Return the first row; None if there were only bad records, which are already reported.

    Raises:
        InputError: The file holds only blank lines.
    """
    row = next(rows, None)
    if row is None and not bad.count:
        raise no_rows(file)
    return row


def choose_delimiter(file: Path, options: ReadOptions, columns: int, required: bool = True) -> str:
    """Return the delimiter of the options, else of the suffix, else the best fit to the first lines.

    Args:
        file: The file; its first lines may be read.
        options: May give a delimiter.
        columns: Minimum number of columns of a row.
        required: Whether the delimiter of the options is used even if the first line does not contain it.
    """
    spelled = spelled_delimiter(options)
    if spelled and (required or any(spelled in line for line in _sample(file)[:1])):
        return spelled
    return DELIMITERS.get(suffix(file)) or best_delimiter(_sample(file), columns)


def spelled_delimiter(options: ReadOptions) -> str | None:
    """Return the delimiter of the options as a character; None if they give none."""
    return options.delimiter and _SPELLED.get(options.delimiter, options.delimiter)


def _sample(file: Path) -> list[str]:
    """Return the first non-blank lines."""
    with open_source(file) as stream:
        data = stream.read(_SAMPLE_BYTES)
    lines = data.decode(errors="replace").split("\n")
    if len(data) == _SAMPLE_BYTES and len(lines) > 1:
        lines.pop()  # cut in the middle
    return [line for line in lines if line.strip()][:_SAMPLE_LINES]


def best_delimiter(lines: Sequence[str], columns: int) -> str:
    """Return the delimiter that fits the lines best.

    A delimiter that splits every line into exactly ``columns`` columns wins. Otherwise, the winner splits the most
    lines into the same number of columns, at least ``columns``.
    """

    def fit(delimiter: str) -> tuple[bool, int]:
        widths = Counter(len(split_line(line, delimiter)) for line in lines)
        enough = [width for width in widths if width >= columns]
        best = max(enough, key=lambda width: widths[width], default=0)
        return widths[columns] == len(lines), widths[best]

    best = max(_CANDIDATES, key=fit)  # ties go to the first
    return best if fit(best)[1] else "\t"


def split_line(line: str, delimiter: str) -> list[str]:
    """Split one line like `read_rows`, ignoring quoted line ends."""
    if delimiter not in _QUOTED:
        return line.split(delimiter)
    try:
        return next(csv.reader([line[:_SAMPLE_BYTES]], delimiter=delimiter), [])
    except csv.Error:
        return [line]  # not CSV with any delimiter


def read_rows(
    file: Path, delimiter: str, max_line_bytes: int, bad: BadRecords, meter: Meter | None = None
) -> Iterator[Row]:
    """Yield the rows of a delimited file; blank lines are skipped, unreadable lines are bad records."""
    if delimiter in _QUOTED:
        yield from _quoted_rows(file, delimiter, max_line_bytes, bad, meter)
        return
    for first, data in blocks(file, max_line_bytes, bad, meter):
        yield from _literal_rows(first, data, delimiter, file, bad)


def _literal_rows(first: int, data: bytes, delimiter: str, file: Path, bad: BadRecords) -> Iterator[Row]:
    """Yield the rows of a block of lines in a file without quoting."""
    for number, (line, fault) in enumerate(text_lines(data), first):
        if fault:
            bad.add(not_text(fault, file, number, line))
            continue
        cells = line.split(delimiter)
        if len(cells) > 1 or line.strip():
            yield number, cells


class _Lines:
    """Line source of the CSV parser; records the first line and the fault of the current record."""

    def __init__(self, file: Path, max_line_bytes: int, bad: BadRecords, meter: Meter | None) -> None:
        self._numbered = (
            (number, line, fault)
            for first, data in blocks(file, max_line_bytes, bad, meter)
            for number, (line, fault) in enumerate(text_lines(data), first)
        )
        self._last, self._file, self._limit = 0, file, max_line_bytes
        self.begin()

    def begin(self) -> None:
        """Start a new record with the next line."""
        self.start, self.fault, self.text, self._size = 0, "", "", 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        number, line, fault = next(self._numbered)
        if self.start and number != self._last + 1:
            fault = fault or f"a quoted cell goes on over line {self._last + 1}, which is too long"
        if not self.start:
            self.start, self.text = number, line
        self._last, self.fault = number, self.fault or fault
        self._size += len(line)
        if self._size > self._limit:
            raise csv.Error(f"the record is longer than {self._limit:,} characters; is a quote not closed?")
        return line + "\n"


def _quoted_rows(
    file: Path, delimiter: str, max_line_bytes: int, bad: BadRecords, meter: Meter | None
) -> Iterator[Row]:
    lines = _Lines(file, max_line_bytes, bad, meter)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"not CSV, perhaps a quote left open: {error}"
            bad.add(InputError(reason, file, lines.start, lines.text, code="reader.not_csv"))
            continue
        if lines.fault:
            bad.add(not_text(lines.fault, file, lines.start, lines.text))
        elif len(cells) > 1 or (cells and cells[0].strip()):
            yield lines.start, cells
