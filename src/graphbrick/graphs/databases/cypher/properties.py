"""Properties of the nodes of a Cypher database: of single nodes, of all nodes, and the nodes with certain values."""

from __future__ import annotations

import datetime
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import (
    NO_PROPERTIES,
    Kind,
    Properties,
    PropertyColumn,
    Scalar,
    Value,
    kind_of,
    shown_value,
)
from graphbrick.core.trace import event
from graphbrick.graphs.databases.cypher.around import hashable
from graphbrick.graphs.databases.cypher.dialect import quoted

if TYPE_CHECKING:
    from graphbrick.graphs.databases.cypher.cypher import CypherGraph

_REMEMBERED, _BATCH = 20_000, 1_000  # nodes
_SAMPLED = 1_000  # nodes of a class whose properties are read
_EXAMPLES, _LONGEST = 3, 60
_MOST = 1_000_000  # nodes that match a condition
SIGNS = {"equals": "=", "above": ">", "at_least": ">=", "below": "<", "at_most": "<="}
_ANY_ZONE = datetime.timedelta(days=1)


class Remembered:
    """The properties of the nodes of a graph, as they were asked for.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: CypherGraph) -> None:
        self._graph = graph
        self._known: OrderedDict[int, Properties] = OrderedDict()

    def of(self, entities: Sequence[int]) -> list[Properties]:
        """Return the properties of each entity; none for those that are gone."""
        graph = self._graph
        known = {entity: self._known[entity] for entity in entities if entity in self._known}
        missing = list(dict.fromkeys(entity for entity in entities if entity not in known))
        for start in range(0, len(missing), _BATCH):
            batch = {hashable(graph.handle(entity)): entity for entity in missing[start : start + _BATCH]}
            for node in graph.nodes_at([graph.handle(entity) for entity in batch.values()]):
                known[batch[hashable(node.handle)]] = node.properties
            for entity in batch.values():
                self._remember(entity, known.setdefault(entity, NO_PROPERTIES))
        return [known[entity] for entity in entities]

    def _remember(self, entity: int, properties: Properties) -> None:
        self._known[entity] = properties
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)

    def matching(self, condition: Condition) -> list[int]:
        """Return the entities with a property that meets a condition, ascending.

        The database may find a few more, such as dates of another zone; they are left out here.
        """
        graph, entities = self._graph, dict[int, None]()
        for pattern, where, parameters in graph.searches(condition):
            text = f"MATCH {pattern} WHERE {where} RETURN DISTINCT {graph.shown('n', whole=True)} AS node"
            rows = graph.fetch(text, parameters, _MOST)
            if rows.is_cut:
                event(f"more than {_MOST:,} nodes meet {condition}; the others are left out", "cypher.many_matches")
            for row in rows.rows:
                node = graph.read(row[0], whole=True)
                value = node.properties.get(condition.name)
                if value is not None and condition.holds(value):
                    entity = graph.met(node)
                    entities[entity] = None
                    self._remember(entity, node.properties)
        return sorted(entities)


class Search(NamedTuple):
    """A pattern with the node ``n``, a condition on it, and its parameters."""

    pattern: str
    where: str
    parameters: dict[str, Any]


def searches(graph: CypherGraph, condition: Condition, times: Sequence[str]) -> Iterator[Search]:
    """Yield the searches that together find all nodes with a property that meets a condition.

    Classes that are known to have the property come one by one, as indexes belong to classes.

    Args:
        graph: The graph.
        condition: The condition.
        times: The functions that make a date, a date-time and a date-time with zone of a text; none where times are
            compared as texts.
    """
    place = f"n.{quoted(condition.name)}"
    types = {part.type for known in graph.schema().classes for part in known.properties if part.name == condition.name}
    parameters, bounds = _bounds(condition, times)
    in_list = f"any(x IN ([] + {place}) WHERE {bounds.format(x='x')})"
    if any(not _is_plain(name) for name in types):
        where = f"{place} IS NOT NULL"  # a duration equals its text
    else:
        where = in_list if any(name.startswith("LIST") for name in types) else bounds.format(x=place)
    classes = [
        known.name for known in graph.schema().classes if any(p.name == condition.name for p in known.properties)
    ]
    for name in classes:
        yield Search(f"(n:{quoted(name)})", where, parameters)
    if not graph.schema().is_complete:  # then other nodes may have it too, of whatever type
        others = "".join(f"NOT n:{quoted(name)} AND " for name in classes)
        yield Search("(n)", f"{others}{in_list}", parameters)


def _is_plain(name: str) -> bool:
    plain = ("STRING", "INTEGER", "FLOAT", "BOOLEAN", "DATE", "DATETIME")
    return name.removeprefix("LIST OF ") in plain


def _bounds(condition: Condition, times: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Return parameters, and the condition on ``{x}``."""
    if not any(isinstance(bound, datetime.date) for bound in condition.bounds.values()):
        text = " AND ".join(f"{{x}} {SIGNS[name]} ${name}" for name in condition.bounds)
        return dict(condition.bounds), text
    bounds = [(sign, moment) for sign, moment in zip((">=", "<="), time_range(condition), strict=True) if moment]
    parameters, forms = dict[str, Any](), list[str]()
    for function in times or ("",):
        parts = []
        for sign, moment in bounds:
            name = f"{'earliest' if sign == '>=' else 'latest'}_{function or 'text'}"
            parts.append(f"{{x}} {sign} {function}(${name})" if function else f"toString({{x}}) {sign} ${name}")
            text = moment.date().isoformat() if function == "date" else moment.isoformat(timespec="seconds")
            parameters[name] = f"{text}Z" if function == "datetime" else text
        forms.append(" AND ".join(parts))
    return parameters, "(" + " OR ".join(f"({form})" for form in forms) + ")"


def time_range(condition: Condition) -> tuple[datetime.datetime | None, datetime.datetime | None]:
    """Return a day before the earliest and after the latest time that meets a condition; None for no bound."""
    moments = {name: _moment(bound) for name, bound in condition.bounds.items() if isinstance(bound, datetime.date)}
    lower = [moments[name] for name in ("equals", "above", "at_least") if name in moments]
    upper = [moments[name] for name in ("equals", "below", "at_most") if name in moments]
    first, last = datetime.datetime.min + _ANY_ZONE, datetime.datetime.max - _ANY_ZONE
    earliest = max(max(lower), first) - _ANY_ZONE if lower else None
    latest = min(min(upper), last) + _ANY_ZONE if upper else None
    return earliest, latest


def _moment(bound: datetime.date) -> datetime.datetime:
    """Return a bound as a time without a zone; one with a zone as UTC."""
    if not isinstance(bound, datetime.datetime):
        return datetime.datetime(bound.year, bound.month, bound.day)
    return bound.astimezone(datetime.UTC).replace(tzinfo=None) if bound.tzinfo else bound


class Tally:
    """The properties of nodes, counted by name and kind."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, Kind, bool], float] = {}
        self._examples: dict[tuple[str, Kind, bool], dict[str, None]] = {}

    def add(self, name: str, value: Value, weight: float = 1.0) -> None:
        """Count a value, as ``weight`` values."""
        first: Scalar = value[0] if isinstance(value, tuple) else value
        self.count((name, kind_of(first), isinstance(value, tuple)), weight, [shown_value(value)])

    def count(self, column: tuple[str, Kind, bool], n: float, examples: Collection[str]) -> None:
        """Count ``n`` values of a name, a kind, and whether they are lists."""
        self._counts[column] = self._counts.get(column, 0) + n
        shown = self._examples.setdefault(column, {})
        for text in examples:
            if len(shown) < _EXAMPLES and 0 < len(text) <= _LONGEST:
                shown[text] = None

    def columns(self) -> list[PropertyColumn]:
        """Return the columns, most frequent first."""
        order = sorted(self._counts, key=lambda column: (-self._counts[column], column[0], column[1], column[2]))
        return [
            PropertyColumn(*column[:2], round(self._counts[column]), column[2], tuple(self._examples[column]))
            for column in order
        ]


def sampled_columns(graph: CypherGraph) -> list[PropertyColumn]:
    """Return the properties of nodes, from at most 1,000 nodes of each class."""
    tally, seen, is_sampled = Tally(), set[Any](), False
    for known in graph.schema().classes:
        text = f"MATCH (n:{quoted(known.name)}) RETURN {graph.shown('n', whole=True)} AS node LIMIT {_SAMPLED}"
        nodes = [graph.read(row[0], whole=True) for row in graph.fetch(text, {}, _SAMPLED).rows]
        weight = max((known.count or 0) / len(nodes), 1.0) if nodes else 1.0
        is_sampled = is_sampled or weight > 1
        for node in nodes:
            if hashable(node.handle) not in seen:
                seen.add(hashable(node.handle))
                for name, value in node.properties.items():
                    tally.add(name, value, weight)
    if is_sampled:
        text = f"the properties of {graph.address} were read from samples of {_SAMPLED:,} nodes, so there may be more"
        event(text, "cypher.sampled_properties", once=True, n=_SAMPLED)
    return tally.columns()
