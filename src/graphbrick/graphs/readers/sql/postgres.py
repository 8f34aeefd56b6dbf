"""What PostgreSQL tells of tables beside columns and keys: partitions, inheritance, and types that are not read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphbrick.graphs.readers.sql.found import FoundTable, TableKey
from graphbrick.graphs.records.records import LeftOut

if TYPE_CHECKING:
    import sqlalchemy

PARTS = "partitions, which are read with their table"
UNREAD = "columns of types that are not read"

_INHERITS = """
SELECT below.nspname, child.relname, pg_table_is_visible(child.oid),
       above.nspname, parent.relname, pg_table_is_visible(parent.oid),
       EXISTS (SELECT 1 FROM pg_attribute AS own
               WHERE own.attrelid = child.oid AND own.attnum > 0 AND own.attinhcount = 0 AND NOT own.attisdropped)
FROM pg_inherits
JOIN pg_class AS child ON child.oid = inhrelid JOIN pg_namespace AS below ON below.oid = child.relnamespace
JOIN pg_class AS parent ON parent.oid = inhparent JOIN pg_namespace AS above ON above.oid = parent.relnamespace
WHERE child.relkind IN ('r', 'p', 'f')
"""
_ODD_TYPES = """
SELECT nspname, relname, pg_table_is_visible(pg_class.oid), attname, typname
FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'p', 'f')
  AND typname IN ('tsvector', 'tsquery', 'geometry', 'geography', 'raster', 'vector', 'halfvec', 'sparsevec')
"""


def search_path(connection: sqlalchemy.Connection, default: str | None) -> set[str | None]:
    """Return the schemas whose tables need no schema before their name."""
    if connection.dialect.name != "postgresql":
        return {default}
    return {*connection.exec_driver_sql("SELECT current_schemas(false)").scalar_one()}


def settled(connection: sqlalchemy.Connection, tables: list[FoundTable], left_out: LeftOut) -> list[FoundTable]:
    """Return the tables so that each row is read once, without columns of vectors, shapes and the like.

    Partitions are read with their table, and so are tables that inherit from another and add no columns. Where one
    adds columns, those that inherit are tables of their own, and their rows are left out of the other.

    Args:
        connection: The connection.
        tables: The tables.
        left_out: Receives partitions and columns that are not read.
    """
    by_key = {table.key: table for table in tables}

    def key(schema: str, name: str, is_visible: bool) -> TableKey | None:
        """Return the key of a table as it was found; None if it is not read."""
        options: list[TableKey] = [(schema, name), *([(None, name)] if is_visible else ())]
        return next((one for one in options if one in by_key), None)

    for schema, name, is_visible, column, type_ in connection.exec_driver_sql(_ODD_TYPES).fetchall():
        owner = key(schema, name, is_visible)
        if owner is not None:
            left_out.add(UNREAD, f"{by_key[owner].shown}: {column} ({type_})")
            by_key[owner].columns[:] = [one for one in by_key[owner].columns if one.name != column]
    parents: dict[TableKey, TableKey] = {}
    extended: set[TableKey] = set()  # tables from which one with columns of its own inherits
    for *child, schema, name, is_visible, adds in connection.exec_driver_sql(_INHERITS).fetchall():
        below, above = key(*child), key(schema, name, is_visible)
        if below is not None and above is not None:
            parents[below] = above
            if adds:
                extended.add(above)
    while more := {parents[one] for one in extended if one in parents} - extended:
        extended |= more
    for one in extended:
        by_key[one].alone = True
    parts = {one for one, above in parents.items() if above not in extended}
    for table in tables:
        table.foreign = tuple(key._replace(table=_above(key.table, parts, parents)) for key in table.foreign)
    for one in sorted(parts, key=lambda key: key[1]):
        left_out.add(PARTS, by_key[one].shown)
    return [table for table in tables if table.key not in parts and table.columns]


def _above(key: TableKey, parts: set[TableKey], parents: dict[TableKey, TableKey]) -> TableKey:
    """Return the table that a partition is read with; any other table as it is."""
    while key in parts:
        key = parents[key]
    return key


def keep_odd_dates(connection: sqlalchemy.Connection) -> None:
    """Let dates that Python does not have, such as infinity and those before Christ, be read as texts."""
    from psycopg import DataError
    from psycopg.adapt import Loader
    from psycopg.pq import Format

    def lenient(plain: Any) -> type[Any]:
        class Lenient(Loader):  # type: ignore[misc]
            def __init__(self, oid: int, connection: Any = None) -> None:
                super().__init__(oid, connection)
                self._plain = plain(oid, connection)

            def load(self, data: Any) -> Any:
                try:
                    return self._plain.load(data)
                except DataError:
                    return bytes(data).decode()

        return Lenient

    adapters: Any = connection.connection.driver_connection
    adapters = adapters.adapters
    for name in ("date", "timestamp", "timestamptz"):
        oid = adapters.types[name].oid
        adapters.register_loader(oid, lenient(adapters.get_loader(oid, Format.TEXT)))
