"""An SQL database as a source of related tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.fields import cell_text, one_of
from graphbrick.graphs.readers.folders import SourceFiles
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.plan import Plan, Related
from graphbrick.graphs.readers.relational.planning import planned
from graphbrick.graphs.readers.relational.tables import ForeignKey, Rows, SourceTable
from graphbrick.graphs.readers.sql.address import SqlAddress
from graphbrick.graphs.readers.sql.found import NOT_READABLE, Database, FoundTable, TableKey, UnreadableTableError
from graphbrick.graphs.readers.sql.values import cells_reader
from graphbrick.graphs.records.records import LeftOut

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

_SAMPLE_ROWS = 1 << 10
NOT_READABLE_COLUMNS = "columns that cannot be read"


@contextmanager
def opened(address: SqlAddress, options: ReadOptions) -> Iterator[SourceFiles]:
    """Open a database, and yield its tables as those of a source; all is read within one transaction.

    Args:
        address: The database.
        options: How to read tables.

    Raises:
        InputError: It does not answer, refuses access or cannot be read; a package is missing; or an option is one of
            text files.
    """
    _refuse(options, address)
    database = _connected(address)
    try:
        yield SourceFiles((), related=Related((), lambda: _planned(database, options)), is_live=True)
    finally:
        database.close()


def _connected(address: SqlAddress) -> Database:
    if address.kind == "duckdb":
        from graphbrick.graphs.readers.sql.duck import DuckDatabase

        return DuckDatabase(address)
    from graphbrick.graphs.readers.sql.alchemy import AlchemyDatabase

    return AlchemyDatabase(address)


def _refuse(options: ReadOptions, address: SqlAddress) -> None:
    """Raise for options that are about edges or text files."""
    of_texts = (options.columns, options.relation, options.delimiter, options.header, options.quote)
    if any(option is not None for option in of_texts):
        reason = (
            "an SQL database takes no --columns, --relation, --delimiter, --header or --quote; --key, --name, --type "
            "and --reference do"
        )
        raise InputError(reason, str(address), code="sql.options_of_text")


def _planned(database: Database, options: ReadOptions) -> Plan:
    notes = LeftOut()
    tables = _source_tables(database, notes)
    return planned(tables, options, notes, str(database.address))


def _source_tables(database: Database, notes: LeftOut) -> list[SourceTable]:
    """Return the tables that can be read, with their first rows; others are reported by name."""
    found = sorted(database.tables(notes), key=lambda table: (table.key[1], table.key[0] or ""))
    samples: dict[TableKey, list[list[str]]] = {}
    for table in found:
        try:
            rows = database.sample(table, _SAMPLE_ROWS)
        except UnreadableTableError as error:
            notes.add(NOT_READABLE, f"{table.shown} ({error})")
            continue
        for column in table.unread:
            notes.add(NOT_READABLE_COLUMNS, f"{table.shown}: {column}")
        read = cells_reader(table.columns, "", LeftOut())
        samples[table.key] = [[one_of(cell_text(cell)) for cell in read(row)] for row in rows]
    kept = [table for table in found if table.key in samples]
    names = _names(kept, database.address.schemas)
    return [_source_table(database, table, names, samples[table.key]) for table in kept]


def _names(tables: Sequence[FoundTable], schemas: Sequence[str]) -> dict[TableKey, str]:
    """Return a different name for each table: its own, with the schema if one of an earlier schema is called so."""
    names: dict[TableKey, str] = {}
    taken = dict[str, str | None]()
    for table in sorted(tables, key=lambda table: schemas.index(table.key[0]) if table.key[0] in schemas else -1):
        schema, name = table.key
        is_other = taken.get(name.casefold(), schema) != schema
        own = base = f"{schema}_{name}" if is_other else name
        number = 2
        while own.casefold() in taken:
            own, number = f"{base} {number}", number + 1
        names[table.key] = own
        taken[own.casefold()] = schema
    return names


def _source_table(
    database: Database, table: FoundTable, names: dict[TableKey, str], samples: list[list[str]]
) -> SourceTable:
    title = f"table {table.shown}"

    def rows(reading: FileReading) -> Rows:
        read, number = cells_reader(table.columns, title, reading.left_out), 0
        for batch in database.rows(table):
            for row in batch:
                number += 1
                yield number, read(row)

    foreign = []
    for key in table.foreign:
        other = names.get(key.table)
        shown = ".".join(part for part in key.table if part)
        foreign.append(ForeignKey(key.columns, shown if other is None else other, key.others, other is None))
    return SourceTable(
        str(database.address),
        names[table.key],
        title,
        tuple(column.name for column in table.columns),
        samples,
        rows,
        True,
        table.primary,
        tuple(foreign),
    )
