"""Numbers of entities, and plans that select entities by them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.operators.dates import MOMENT, Date
from graphbrick.bricks.retrieve.operators.sets import Along, CannotPlanError, Ints, Place, SetPlan, Steps, check_differ
from graphbrick.core.items import Item
from graphbrick.patterns.properties.sources import Source, numbers_of

Floats = npt.NDArray[np.float64]

MOST_COUNTED = 20_000
"""Entities from which a pattern is followed, to count its ends."""
_PROVEN = 20  # entities whose value is shown by a path
_ABOUT, _SHARED_BY = 0.7, 100  # part of the most neighbours that is about as many; neighbours that are looked at


class Measure(ABC):
    """A number for each entity.

    Attributes:
        is_own: Whether the numbers are properties of the entities, of which some may lack them.
    """

    is_own: ClassVar[bool] = False

    @abstractmethod
    def text(self, place: Place) -> str:
        """Return the measure as people read it."""

    @abstractmethod
    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity, NaN where there is none."""

    def unit(self, place: Place) -> str:
        """Return the unit of the numbers; empty for none."""
        return ""

    def is_date(self, place: Place) -> bool:
        """Return whether the numbers are years."""
        return False

    @abstractmethod
    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows the numbers of a few entities: properties, or paths to what is counted."""


@dataclass(frozen=True)
class Attribute(Measure):
    """The number or date that a property gives: a column, or the tails of a relation."""

    is_own: ClassVar[bool] = True
    source: Source

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return self.source.name

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity, NaN where there is none."""
        return numbers_of(place.graph, self.source).of(entities)

    def unit(self, place: Place) -> str:
        """Return the unit; empty for none."""
        return self.source.unit

    def is_date(self, place: Place) -> bool:
        """Return whether the property gives dates."""
        return self.source.is_date

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the properties, or the paths to the values."""
        if self.source.relation < 0:
            return place.properties(self.source, entities)
        return _paths(place, entities, ((self.source.relation, True),))


@dataclass(frozen=True)
class Gap(Measure):
    """By how much one number or date of an entity is above another of its own."""

    is_own: ClassVar[bool] = True
    one: Measure
    other: Measure

    def text(self, place: Place) -> str:
        """Return the first number as people read it: what it is compared with stands in the bounds."""
        return self.one.text(place)

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the difference of each entity, NaN where one of the two is unknown."""
        return self.one.of(place, entities) - self.other.of(place, entities)

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return both properties."""
        return self.one.proofs(place, entities) + self.other.proofs(place, entities)


@dataclass(frozen=True)
class Degree(Measure):
    """The number of entities at the end of a pattern, of a class or of any."""

    steps: Steps
    of_class: str = ""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"count of * {place.steps_text(self.steps, self.of_class)}"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity, NaN where there is none."""
        if len(entities) > MOST_COUNTED:
            raise CannotPlanError(
                f"counting {place.steps_text(self.steps)} for {len(entities):,} entities would take too long",
                code="operators.too_many_counts",
                n=len(entities),
            )
        return np.array(
            [len(Along(e, self.steps, of_class=self.of_class).run(place)) for e in entities.tolist()], float
        )

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the paths to what is counted."""
        return _paths(place, entities, self.steps, self.of_class)


def _paths(place: Place, entities: Ints, steps: Steps, of_class: str = "") -> list[Item]:
    """Return all paths of a pattern from some entities."""
    ways = [Along(entity, steps, of_class=of_class) for entity in entities.tolist()]
    return [path for way in ways for path in way.proofs(place, way.run(place))]


@dataclass(frozen=True)
class Within(SetPlan):
    """The entities of a set whose measure lies between two bounds."""

    base: SetPlan
    measure: Measure
    low: float = -np.inf
    high: float = np.inf
    includes: bool = False  # the bounds themselves
    said: str = ""  # the bounds in words; "" for the numbers

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        bounds = self.said or bounds_text(self.low, self.high, includes=self.includes)
        return f"{self.measure.text(place)} {bounds} among: {self.base.text(place)}"

    def _run(self, place: Place) -> Ints:
        entities = self.base.run(place)
        values = self.measure.of(place, entities)
        with np.errstate(invalid="ignore"):
            inside = (values > self.low) & (values < self.high)
            if self.includes:
                inside |= (values == self.low) | (values == self.high)
        return entities[inside]

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        return self.base.proofs(place, entities) + self.measure.proofs(place, entities[:_PROVEN])


def compared(base: SetPlan, measure: Measure, kind: str, low: float, high: float = np.inf) -> Within:
    """Return the part of a set whose measure compares so with a number, or with two.

    Args:
        base: The set.
        measure: What is compared; not a date, see `dated`.
        kind: "over", "under", "least", "most", "exactly" or "between".
        low: The number.
        high: The second number, for "between".
    """
    ranges = {
        "over": (low, np.inf), "least": (low, np.inf), "under": (-np.inf, low), "most": (-np.inf, low),
        "exactly": (low, low), "between": (min(low, high), max(low, high)),
    }  # fmt: skip
    return Within(base, measure, *ranges[kind], includes=kind not in ("over", "under"))


def opposite(plan: SetPlan) -> Within | None:
    """Return the rest of a set whose measure passes one bound, without what has no number; None for another plan."""
    if not isinstance(plan, Within) or plan.said or np.isfinite(plan.low) == np.isfinite(plan.high):
        return None
    low, high = (-np.inf, plan.low) if np.isfinite(plan.low) else (plan.high, np.inf)
    return Within(plan.base, plan.measure, low, high, includes=not plan.includes)


def dated(base: SetPlan, measure: Measure, kind: str, first: Date, last: Date | None = None) -> Within:
    """Return the part of a set whose date passes a comparison; «after 1990» begins in 1991.

    Args:
        base: The set.
        measure: The date that is compared.
        kind: As for `compared`.
        first: The date.
        last: The second date, for "between".
    """
    span = span_of(kind, first, last)
    return Within(base, measure, span.low, span.high, includes=span.includes, said=span.said)


class Span(NamedTuple):
    """A stretch of time.

    Attributes:
        low: When it begins, in years.
        high: When it ends.
        includes: Whether both are part of it.
        said: The stretch in words.
    """

    low: float
    high: float
    includes: bool
    said: str


def span_of(kind: str, first: Date, last: Date | None = None) -> Span:
    """Return the stretch of time that a comparison with a date means; see `dated`."""
    if last is not None and last.start < first.start:
        first, last = last, first
    start, end = first.start, first.start + first.width - MOMENT
    if kind == "between" and last is not None:
        return Span(start, last.start + last.width - MOMENT, True, f"from {first.text} to {last.text}")
    low, high, word = {
        "over": (end, np.inf, "after"), "least": (start, np.inf, "since"), "under": (-np.inf, start, "before"),
        "most": (-np.inf, end, "until"), "exactly": (start, end, "in" if len(first.text) < 8 else "on"),
    }[kind]  # fmt: skip
    return Span(low, high, kind not in ("over", "under"), f"{word} {first.text}")


def bounds_text(low: float, high: float, *, includes: bool) -> str:
    """Return bounds in words, such as «over 1,000,000»."""
    if low == high:
        return f"of {low:,.12g}"
    if np.isinf(high):
        return f"{'of at least' if includes else 'over'} {low:,.12g}"
    if np.isinf(low):
        return f"{'of at most' if includes else 'under'} {high:,.12g}"
    return f"from {low:,.12g} to {high:,.12g}"


@dataclass(frozen=True)
class Best(SetPlan):
    """The entities of a set with the largest or smallest measure, best first; for one, all that share its number."""

    base: SetPlan
    measure: Measure
    largest: bool = True
    rank: int = 1
    n: int = 1

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        word = "largest" if self.largest else "smallest"
        which = f"{self.n} {word}" if self.n > 1 else word if self.rank == 1 else f"number {self.rank} of the {word}"
        return f"{which} {self.measure.text(place)} among: {self.base.text(place)}"

    def left_out(self, place: Place) -> int:
        """Return how many have the same number as the last of the n largest, and are not among these."""
        given, base = self.run(place), self.base.run(place)
        if self.n == 1 or not len(given):
            return 0
        values, last = self.measure.of(place, base), self.measure.of(place, given[-1:])
        return int((values == last).sum() - (self.measure.of(place, given) == last).sum())

    def _run(self, place: Place) -> Ints:
        entities = self.base.run(place)
        values = self.measure.of(place, entities)
        entities, values = entities[~np.isnan(values)], values[~np.isnan(values)]
        if not len(entities):
            raise CannotPlanError(
                f"nothing in «{self.base.text(place)}» has a value of {self.measure.text(place)}",
                code="operators.nothing_measured",
            )
        check_differ(values, self.measure.text(place))
        order = np.lexsort((entities, -values if self.largest else values))
        if self.n > 1:
            return entities[order[: self.n]]
        distinct = np.unique(values)[:: -1 if self.largest else 1]
        if self.rank > len(distinct):
            raise CannotPlanError(
                f"there are only {len(distinct)} values of {self.measure.text(place)}",
                code="operators.too_few_values",
                n=len(distinct),
            )
        best: Ints = entities[order][values[order] == distinct[self.rank - 1]]
        return best

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        return self.base.proofs(place, entities) + self.measure.proofs(place, entities[:_PROVEN])


def main_role(place: Place, readings: Sequence[Along]) -> tuple[Along | None, str]:
    """Return the relation by which an entity has most of some neighbours, and a note if others lead to more of them.

    The films of somebody are those that he directed if he acted in few. Of relations with about as many, the one is
    taken that joins the fewest others to each neighbour: films have one director, and several writers.
    """
    ends = {one: one.run(place) for one in readings}
    order = sorted(ends, key=lambda one: -len(ends[one]))
    if len(order) < 2:
        return None, ""
    many = [one for one in order if len(ends[one]) >= _ABOUT * len(ends[order[0]])]
    main = min(many, key=lambda one: _sharers(place, one.steps[0], ends[one]))
    others = [one for one in order if not np.isin(ends[one], ends[main]).all()]
    if not others:
        return main, ""
    names = ", ".join(f"{one.text(place)} ({len(ends[one])})" for one in others)
    return main, f"taken for {main.text(place)} ({len(ends[main])}), not {names}"


def _sharers(place: Place, step: tuple[int, bool], ends: Ints) -> float:
    """Return how many entities a step joins to each of some of its ends."""
    (relation, forward), csr = step, place.graph.csr
    sample, n = ends[:_SHARED_BY].tolist(), 0
    for end in sample:
        row = csr.row(end, not forward)
        triples = csr.relation[row] if not forward else csr.relation[csr.in_triple[row]]
        n += int((triples == relation).sum())
    return n / max(len(sample), 1)
