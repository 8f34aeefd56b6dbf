"""How the columns of a table are read, by the types that SQLAlchemy finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphbrick.graphs.readers.sql.found import FoundColumn, TableKey

if TYPE_CHECKING:
    import sqlalchemy

EXACT = 15
"""Digits that a number keeps, whatever they are."""
_MYSQL = ("mysql", "mariadb")


def column_of(name: str, type_: Any, dialect: str) -> FoundColumn:
    """Return how a column is read.

    Types of PostgreSQL that Python has no plain value for, such as intervals, ranges and addresses, are read as the
    texts that the database shows.

    Args:
        name: The name of the column.
        type_: Its type, from SQLAlchemy.
        dialect: The kind of database.
    """
    import sqlalchemy as sa

    type_ = getattr(type_, "data_type", type_)  # a domain is what it is made of
    kind = _kind(type_, dialect)
    if dialect == "postgresql":
        if isinstance(type_, sa.ARRAY):
            item = type_.item_type
            is_plain = _is_plain(item) and not isinstance(item, sa.Enum) and type(item).__name__ != "CITEXT"
            return FoundColumn(name, "", "" if is_plain else "texts")
        return FoundColumn(name, kind, "" if _is_plain(type_) else "text")
    if dialect in _MYSQL and isinstance(type_, sa.Time):
        return FoundColumn(name, kind, "text")
    return FoundColumn(name, kind)


def _is_plain(type_: Any) -> bool:
    import sqlalchemy as sa

    if type(type_).__name__ == "INET":
        return True  # whose text would have the mask /32
    kinds = (sa.Integer, sa.Numeric, sa.Float, sa.Boolean, sa.String, sa.Uuid, sa.JSON, sa.LargeBinary)
    return isinstance(type_, (*kinds, sa.Date, sa.DateTime))


def _kind(type_: Any, dialect: str) -> str:
    import sqlalchemy as sa

    name = type(type_).__name__
    kind = ""
    if isinstance(type_, sa.JSON):
        kind = "json"
    elif isinstance(type_, sa.CHAR):
        kind = "padded"
    elif isinstance(type_, sa.Numeric) and not isinstance(type_, sa.Float):
        kind = "whole" if type_.scale == 0 else "short" if 0 < (type_.precision or 0) <= EXACT else ""
    elif dialect == "sqlite" and isinstance(type_, sa.Boolean):
        kind = "flag"
    elif dialect in _MYSQL:
        if isinstance(type_, sa.Date | sa.DateTime):
            kind = "dates"
        elif name == "TINYINT" and type_.display_width == 1:
            kind = "flag"
        elif name == "BIT":
            kind = "bit" if type_.length in (None, 1) else "bits"
        elif name == "SET":
            kind = "set"
    return kind


def typed_columns(connection: sqlalchemy.Connection, key: TableKey, columns: list[FoundColumn]) -> list[FoundColumn]:
    """Return the columns without the kind "flag" for those that have other numbers than 0 and 1."""
    import sqlalchemy as sa

    schema, name = key
    found = []
    for one in columns:
        if one.kind == "flag":
            column: Any = sa.column(one.name)
            other: Any = sa.select(sa.literal_column("1")).select_from(sa.table(name, schema=schema))
            if connection.execute(other.where(column.not_in([0, 1])).limit(1)).first() is not None:
                one = one._replace(kind="")
        found.append(one)
    return found
