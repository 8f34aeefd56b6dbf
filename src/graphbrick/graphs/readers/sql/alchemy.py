"""Databases that SQLAlchemy knows: their tables by reflection, and their rows as a stream within one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from graphbrick.graphs.readers.sql import postgres
from graphbrick.graphs.readers.sql.address import SqlAddress
from graphbrick.graphs.readers.sql.columns import column_of, typed_columns
from graphbrick.graphs.readers.sql.connecting import connected
from graphbrick.graphs.readers.sql.found import (
    FETCHED,
    NOT_READABLE,
    FoundColumn,
    FoundKey,
    FoundTable,
    TableKey,
    UnreadableTableError,
    fault,
    no_schema,
    reason_of,
)
from graphbrick.graphs.records.records import LeftOut

if TYPE_CHECKING:
    import sqlalchemy

OTHER_SCHEMAS = "schemas with tables that are not read (?schema=NAME in the address reads them)"
_MOST_SCHEMAS = 100  # that are looked into, to name those that have tables
_WITH_SCHEMAS = ("postgresql", "mssql")  # where several schemas in one database are usual
_AT_ONCE = ("postgresql", "oracle")  # where one query tells the columns of all tables
_OWN = ("information_schema", "INFORMATION_SCHEMA", "sys", "guest")


class AlchemyDatabase:
    """An open database, see `found.Database`.

    Raises:
        InputError: It does not answer, or refuses access; or a package is missing.
    """

    def __init__(self, address: SqlAddress) -> None:
        self.address = address
        self._connection, self._notes = connected(address)
        self._dialect = self._connection.dialect.name

    def close(self) -> None:
        """End the transaction and close the connection."""
        self._connection.close()
        self._connection.engine.dispose()

    def tables(self, left_out: LeftOut) -> list[FoundTable]:
        """Return the tables of the schemas that are read; views and what else is not read are reported."""
        left_out.update(self._notes)
        with self._reporting("the tables of the database cannot be listed", "sql.not_listed"), catch_warnings():
            simplefilter("ignore")  # of types that are not known, which are read as texts
            from sqlalchemy import inspect

            inspector = inspect(self._connection)
            self._check_schemas(inspector)
            tables = [table for schema in self._schemas() for table in self._of_schema(inspector, schema, left_out)]
            if self._dialect == "postgresql":
                tables = postgres.settled(self._connection, tables, left_out)
            self._note_schemas(inspector, left_out)
        return _with_known_keys(tables, inspector.default_schema_name)

    def _schemas(self) -> Sequence[str | None]:
        return self.address.schemas or (None,)

    def _check_schemas(self, inspector: sqlalchemy.Inspector) -> None:
        """Raise if the address names a schema that is not there."""
        names = inspector.get_schema_names() if self.address.schemas else []
        for name in self.address.schemas:
            if name not in names:
                raise no_schema(self.address, name, names)

    def _of_schema(
        self, inspector: sqlalchemy.Inspector, schema: str | None, left_out: LeftOut
    ) -> Iterator[FoundTable]:
        names = set(inspector.get_table_names(schema))
        if self._dialect == "postgresql":
            names.update(inspector.get_foreign_table_names(schema))  # type: ignore[attr-defined]
        if self._dialect in ("mysql", "mariadb"):
            names.update(_versioned(self._connection))
        shown = self.address.shown_name
        for name in sorted(inspector.get_view_names(schema)):
            left_out.add(f"views of {shown}, which are not read", name)
        for name in _materialized(inspector, schema):
            left_out.add(f"materialized views of {shown}, which are not read", name)
        if not names:
            return
        from sqlalchemy.exc import SQLAlchemyError

        many = [sorted(names)] if self._dialect in _AT_ONCE else [[name] for name in sorted(names)]
        for some in many:
            try:
                yield from self._reflected(inspector, schema, some, left_out)
            except SQLAlchemyError as error:
                if self._dialect in _AT_ONCE:
                    raise
                self._check_connected(error)
                left_out.add(NOT_READABLE, f"{some[0]} ({reason_of(self.address, error)})")

    def _reflected(
        self, inspector: sqlalchemy.Inspector, schema: str | None, names: list[str], left_out: LeftOut
    ) -> Iterator[FoundTable]:
        """Yield tables with their columns and keys."""
        wanted: dict[str, Any] = {"schema": schema, "filter_names": names}
        columns = inspector.get_multi_columns(**wanted)
        primary = inspector.get_multi_pk_constraint(**wanted)
        foreign = inspector.get_multi_foreign_keys(**wanted)
        for name in names:
            key = (schema, name)
            own = [column_of(str(one["name"]), one["type"], self._dialect) for one in columns.get(key, ())]
            if not own:
                left_out.add("tables without columns that can be read", name)
                continue
            own = typed_columns(self._connection, key, own)
            first = tuple(primary[key]["constrained_columns"]) if primary.get(key) else ()
            keys = tuple(
                FoundKey(
                    tuple(one["constrained_columns"]),
                    (one["referred_schema"], one["referred_table"]),
                    tuple(one["referred_columns"]),
                )
                for one in foreign.get(key, ())
            )
            yield FoundTable(key, own, first, keys)

    def _note_schemas(self, inspector: sqlalchemy.Inspector, left_out: LeftOut) -> None:
        """Report the other schemas that have tables."""
        if self._dialect not in _WITH_SCHEMAS:
            return
        read = {*self.address.schemas} or postgres.search_path(self._connection, inspector.default_schema_name)
        others = [
            name
            for name in inspector.get_schema_names()
            if name not in read and name not in _OWN and not name.startswith(("db_", "pg_"))
        ]
        for name in others[:_MOST_SCHEMAS]:
            if tables := len(inspector.get_table_names(name)):
                left_out.add(OTHER_SCHEMAS, f"{name} ({tables:,} {'table' if tables == 1 else 'tables'})")

    def _query(self, table: FoundTable) -> sqlalchemy.Select[Any]:
        from sqlalchemy import column, select
        from sqlalchemy import table as named

        schema, name = table.key
        source = named(name, *(column(one.name) for one in table.columns), schema=schema)
        query = select(*(self._expression(source.c[one.name], one) for one in table.columns))
        return query.with_hint(source, "ONLY", "postgresql") if table.alone else query

    def _expression(self, column: sqlalchemy.ColumnClause[Any], found: FoundColumn) -> Any:
        from sqlalchemy import ARRAY, CHAR, Text, cast

        if not found.as_text:
            return column
        text: Any = Text() if self._dialect == "postgresql" else CHAR()
        return cast(column, ARRAY(text) if found.as_text == "texts" else text).label(found.name)

    def sample(self, table: FoundTable, limit: int) -> list[Sequence[Any]]:
        """Return the first rows of a table; columns without the permission are left out of it.

        Raises:
            UnreadableTableError: No column of it can be read.
        """
        from sqlalchemy.exc import DataError, DBAPIError

        try:
            return self._first(table, limit)
        except DataError as error:
            raise fault(self.address, f"table {table.shown} cannot be read", error, "sql.unreadable") from error
        except DBAPIError as error:
            self._check_connected(error)
            reason = reason_of(self.address, error)
        readable = [column for column in table.columns if self._is_readable(table, column)]
        if not readable or len(readable) == len(table.columns):
            raise UnreadableTableError(reason)
        table.unread += [column.name for column in table.columns if column not in readable]
        table.columns[:] = readable
        return self._first(table, limit)

    def _first(self, table: FoundTable, limit: int) -> list[Sequence[Any]]:
        # PostgreSQL ends a transaction at an error, unless there is a point to go back to
        point = self._connection.begin_nested() if self._dialect == "postgresql" else nullcontext()
        with point:
            return list(map(tuple, self._connection.execute(self._query(table).limit(limit)).fetchall()))

    def _is_readable(self, table: FoundTable, column: FoundColumn) -> bool:
        from sqlalchemy.exc import DBAPIError

        try:
            self._first(FoundTable(table.key, [column], alone=table.alone), 1)
        except DBAPIError as error:
            self._check_connected(error)
            return False
        return True

    def _check_connected(self, error: Any) -> None:
        """Raise if it is the connection that fails, or a lock of another transaction, and not a table."""
        if "timeout" in reason_of(self.address, error).lower():
            what = "the server ended a statement, as a table is locked by another transaction or it took too long"
            raise fault(self.address, f"{what}; try again later", error, "sql.timeout") from error
        if getattr(error, "connection_invalidated", False) or self._connection.invalidated:
            raise fault(self.address, "the connection was lost; build again", error, "sql.lost") from error

    def rows(self, table: FoundTable) -> Iterator[Sequence[Sequence[Any]]]:
        """Yield the rows of a table, many at a time, as the server sends them."""
        with self._reporting(f"table {table.shown} cannot be read to its end", "sql.unreadable"):
            options = {"stream_results": True, "max_row_buffer": FETCHED}
            with self._connection.execute(self._query(table), execution_options=options) as result:
                while batch := list(islice(result, FETCHED)):
                    yield batch

    @contextmanager
    def _reporting(self, what: str, code: str) -> Iterator[None]:
        """Raise errors of the database as `InputError`."""
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        try:
            yield
        except (SQLAlchemyError, UnicodeError) as error:
            if isinstance(error, DBAPIError) and error.connection_invalidated:
                what, code = f"{what}, as the connection was lost; build again", "sql.lost"
            raise fault(self.address, what, error, code) from error


def _with_known_keys(tables: list[FoundTable], default: str | None) -> list[FoundTable]:
    """Return the tables with foreign keys whose tables are called as they are found: without a schema, or with it."""
    known = {table.key for table in tables}

    def found(key: TableKey) -> TableKey:
        schema, name = key
        options = [key, (default, name)] if schema is None else [key, *([(None, name)] if schema == default else ())]
        return next((one for one in options if one in known), (schema or default, name))

    for table in tables:
        table.foreign = tuple(one._replace(table=found(one.table)) for one in table.foreign)
    return tables


def _materialized(inspector: sqlalchemy.Inspector, schema: str | None) -> list[str]:
    try:
        return sorted(inspector.get_materialized_view_names(schema))
    except NotImplementedError:
        return []


def _versioned(connection: sqlalchemy.Connection) -> list[str]:
    """Return the tables of MariaDB that keep their history, which are listed apart; their present rows are read."""
    rows = connection.exec_driver_sql("SHOW FULL TABLES").fetchall()
    return [str(name) for name, kind in rows if kind == "SYSTEM VERSIONED"]
