"""Rows of delimited text with their line numbers.

Comma and semicolon files are CSV as defined by RFC 4180: quoted cells may hold delimiters and line ends. A cell of
over 131,072 characters is a bad record, as it is most likely an unclosed quote. With any other delimiter, lines are
split at every delimiter and quotes are ordinary characters, unless the options or the first lines say that cells are
quoted.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.streams import (
    Meter,
    blocks,
    ends_with_returns,
    line_fault,
    no_rows,
    not_text,
    open_source,
    text_lines,
    unpacked_name,
    whole_lines,
)
from graphbrick.graphs.records.records import BadRecords

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions
    from graphbrick.graphs.readers.reader import FileReading

DELIMITERS: dict[str, str | None] = {
    **dict.fromkeys((".txt", ".edges", ".edgelist")),
    ".tsv": "\t",
    ".tab": "\t",
    ".csv": ",",
    ".psv": "|",
}
"""Delimiter by file suffix; None if it has to be detected from the lines."""

BLANK = " "
"""The delimiter that stands for any number of blanks and tabs."""

_CANDIDATES = ("|", "\t", ",", ";")
_QUOTED = (",", ";")
_SUGGESTED = (*_CANDIDATES, "~", "^")
_STATED = re.compile(r"sep=(.)")
_SPELLED = {"\\t": "\t", "tab": "\t", "blank": BLANK, "space": BLANK}
_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", BLANK: "blank"}
_SAMPLE_BYTES = 1 << 16
_SAMPLE_LINES = 50
_NEARLY_ALL = 0.8  # of the first lines with a delimiter have the same number of cells
_COMMENTS = ("#", "%")

Row: TypeAlias = tuple[int, list[str]]
"""(number of the row's first line, cells)"""


def suffix(file: Path) -> str:
    """Return the suffix that names the format of a file, lower-case and without ``.gz`` or ``.zst``.

    >>> suffix(Path("kb.TXT.gz"))
    '.txt'
    """
    return Path(unpacked_name(file)).suffix


@dataclass(frozen=True)
class Table:
    """A delimited file: how its lines are split, and its first rows.

    Attributes:
        file: The file.
        delimiter: The text between cells.
        quoted: Whether cells may stand in quotes.
        least: The fewest columns that its rows may have.
        first: The first row: the header, if there is one.
        samples: Some rows after the first, of as many cells.
        rest: All of the first rows after the first, whatever their width.
    """

    file: Path
    delimiter: str
    quoted: bool
    least: int
    first: list[str]
    samples: list[list[str]]
    rest: list[list[str]]

    @classmethod
    def open(cls, file: Path, reading: FileReading, least: int, *, required: bool = True) -> Table:
        """Read the first rows of a file.

        Args:
            file: The file.
            reading: May give delimiter, quoting, and a header that stands in a file apart.
            least: The fewest columns that its rows may have.
            required: Whether the delimiter of the options is used even if the first line does not contain it.
        """
        options, header = reading.options, list(reading.table.header)
        lines, is_cut = _sample(file)
        delimiter = choose_delimiter(file, options, least, required)
        text = "\n".join(lines)
        looks_quoted = delimiter in _QUOTED or are_quoted(text, delimiter, least, is_cut=is_cut)
        quoted = delimiter != BLANK and (looks_quoted if options.quote is None else options.quote)
        rows = [row for row in _sample_rows(lines, delimiter, quoted=quoted) if not is_comment(row, least)]
        first = header or (rows.pop(0) if rows else [])
        samples = [row for row in rows if len(row) == len(first)]
        return cls(file, delimiter, quoted, least, first, samples, rows)

    def rows(self, reading: FileReading) -> Iterator[Row]:
        """Yield the rows, without comments before the first.

        Raises:
            InputError: The file holds only blank lines, or a bad record is not skipped.
        """
        limit, bad = reading.options.max_line_bytes, reading.bad
        rows = read_rows(self.file, self.delimiter, limit, bad, reading.meter, quoted=self.quoted)
        first = first_row(rows, self.file, bad)
        while first is not None and is_comment(first[1], self.least):
            note_comment(self, first[1], reading)
            first = next(rows, None)
        return iter(()) if first is None else chain([first], rows)

    def check(self, reading: FileReading) -> None:
        """Read a file whose first rows show no row, to report what is wrong with them."""
        for _, cells in self.rows(reading):
            reading.bad.add(wrong_width(self.file, 1, cells, self.delimiter, f"{self.least} are needed", self.least))


def is_comment(cells: Sequence[str], least: int) -> bool:
    """Return whether a row before the first one is a comment: ``# Nodes: 6``, as in edge lists of SNAP.

    So is ``sep=;``, by which Excel states the delimiter.
    """
    return (cells[0].startswith(_COMMENTS) and (least < 3 or len(cells) != 3)) or cells == ["sep=", ""]


def note_comment(table: Table, cells: list[str], reading: FileReading) -> None:
    """Report a comment before the first row."""
    what = f"lines of comments before the first row of {table.file.name}"
    reading.left_out.add(what, table.delimiter.join(cells)[:80])


def wrong_width(
    file: Path, line: int, cells: list[str], delimiter: str, need: str, width: int, *, advice: str = ""
) -> InputError:
    """Return the error for a row with too many or too few columns; suggests a delimiter that fits."""
    text = delimiter.join(cells)
    columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
    reason = f"{columns} with delimiter {_named(delimiter)}; {need}"
    widths = {mark: len(split_line(text, mark)) for mark in _SUGGESTED if mark != delimiter}
    other = next((mark for mark, count in widths.items() if count == width), None)
    if other is None and len(cells) == 1:
        other = next((mark for mark, count in widths.items() if count > width), None)
    if other is not None:
        held, spelled = ("a tab", "tab") if other == "\t" else (repr(other), repr(other))
        reason += f"; the line holds {held}: try --delimiter {spelled}"
    values = {"columns": len(cells), "width": width, "delimiter": delimiter, "fits": other}
    return InputError(reason + (advice if other is None else ""), file, line, text, code="reader.wrong_width", **values)


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
    spelled, lines = spelled_delimiter(options), _sample(file)[0]
    if spelled and (required or any(spelled in line for line in lines[:1])):
        return spelled
    stated = _STATED.fullmatch(lines[0]) if lines else None
    if stated:
        return stated[1]
    return DELIMITERS.get(suffix(file)) or best_delimiter(lines[:_SAMPLE_LINES], columns)


def other_delimiter(file: Path, delimiter: str) -> str | None:
    """Return a delimiter that splits nearly all first lines alike, where the given one splits none; else None.

    One that splits most lines but not the first, as the commas of decimals do below «Stadt;Einwohner», splits none.
    """
    lines = _sample(file)[0][:_SAMPLE_LINES]
    is_split = [len(split_line(line, delimiter)) > 1 for line in lines]
    if not lines or (sum(is_split) > len(lines) / 2 and (is_split[0] or len(lines) == 1)):
        return None
    for mark in _SUGGESTED:
        widths = Counter(len(split_line(line, mark)) for line in lines)
        width, count = widths.most_common(1)[0]
        if mark != delimiter and width > 1 and count >= _NEARLY_ALL * (len(lines) - widths[1]) and count > 1:
            return mark
    return None


def spelled_delimiter(options: ReadOptions) -> str | None:
    """Return the delimiter of the options as a character; None if they give none."""
    return options.delimiter and _SPELLED.get(options.delimiter, options.delimiter)


def _sample(file: Path) -> tuple[list[str], bool]:
    """Return the first lines that are text and not blank, and whether the file goes on after them."""
    with open_source(file) as stream:
        returns = ends_with_returns(stream)
        data = stream.read(_SAMPLE_BYTES)
    lines = whole_lines(data.replace(b"\r", b"\n") if returns else data)
    is_cut = len(data) == _SAMPLE_BYTES and len(lines) > 1
    if is_cut:
        lines.pop()  # cut in the middle
    return [text for line in lines if not line_fault(line) and (text := line.decode().rstrip("\r")).strip()], is_cut


def _sample_rows(lines: list[str], delimiter: str, *, quoted: bool) -> list[list[str]]:
    """Return the rows of the first lines."""
    if not quoted:
        return [split_line(line, delimiter, quoted=False) for line in lines]
    rows: list[list[str]] = []
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    while True:
        try:
            rows.extend(row for row in reader if row)
        except csv.Error as error:
            if "unexpected end" not in str(error):
                continue
        return rows


def are_quoted(text: str, delimiter: str, least: int, *, is_cut: bool) -> bool:
    """Return whether lines are CSV with a delimiter: every cell that begins with a quote ends with one.

    A cell that is one quote and nothing else is not quoted. If all lines have the same number of cells, no cell
    continues on the next line.

    >>> are_quoted("'a'|'b'|d".replace("'", '"'), "|", 3, is_cut=False), are_quoted('"a|b" c|d', "|", 3, is_cut=False)
    (True, False)
    """
    if delimiter == BLANK or len(delimiter) > 1 or f'{delimiter}"' not in f"{delimiter}{text}".replace("\n", delimiter):
        return False
    widths, lines = set(), [line for line in text.split("\n") if line.strip()]
    if any('"' in line.rstrip("\r").split(delimiter) for line in lines):
        return False
    is_even = len({line.count(delimiter) for line in lines}) == 1
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for number, row in enumerate(reader, 1):
            if is_even and reader.line_num != number:
                return False
            widths.add(len(row))
    except csv.Error as error:
        if not (is_cut and "unexpected end" in str(error)):
            return False
    return len(widths) == 1 and min(widths) >= least


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
    if fit(best)[1]:
        return best
    rows = [line.split() for line in lines if not line.startswith(_COMMENTS)]
    has_blanks = len({len(cells) for cells in rows}) == 1 and 1 < len(rows[0]) <= max(columns, 3)
    return BLANK if has_blanks else "\t"


def split_line(line: str, delimiter: str, *, quoted: bool | None = None) -> list[str]:
    """Split one line like `read_rows`, ignoring quoted line ends."""
    if not (delimiter in _QUOTED if quoted is None else quoted):
        return line.split(None if delimiter == BLANK else delimiter)
    try:
        return next(csv.reader([line[:_SAMPLE_BYTES]], delimiter=delimiter), [])
    except csv.Error:
        return [line]  # not CSV with any delimiter


def read_rows(
    file: Path,
    delimiter: str,
    max_line_bytes: int,
    bad: BadRecords,
    meter: Meter | None = None,
    *,
    quoted: bool | None = None,
) -> Iterator[Row]:
    """Yield the rows of a delimited file; blank lines are skipped, unreadable lines are bad records.

    Args:
        file: The file.
        delimiter: The text between cells.
        max_line_bytes: A longer line is a bad record.
        bad: Receives the bad records.
        meter: Updated with the number of bytes read.
        quoted: Whether cells may stand in quotes; None for files with commas or semicolons only.
    """
    if delimiter in _QUOTED if quoted is None else quoted:
        yield from _quoted_rows(file, delimiter, max_line_bytes, bad, meter)
        return
    for first, data in blocks(file, max_line_bytes, bad, meter):
        yield from literal_rows(first, data, delimiter, file, bad)


def literal_rows(first: int, data: bytes, delimiter: str, file: Path, bad: BadRecords) -> Iterator[Row]:
    """Yield the rows of a block of lines in a file without quoting."""
    for number, (line, fault) in enumerate(text_lines(data), first):
        if fault:
            bad.add(not_text(fault, file, number, line))
            continue
        cells = line.split(None if delimiter == BLANK else delimiter)
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
            advice = "" if delimiter in _QUOTED else "; if quotes are ordinary characters in this file, say --no-quote"
            reason = f"not CSV, perhaps a quote left open: {error}{advice}"
            bad.add(InputError(reason, file, lines.start, lines.text, code="reader.not_csv"))
            continue
        if lines.fault:
            bad.add(not_text(lines.fault, file, lines.start, lines.text))
        elif len(cells) > 1 or (cells and cells[0].strip()):
            yield lines.start, cells
