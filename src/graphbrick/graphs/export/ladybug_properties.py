"""The columns of properties in the tables of a ladybug database."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphbrick.core.properties.values import Kind, Properties, Value
from graphbrick.graphs.export.blocks import Ints, writable
from graphbrick.graphs.export.columns import PropertyTitles, moments, zone_of
from graphbrick.graphs.export.ladybug_names import identifier, new_name
from graphbrick.graphs.records.columns import ColumnKey, column_of
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.stored import StoredGraph

if TYPE_CHECKING:
    import pyarrow

_TYPES = {
    Kind.TEXT: "STRING",
    Kind.INTEGER: "INT64",
    Kind.NUMBER: "DOUBLE",
    Kind.BOOLEAN: "BOOL",
    Kind.DATE: "DATE",
}
_ZONES = "date-times in other zones, written in UTC"
_LOCAL = "date-times without a zone beside others with one, written as of UTC"


class PropertyColumns:
    """The columns of the properties of nodes or of edges.

    Args:
        graph: The graph.
        table_of: int64; the number of the table of each entity or, for edges, of each relation.
        taken: Names of the other columns, in lower case; those of the properties are added.
        left_out: Receives what the columns cannot hold.
        of_triples: Whether they are properties of triples.
    """

    def __init__(
        self, graph: StoredGraph, table_of: Ints, taken: set[str], left_out: LeftOut, *, of_triples: bool
    ) -> None:
        self._graph, self._left_out, self._of_triples = graph, left_out, of_triples
        own = PropertyTitles(graph, of_triples=of_triples)
        self._names = {column: new_name(identifier(column.name, "value"), taken) for column in own.titles}
        self._types = {column: _type_name(column, own) for column in own.titles}
        self._in_tables: dict[ColumnKey, set[int]] = {column: set() for column in own.titles}
        for column, tables in self._built(table_of):
            self._in_tables[column].update(tables)
        for properties, place in self._changed():
            for name, value in properties.items():
                self._in_tables[column_of(name, value)].add(int(table_of[place]))

    def _built(self, table_of: Ints) -> Iterator[tuple[ColumnKey, Iterable[int]]]:
        """Yield each column as built with the tables in which it has values."""
        graph = self._graph
        for column in graph.columns:
            if column.of_triples == self._of_triples:
                owners = graph.csr.relation[column.owners] if self._of_triples else column.owners
                yield ColumnKey(column.name, column.kind, column.is_list), np.unique(table_of[owners]).tolist()

    def _changed(self) -> Iterator[tuple[Properties, int]]:
        """Yield changed properties with their entity or relation."""
        changes = self._graph.changes
        if self._of_triples:
            yield from zip(changes.added_properties, changes.added[:, 1].tolist(), strict=False)
        else:
            yield from ((facts.properties, entity) for entity, facts in changes.facts.items() if facts.properties)

    def of_table(self, number: int) -> list[ColumnKey]:
        """Return the properties of a table."""
        return [column for column, tables in self._in_tables.items() if number in tables]

    def types(self, number: int) -> dict[str, str]:
        """Return the type of each column of a table by name."""
        return {self._names[column]: self._types[column] for column in self.of_table(number)}

    def comment(self, number: int) -> dict[str, object]:
        """Return the part of the comment of a table that says which property each column holds; perhaps empty."""
        columns = {self._names[column]: [column.name, column.form] for column in self.of_table(number)}
        return {"columns": columns} if columns else {}

    def arrays(self, number: int, rows: Sequence[Properties]) -> dict[str, pyarrow.Array]:
        """Return the columns of rows of a table by name."""
        import pyarrow

        arrays = {}
        for column in self.of_table(number):
            type_ = _arrow_type(self._types[column])
            values = (self._value(column, properties) for properties in rows)
            arrays[self._names[column]] = pyarrow.array(values, type_)
        return arrays

    def _value(self, column: ColumnKey, properties: Properties) -> Any:
        value = properties.get(column.name)
        if value is None or column_of(column.name, value) != column:
            return None
        if self._types[column].startswith("TIMESTAMP_TZ"):
            for moment in moments(value):
                zone = zone_of(moment)
                if zone != 0:
                    self._left_out.add(_LOCAL if zone is None else _ZONES, moment.isoformat())
            return _in_utc(value)
        if isinstance(value, tuple):
            return [writable(element) if isinstance(element, str) else element for element in value]
        return writable(value) if isinstance(value, str) else value


def _in_utc(value: Value) -> Any:
    """Return date-times in UTC."""
    if isinstance(value, tuple):
        return list(map(_in_utc, value))
    assert isinstance(value, datetime.datetime)
    return value.replace(tzinfo=datetime.UTC) if value.tzinfo is None else value.astimezone(datetime.UTC)


def _type_name(column: ColumnKey, own: PropertyTitles) -> str:
    assert column.kind is not None
    is_local = column.kind == Kind.DATETIME and own.zones(column) <= {None}
    name = _TYPES.get(column.kind, "TIMESTAMP" if is_local else "TIMESTAMP_TZ")
    return f"{name}[]" if column.is_list else name


def _arrow_type(name: str) -> pyarrow.DataType:
    import pyarrow

    scalars = {
        "STRING": pyarrow.string(),
        "INT64": pyarrow.int64(),
        "DOUBLE": pyarrow.float64(),
        "BOOL": pyarrow.bool_(),
        "DATE": pyarrow.date32(),
        "TIMESTAMP": pyarrow.timestamp("us"),
        "TIMESTAMP_TZ": pyarrow.timestamp("us", "UTC"),
    }
    scalar = scalars[name.removesuffix("[]")]
    return pyarrow.list_(scalar) if name.endswith("[]") else scalar
