"""Tables of files: delimited text, Parquet and Excel, each with a header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.core.properties.written import COMMA, POINT
from graphbrick.graphs.readers.delimited import Table, wrong_width
from graphbrick.graphs.readers.excel import SheetTable, sheet_rows, sheet_tables
from graphbrick.graphs.readers.folders import SourceFile, base_name, stem
from graphbrick.graphs.readers.parquet import ParquetTable
from graphbrick.graphs.readers.reader import FileReading, TableHints
from graphbrick.graphs.readers.relational.tables import NOTHING, Rows, SourceTable
from graphbrick.graphs.readers.streams import unpacked_name
from graphbrick.graphs.records.records import BadRecords, LeftOut

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_GENERIC_SHEET = re.compile(r"(?:sheet|tabelle|feuil|hoja|foglio|blad|table|data|list)[ _-]?\d*", re.IGNORECASE)


def is_header(first: Sequence[str]) -> bool:
    """Return whether a first row may name columns: its cells are different, and few of them are numbers."""
    names = [cell.strip() for cell in first if cell.strip()]
    numbers = sum(_NUMBER.fullmatch(name) is not None for name in names)
    return bool(names) and len({*names}) == len(names) and 2 * numbers < len(names) and not _NUMBER.fullmatch(names[0])


def file_tables(file: SourceFile, options: ReadOptions, notes: LeftOut) -> list[SourceTable]:
    """Return the tables of a file; none if it is not a table with a header.

    Args:
        file: The file.
        options: How to read it.
        notes: Receives the sheets that have no header.

    Raises:
        InputError: It cannot be read.
    """
    name = unpacked_name(file.file)
    if name.endswith(".xlsx"):
        return workbook_tables(file.file, options, notes)
    table = parquet_table(file.file) if name.endswith(".parquet") else text_table(file, options)
    return [] if table is None else [table]


def text_table(source: SourceFile, options: ReadOptions) -> SourceTable | None:
    """Return a delimited file as a table; None if it has no header."""
    file, reading = source.file, FileReading(options, BadRecords(skip=True), table=source.hints)
    table = Table.open(file, reading, 2, required=False)
    if len(table.first) == 1 and options.delimiter is None:
        for delimiter in (";", "\t", "|"):
            other = replace(options, delimiter=delimiter)
            parted = Table.open(file, replace(reading, options=other), 2)
            if len(parted.first) > 1 and parted.samples and table.first[0].count(delimiter) == len(parted.first) - 1:
                table, options = parted, other
                break
    is_table = unpacked_name(file).endswith((".csv", ".tsv", ".tab", ".psv")) or len(table.first) > 1
    if not is_table or not is_header(table.first):
        return None
    first, apart = table.first, bool(source.hints.header)

    def rows(reading: FileReading) -> Rows:
        reading = replace(reading, options=options, table=TableHints("nodes", source.hints.header))
        for line, cells in islice(table.rows(reading), 0 if apart else 1, None):
            if len(cells) == len(first):
                yield line, ["" if cell in NOTHING else cell for cell in cells]
            else:
                need = f"the header has {len(first)}"
                reading.bad.add(wrong_width(file, line, cells, table.delimiter, need, len(first)))

    mark = POINT if table.delimiter == COMMA else ""
    return SourceTable(file, base_name(file), file.name, _titles(first), table.samples, rows, mark=mark)


def _titles(first: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in first)


def parquet_table(file: Path) -> SourceTable:
    """Return a Parquet file as a table."""
    with ParquetTable(file) as table:
        names, samples = table.names, table.samples()

    def rows(reading: FileReading) -> Rows:
        try:
            with ParquetTable(file) as table:
                yield from table.rows(())
        except InputError as error:
            if error.code != "reader.no_rows":
                raise

    return SourceTable(file, base_name(file), file.name, tuple(names), samples, rows, True)


def workbook_tables(file: Path, options: ReadOptions, notes: LeftOut) -> list[SourceTable]:
    """Return the sheets of a workbook as tables; none if a sheet holds edges. Sheets without a header are reported.

    A sheet is called as it is titled; a single one that is called «Sheet1» or the like as the file.
    """
    sheets = sheet_tables(file, FileReading(options, BadRecords(skip=True)))
    if any(sheet.role == "edges" for sheet in sheets):
        return []
    for sheet in sheets:
        if not is_header(sheet.first):
            notes.add(f"sheets of {file.name} whose first row does not name columns", sheet.title)
    return [_sheet_table(file, sheet, len(sheets) == 1) for sheet in sheets if is_header(sheet.first)]


def _sheet_table(file: Path, sheet: SheetTable, is_single: bool) -> SourceTable:
    is_generic = _GENERIC_SHEET.fullmatch(sheet.title.strip()) is not None
    name = stem(file) if is_single and is_generic else sheet.title
    title = file.name if is_single else f"sheet {sheet.title}"
    return SourceTable(
        file, name, title, _titles(sheet.first), sheet.samples, lambda reading: sheet_rows(file, sheet, reading), True
    )
