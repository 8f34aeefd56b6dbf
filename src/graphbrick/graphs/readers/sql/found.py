"""What a connection finds in a database, whatever the kind: tables, columns, keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.roles import listed
from graphbrick.graphs.readers.sql.address import SqlAddress
from graphbrick.graphs.records.records import LeftOut

TableKey = tuple[str | None, str]
"""(schema, name); the schema is None for tables that need no schema before their name."""

FETCHED = 1 << 12
"""Rows that are fetched at a time."""

NOT_READABLE = "tables that cannot be read"
"""What tables are counted as that the user may not read, or that are damaged."""


class FoundColumn(NamedTuple):
    """A column.

    Attributes:
        name: Its name.
        kind: How its values are read: a name of `values.READERS`; empty for values that are plain.
        as_text: The type that the database converts its values to before they are read: ``text`` or ``texts`` (a
            list of them); empty to read them as they are.
    """

    name: str
    kind: str = ""
    as_text: str = ""


class FoundKey(NamedTuple):
    """A foreign key: its columns, the table, and the columns there (empty for its primary key)."""

    columns: tuple[str, ...]
    table: TableKey
    others: tuple[str, ...]


@dataclass
class FoundTable:
    """A table.

    Attributes:
        key: Its schema and name.
        columns: The columns that are read.
        primary: The columns of the primary key.
        foreign: Its foreign keys.
        alone: Whether the rows of tables that inherit from it are left out, as they are read apart.
        unread: The names of columns that may not be read.
    """

    key: TableKey
    columns: list[FoundColumn]
    primary: tuple[str, ...] = ()
    foreign: tuple[FoundKey, ...] = field(default=())
    alone: bool = False
    unread: list[str] = field(default_factory=list)

    @property
    def shown(self) -> str:
        """The name with its schema, if it needs one."""
        schema, name = self.key
        return f"{schema}.{name}" if schema else name


class Database(Protocol):
    """An open database: one read-only transaction, which sees one state."""

    address: SqlAddress

    def tables(self, left_out: LeftOut) -> list[FoundTable]:
        """Return the tables that are read; what is not read is reported."""

    def sample(self, table: FoundTable, limit: int) -> list[Sequence[Any]]:
        """Return the first rows of a table.

        Raises:
            UnreadableTableError: The table cannot be read, and others still can.
        """

    def rows(self, table: FoundTable) -> Iterator[Sequence[Sequence[Any]]]:
        """Yield the rows of a table, many at a time."""

    def close(self) -> None:
        """End the transaction and close the connection."""


class UnreadableTableError(Exception):
    """A table that cannot be read, such as one without the permission; its text is the reason."""


def fault(address: SqlAddress, what: str, error: BaseException, code: str) -> InputError:
    """Return the error of a database as an error with one line and without the password.

    Args:
        address: The database.
        what: What could not be done: "cannot be opened".
        error: The error of the driver.
        code: The name of the fault.
    """
    return InputError(f"{what}: {reason_of(address, error)}", str(address), code=code)


def no_schema(address: SqlAddress, name: str, names: Sequence[str]) -> InputError:
    """Return the error of a schema that is not there."""
    reason = f"there is no schema {name!r}; the schemas are {listed(names)}"
    return InputError(reason, str(address), code="sql.no_schema", schema=name)


def reason_of(address: SqlAddress, error: BaseException) -> str:
    """Return what a driver says in one line, without the password."""
    cause: object = getattr(error, "orig", None) or error
    parts: tuple[Any, ...] = getattr(cause, "args", ())
    # PyMySQL and MySQLdb give (number, text)
    text = str(parts[1]) if len(parts) == 2 and isinstance(parts[0], int) else str(cause)
    text = " ".join(text.split()) or type(cause).__name__
    return text.replace(address.password, "***") if len(address.password) > 2 else text
