"""The unit of a length of time that names none, told by the times of day or moments beside it."""

from __future__ import annotations

from datetime import datetime
from itertools import permutations

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import spaced, stems
from graphbrick.patterns.properties.clocks import is_clock, read_clock
from graphbrick.patterns.properties.sources import Source, sources_of

_LENGTHS = frozenset(
    stems("duration delay delayed time length runtime elapsed wait waiting late lateness stay travel overtime running")
)
_UNITS = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86_400.0}
_DAY = 86_400.0
_EPOCH = datetime(1970, 1, 1)
_LOOKED_AT = 2_000  # entities
_FEWEST = 5  # entities that tell a unit
_FACTOR, _SHARE = 2.0, 0.8  # by how much a length may differ from the time between, and in how many of the entities
_MOMENTS = 6  # properties with times of one kind of entity; more are not compared with each other


def unit_by_clocks(graph: Graph, name: str) -> str:
    """Return the unit of a length of time, from the two times of the same entities that it lies between.

    A trip from 05:50 to 06:50 with a duration of 1 takes an hour.

    Args:
        graph: The graph.
        name: The name of a number of entities, which has no unit.

    Returns:
        "seconds", "minutes", "hours" or "days"; "" where no times tell it, or the name speaks of no length of time.
    """
    if _LENGTHS.isdisjoint(stems(spaced(name).replace("_", " "))):
        return ""
    key = ("unit by clocks", graph.place, graph.hash, name)
    return current_session().get(key, lambda: _unit(graph, name), at_most=64)


def _unit(graph: Graph, name: str) -> str:
    sources = sources_of(graph)
    own = next((one for one in sources if one.name == name and one.relation < 0 and _is_number(one)), None)
    numbers = _values(graph, name) if own is not None else {}
    moments = [moment for one in sources if (moment := _moments(graph, one, numbers))] if numbers else []
    for first, last in permutations(moments[:_MOMENTS], 2):
        both = [one for one in numbers if one in first and one in last]
        if len(both) < _FEWEST:
            continue
        lengths = np.array([numbers[one] for one in both])
        between = np.array([last[one] - first[one] for one in both])
        unit = _of_ratio(lengths, between)
        if unit:
            return unit
    return ""


def _is_number(source: Source) -> bool:
    return source.literal is not None and not source.is_date and not source.unit


def _of_ratio(lengths: npt.NDArray[np.float64], between: npt.NDArray[np.float64]) -> str:
    """Return the unit in which most of some lengths are the times between, in seconds; "" for none.

    Over midnight a time of day is one of the next day.
    """
    keep = np.abs(lengths) > 0
    lengths, between = lengths[keep], between[keep]
    if len(lengths) < _FEWEST:
        return ""
    best, share = "", _SHARE
    for unit, size in _UNITS.items():
        fits = np.zeros(len(lengths), dtype=np.bool_)
        for days in (0.0, _DAY, -_DAY):
            ratio = (between + days) / (lengths * size)
            fits |= (ratio > 1 / _FACTOR) & (ratio < _FACTOR)
        if fits.mean() >= share:
            best, share = unit, float(fits.mean())
    return best


def _values(graph: Graph, name: str) -> dict[int, float]:
    """Return the numbers of a property by entity, of the first that have one."""
    found: dict[int, float] = {}
    for column in graph.columns:
        if column.name == name and not column.of_triples:
            for row, owner in enumerate(column.owners[:_LOOKED_AT].tolist()):
                value = column.value(row)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    found[owner] = float(value)
    return found


def _moments(graph: Graph, source: Source, wanted: dict[int, float]) -> dict[int, float]:
    """Return the times of day, or the moments, of some entities in seconds; none for another property."""
    if source.relation >= 0 or not (source.kind == Kind.DATETIME or is_clock(graph, source)):
        return {}
    found: dict[int, float] = {}
    for column in graph.columns:
        if column.name == source.name and not column.of_triples:
            for row, owner in enumerate(column.owners.tolist()):
                seconds = _seconds(str(column.value(row))) if owner in wanted else None
                if seconds is not None:
                    found[owner] = seconds
    return found


def _seconds(text: str) -> float | None:
    hours = read_clock(text)
    if hours is not None:
        return hours * 3600
    try:
        return (datetime.fromisoformat(text).replace(tzinfo=None) - _EPOCH).total_seconds()
    except ValueError:
        return None
