"""Plans that give a number, or yes or no."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import Attribute, Best, Floats, Measure
from graphbrick.bricks.retrieve.operators.sets import CannotPlanError, Ints, Place, SetPlan, Shown, ValuePlan
from graphbrick.core.properties.values import Kind, Value, kind_of, shown_value
from graphbrick.language.stems import stem
from graphbrick.patterns.properties.sources import numbers_of, value_of


def shown_number(value: float | bool, unit: str) -> str:
    """Return a number with two digits after its point at most, and its unit; «yes» or «no» for a truth.

    >>> shown_number(28.8665, "USD"), shown_number(1200.0, ""), shown_number(True, "")
    ('28.87 USD', '1,200', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    number = f"{value:,.2f}".rstrip("0").rstrip(".")
    return f"{number} {unit}".strip()


def value_with_unit(value: Value, unit: str) -> str:
    """Return a value as the graph has it, numbers with their unit.

    >>> value_with_unit(120, "cm"), value_with_unit("tall", "cm"), value_with_unit((1, 2.5), "kg")
    ('120 cm', 'tall', '1 kg, 2.5 kg')
    """
    if isinstance(value, tuple):
        return ", ".join(value_with_unit(one, unit) for one in value)
    is_number = kind_of(value) in (Kind.INTEGER, Kind.NUMBER)
    return f"{shown_value(value)} {unit}".strip() if is_number else shown_value(value)


HOW = {
    "total": "sum", "combined": "sum", "overall": "sum", "sum": "sum", "sum of": "sum", "sum of the": "sum",
    "average": "mean", "mean": "mean", "median": "median", "highest": "largest", "largest": "largest",
    "biggest": "largest", "maximum": "largest", "max": "largest", "lowest": "smallest", "smallest": "smallest",
    "minimum": "smallest", "min": "smallest",
}  # fmt: skip
"""Words before a number, and how the numbers of several become one."""
MEANS = frozenset(map(stem, ("avg", "average", "mean")))
"""Stems of names of numbers that are averages, which are no totals."""
_REDUCED: dict[str, Callable[[Floats], np.floating]] = {
    "sum": np.sum, "mean": np.mean, "median": np.median, "largest": np.max, "smallest": np.min
}  # fmt: skip


def reduced(values: Floats, how: str) -> float:
    """Return the "sum", "mean", "median", "largest" or "smallest" of some numbers, at least one."""
    return float(_REDUCED[how](values))


@dataclass(frozen=True)
class Count(ValuePlan):
    """The number of entities of a set."""

    base: SetPlan
    is_count = True

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"count of: {self.base.text(place)}"

    def value(self, place: Place) -> float:
        """Return the value."""
        return float(len(self.base.run(place)))


@dataclass(frozen=True)
class Amount(ValuePlan):
    """The sum, mean, median, largest or smallest of a measure over a set.

    Attributes:
        base: The set.
        measure: The number of each entity.
        how: "sum", "mean", "median", "largest" or "smallest".
    """

    base: SetPlan
    measure: Measure
    how: str = "sum"

    def owners(self, place: Place) -> Ints:
        """Return the entities of the set."""
        return self.base.run(place)

    @property
    def _is_of_equals(self) -> bool:
        """True if all entities share one value by their tie in its order; it is not added up then."""
        return isinstance(self.base, Best) and self.base.n == 1 and self.base.measure == self.measure

    def unit(self, place: Place) -> str:
        """Return the unit; empty for none."""
        return self.measure.unit(place)

    def written(self, place: Place) -> Shown | None:
        """Return the value as the graph writes it, for one entity or several with equal values; else None."""
        entities = self.base.run(place)
        if not len(entities) or not isinstance(self.measure, Attribute):
            return None
        if len(entities) > 1 and not self._is_of_equals:
            return None
        source, first = self.measure.source, int(entities[0])
        if source.relation < 0:
            value = value_of(place.graph, source, first)
            return None if value is None else Shown(value_with_unit(value, "" if source.measured else source.unit))
        known = numbers_of(place.graph, source)
        at = int(np.searchsorted(known.heads, first))
        if at == len(known.heads) or known.heads[at] != first:
            return None
        tail = int(known.tails[at])
        return Shown(place.graph.label(tail), tail)

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        if self.written(place) is not None:
            return f"{self.measure.text(place)} of: {self.base.text(place)}"
        return f"{self.how} of {self.measure.text(place)} of: {self.base.text(place)}"

    def value(self, place: Place) -> float:
        """Return the value."""
        entities = self.base.run(place)
        values = self.measure.of(place, entities)
        values = values[~np.isnan(values)]
        if not len(values):
            raise CannotPlanError(
                f"nothing in «{self.base.text(place)}» has a value of {self.measure.text(place)}",
                code="operators.no_values",
            )
        if self._is_of_equals:
            return float(values[0])
        return reduced(values, self.how)


@dataclass(frozen=True)
class InUnit(ValuePlan):
    """A value in another unit than the graph has it.

    Attributes:
        base: The value.
        factor: How many of its unit the other one is.
        asked: The other unit.
    """

    base: ValuePlan
    factor: float
    asked: str

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{self.base.text(place)}, in {self.asked}"

    def texts(self, place: Place) -> list[str]:
        """Return the plan as people read it."""
        return [self.text(place), *self.base.texts(place)]

    def owners(self, place: Place) -> Ints:
        """Return the entities whose number it is."""
        return self.base.owners(place)

    def unit(self, place: Place) -> str:
        """Return the unit."""
        return self.asked

    def value(self, place: Place) -> float:
        """Return the value."""
        return float(self.base.value(place)) / self.factor


@dataclass(frozen=True)
class Difference(ValuePlan):
    """One value less another."""

    one: ValuePlan
    other: ValuePlan

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"({self.one.text(place)}) − ({self.other.text(place)})"

    def unit(self, place: Place) -> str:
        """Return the unit; empty for none."""
        return self.one.unit(place)

    def value(self, place: Place) -> float:
        """Return the value."""
        return self.one.value(place) - self.other.value(place)


@dataclass(frozen=True)
class IsAmong(ValuePlan):
    """The truth of «all of these entities are in a set»."""

    entities: SetPlan
    base: SetPlan

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"is {self.entities.text(place)} among: {self.base.text(place)}"

    def value(self, place: Place) -> bool:
        """Return the value."""
        return bool(np.isin(self.entities.run(place), self.base.run(place)).all())


@dataclass(frozen=True)
class IsAny(ValuePlan):
    """The truth of «a set has any entity»."""

    base: SetPlan

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"is there any of: {self.base.text(place)}"

    def value(self, place: Place) -> bool:
        """Return the value."""
        return bool(len(self.base.run(place)))


@dataclass(frozen=True)
class IsMore(ValuePlan):
    """The truth of «one value is larger than another»."""

    one: ValuePlan
    other: ValuePlan

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"({self.one.text(place)}) > ({self.other.text(place)})"

    def value(self, place: Place) -> bool:
        """Return the value."""
        return self.one.value(place) > self.other.value(place)


SIGNS = {"over": ">", "under": "<", "least": "≥", "most": "≤", "exactly": "="}


@dataclass(frozen=True)
class Compares(ValuePlan):
    """The truth of a comparison of a value with a number, such as «over 40».

    Attributes:
        one: The value.
        kind: "over", "under", "least", "most" or "exactly".
        number: The number.
    """

    one: ValuePlan
    kind: str
    number: float

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"({self.one.text(place)}) {SIGNS[self.kind]} {self.number:,.12g}"

    def value(self, place: Place) -> bool:
        """Return the value."""
        value = float(self.one.value(place))
        is_over, is_under = value > self.number, value < self.number
        is_equal = not is_over and not is_under
        return {
            "over": is_over, "under": is_under, "least": not is_under, "most": not is_over, "exactly": is_equal
        }[self.kind]  # fmt: skip


@dataclass(frozen=True)
class Not(ValuePlan):
    """The opposite of yes or no."""

    base: ValuePlan

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"not ({self.base.text(place)})"

    def value(self, place: Place) -> bool:
        """Return the value."""
        return not self.base.value(place)


@dataclass(frozen=True)
class Share(ValuePlan):
    """How many of a hundred entities of a set are in a part of it."""

    base: SetPlan
    every: SetPlan

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"percentage of: {self.base.text(place)} among: {self.every.text(place)}"

    def unit(self, place: Place) -> str:
        """Return the unit."""
        return "%"

    def value(self, place: Place) -> float:
        """Return the value."""
        every = self.every.run(place)
        if not len(every):
            raise CannotPlanError(f"there is nothing in «{self.every.text(place)}»", code="operators.share_of_none")
        return 100.0 * float(np.isin(every, self.base.run(place)).mean())
