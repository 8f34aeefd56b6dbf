"""Properties whose texts are times of day, such as 07:30:00; after midnight they may run past 24:00."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.literals import Values
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.sources import Source

_CLOCK = Expression(r"(?P<hours>\d{1,2}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?")
_LOOKED_AT = 50  # texts that tell whether a property has times of day


def read_clock(text: str) -> float | None:
    """Return the hours after midnight that a text is; None if it is no time of day.

    >>> read_clock("07:30"), read_clock("25:15:00"), read_clock("7.30")
    (7.5, 25.25, None)
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    return int(match["hours"]) + int(match["minutes"]) / 60 + int(match["seconds"] or 0) / 3600


def is_clock(graph: Graph, source: Source) -> bool:
    """Return whether a property of entities has times of day, by its first texts; a session looks once."""
    if source.relation >= 0 or source.kind != Kind.TEXT or source.literal is not None:
        return False
    key = ("is clock", graph.place, graph.hash, source.name)
    return current_session().get(key, lambda: _is_clock(graph, source.name), at_most=256)


def _is_clock(graph: Graph, name: str) -> bool:
    columns = [one for one in graph.columns if one.name == name and not one.of_triples and len(one)]
    rows = [(column, row) for column in columns for row in range(min(len(column), _LOOKED_AT))]
    return bool(rows) and all(read_clock(str(column.value(row))) is not None for column, row in rows)


def hours_of(graph: Graph, source: Source, entities: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return the hours after midnight of each entity, float64; NaN for those without a time of day."""
    key = ("hours", graph.place, graph.hash, source.name)
    return current_session().get(key, lambda: _hours(graph, source.name), at_most=64).of(entities)


def _hours(graph: Graph, name: str) -> Values:
    read: dict[int, float] = {}
    for column in graph.columns:
        if column.name == name and not column.of_triples:
            for row, owner in enumerate(column.owners.tolist()):
                hours = read_clock(str(column.value(row)))
                if hours is not None:
                    read[owner] = hours
    for entity, facts in graph.changes.facts.items():
        if facts.properties is not None:
            hours = read_clock(str(facts.properties.get(name, "")))
            read.pop(entity, None)
            read |= {} if hours is None else {entity: hours}
    heads = np.array(sorted(read), dtype=np.int64)
    values = np.array([read[head] for head in heads.tolist()], dtype=np.float64)
    return Values(heads, values, np.full(len(heads), -1, dtype=np.int64))
