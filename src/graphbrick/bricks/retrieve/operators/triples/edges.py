"""Sets of triples: those of one relation between some entities whose properties meet conditions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import Span, bounds_text
from graphbrick.bricks.retrieve.operators.sets import Ints, Listed, Place, SetPlan
from graphbrick.bricks.retrieve.operators.triples.columns import Floats, numbers_of_triples, with_text
from graphbrick.core.items import Item, Property, Triple

_PROVEN = 20  # triples that are shown


@dataclass(frozen=True)
class During:
    """A condition on the dates of triples.

    Attributes:
        name: The property.
        span: The stretch of time.
        until: The property with the date when it ended, for one with the date when it began; "" for a date alone.
    """

    name: str
    span: Span
    until: str = ""

    @property
    def text(self) -> str:
        """The condition as people read it."""
        return f"{self.name}{f' to {self.until}' if self.until else ''} {self.span.said}"

    def holds(self, place: Place, triples: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which triples meet the condition."""
        begin = numbers_of_triples(place.graph, self.name, triples)
        low, high, includes, _ = self.span
        with np.errstate(invalid="ignore"):
            if self.until:
                end = numbers_of_triples(place.graph, self.until, triples)
                return (begin <= high) & ~(end < low)
            inside = (begin > low) & (begin < high)
            return np.asarray(inside | (includes & ((begin == low) | (begin == high))))


@dataclass(frozen=True)
class Said:
    """A condition on a text of triples: «league AL»."""

    name: str
    value: str

    @property
    def text(self) -> str:
        """The condition as people read it."""
        return f"{self.name} {self.value}"

    def holds(self, place: Place, triples: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which triples meet the condition."""
        return with_text(place.graph, self.name, self.value, triples)


@dataclass(frozen=True)
class Holds:
    """A condition on a boolean of triples: a hidden ability, where `hidden` is true."""

    name: str

    @property
    def text(self) -> str:
        """The condition as people read it."""
        return self.name

    def holds(self, place: Place, triples: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which triples meet the condition."""
        values = (place.graph.triple_properties(triple).get(self.name) for triple in triples.tolist())
        return np.fromiter((value is True for value in values), dtype=np.bool_, count=len(triples))


@dataclass(frozen=True)
class Measures:
    """A condition on a number of triples: a quantity over 3.

    Attributes:
        name: The property.
        low: The lower bound.
        high: The upper bound.
        includes: Whether the bounds are inside.
    """

    name: str
    low: float = -np.inf
    high: float = np.inf
    includes: bool = False

    @property
    def text(self) -> str:
        """The condition as people read it."""
        return f"{self.name} {bounds_text(self.low, self.high, includes=self.includes)}"

    def holds(self, place: Place, triples: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which triples meet the condition."""
        values = numbers_of_triples(place.graph, self.name, triples)
        with np.errstate(invalid="ignore"):
            inside = (values > self.low) & (values < self.high)
            return np.asarray(inside | (self.includes & ((values == self.low) | (values == self.high))))


Condition = During | Said | Holds | Measures
"""A condition on the properties of triples."""


@dataclass(frozen=True)
class Edges:
    """The triples of a relation, between some heads and tails, that meet conditions.

    Attributes:
        relation: The relation.
        heads: Where they begin; None for anywhere.
        tails: Where they end; None for anywhere.
        conditions: All must hold.
    """

    relation: int
    heads: SetPlan | None = None
    tails: SetPlan | None = None
    conditions: tuple[Condition, ...] = ()

    def text(self, place: Place) -> str:
        """Return the triples as people read them."""
        head, tail = map(partial(_end_text, place), (self.heads, self.tails))
        label = place.graph.relation_label(self.relation)
        turned = self.heads is None and self.tails is not None
        text = f"{tail} ← {label} ← {head}" if turned else f"{head} → {label} → {tail}"
        said = ", ".join(condition.text for condition in self.conditions)
        return f"{text} ({said})" if said else text

    def run(self, place: Place) -> Ints:
        """Return the ids of the triples, ascending."""
        triples = self._between(place)
        for condition in self.conditions:
            triples = triples[condition.holds(place, triples)]
        return triples

    def _between(self, place: Place) -> Ints:
        csr, nodes = place.graph.csr, place.subgraph.nodes
        heads = None if self.heads is None else self.heads.run(place)
        tails = None if self.tails is None else self.tails.run(place)
        if heads is not None and len(heads) == 1:
            row = csr.row(int(heads[0]), True)
            triples = np.arange(row.start, row.stop, dtype=np.int64)
        elif tails is not None and len(tails) == 1:
            triples = np.sort(csr.in_triple[csr.row(int(tails[0]), False)].astype(np.int64))
        else:
            triples = place.graph.triple_ids().astype(np.int64)
        triples = triples[csr.relation[triples] == self.relation]
        triples = triples[place.counts(triples, forward=tails is None or heads is not None)]
        for wanted in (heads, nodes):
            triples = triples if wanted is None else triples[np.isin(csr.heads(triples), wanted)]
        for wanted in (tails, nodes):
            triples = triples if wanted is None else triples[np.isin(csr.tail[triples], wanted)]
        return np.asarray(triples, dtype=np.int64)

    def ends(self, place: Place, *, heads: bool) -> Ints:
        """Return the head or tail of each triple."""
        csr, triples = place.graph.csr, self.run(place)
        ends: Ints = (csr.heads(triples) if heads else csr.tail[triples]).astype(np.int64)
        return ends

    def numbers(self, place: Place, name: str) -> Floats:
        """Return the number that a property of each triple is, NaN where it has none."""
        return numbers_of_triples(place.graph, name, self.run(place))

    def proofs(self, place: Place) -> list[Item]:
        """Return the first triples, with the properties that conditions speak of."""
        return proofs_of(place, self.run(place), [condition.name for condition in self.conditions])


def _end_text(place: Place, end: SetPlan | None) -> str:
    if end is None:
        return "*"
    return end.text(place) if isinstance(end, Listed) else f"({end.text(place)})"


def proofs_of(place: Place, triples: Ints, names: list[str]) -> list[Item]:
    """Return triples with some of their properties as evidence."""
    items: list[Item] = []
    for triple in triples[:_PROVEN].tolist():
        own = place.graph.triple_properties(triple)
        items += [Property(place.graph, triple, name, own[name], of_triple=True) for name in names if name in own]
        items.append(Triple(place.graph, triple))
    return items
