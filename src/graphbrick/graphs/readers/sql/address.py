"""Addresses of SQL databases, such as ``postgresql://reader@host/shop?schema=sales``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from graphbrick.core.errors import InputError, without_secrets
from graphbrick.graphs.databases.address import is_sql_address
from graphbrick.graphs.databases.graph import USER


class Driver(NamedTuple):
    """What reads a kind of database by default.

    Attributes:
        url: The name that SQLAlchemy knows it by; empty if it is read without SQLAlchemy.
        module: The module that has to be installed.
        package: What ``pip install`` takes.
    """

    url: str
    module: str
    package: str


_POSTGRESQL = Driver("postgresql+psycopg", "psycopg", "graphbrick[postgresql]")
DRIVERS = {
    "postgresql": _POSTGRESQL,
    "postgres": _POSTGRESQL,
    "mysql": Driver("mysql+pymysql", "pymysql", "graphbrick[mysql]"),
    "mariadb": Driver("mysql+pymysql", "pymysql", "graphbrick[mysql]"),
    "mssql": Driver("mssql+pyodbc", "pyodbc", "graphbrick[sql] pyodbc"),
    "oracle": Driver("oracle+oracledb", "oracledb", "graphbrick[sql] oracledb"),
    "sqlite": Driver("sqlite+pysqlite", "sqlite3", ""),
    "duckdb": Driver("", "duckdb", "graphbrick[duckdb]"),
}
"""The drivers by the beginning of an address without ``+DRIVER``."""

_FILES = ("sqlite", "duckdb")
_DUCKDB = (8, b"DUCK")  # where DuckDB files have their mark
_MASKED = re.compile(r"[?&][^=&]*=\*\*\*(?=&|$)")
_PORT = re.compile(r"(?:[^:/@\[\]]+|\[[^\]]*\]):\d*")


@dataclass(frozen=True)
class SqlAddress:
    """The address of an SQL database.

    As text it has no user, password or other secret, so that it can be shown and stored.

    Attributes:
        scheme: The kind of database, perhaps with a driver: ``postgresql``, ``mysql+mysqldb``.
        place: Host, database and options as written, without user, password and schemas.
        schemas: The schemas to read; empty for the default one.
        user: The user; empty if the address has none.
        password: The password; empty if the address has none.
    """

    scheme: str
    place: str
    schemas: tuple[str, ...] = ()
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        shown = without_secrets(f"{self.scheme}://{self.place}")
        while (shorter := _MASKED.sub(lambda one: "?" if one[0][0] == "?" else "", shown)) != shown:
            shown = shorter
        shown = shown.replace("?&", "?").rstrip("?")
        schemas = ",".join(quote(name, safe="") for name in self.schemas)
        return f"{shown}{'&' if '?' in shown else '?'}schema={schemas}" if schemas else shown

    @property
    def kind(self) -> str:
        """The kind of database, without a driver."""
        return self.scheme.partition("+")[0]

    @property
    def shown_name(self) -> str:
        """The name of the database, for reports."""
        path = self.place.partition("?")[0]
        return unquote(path.rpartition("/")[2]) or "the database"

    @property
    def file(self) -> Path | None:
        """The file of a database without a server; None if it has a server."""
        return Path(unquote(self.place.partition("?")[0].removeprefix("/"))) if self.kind in _FILES else None

    @classmethod
    def read(cls, text: str) -> SqlAddress:
        """Read an address; user and password that it does not hold are those of the environment.

        Characters such as ``/`` and ``@`` in a password may be written as they are, or as ``%2F`` and ``%40``.

        Raises:
            InputError: The option ``schema`` is empty.
        """
        scheme, _, rest = text.partition("://")
        login, place = _split_login(rest)
        place, mark, query = place.partition("?")
        options = query.split("&") if mark else []
        named = [option.partition("=")[2] for option in options if option.partition("=")[0] == "schema"]
        others = "&".join(option for option in options if option.partition("=")[0] != "schema")
        schemas = tuple(unquote(name.strip()) for value in named for name in value.split(","))
        user, _, password = login.partition(":")
        found = cls(
            scheme.lower(),
            place + ("?" + others if others else ""),
            schemas,
            unquote(user) or os.environ.get(USER, ""),
            unquote(password) or os.environ.get("GRAPHBRICK_PASSWORD", ""),
        )
        if not all(schemas):
            reason = "the option schema is empty; name one or several: ?schema=sales,public"
            raise InputError(reason, str(found), code="sql.empty_schema")
        return found


def _split_login(rest: str) -> tuple[str, str]:
    """Return user and password of an address, and the rest; a password may have any characters.

    >>> _split_login("me:p/w?@x@host/db"), _split_login("host:5432/db?options=a@b"), _split_login("me@host/db?x=a@b")
    (('me:p/w?@x', 'host/db'), ('', 'host:5432/db?options=a@b'), ('me', 'host/db?x=a@b'))
    """
    before = rest.partition("?")[0]
    authority = before.partition("/")[0]
    if "@" in before:
        login, _, place = rest[: len(before)].rpartition("@")
        further = rest[len(before) :]
        if ":" not in login and "/" in login:  # an @ in the name of the database or of a file
            return "", rest
        return login, place + further
    if "@" in rest and ":" in authority and not _PORT.fullmatch(authority) and not authority.startswith("["):
        login, _, place = rest.rpartition("@")
        return login, place
    return "", rest


def sql_address(source: str) -> SqlAddress | None:
    """Return the address of a source that is an SQL database; None for another, and for SQLite files.

    A DuckDB file is named by its path too.
    """
    if is_sql_address(source):
        address = SqlAddress.read(source)
        return None if address.scheme == "sqlite" else address
    return SqlAddress("duckdb", f"/{quote(source)}") if _is_duckdb(Path(source)) else None


def file_of(source: str) -> Path:
    """Return the file or folder that a source is, also if it is named as ``sqlite:///shop.db``."""
    file = SqlAddress.read(source).file if is_sql_address(source) else None
    return file or Path(source)


def _is_duckdb(file: Path) -> bool:
    """Return whether a file is a DuckDB database, by its first bytes."""
    place, mark = _DUCKDB
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return stream.read(place + len(mark))[place:] == mark
