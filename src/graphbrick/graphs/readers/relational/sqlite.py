"""Tables of SQLite files, which are opened for reading only."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Kind, read_value
from graphbrick.graphs.readers.fields import cell_text, one_of
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.tables import Cells, ForeignKey, Rows, SourceTable
from graphbrick.graphs.records.records import LeftOut

SUFFIXES = (".db", ".sqlite", ".sqlite3", ".db3")
"""The suffixes of SQLite files; a file is told by its first bytes."""

_MAGIC = b"SQLite format 3\0"
_SAMPLE_ROWS = 1 << 10
_WAIT = 5.0  # seconds for a lock of another process


def binary_values(title: str) -> str:
    """Return what the binary values of a table are counted as."""
    return f"binary values of {title}, which are not kept"


def dated(text: str) -> Any:
    """Return a text that is an ISO date as a date; another one as it is."""
    if len(text) >= 10 and text[4:5] == "-" and text[:4].isdecimal():
        date = read_value(text, Kind.DATE) or read_value(text, Kind.DATETIME)
        return text if date is None else date
    return text


def is_sqlite(file: Path) -> bool:
    """Return whether a file is an SQLite database, by its first bytes.

    Raises:
        InputError: It has the suffix of one, and is none.
    """
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        start = stream.read(len(_MAGIC))
    if start == _MAGIC:
        return True
    if file.suffix.lower() in SUFFIXES and start:
        reason = "not an SQLite database that can be read: it is encrypted, damaged, or of another kind"
        raise InputError(reason, file, code="sqlite.not_one")
    return False


def sqlite_tables(file: Path, left_out: LeftOut) -> list[SourceTable]:
    """Return the tables of a database; views and tables of its own are reported.

    Raises:
        InputError: It is damaged, or locked by another process.
    """
    with _connected(file) as connection:
        tables = []
        rows = connection.execute(
            "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        ).fetchall()
        virtual = [name for name, _, sql in rows if (sql or "").lstrip().upper().startswith("CREATE VIRTUAL")]
        for name, kind, _ in sorted(rows):
            if kind == "view":
                left_out.add(f"views of {file.name}, which are not read", name)
            elif name in virtual or any(name.startswith(f"{other}_") and name != other for other in virtual):
                left_out.add(f"virtual tables of {file.name}, which are not read", name)
            elif not name.startswith("sqlite_"):
                tables.append(_table(connection, file, name))
    return tables


@contextmanager
def _connected(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading only.

    A database in a folder that cannot be written, whose changes are all in the file itself, is opened as one that
    nobody changes.
    """
    address = f"file:{quote(str(file.absolute()))}?mode=ro"
    journal = file.with_name(f"{file.name}-wal")
    try:
        connection = _opened(address)
    except sqlite3.Error as error:
        if _is_locked(error) or (journal.exists() and journal.stat().st_size):
            raise _fault(file, error) from error
        connection = None
    try:
        connection = connection or _opened(f"{address}&immutable=1")
        try:
            yield connection
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise _fault(file, error) from error


def _opened(address: str) -> sqlite3.Connection:
    # A reader that failed may be collected, and its connection closed, in the thread that shows the error.
    connection = sqlite3.connect(address, uri=True, timeout=_WAIT, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _is_locked(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _fault(file: Path, error: sqlite3.Error) -> InputError:
    if _is_locked(error):
        reason = "another process keeps the database locked; try again when it has finished, or read a copy"
        return InputError(reason, file, code="sqlite.locked")
    reason = f"the SQLite database cannot be read: {error}"
    return InputError(reason, file, code="sqlite.unreadable")


def _table(connection: sqlite3.Connection, file: Path, name: str) -> SourceTable:
    columns = [row for row in connection.execute(f"PRAGMA table_xinfo({_quoted(name)})") if row[6] != 1]
    names, declared = [row[1] for row in columns], [_declared(row[2]) for row in columns]
    primary = [row[1] for row in sorted(columns, key=lambda row: row[5]) if row[5]]
    keys: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(f"PRAGMA foreign_key_list({_quoted(name)})"):
        keys[row[0]].append(row)
    foreign = [
        ForeignKey(
            tuple(row[3] for row in rows), rows[0][2], tuple(row[4] for row in rows) if rows[0][4] is not None else ()
        )
        for _, rows in sorted(keys.items(), reverse=True)  # SQLite numbers them from the last one
    ]
    query = f"SELECT {', '.join(map(_quoted, names))} FROM {_quoted(name)}"
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    cursor = connection.execute(f"{query} LIMIT {_SAMPLE_ROWS}")
    samples = [[one_of(cell_text(_value(cell, "", name, LeftOut()))) for cell in row] for row in cursor]

    def open_rows(reading: FileReading) -> Rows:
        return _rows(file, query, names, declared, f"table {name}", reading)

    return SourceTable(
        file, name, f"table {name}", tuple(names), samples, open_rows, True, tuple(primary), tuple(foreign)
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _declared(type_: str) -> str:
    """Return "boolean" for columns of 0 and 1 that the table declares as such; else empty."""
    return "boolean" if type_.upper() in ("BOOLEAN", "BOOL") else ""


def _rows(
    file: Path, query: str, names: Sequence[str], declared: Sequence[str], title: str, reading: FileReading
) -> Rows:
    """Yield the rows of a query; binary values are left out, and counted."""

    def decode(data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            reading.left_out.add(f"texts of {title} that are not UTF-8", data.decode("utf-8", "replace")[:80])
            return data.decode("utf-8", "replace")

    with _connected(file) as connection:
        connection.text_factory = decode
        cursor = connection.execute(query)
        number = 0
        while rows := cursor.fetchmany(1 << 12):
            for row in rows:
                number += 1
                yield number, _cells(row, names, declared, title, reading.left_out)


def _cells(row: Cells, names: Sequence[str], declared: Sequence[str], title: str, left_out: LeftOut) -> list[Any]:
    return [_value(cell, declared[place], f"{title}: {names[place]}", left_out) for place, cell in enumerate(row)]


def _value(cell: Any, declared: str, column: str, left_out: LeftOut) -> Any:
    """Return a value of SQLite: texts that are ISO dates are dates."""
    if isinstance(cell, str):
        return dated(cell)
    if isinstance(cell, bytes):
        title, _, name = column.partition(": ")
        left_out.add(binary_values(title), name)
        return None
    if declared and cell in (0, 1):
        return bool(cell)
    return cell
