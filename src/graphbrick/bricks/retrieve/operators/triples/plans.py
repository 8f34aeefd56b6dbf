"""Plans over sets of triples: their ends, their number, and sums, values and superlatives of their properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.sets import (
    CannotPlanError,
    Ints,
    Place,
    SetPlan,
    Shown,
    TextPlan,
    ValuePlan,
    check_differ,
)
from graphbrick.bricks.retrieve.operators.triples.columns import Floats, numbers_of_triples
from graphbrick.bricks.retrieve.operators.triples.edges import Edges, proofs_of
from graphbrick.bricks.retrieve.operators.wordings.units import unit_in
from graphbrick.core.items import Item
from graphbrick.core.properties.values import shown_value
from graphbrick.patterns.properties.sources import Source, numbers_of

_FUNCTIONS: dict[str, Callable[[Floats], float]] = {
    "sum": np.nansum,
    "mean": np.nanmean,
    "median": np.nanmedian,
    "largest": np.nanmax,
    "smallest": np.nanmin,
}
_NUMBERS = {"triples": "number of triples", "ends": "number of different ends"}


@dataclass(frozen=True)
class Ends(SetPlan):
    """The entities at one side of triples."""

    edges: Edges
    heads: bool

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return self.edges.text(place)

    def _run(self, place: Place) -> Ints:
        return np.unique(self.edges.ends(place, heads=self.heads))

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        triples = self.edges.run(place)
        triples = triples[np.isin(self.edges.ends(place, heads=self.heads), entities)]
        return proofs_of(place, triples, [condition.name for condition in self.edges.conditions])


@dataclass(frozen=True)
class CountOfTriples(ValuePlan):
    """The number of triples, each of several between the same entities."""

    edges: Edges
    is_count = True

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"number of triples of: {self.edges.text(place)}"

    def value(self, place: Place) -> float:
        """Return the value."""
        return float(len(self.edges.run(place)))


@dataclass(frozen=True)
class OfTriples(ValuePlan):
    """The sum, mean, median, largest or smallest value of a property of triples."""

    edges: Edges
    name: str
    how: str = "sum"

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{self.how} of {self.name} of: {self.edges.text(place)}"

    def unit(self, place: Place) -> str:
        """Return the unit in the name of the property; empty for none."""
        return unit_in(self.name)

    def value(self, place: Place) -> float:
        """Return the value."""
        values = self.edges.numbers(place, self.name)
        if not len(values) or np.isnan(values).all():
            raise _no_values(self.edges.text(place), self.name)
        return float(_FUNCTIONS[self.how](values))


@dataclass(frozen=True)
class EdgeValues(TextPlan):
    """The distinct values of a property of triples, ascending.

    Attributes:
        edges: The triples.
        name: The property.
        which: "first" or "last" for one of them, "count" for their number, "years" for the years of dates; "" for all.
    """

    edges: Edges
    name: str
    which: str = ""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        which = {"count": "number of different ", "years": "years of "}.get(
            self.which, f"{self.which} " if self.which else ""
        )
        return f"{which}{self.name} of: {self.edges.text(place)}"

    def _best(self, place: Place) -> Ints:
        """Return the triples whose values are shown."""
        triples, values = self.edges.run(place), self.edges.numbers(place, self.name)
        own = [place.graph.triple_properties(triple).get(self.name) is not None for triple in triples.tolist()]
        triples, values = triples[own], values[own]
        if not len(triples):
            raise _no_values(self.edges.text(place), self.name)
        if self.which in ("first", "last"):
            best: Ints = triples[values == (values.min() if self.which == "first" else values.max())]
            return best
        return triples[np.argsort(values, kind="stable")]

    def shown(self, place: Place) -> list[Shown]:
        """Return the values."""
        values = (place.graph.triple_properties(triple)[self.name] for triple in self._best(place).tolist())
        texts = dict.fromkeys(shown_value(value)[: 4 if self.which == "years" else None] for value in values)
        return [Shown(f"{len(texts):,}")] if self.is_count else list(map(Shown, texts))

    @property
    def is_count(self) -> bool:
        """True if it gives the number of values."""
        return self.which == "count"

    def proofs(self, place: Place) -> list[Item]:
        """Return the triples with their values."""
        return proofs_of(place, self._best(place), [self.name])


@dataclass(frozen=True)
class BestOf(SetPlan):
    """The entities at one side of triples for which a number over their triples is largest or smallest.

    Attributes:
        edges: The triples.
        heads: Whether their heads are compared; else their tails.
        how: "triples" for the number of triples, "ends" for the number of different entities at the other side, "sum"
            for the sum of a property, "each" for its value in one triple.
        name: The property; "" for a number of triples or ends.
        per: A property whose values are added up apart, such as the season of «in one season»; "" for none.
        largest: Whether the largest number wins.
        rank: 2 for the second best.
        n: How many entities.
        of_ends: The property of the entities at the other side that is added up; None for a property of triples.
    """

    edges: Edges
    heads: bool
    how: str
    name: str = ""
    per: str = ""
    largest: bool = True
    rank: int = 1
    n: int = 1
    of_ends: Source | None = None

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        name = self.of_ends.name if self.of_ends else self.name
        number = _NUMBERS.get(self.how) or (f"sum of {name}" if self.how == "sum" else self.name)
        word = "largest" if self.largest else "smallest"
        which = f"{self.n} {word}" if self.n > 1 else word if self.rank == 1 else f"number {self.rank} of the {word}"
        per = f" in one {self.per}" if self.per else ""
        side = "head" if self.heads else "tail"
        return f"{which} {number}{per} by {side} of: {self.edges.text(place)}"

    def sums(self, place: Place) -> tuple[Ints, Floats]:
        """Return the entities with the numbers that are compared; one several times for parts such as seasons."""
        entities = self.edges.ends(place, heads=self.heads)
        numbers = np.ones(len(entities))
        if self.name:
            numbers = self.edges.numbers(place, self.name)
        elif self.of_ends:
            numbers = numbers_of(place.graph, self.of_ends).of(self.edges.ends(place, heads=not self.heads))
        entities, numbers, groups = self._grouped(place, entities, numbers)
        if self.how == "each":
            return entities, numbers
        _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
        return entities[first], np.asarray(np.bincount(inverse, weights=numbers), dtype=np.float64)

    def _run(self, place: Place) -> Ints:
        names, best = self.sums(place)
        if not len(names):
            raise CannotPlanError(f"there is nothing to compare in «{self.edges.text(place)}»", code="triples.nothing")
        check_differ(best, _NUMBERS.get(self.how) or self.name)
        order = np.lexsort((names, -best if self.largest else best))
        names, best = names[order], best[order]
        if self.n > 1:
            return np.asarray(list(dict.fromkeys(names.tolist()))[: self.n], dtype=np.int64)
        distinct = np.unique(best)[:: -1 if self.largest else 1]
        if self.rank > len(distinct):
            raise CannotPlanError(f"there are only {len(distinct)} different numbers", code="triples.too_few")
        return np.unique(names[best == distinct[self.rank - 1]])

    def _grouped(self, place: Place, entities: Ints, numbers: Floats) -> tuple[Ints, Floats, Ints]:
        """Return the entities with a number, the numbers, and the group of each that is added up together."""
        keep, groups = ~np.isnan(numbers), entities
        if self.per:
            parts = self.edges.numbers(place, self.per)
            keep &= ~np.isnan(parts)
            years = np.nan_to_num(np.floor(parts)).astype(np.int64)
            groups = entities * (years.max(initial=0) + 1) + years
        entities, numbers, groups = entities[keep], numbers[keep], groups[keep]
        if self.how == "ends":
            others = self.edges.ends(place, heads=not self.heads)[keep]
            _, first = np.unique(groups * place.graph.n_entities + others, return_index=True)
            return entities[first], numbers[first], groups[first]
        return entities, numbers, groups

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return triples of the entities."""
        triples = self.edges.run(place)
        triples = triples[np.isin(self.edges.ends(place, heads=self.heads), entities)]
        if self.name and self.how == "each":
            numbers = numbers_of_triples(place.graph, self.name, triples)
            triples = triples[np.argsort(-numbers if self.largest else numbers, kind="stable")]
        return proofs_of(place, triples, [self.name] if self.name else [])


@dataclass(frozen=True)
class Bounded(SetPlan):
    """The entities whose number over their triples passes a comparison with another.

    Attributes:
        base: The numbers.
        kind: "over", "under", "least", "most" or "exactly".
        number: The number that they are compared with.
    """

    base: BestOf
    kind: str
    number: float

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        base, word = self.base, {"least": "at least", "most": "at most"}.get(self.kind, self.kind)
        per = f" in one {base.per}" if base.per else ""
        number = _NUMBERS.get(base.how) or f"sum of {base.name}"
        return f"{number}{per} {word} {self.number:,.12g} among: {base.edges.text(place)}"

    def _run(self, place: Place) -> Ints:
        entities, sums = self.base.sums(place)
        compare = {
            "over": np.greater, "under": np.less, "least": np.greater_equal, "most": np.less_equal, "exactly": np.equal,
        }[self.kind]  # fmt: skip
        return np.unique(entities[compare(sums, self.number)])

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return triples of the entities."""
        return self.base.proofs(place, entities)


@dataclass(frozen=True)
class BestTime(TextPlan):
    """The date at which the sum of a property of triples is largest or smallest.

    Attributes:
        edges: The triples.
        name: The property that is added up.
        time: The property with the dates.
        largest: Whether the largest sum wins.
    """

    edges: Edges
    name: str
    time: str
    largest: bool = True

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return (
            f"{self.time} with the {'largest' if self.largest else 'smallest'} {self.name} of: {self.edges.text(place)}"
        )

    def _best(self, place: Place) -> Ints:
        numbers, times = self.edges.numbers(place, self.name), self.edges.numbers(place, self.time)
        keep = ~np.isnan(numbers) & ~np.isnan(times)
        if not keep.any():
            raise _no_values(self.edges.text(place), self.name)
        triples, numbers, times = self.edges.run(place)[keep], numbers[keep], times[keep]
        _, inverse = np.unique(times, return_inverse=True)
        sums = np.bincount(inverse, weights=numbers)
        best: Ints = triples[sums[inverse] == (sums.max() if self.largest else sums.min())]
        return best

    def shown(self, place: Place) -> list[Shown]:
        """Return the dates."""
        values = (place.graph.triple_properties(triple)[self.time] for triple in self._best(place).tolist())
        return list(dict.fromkeys(Shown(shown_value(value)) for value in values))

    def proofs(self, place: Place) -> list[Item]:
        """Return the triples."""
        return proofs_of(place, self._best(place), [self.time, self.name])


def _no_values(triples: str, name: str) -> CannotPlanError:
    """Return the error that none of some triples has a property."""
    return CannotPlanError(f"nothing in «{triples}» has a value of {name}", code="triples.no_values", name=name)
