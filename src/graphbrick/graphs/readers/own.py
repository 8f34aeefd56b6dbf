"""Tables that this package exported: the roles of columns are known, cells are read as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphbrick.core.properties.values import Value
from graphbrick.graphs.readers.columns import EdgeColumns, NodeColumns
from graphbrick.graphs.readers.fields import Field, exact_reader, field_of
from graphbrick.graphs.records.columns import ColumnKey, column_of, column_of_form, titled_name

# The export neo4j-csv writes types and relations as they are, and as names for Neo4j.
_NODES = ("key:ID", "label", "description", "aliases:string[]", "types:string[]", ":LABEL")
_EDGES = (":START_ID", ":END_ID", ":TYPE", "key", "label")


def own_text_nodes(header: Sequence[str]) -> NodeColumns | None:
    """Return the columns of a delimited table of nodes; None if no export of this package wrote it."""
    if tuple(header[: len(_NODES)]) != _NODES:
        return None
    fields = _text_fields(header, len(_NODES))
    return NodeColumns(0, (1,), (3,), 4, 2, fields, width=len(header), is_exact=True)


def own_text_edges(header: Sequence[str]) -> EdgeColumns | None:
    """Return the columns of a delimited table of edges; None if no export of this package wrote it."""
    if tuple(header[: len(_EDGES)]) != _EDGES:
        return None
    return EdgeColumns(0, 3, 1, None, 4, _text_fields(header, len(_EDGES)), width=len(header))


def own_typed_nodes(header: Sequence[str]) -> NodeColumns:
    """Return the columns of a typed table of nodes that this package exported."""
    return NodeColumns(0, (1,), (4,), 2, 3, _typed_fields(header, 5), width=len(header), is_exact=True)


def own_typed_edges(header: Sequence[str]) -> EdgeColumns:
    """Return the columns of a typed table of edges that this package exported."""
    return EdgeColumns(0, 1, 2, fields=_typed_fields(header, 3), width=len(header))


def own_field(title: str, form: str) -> Field | None:
    """Return the property with a title and a form, as "list of date"; None for an unknown form."""
    try:
        column = column_of_form(titled_name(title)[0], form)
    except ValueError:
        return None
    return Field(0, column.name, column.kind, column.is_list, is_exact=True)


def own_value(cell: Any, field: Field) -> Value | None:
    """Return a cell of JSON as the value of a property; None if it is of another kind."""
    column = ColumnKey(field.name, field.kind, field.is_list)
    try:
        value = exact_reader(field)(cell)
        is_own = value is not None and (value == () or column_of(field.name, value) == column)
    except (TypeError, ValueError):
        return None
    return value if is_own else None


def _text_fields(header: Sequence[str], first: int) -> tuple[Field, ...]:
    fields = []
    for place in range(first, len(header)):
        title, _, type_ = header[place].rpartition(":")
        stated = field_of(place, f"x:{type_}")
        fields.append(Field(place, titled_name(title)[0], stated.kind, stated.is_list, is_exact=True))
    return tuple(fields)


def _typed_fields(header: Sequence[str], first: int) -> tuple[Field, ...]:
    fields = []
    for place in range(first, len(header)):
        name, form = titled_name(header[place])
        fields.append(Field(place, name, column_of_form(name, form).kind if form else None, is_exact=True))
    return tuple(fields)
