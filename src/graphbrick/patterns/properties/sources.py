"""The properties of entities that questions ask for or compare: columns, and relations to numbers or dates.

What reads a question sees one kind of thing, a `Source`, however the graph holds the values.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Kind, PropertyColumn, Scalar, Value, kind_of
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.property_view import PropertyView
from graphbrick.graphs.store.columns import Column
from graphbrick.graphs.store.literals import (
    DATE,
    DECIMAL,
    INTEGER,
    YEAR,
    LiteralType,
    Values,
    literal_types,
    values_of,
)
from graphbrick.language.folding import fold
from graphbrick.language.stems import Stems
from graphbrick.patterns.lexicon import label_stems

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NUMERIC = {Kind.INTEGER: INTEGER, Kind.NUMBER: DECIMAL, Kind.DATE: DATE, Kind.DATETIME: DATE}
_LOWEST: dict[Kind, Scalar] = {
    Kind.INTEGER: -(2**63) + 1,
    Kind.NUMBER: -(2**63) + 1,
    Kind.DATE: datetime.date.min,
    Kind.DATETIME: datetime.date.min,
    Kind.TEXT: "",
}
_YEARS = range(1000, 2200)
_SMALL = frozenset("of in by at with for to from on the a an has is was are id".split())
_BEFORE_MONTH = np.array([0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335])  # days of the year 2000


@dataclass(frozen=True)
class Source:
    """A property of entities.

    Attributes:
        name: Its name.
        relation: The relation whose tails are the values; -1 for a column.
        literal: The type of its numbers or dates; None for texts and booleans.
        kind: The kind of most values.
        words: The stems of the words of its name that have a meaning.
    """

    name: str
    relation: int = -1
    literal: LiteralType | None = field(default=None, compare=False)
    kind: Kind = field(default=Kind.TEXT, compare=False)
    words: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def unit(self) -> str:
        """The unit of its numbers; empty for none."""
        return "" if self.literal is None else self.literal.unit

    @property
    def is_date(self) -> bool:
        """True if its values are years or dates."""
        return self.literal is not None and self.literal.is_date

    @property
    def stems(self) -> Stems:
        """The stems of its name, in order, without a leading «is» or «has»."""
        words = label_stems(self.name)
        return words[1:] if len(words) > 1 and words[0] in ("is", "has") else words


def sources_of(graph: Graph) -> Sequence[Source]:
    """Return the properties of a graph, relations to numbers and dates first; a session finds them once."""
    return current_session().get(("property sources", graph.place, graph.hash), lambda: _find(graph), at_most=8)


def has_columns(graph: Graph) -> bool:
    """Return whether entities have properties that are not tails of triples."""
    if not _is_stored(graph):
        return any(source.relation < 0 for source in sources_of(graph))
    changed = graph.changes.facts.values()
    return any(not column.of_triples for column in graph.columns) or any(facts.properties for facts in changed)


def _is_stored(graph: Graph) -> bool:
    """Return whether the columns of a graph are its own, and not known by the protocol of properties alone."""
    return type(graph).property_columns is PropertyView.property_columns


def _find(graph: Graph) -> tuple[Source, ...]:
    sources = [
        Source(label, relation, literal, Kind.DATE if literal.is_date else Kind.NUMBER, _words(label))
        for relation, literal in literal_types(graph).items()
        for label in [graph.relation_label(relation)]
    ]
    names = {source.name for source in sources}
    best: dict[str, PropertyColumn] = {}
    if not _is_stored(graph) or has_columns(graph):
        for column in [*graph.property_columns(), *_columns_of_changes(graph)]:
            if column.name not in names and (column.name not in best or best[column.name].count < column.count):
                best[column.name] = column
    for name, column in best.items():
        literal = _literal(graph, column)
        sources.append(Source(name, -1, literal, column.kind, _words(name)))
    return tuple(sources)


def _columns_of_changes(graph: Graph) -> list[PropertyColumn]:
    """Return the properties that came with changes."""
    changed = [facts.properties for facts in graph.changes.facts.values() if facts.properties]
    kinds = {name: value_kind(value) for properties in changed for name, value in properties.items()}
    return [PropertyColumn(name, kind, 1) for name, kind in kinds.items()]


def _words(name: str) -> frozenset[str]:
    words = frozenset(label_stems(name))
    return words - _SMALL or words


def _literal(graph: Graph, column: PropertyColumn) -> LiteralType | None:
    kind = _NUMERIC.get(column.kind)
    if kind != INTEGER or "year" not in label_stems(column.name):
        return None if kind is None else LiteralType(kind)
    values = _numbers_of_columns(graph, column.name).values
    is_year = len(values) > 0 and _YEARS[0] <= values.min() and values.max() <= _YEARS[-1]
    return LiteralType(YEAR if is_year else INTEGER)


def numbers_of(graph: Graph, source: Source) -> Values:
    """Return the numbers of a property, dates as years with their fraction; tails are -1 for a column."""
    if source.relation >= 0:
        return values_of(graph, source.relation)
    key = ("property numbers", graph.place, graph.hash, source.name)
    return current_session().get(key, lambda: _numbers_of_columns(graph, source.name), at_most=64)


def _numbers_of_columns(graph: Graph, name: str) -> Values:
    heads: list[Ints] = []
    values: list[Floats] = []
    changed = _changed(graph)
    for column in graph.columns:
        if column.name == name and not column.of_triples and column.kind in _NUMERIC:
            owners = column.owners.astype(np.int64)
            numbers = _floats(column)
            keep = ~np.isin(owners, changed)
            heads.append(owners[keep])
            values.append(numbers[keep])
    others = changed if _is_stored(graph) else _owners(graph, name)
    read = [(entity, _as_number(graph.properties(entity).get(name))) for entity in others.tolist()]
    read = [(entity, number) for entity, number in read if number is not None]
    heads.append(np.array([entity for entity, _ in read], dtype=np.int64))
    values.append(np.array([number for _, number in read], dtype=np.float64))
    owners, first = np.unique(np.concatenate(heads), return_index=True)
    return Values(owners, np.concatenate(values)[first], np.full(len(owners), -1, dtype=np.int64))


def _changed(graph: Graph) -> Ints:
    facts = graph.changes.facts.items()
    return np.array(sorted(entity for entity, changed in facts if changed.properties is not None), dtype=np.int64)


def _floats(column: Column) -> Floats:
    """Return the numbers of a column; of lists, the first element."""
    numbers = column.numbers
    if numbers is None or column.is_list:
        read = (_as_number(column.value(row)) for row in range(len(column)))
        return np.array([np.nan if number is None else number for number in read], dtype=np.float64)
    if column.kind == Kind.DATE:
        return _years(numbers.astype("datetime64[D]"))
    if column.kind == Kind.DATETIME:
        moments = numbers.astype("datetime64[us]")
        days = moments.astype("datetime64[D]")
        return np.asarray(_years(days) + (moments - days).astype(np.float64) / (86_400_000_000 * 366))
    return np.asarray(numbers, dtype=np.float64)


def _years(days: npt.NDArray[np.datetime64]) -> Floats:
    """Return dates as years with their fraction, as `literals.read_literal` reads them."""
    months = days.astype("datetime64[M]")
    day = (days - months).astype(np.int64)
    month = months.astype(np.int64)
    of_year = _BEFORE_MONTH[month % 12] + day
    return np.asarray(month // 12 + 1970 + of_year / 366, dtype=np.float64)


def _as_number(value: Value | None) -> float | None:
    if isinstance(value, tuple):
        value = value[0] if value else None
    if value is None or isinstance(value, bool | str):
        return None
    if isinstance(value, datetime.date):
        day = datetime.date(value.year, value.month, value.day)
        return float(_years(np.array([day], dtype="datetime64[D]"))[0])
    return float(value)


def owners_of(graph: Graph, source: Source) -> Ints:
    """Return the entities that have a property, ascending."""
    if source.literal is not None:
        return numbers_of(graph, source).heads
    return _owners(graph, source.name)


def _owners(graph: Graph, name: str) -> Ints:
    if not _is_stored(graph):
        every = [
            np.asarray(graph.matching(condition), dtype=np.int64)
            for column in graph.property_columns()
            if column.name == name
            for condition in _any_value(column)
        ]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *every]))
    changed = _changed(graph)
    parts = [c.owners.astype(np.int64) for c in graph.columns if c.name == name and not c.of_triples]
    owners = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))
    news = [entity for entity in changed.tolist() if name in graph.properties(entity)]
    return np.union1d(owners[~np.isin(owners, changed)], news).astype(np.int64)


def _any_value(column: PropertyColumn) -> list[Condition]:
    """Return conditions one of which every value of a kind meets."""
    if column.kind == Kind.BOOLEAN:
        return [Condition(column.name, equals=True), Condition(column.name, equals=False)]
    return [Condition(column.name, at_least=_LOWEST[column.kind])]


def equal_to(graph: Graph, name: str, value: Scalar) -> Ints:
    """Return the entities whose value of a property equals another, texts after folding; ascending."""
    if not isinstance(value, str) or not _is_stored(graph):
        return np.asarray(graph.matching(Condition(name, equals=value)), dtype=np.int64)
    parts = [np.empty(0, dtype=np.int64)]
    parts += [c.named(value) for c in graph.columns if c.name == name and not c.of_triples and c.kind == Kind.TEXT]
    changed = _changed(graph)
    news = [entity for entity in changed.tolist() if _has_text(graph.properties(entity).get(name), value)]
    owners = np.unique(np.concatenate(parts)).astype(np.int64)
    return np.union1d(owners[~np.isin(owners, changed)], news).astype(np.int64)


def _has_text(own: Value | None, text: str) -> bool:
    texts = own if isinstance(own, tuple) else (own,)
    return any(isinstance(one, str) and fold(one) == fold(text) for one in texts)


def value_kind(value: Value) -> Kind:
    """Return the kind of a value, of a list that of its first element."""
    return kind_of(value[0] if isinstance(value, tuple) else value) if value != () else Kind.TEXT
