"""Sources of related tables: which files and folders are read as such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.delimited import DELIMITERS
from graphbrick.graphs.readers.folders import UNUSED, SourceFile, SourceFiles, no_edges
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.json_records import SUFFIXES as JSON_SUFFIXES
from graphbrick.graphs.readers.relational.json_records import json_tables
from graphbrick.graphs.readers.relational.plan import Related
from graphbrick.graphs.readers.relational.planning import planned
from graphbrick.graphs.readers.relational.sources import file_tables, workbook_tables
from graphbrick.graphs.readers.relational.sqlite import is_sqlite, sqlite_tables
from graphbrick.graphs.readers.relational.tables import Rows, SourceTable
from graphbrick.graphs.readers.roles import HEAD, KEY, NAME, TAIL, find_column, has_role, plain_name, table_kind
from graphbrick.graphs.readers.streams import unpacked_name
from graphbrick.graphs.records.records import BadRecords, LeftOut

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

_Stamp = tuple[str, tuple[tuple[int, int], ...]]
_LAST: dict[tuple[tuple[_Stamp, ...], object], Related] = {}
_ENOUGH = 4  # rows that show that the first one is a header
_MOSTLY_VALUES = 0.9  # of the cells of a column with digits are numbers, dates or codes
_MOSTLY_ALIKE = 0.9  # of the cells of a column begin as the first one does
_BEGINS = re.compile(r"[^\w\s]*[^\W\d_]+[^\w\s]|[^\W\d_]+(?=\d)")  # `m.` of m.0n7s5, `/film/` and `Q` of Q42
_WIDE = 3  # columns of a triple; a table of records has more, or a key


def related_folder(folder: Path, files: SourceFiles, options: ReadOptions) -> SourceFiles:
    """Return the tables of a folder in which no table holds edges.

    Args:
        folder: The folder.
        files: Its tables, as far as they are delimited text or Parquet.
        options: How to read files.

    Raises:
        InputError: There are no tables either.
    """
    listed = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    sheets = [SourceFile(file) for file in listed if file.is_file() and file.suffix.lower() == ".xlsx"]
    tables, notes = list[SourceTable](), LeftOut()
    for source in (*files.nodes, *sheets):
        if source.file.stat().st_size:
            tables += file_tables(source, options, notes)
    if not tables or options.columns is not None:
        raise no_edges(folder)
    used = {*(table.file for table in tables), *files.headers}
    for file in listed:
        if file not in used:
            notes.add(UNUSED, file.name + ("/" if file.is_dir() else ""))
    read = tuple(dict.fromkeys((*(Path(table.file) for table in tables), *files.headers)))
    return SourceFiles((), related=_related(read, _joined(tables), options, notes, folder))


def related_file(file: Path, options: ReadOptions) -> SourceFiles | None:
    """Return the tables of a file that holds related tables or records; None if it holds something else.

    Raises:
        InputError: It looks like a database, and is none.
    """
    notes = LeftOut()
    if is_sqlite(file):
        _refuse(options, file)
        return SourceFiles((), related=_related((file,), sqlite_tables(file, notes), options, notes, file))
    if options.columns is not None or options.relation is not None or options.header is False:
        return None
    if not file.is_file() or not file.stat().st_size:
        return None
    name = unpacked_name(file)
    tables: list[SourceTable] = []
    if name.endswith(".xlsx"):
        tables = workbook_tables(file, options, notes) if file.suffix.lower() == ".xlsx" else []
        if len(tables) < 2 and not all(_holds_records(table, options) for table in tables):
            return None
    elif Path(name).suffix in JSON_SUFFIXES:
        tables = json_tables(file, FileReading(options, BadRecords(skip=True)), notes)
    elif Path(name).suffix in (*DELIMITERS, ".parquet"):
        tables = [table for table in _tables_of(file, options, notes) if _holds_records(table, options)]
    if not tables:
        return None
    tables = [replace(table, remark=_remark(table, len(tables))) for table in tables]
    return SourceFiles((), related=_related((file,), tables, options, notes, file))


def _remark(table: SourceTable, count: int) -> str:
    """Return the remark on a table alone, which might hold triples if it has three columns."""
    is_small = count == 1 and len(table.columns) == _WIDE and Path(table.file).suffix.lower() not in JSON_SUFFIXES
    is_small = is_small and find_column(table.columns, KEY) is None
    way = "a row for each record; if its rows are triples, say --no-header, or --columns 1,2,3"
    return "; ".join(part for part in (table.remark, way if is_small else "") if part)


def _tables_of(file: Path, options: ReadOptions, notes: LeftOut) -> list[SourceTable]:
    """Return the tables of a file; none if it cannot be read, which another reader reports."""
    try:
        tables = file_tables(SourceFile(file), options, notes)
    except InputError:
        return []
    for table in tables:
        is_known = any(find_column(table.columns, names) is not None for names in (KEY, NAME))
        is_empty = is_known and len(table.columns) > _WIDE and not table.samples
        bad = BadRecords(skip=True)
        if is_empty and next(table.open(FileReading(options, bad)), None) is None:
            if bad.errors:
                raise bad.errors[0]
            reason = "the file holds a header and no rows below it; a graph needs at least one row"
            raise InputError(reason, file, 1, code="related.only_header")
    return tables


def _refuse(options: ReadOptions, file: Path) -> None:
    """Raise for options that are about edges of a text file."""
    if options.columns is not None or options.relation is not None or options.delimiter is not None:
        reason = "an SQLite database takes no --columns, --relation or --delimiter; --key, --name and --reference do"
        raise InputError(reason, file, code="related.options_of_edges")


def _holds_records(table: SourceTable, options: ReadOptions) -> bool:
    """Return whether a table alone holds records, and not triples or edges.

    Its first row names no columns of edges, and it has more than three columns or a key, or its columns are none of
    triples. The header must be one: it names a key or a name, or a column of numbers or dates has a name that is none.
    The options may say so: ``--header``, or columns of keys, names and types.
    """
    first = table.columns
    kind = table_kind(first)
    if kind == "edges" or not table.samples:
        return False
    if options.key is not None or options.name is not None or options.type is not None:
        return True
    ends = [find_column(first, names) for names in (HEAD, TAIL)]
    has_key = find_column(first, KEY) is not None
    has_name = find_column(first, NAME) is not None
    if any(place is not None for place in ends) and not has_key:
        return False
    if len(first) <= _WIDE:
        is_small = has_key and (has_name or len(first) < _WIDE) and find_column(first, KEY) == 0
        return (is_small and _differs(table, 0)) or _is_small(table, options, is_named=has_key or has_name)
    is_sure = has_key or has_name or options.header is True or table.title.endswith(".parquet")
    return is_sure or _stands_out(table) or any(_is_named(table, place) for place in range(len(first)))


def _is_small(table: SourceTable, options: ReadOptions, *, is_named: bool) -> bool:
    """Return whether a table of at most three columns has a header, and no column of relations in the middle.

    Relations are few and have no digits; a second column of numbers, dates or values of which most are different is
    none. Two columns are records if the options say that there is a header, or the first is a name and the second
    a number.
    """
    columns = [[row[place] for row in table.samples if row[place]] for place in range(len(table.columns))]
    if any(name in values for name, values in zip(table.columns, columns, strict=True)):
        return options.header is True and len(columns) < _WIDE
    if options.header is not True and not is_named and _looks_like_a_row(table):
        return False
    is_named = is_named or plain_name(table.columns[0]) in KEY
    has_numbers = any(_is_named(table, place) for place in range(len(columns)))
    if len(columns) < _WIDE:
        is_name = plain_name(table.columns[0]) in NAME and _differs(table, 0)
        return options.header is True or (is_name and len(columns) == _WIDE - 1 and _is_named(table, 1))
    middle = columns[1]
    of_values = sum(any(letter.isdigit() for letter in text) for text in middle) > _MOSTLY_VALUES * len(middle)
    if not middle or has_role(table.columns[1:2], "relation"):
        return False
    is_header = is_named or has_numbers or options.header is True or (of_values and len(middle) >= _ENOUGH)
    differ = 2 * len(set(middle)) > len(middle) and (len(middle) >= _ENOUGH or has_numbers)
    return is_header and (of_values or differ)


def _looks_like_a_row(table: SourceTable) -> bool:
    """Return whether the first row begins as the rows below it do, in two columns or more: `m.0n7s5`, `film.genre`."""
    alike = 0
    for place, first in enumerate(table.columns):
        begins = _BEGINS.match(first)
        texts = [row[place] for row in table.samples if row[place]]
        same = sum(begins is not None and text.startswith(begins[0]) for text in texts)
        alike += same > _MOSTLY_ALIKE * len(texts) > 0
    return alike > 1


def _differs(table: SourceTable, place: int) -> bool:
    texts = [row[place] for row in table.samples]
    return len({*texts}) == len(texts)


def _stands_out(table: SourceTable) -> bool:
    """Return whether no cell of the first row is among the values below it, although other values come again there.

    In a sheet, which seldom holds more than triples beside triples, values need not come again.
    """
    values = [{row[place] for row in table.samples} for place in range(len(table.columns))]
    if any(name in known for name, known in zip(table.columns, values, strict=True)):
        return False
    repeats = min(map(len, values)) <= len(table.samples) / 2
    return (repeats and len(table.samples) >= _ENOUGH) or Path(table.file).suffix.lower() == ".xlsx"


def _is_named(table: SourceTable, place: int) -> bool:
    """Return whether the first cell of a column is no value like the others: they are numbers or dates."""
    texts = [row[place] for row in table.samples if row[place]]
    numbers = sum(text[:1].isdigit() or text[:2].strip("-+.").isdigit() for text in texts)
    return bool(texts) and numbers > 0.9 * len(texts) and not table.columns[place][:1].isdigit()


def _joined(tables: Sequence[SourceTable]) -> list[SourceTable]:
    """Return the tables with those of the same name and columns as one: `orders-1.csv`, `orders-2.csv`."""
    groups: dict[tuple[str, tuple[str, ...]], list[SourceTable]] = {}
    for table in tables:
        groups.setdefault((table.name.casefold(), table.columns), []).append(table)
    return [parts[0] if len(parts) == 1 else _whole(parts) for parts in groups.values()]


def _whole(parts: Sequence[SourceTable]) -> SourceTable:
    title = f"{parts[0].title} and {len(parts) - 1} more"

    def rows(reading: FileReading) -> Rows:
        return chain.from_iterable(part.open(reading) for part in parts)

    return replace(parts[0], title=title, open=rows, samples=[row for part in parts for row in part.samples])


def _related(
    files: tuple[Path, ...], tables: Sequence[SourceTable], options: ReadOptions, notes: LeftOut, source: Path
) -> Related:
    """Return the tables of a source; those of the same files as before are known already.

    A build asks twice, before it starts and while it reads.
    """
    key = (tuple(map(_stamp, files)), options)
    if key not in _LAST:
        _LAST.clear()
        _LAST[key] = Related(files, lambda: planned(tables, options, notes, source))
    return _LAST[key]


def _stamp(file: Path) -> _Stamp:
    """Return what changes when a file does; changes of an SQLite file may be in its journal."""
    journal = file.with_name(f"{file.name}-wal")
    statuses = [one.stat() for one in (file, journal) if one.exists()]
    return str(file.absolute()), tuple((status.st_size, status.st_mtime_ns) for status in statuses)
