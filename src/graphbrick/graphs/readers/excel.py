"""Reader of nodes and edges in the sheets of Excel workbooks (.xlsx), by openpyxl."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import chain, islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from graphbrick.core.errors import InputError, ModelError
from graphbrick.graphs.readers.columns import edge_columns, node_columns
from graphbrick.graphs.readers.ends import counted_ends
from graphbrick.graphs.readers.fields import cell_text, one_of
from graphbrick.graphs.readers.folders import default_relation, default_type, role_of_name
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.roles import table_kind, title_rows
from graphbrick.graphs.readers.rows import (
    EdgeMaker,
    entities,
    entity_maker,
    note_ignored,
    understood_edges,
    understood_nodes,
)
from graphbrick.graphs.readers.streams import PACKED, no_rows
from graphbrick.graphs.records.blocks import Part
from graphbrick.graphs.records.records import EntityRecord, Record

EMPTY_ROWS = "empty rows between others of a sheet, below which another table may begin (it is read as the first)"
MERGED = "merged cells of several rows, which all have their value"
NO_VALUES = "formulas without a stored value (open the workbook in Excel and save it)"

_SAMPLE_ROWS = 1 << 10
_CHUNK = 1 << 20
_MOST_UNPACKED = 1 << 30  # bytes of a workbook
_MERGED_CELLS = re.compile(rb'<mergeCell\b[^>]*ref="([A-Z]+)(\d+):[A-Z]+(\d+)"')
_FORMULA = re.compile(
    rb"<c\b([^>]*)>\s*<f\b(?:[^>]*/>|[^>]*>([^<]*)</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"  # no value follows
)


@dataclass(frozen=True)
class _Sheet:
    """A sheet: its rows as Python values, and how it is read; ``titles`` rows above its header are left out."""

    sheet: Any
    first: list[str]
    samples: list[list[str]]
    role: str
    reading: FileReading
    titles: int = 0
    merged: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple[int, list[object]]]:
        """Yield (row number, cells) of the rows from the header on that are not empty, all of its width."""
        width, above, last, filling = len(self.first), self.titles, 0, _Filling(self.merged)
        for number, row in enumerate(self.sheet.iter_rows(), 1):
            cells = [self._value(cell) for cell in row]
            for text in filling.fill(number, cells):
                self.reading.left_out.add(MERGED, f"{self.sheet.title}: {text}"[:80])
            if not any(cell is not None for cell in cells):
                continue
            if above:
                above -= 1
                shown = ", ".join(str(cell) for cell in cells if cell is not None)
                self.reading.left_out.add("rows of titles above the header", f"{self.sheet.title}: {shown}"[:80])
                continue
            if last and number > last + 1:
                self.reading.left_out.add(EMPTY_ROWS, f"{self.sheet.title}: row {last + 1}", number - last - 1)
            last = number
            for cell in cells[width:]:
                if cell is not None:
                    self.reading.left_out.add(
                        "cells to the right of the first row", f"{self.sheet.title}: {str(cell)[:40]}"
                    )
            cells = cells[:width] + [None] * (width - len(cells))
            if any(cell is not None for cell in cells):
                yield number, cells

    def _value(self, cell: Any) -> object:
        if cell.data_type == "e":
            self.reading.left_out.add("cells with an error of Excel", f"{self.sheet.title}: {cell.value}")
            return None
        value = cell.value
        if isinstance(value, datetime.datetime) and not any(mark in cell.number_format.lower() for mark in ("h", "s")):
            return value.date()
        return None if isinstance(value, str) and not value.strip() else value


class _Filling:
    """Fills the rows of merged cells with the value that their first row has.

    Args:
        merged: See `_merged_rows`.
    """

    def __init__(self, merged: dict[int, list[tuple[int, int]]]) -> None:
        self._merged = merged
        self._values: dict[int, tuple[int, Any]] = {}

    def fill(self, number: int, cells: list[Any]) -> Iterator[str]:
        """Fill the empty cells of a row that has others; yield their values."""
        if any(cell is not None and cell != "" for cell in cells):
            for place, (end, value) in list(self._values.items()):
                if number > end:
                    del self._values[place]
                elif place < len(cells) and cells[place] in (None, ""):
                    cells[place] = value
                    yield str(value)
        for place, end in self._merged.get(number, ()):
            if place < len(cells) and cells[place] not in (None, ""):
                self._values[place] = end, cells[place]


def _merged_rows(file: Path, sheet: Any) -> dict[int, list[tuple[int, int]]]:
    """Return (index of the column, last row) of the cells of several rows that are merged, by their first row."""
    found: dict[int, list[tuple[int, int]]] = {}
    path, rest = str(getattr(sheet, "_worksheet_path", "")).lstrip("/"), b""
    with ZipFile(file) as packed:
        if path not in packed.namelist():
            return found
        with packed.open(path) as stream:
            while chunk := stream.read(_CHUNK):
                data = rest + chunk
                for match in _MERGED_CELLS.finditer(data):
                    letters, first, last = match[1].decode(), int(match[2]), int(match[3])
                    column = 0
                    for letter in letters:
                        column = 26 * column + ord(letter) - 64
                    if last > first:
                        found.setdefault(first, []).append((column - 1, last))
                rest = data[data.rfind(b"<") :] if data.rfind(b">") < data.rfind(b"<") else b""
    return found


@contextmanager
def open_workbook(file: Path) -> Iterator[Any]:
    """Open an Excel workbook; its cells are values, not formulas.

    Raises:
        InputError: It is compressed, or not a workbook.
        ModelError: openpyxl is not installed.
    """
    if file.suffix.lower() in PACKED:
        reason = "a workbook is compressed inside; unpack it first"
        raise InputError(reason, file, code="reader.packed_workbook")
    _check_size(file)
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        text = "Excel files need the package openpyxl: pip install 'graphbrick[excel]'"
        raise ModelError(text, code="reader.no_excel_package") from error
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # openpyxl raises errors of many kinds
        reason = f"not an Excel workbook that can be read: {error}"
        raise InputError(reason, file, code="reader.not_excel") from error
    try:
        yield book
    finally:
        book.close()


def _check_size(file: Path) -> None:
    """Raise `InputError` for a workbook that unpacks to more than `_MOST_UNPACKED` bytes, as a bomb does."""
    try:
        with ZipFile(file) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
    except (BadZipFile, RuntimeError, OSError, ValueError):
        return  # openpyxl says what is wrong
    if size > _MOST_UNPACKED:
        reason = f"the workbook unpacks to {size / 1e6:,.0f} MB, the most are {_MOST_UNPACKED >> 20}; save it as CSV"
        raise InputError(reason, file, code="reader.workbook_too_large", size=size)


def note_formulas(file: Path, reading: FileReading) -> None:
    """Report the formulas of a workbook whose values are not stored."""
    for formula in _formulas_without_values(file):
        reading.left_out.add(NO_VALUES, formula[:80])


def _formulas_without_values(file: Path) -> Iterator[str]:
    """Yield the formulas of a workbook whose values are not stored."""
    with ZipFile(file) as packed:
        for name in packed.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                rest = b""
                with packed.open(name) as stream:
                    while chunk := stream.read(_CHUNK):
                        text, end, rest = (rest + chunk).rpartition(b"</c>")
                        for cell in _FORMULA.finditer(text + end):
                            if b't="str"' not in cell[1]:  # whose value is an empty text
                                yield f"={unescape((cell[2] or b'').decode(errors='replace'))}"


def _filled(sheet: Any, merged: dict[int, list[tuple[int, int]]]) -> Iterator[list[str]]:
    """Yield the rows of a sheet as texts."""
    filling = _Filling(merged)
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [one_of(cell_text(cell)) for cell in row]
        list(filling.fill(number, cells))
        yield cells


def _filled_sheets(book: Any, file: Path, reading: FileReading) -> list[_Sheet]:
    """Return the sheets that have rows."""
    sheets = []
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # the size that a file states may be wrong
        merged = _merged_rows(file, sheet)
        texts = list(islice(filter(any, _filled(sheet, merged)), _SAMPLE_ROWS))
        if not texts:
            continue
        titles = 0 if reading.options.header else title_rows(texts)
        width = max(place + 1 for place, text in enumerate(texts[titles]) if text)
        first = texts[titles][:width]
        samples = [row[:width] + [""] * (width - len(row)) for row in texts[titles + 1 :]]
        role = role_of_name(sheet.title) or table_kind(first)
        sheets.append(_Sheet(sheet, first, samples, role, reading, titles, merged))
    return sheets


def _sheets(book: Any, file: Path, reading: FileReading) -> list[_Sheet]:
    """Return the sheets that are read, tables of nodes first; the others are reported."""
    sheets = _filled_sheets(book, file, reading)
    if not sheets:
        raise no_rows(file)
    if len(sheets) == 1 and not sheets[0].role:
        sheets = [replace(sheets[0], role="edges")]
    for sheet in sheets:
        if not sheet.role:
            reading.left_out.add(f"sheets of {file.name} that are not used", sheet.sheet.title)
    tables = [sheet for sheet in sheets if sheet.role]
    several = {role: sum(sheet.role == role for sheet in tables) > 1 for role in ("nodes", "edges")}
    return [
        replace(sheet, reading=_hinted(sheet, several[sheet.role]))
        for sheet in sorted(tables, key=lambda sheet: sheet.role != "nodes")
    ]


@dataclass(frozen=True)
class SheetTable:
    """A sheet with rows.

    Attributes:
        title: Its title.
        first: Its first row as texts.
        samples: Some of its other rows as texts.
        role: "nodes" or "edges", if its title or its first row says so; else empty.
        titles: The number of rows above the first, which are titles.
    """

    title: str
    first: list[str]
    samples: list[list[str]]
    role: str
    titles: int = 0


def sheet_tables(file: Path, reading: FileReading) -> list[SheetTable]:
    """Return the sheets of a workbook that have rows.

    Raises:
        InputError: Not a workbook.
        ModelError: openpyxl is not installed.
    """
    with open_workbook(file) as book:
        sheets = _filled_sheets(book, file, reading)
        return [SheetTable(sheet.sheet.title, sheet.first, sheet.samples, sheet.role, sheet.titles) for sheet in sheets]


def sheet_rows(file: Path, table: SheetTable, reading: FileReading) -> Iterator[tuple[int, list[object]]]:
    """Yield (row number, cells) of a sheet below its first row."""
    with open_workbook(file) as book:
        sheet = book[table.title]
        sheet.reset_dimensions()
        rows = _Sheet(sheet, table.first, [], table.role, reading, table.titles, _merged_rows(file, sheet)).rows()
        yield from islice(rows, 1, None)


def _hinted(sheet: _Sheet, several: bool) -> FileReading:
    """Return the reading of a sheet; its name is the type or relation if it has no column for it."""
    reading, title = sheet.reading, sheet.sheet.title
    if sheet.role == "nodes":
        own = default_type(title, sheet.first) if several else ""
        return replace(reading, table=replace(reading.table, type=own))
    options = reading.options
    relation = options.relation or default_relation(title, sheet.first)
    return replace(reading, options=replace(options, relation=relation or None))


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the nodes and the edges of a workbook.

    Sheets are tables of nodes or of edges by their names or headers. A single sheet may hold triples.

    Raises:
        InputError: Not a workbook, no sheet with rows, or the first bad record unless skipped.
        ModelError: openpyxl is not installed.
    """
    with open_workbook(file) as book:
        sheets = _sheets(book, file, reading)
        note_formulas(file, reading)
        parts = chain.from_iterable(_records(sheet, file) for sheet in sheets)
        has_nodes = sheets[0].role == "nodes"
        yield from counted_ends(parts, reading.left_out) if has_nodes else parts


def _read_nodes(file: Path, reading: FileReading) -> Iterator[EntityRecord]:
    """Yield the entities of the sheets of nodes of a workbook."""
    with open_workbook(file) as book:
        note_formulas(file, reading)
        for sheet in _sheets(book, file, reading):
            if sheet.role == "nodes":
                yield from _entities(sheet, file)


def _records(sheet: _Sheet, file: Path) -> Iterator[Record]:
    return _entities(sheet, file) if sheet.role == "nodes" else _edges(sheet, file)


def _entities(sheet: _Sheet, file: Path) -> Iterator[EntityRecord]:
    columns = node_columns(sheet.first, sheet.samples, sheet.reading.options, file)
    note_ignored(columns, f"{file.name} ({sheet.sheet.title})", sheet.reading)
    make = entity_maker(columns, sheet.first, sheet.reading, file.name, typed=True)
    rows = islice(sheet.rows(), int(columns.header), None)
    yield from entities(rows, make, file, sheet.reading)


def _edges(sheet: _Sheet, file: Path) -> Iterator[Record]:
    columns = edge_columns(sheet.first, sheet.samples, sheet.reading.options, file)
    note_ignored(columns, f"{file.name} ({sheet.sheet.title})", sheet.reading)
    for place in range(columns.width, len(sheet.first)):
        sheet.reading.left_out.add(f"columns of {file.name} beside the triples", f"column {place + 1}")
    maker = EdgeMaker(columns, sheet.reading, file.name, typed=True)
    for row, cells in islice(sheet.rows(), int(columns.header), None):
        records = maker.records(cells) if len(cells) >= columns.width else []
        if not records:
            reason = f"the head, the relation or the tail is empty (sheet {sheet.sheet.title})"
            text = ", ".join(one_of(cell_text(cell)) for cell in cells)
            sheet.reading.bad.add(InputError(reason, file, row, text, code="reader.empty_end_in_sheet"))
        yield from records


def _understood(file: Path, reading: FileReading) -> str:
    """Return in one line how the sheets of a workbook are read."""
    told = []
    with open_workbook(file) as book:
        for sheet in _sheets(book, file, reading):
            options = sheet.reading.options
            if sheet.role == "nodes":
                nodes = node_columns(sheet.first, sheet.samples, options, file)
                told.append(f"sheet {sheet.sheet.title}: {understood_nodes(nodes, sheet.first, sheet.reading)}")
            else:
                edges = edge_columns(sheet.first, sheet.samples, options, file)
                told.append(f"sheet {sheet.sheet.title}: {understood_edges(edges, sheet.first, sheet.reading)}")
    return ". ".join(told)


READER = Reader(_read, _read_nodes, is_checked=True, understood=_understood)
