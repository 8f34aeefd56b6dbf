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
from graphbrick.graphs.readers.delimited import Table, choose_delimiter, other_delimiter, wrong_width
from graphbrick.graphs.readers.excel import SheetTable, sheet_rows, sheet_tables
from graphbrick.graphs.readers.folders import SourceFile, base_name, stem
from graphbrick.graphs.readers.parquet import ParquetTable
from graphbrick.graphs.readers.reader import FileReading, TableHints
from graphbrick.graphs.readers.relational.tables import NOTHING, Rows, SourceTable
from graphbrick.graphs.readers.roles import distinct_titles, is_header, title_rows
from graphbrick.graphs.readers.rows import no_values, padded, too_few_cells
from graphbrick.graphs.readers.streams import check_first_line, unpacked_name
from graphbrick.graphs.records.records import BadRecords, LeftOut

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

_GENERIC_SHEET = re.compile(r"(?:sheet|tabelle|feuil|hoja|foglio|blad|table|data|list)[ _-]?\d*", re.IGNORECASE)


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
    return [] if table is None else parted(table)


def text_table(source: SourceFile, options: ReadOptions) -> SourceTable | None:
    """Return a delimited file as a table; None if it has no header.

    Rows of titles above the header are left out; a row with fewer cells than the header has empty cells at its end.

    Raises:
        InputError: The first line is not text.
    """
    file = source.file
    check_first_line(file)
    options = _with_delimiter(source, options)
    table = Table.open(file, FileReading(options, BadRecords(skip=True), table=source.hints), 2, required=False)
    is_table = unpacked_name(file).endswith((".csv", ".tsv", ".tab", ".psv")) or len(table.first) > 1
    rows = [table.first, *table.rest]
    titles = 0 if source.hints.header or options.header else title_rows(rows)
    first = rows[titles]
    if not is_table or not (is_header(first) or (options.header and first)):
        return None
    while not first[-1].strip() and all(not "".join(row[len(first) - 1 :]).strip() for row in rows[titles + 1 :]):
        first = first[:-1]  # a delimiter at the end of each line
    samples = [padded(row, len(first)) for row in rows[titles + 1 :] if any(map(str.strip, row))]
    samples = [row for row in samples if len(row) == len(first)]

    def rows_of(reading: FileReading) -> Rows:
        reading = replace(reading, options=options, table=TableHints("nodes", source.hints.header))
        return _rows_below(table, titles, first, reading)

    mark, remark = POINT if table.delimiter == COMMA else "", below_titles(titles)
    return SourceTable(file, base_name(file), file.name, _titles(first), samples, rows_of, remark=remark, mark=mark)


def below_titles(titles: int) -> str:
    """Return the remark on a header below rows of titles; empty without any."""
    rows = "a row" if titles == 1 else f"{titles} rows"
    return f"its header is below {rows} of titles; with --header it is the first row" if titles else ""


def _with_delimiter(source: SourceFile, options: ReadOptions) -> ReadOptions:
    """Return the options with the delimiter of a file, where it is not the one that its name says."""
    if options.delimiter is not None or source.hints.header:
        return options
    named = choose_delimiter(source.file, options, 2, False)
    other = other_delimiter(source.file, named)
    return options if other is None else replace(options, delimiter=other)


def _rows_below(table: Table, titles: int, first: Sequence[str], reading: FileReading) -> Rows:
    """Yield the rows below the header, with as many cells as it has; rows without any value are counted."""
    file, left_out, width = table.file, reading.left_out, len(first)
    rows = table.rows(reading)
    above = islice(rows, 0 if reading.table.header else titles + 1)
    for _, cells in list(above)[:-1]:
        if any(map(str.strip, cells)):
            left_out.add(f"rows of titles above the header of {file.name}", _shown(cells))
    for line, cells in rows:
        row = padded(cells, width)
        if not any(map(str.strip, row)):
            left_out.add(no_values(file))
        elif len(row) != width:
            need = f"the header has {width}"
            advice = "; --skip-bad leaves such rows out and lists them"
            reading.bad.add(wrong_width(file, line, cells, table.delimiter, need, width, advice=advice))
        else:
            if len(cells) < width:
                left_out.add(too_few_cells(file), _shown(cells))
            yield line, ["" if cell in NOTHING else cell for cell in row]


def _shown(cells: Sequence[str]) -> str:
    return ", ".join(cell.strip() for cell in cells if cell.strip())[:80]


def _titles(first: Sequence[str]) -> tuple[str, ...]:
    return tuple(distinct_titles(first))


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
    tables = [_sheet_table(file, sheet, len(sheets) == 1) for sheet in sheets if is_header(sheet.first)]
    return [part for table in tables for part in parted(table)]


def parted(table: SourceTable) -> list[SourceTable]:
    """Return the tables that stand side by side, with an empty column between; a table that is one as it is."""
    columns, width = table.columns, len(table.columns)
    is_gap = [not columns[n] and not any(row[n].strip() for row in table.samples) for n in range(width)]
    gaps = [n for n in range(width) if is_gap[n]]
    bounds = [(start + 1, end) for start, end in zip([-1, *gaps], [*gaps, width], strict=True) if end > start + 1]
    if len(bounds) < 2 or not table.samples or any(end - start < 2 for start, end in bounds):
        return [table]
    return [_part(table, number, *bound) for number, bound in enumerate(bounds, 1)]


def _part(table: SourceTable, number: int, start: int, end: int) -> SourceTable:
    """Return some columns of a table as a table; only the first part reports what the rows are."""

    def rows(reading: FileReading) -> Rows:
        if number > 1:
            reading = replace(reading, left_out=LeftOut(), bad=BadRecords(skip=True))
        for line, cells in table.open(reading):
            if any(cell is not None and cell != "" for cell in cells[start:end]):
                yield line, cells[start:end]

    samples = [row[start:end] for row in table.samples if any(row[start:end])]
    name = table.name if number == 1 else f"{table.name} {number}"
    remark = "; ".join(part for part in (table.remark, "tables side by side, with an empty column between") if part)
    title = f"{table.title}, table {number}"
    return replace(
        table, name=name, title=title, columns=_columns_of(table, start, end), samples=samples, open=rows, remark=remark
    )


def _columns_of(table: SourceTable, start: int, end: int) -> tuple[str, ...]:
    """Return the names of some columns, as they are called without the others: «name (2)» is «name»."""
    return tuple(distinct_titles([re.sub(r" \(\d+\)$", "", name) for name in table.columns[start:end]]))


def _sheet_table(file: Path, sheet: SheetTable, is_single: bool) -> SourceTable:
    is_generic = _GENERIC_SHEET.fullmatch(sheet.title.strip()) is not None
    name = stem(file) if is_single and is_generic else sheet.title
    title = file.name if is_single else f"sheet {sheet.title}"
    return SourceTable(
        file,
        name,
        title,
        _titles(sheet.first),
        sheet.samples,
        lambda reading: sheet_rows(file, sheet, reading),
        True,
        remark=below_titles(sheet.titles),
    )
