"""DuckDB files, which are opened for reading only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.sql.address import DRIVERS, SqlAddress
from graphbrick.graphs.readers.sql.connecting import no_package
from graphbrick.graphs.readers.sql.found import FETCHED, FoundColumn, FoundKey, FoundTable, fault, no_schema
from graphbrick.graphs.records.records import LeftOut

_DEFAULT = "main"
_QUIET = {"autoinstall_known_extensions": "false"}  # nothing is fetched
_AS_TEXT = ("INTERVAL", "TIME", "BIT", "UNION", "VARIANT", "GEOMETRY")


class DuckDatabase:
    """An open DuckDB file, see `found.Database`.

    Raises:
        InputError: It is not there, or another process has it open for writing; or the package is missing.
    """

    def __init__(self, address: SqlAddress) -> None:
        self.address, self._place = address, address.file
        assert self._place is not None
        if find_spec("duckdb") is None:
            raise no_package(address, ["duckdb"], DRIVERS["duckdb"].package)
        self._duckdb: Any = import_module("duckdb")
        if not self._place.is_file():
            raise InputError("there is no such file", str(self._place), code="sql.no_file")
        try:
            self._connection = self._duckdb.connect(str(self._place), read_only=True, config=_QUIET)
            self._connection.execute("BEGIN TRANSACTION")
        except self._duckdb.Error as error:
            raise fault(address, "the database cannot be opened", error, "sql.not_opened") from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _fetched(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            found: list[Any] = self._connection.execute(query, list(values)).fetchall()
        except self._duckdb.Error as error:
            raise fault(self.address, "the database cannot be read", error, "sql.unreadable") from error
        return found

    def tables(self, left_out: LeftOut) -> list[FoundTable]:
        """Return the tables of the schemas that are read; views and other schemas are reported."""
        schemas = self.address.schemas or (_DEFAULT,)
        names = [
            name for (name,) in self._fetched("SELECT DISTINCT schema_name FROM duckdb_schemas() WHERE NOT internal")
        ]
        for name in schemas:
            if name not in (*names, _DEFAULT):
                raise no_schema(self.address, name, [_DEFAULT, *(one for one in names if one != _DEFAULT)])
        here = "WHERE database_name = current_database() AND NOT internal"
        for schema, name in self._fetched(f"SELECT schema_name, view_name FROM duckdb_views() {here} ORDER BY ALL"):
            if schema in schemas:
                left_out.add(f"views of {self.address.shown_name}, which are not read", name)
        columns: dict[tuple[str, str], list[FoundColumn]] = defaultdict(list)
        found = self._fetched(
            "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() "
            f"{here} AND table_name IN (SELECT table_name FROM duckdb_tables()) ORDER BY column_index"
        )
        for schema, name, column, type_ in found:
            columns[schema, name].append(_column(column, type_))
        tables = []
        for schema, name in self._fetched(f"SELECT schema_name, table_name FROM duckdb_tables() {here} ORDER BY ALL"):
            if schema in schemas:
                key = (None if schema == _DEFAULT else schema, name)
                tables.append(FoundTable(key, columns[schema, name], *self._keys(schema, name)))
            else:
                left_out.add("tables of other schemas (?schema=NAME in the address reads them)", f"{schema}.{name}")
        return tables

    def _keys(self, schema: str, name: str) -> tuple[tuple[str, ...], tuple[FoundKey, ...]]:
        """Return the primary key and the foreign keys of a table, which are all in its own schema."""
        rows = self._fetched(
            "SELECT constraint_type, constraint_column_names, referenced_table, referenced_column_names "
            "FROM duckdb_constraints() WHERE database_name = current_database() AND schema_name = ? AND table_name = ? "
            "AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY constraint_index",
            (schema, name),
        )
        own = None if schema == _DEFAULT else schema
        primary = next((tuple(columns) for kind, columns, _, _ in rows if kind == "PRIMARY KEY"), ())
        foreign = [
            FoundKey(tuple(columns), (own, table), tuple(others))
            for kind, columns, table, others in rows
            if kind == "FOREIGN KEY"
        ]
        return primary, tuple(foreign)

    def _query(self, table: FoundTable) -> str:
        schema, name = table.key
        columns = (
            f"CAST({_quoted(one.name)} AS VARCHAR)" if one.as_text else _quoted(one.name) for one in table.columns
        )
        return f"SELECT {', '.join(columns)} FROM {_quoted(schema or _DEFAULT)}.{_quoted(name)}"

    def sample(self, table: FoundTable, limit: int) -> list[Sequence[Any]]:
        """Return the first rows of a table."""
        return self._fetched(f"{self._query(table)} LIMIT {limit}")

    def rows(self, table: FoundTable) -> Iterator[Sequence[Sequence[Any]]]:
        """Yield the rows of a table, many at a time."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(self._query(table))
            while batch := cursor.fetchmany(FETCHED):
                yield batch
        except self._duckdb.Error as error:
            raise fault(self.address, f"table {table.shown} cannot be read to its end", error, "sql.lost") from error
        finally:
            cursor.close()


def _column(name: str, type_: str) -> FoundColumn:
    """Return how a column is read; types that Python has no plain value for are read as texts."""
    if type_.startswith("DECIMAL") and type_.endswith(",0)"):
        return FoundColumn(name, "whole")
    if type_ == "DATE" or type_.startswith("TIMESTAMP"):
        return FoundColumn(name, "endless")
    as_text = type_.startswith(_AS_TEXT) and not type_.endswith("]")
    return FoundColumn(name, "json" if type_ == "JSON" else "", "text" if as_text else "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
