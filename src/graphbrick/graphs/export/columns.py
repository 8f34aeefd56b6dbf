"""The columns of properties of a graph in the files of an export."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator

from graphbrick.core.properties.values import Properties, Scalar, Value
from graphbrick.graphs.records.columns import ColumnKey, column_of, column_titles
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.stored import StoredGraph


class PropertyTitles:
    """The columns of the properties of entities or of triples, with their titles in an export.

    Args:
        graph: The graph.
        of_triples: Whether they are properties of triples.
        taken: Titles of the other columns of the file, in lower case.
    """

    def __init__(self, graph: StoredGraph, *, of_triples: bool, taken: Collection[str] = ()) -> None:
        self._graph, self._of_triples = graph, of_triples
        columns = [
            ColumnKey(column.name, column.kind, column.is_list)
            for column in sorted(graph.columns, key=lambda column: -len(column))  # the most frequent kind has the name
            if column.of_triples == of_triples
        ]
        changed = (column_of(*item) for properties in self._changed() for item in properties.items())
        self.titles = column_titles(dict.fromkeys([*columns, *changed]), taken)
        """The title of each column."""

    def _changed(self) -> Iterator[Properties]:
        """Yield the properties that came with changes."""
        changes = self._graph.changes
        if self._of_triples:
            yield from changes.added_properties
        else:
            yield from (facts.properties for facts in changes.facts.values() if facts.properties)

    def __bool__(self) -> bool:
        return bool(self.titles)

    def items(self, properties: Properties) -> Iterator[tuple[str, ColumnKey, Value]]:
        """Yield the title, the column and the value of each property."""
        for name, value in properties.items():
            column = column_of(name, value)
            yield self.titles[column], column, value

    def zones(self, column: ColumnKey) -> set[int | None]:
        """Return the zones of the date-times of a column in minutes east of Greenwich; None for those without one."""
        zones: set[int | None] = set()
        for own in self._graph.columns:
            if ColumnKey(own.name, own.kind, own.is_list) == column and own.of_triples == self._of_triples:
                zones |= own.zones()
        for properties in self._changed():
            value = properties.get(column.name)
            if value is not None:
                zones |= {zone_of(moment) for moment in moments(value)}
        return zones


def elements(value: Value) -> tuple[Scalar, ...]:
    """Return the elements of a list, or the value alone."""
    return value if isinstance(value, tuple) else (value,)


def moments(value: Value) -> list[datetime.datetime]:
    """Return the elements of a value that are date-times."""
    return [element for element in elements(value) if isinstance(element, datetime.datetime)]


def zone_of(moment: datetime.datetime) -> int | None:
    """Return the zone of a date-time in minutes east of Greenwich; None if it has none."""
    offset = moment.utcoffset()
    return None if offset is None else round(offset.total_seconds() / 60)


def properties_left_out(graph: StoredGraph, left_out: LeftOut) -> None:
    """Count all values of properties of a graph, for what does not carry them along."""
    for column in graph.columns:
        left_out.add(_values(of_triples=column.of_triples), column.name, len(column))
    changes = graph.changes
    of_entities = (facts.properties for facts in changes.facts.values() if facts.properties)
    for of_triples, several in ((False, of_entities), (True, iter(changes.added_properties))):
        for properties in several:
            for name in properties:
                left_out.add(_values(of_triples=of_triples), name)


def _values(*, of_triples: bool) -> str:
    return f"values of properties of {'triples' if of_triples else 'entities'}"
