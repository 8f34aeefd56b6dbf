"""Numbers of entities over what relations join them to: how many of a set, sums and means over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import Attribute, Floats, Measure
from graphbrick.bricks.retrieve.operators.schema.walks import joined_to
from graphbrick.bricks.retrieve.operators.sets import Along, Ints, Place, SetPlan, Steps
from graphbrick.bricks.retrieve.operators.triples.edges import Condition, Edges, proofs_of
from graphbrick.core.items import Item

_PROVEN = 20  # ends whose number is shown


def pairs(place: Place, entities: Ints, steps: Steps) -> tuple[Ints, Ints]:
    """Return some entities with the ends of a pattern from each; a pair comes once for each walk that joins it.

    Args:
        place: The graph.
        entities: The entities, int64, distinct.
        steps: The pattern.

    Returns:
        The starts and the ends, int64, of one length.
    """
    starts = ends = entities
    nodes = place.subgraph.nodes
    for relation, forward in steps:
        at, ends = joined_to(place, ends, relation, forward=forward)
        starts = starts[at]
        if nodes is not None:
            inside = np.isin(ends, nodes)
            starts, ends = starts[inside], ends[inside]
    return starts, ends


def _reduced(owners: Ints, values: Floats, entities: Ints, how: str) -> Floats:
    """Return the sum, mean, largest or smallest of the values of each entity; NaN where there is none."""
    keep = ~np.isnan(values)
    order = np.argsort(entities, kind="stable")
    at = order[np.searchsorted(entities[order], owners[keep])]
    values = values[keep]
    if how in ("sum", "mean"):
        counts = np.bincount(at, minlength=len(entities)).astype(np.float64)
        sums = np.bincount(at, weights=values, minlength=len(entities))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(counts > 0, sums / (counts if how == "mean" else 1.0), np.nan)
    numbers = np.full(len(entities), np.nan)
    (np.fmax if how == "largest" else np.fmin).at(numbers, at, values)
    return numbers


@dataclass(frozen=True)
class CountIn(Measure):
    """How many different entities of a set a pattern joins to each entity.

    Attributes:
        steps: The pattern.
        ends: The set.
        conditions: Conditions on the triples of a pattern of one relation.
        every: Whether several triples to one end count each.
    """

    steps: Steps
    ends: SetPlan
    conditions: tuple[Condition, ...] = ()
    every: bool = False

    def text(self, place: Place) -> str:
        """Return the measure as people read it."""
        said = ", ".join(condition.text for condition in self.conditions)
        what = "triples of" if self.every else "of"
        ends = place.steps_text(self.steps, f"({self.ends.text(place)})")
        return f"count {what} * {ends}{f' ({said})' if said else ''}"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity."""
        owners, ends = _ends_of(place, self.steps, entities, self.ends, self.conditions)
        both = np.stack([owners, ends])
        both = both if self.every else np.unique(both, axis=1)
        return np.nan_to_num(_reduced(both[0], np.ones(both.shape[1]), entities, "sum"))

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the paths, or the triples that meet the conditions, to what is counted."""
        if self.conditions:
            ((relation, forward),) = self.steps
            return _triples(place, Edges(relation, conditions=self.conditions), entities, heads=forward)
        return _paths(place, entities, self.steps, self.ends)


def _ends_of(
    place: Place, steps: Steps, entities: Ints, wanted: SetPlan | None, conditions: tuple[Condition, ...] = ()
) -> tuple[Ints, Ints]:
    """Return each entity with each of its ends that is in a set, where the triples meet conditions."""
    if conditions:
        ((relation, forward),) = steps
        edges = Edges(relation, conditions=conditions)
        owners, ends = edges.ends(place, heads=forward), edges.ends(place, heads=not forward)
        keep = np.isin(owners, entities)
        owners, ends = owners[keep], ends[keep]
    else:
        owners, ends = pairs(place, entities, steps)
    inside = np.ones(len(ends), dtype=np.bool_) if wanted is None else np.isin(ends, wanted.run(place))
    return owners[inside], ends[inside]


@dataclass(frozen=True)
class OfEnds(Measure):
    """The sum, mean, largest or smallest number of the entities that a pattern joins to each entity.

    Attributes:
        steps: The pattern.
        ends: Only ends in this set count.
        attribute: The number.
        how: "sum", "mean", "largest" or "smallest".
    """

    steps: Steps
    ends: SetPlan
    attribute: Attribute
    how: str

    def text(self, place: Place) -> str:
        """Return the measure as people read it."""
        ends = place.steps_text(self.steps, f"({self.ends.text(place)})")
        return f"{self.how} of {self.attribute.text(place)} of: * {ends}"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity, NaN where there is none."""
        owners, ends = _ends_of(place, self.steps, entities, self.ends)
        both = np.unique(np.stack([owners, ends]), axis=1)
        return _reduced(both[0], self.attribute.of(place, both[1]), entities, self.how)

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the paths to the ends, and their numbers."""
        ends = np.unique(_ends_of(place, self.steps, entities, self.ends)[1])
        return _paths(place, entities, self.steps, self.ends) + self.attribute.proofs(place, ends[:_PROVEN])

    def is_date(self, place: Place) -> bool:
        """Return whether the numbers are years."""
        return self.attribute.is_date(place)


@dataclass(frozen=True)
class OfEdges(Measure):
    """The sum, mean, largest or smallest number of the triples of one relation at each entity.

    Attributes:
        relation: The relation.
        forward: Whether the entities are its heads.
        ends: Only triples to these count; None for all.
        name: The property of the triples.
        how: "sum", "mean", "largest" or "smallest".
        conditions: Conditions on the triples.
        is_time: Whether the numbers are dates.
    """

    relation: int
    forward: bool
    ends: SetPlan | None
    name: str
    how: str
    conditions: tuple[Condition, ...] = ()
    is_time: bool = False

    def _edges(self, base: SetPlan | None = None) -> Edges:
        heads, tails = (base, self.ends) if self.forward else (self.ends, base)
        return Edges(self.relation, heads, tails, self.conditions)

    def text(self, place: Place) -> str:
        """Return the measure as people read it."""
        return f"{self.how} {self.name} of: {self._edges().text(place)}"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity, NaN where there is none."""
        edges = self._edges()
        owners, values = edges.ends(place, heads=self.forward), edges.numbers(place, self.name)
        keep = np.isin(owners, entities)
        return _reduced(owners[keep], values[keep], entities, self.how)

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the triples with their numbers."""
        return _triples(place, self._edges(), entities, heads=self.forward, name=self.name)

    def is_date(self, place: Place) -> bool:
        """Return whether the numbers are years."""
        return self.is_time


@dataclass(frozen=True)
class Above(Measure):
    """By how much a number of each entity is above that of what a pattern joins it to, the most of several.

    Attributes:
        steps: The pattern.
        ends: Only ends in this set count.
        attribute: The number.
        below: Whether it is how much it is below.
    """

    steps: Steps
    ends: SetPlan
    attribute: Attribute
    below: bool = False

    def text(self, place: Place) -> str:
        """Return the measure as people read it."""
        ends = place.steps_text(self.steps, f"({self.ends.text(place)})")
        name = self.attribute.text(place)
        return f"{name} {'below' if self.below else 'above'} the {name} of * {ends}, by"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity, NaN where there is none."""
        owners, ends = _ends_of(place, self.steps, entities, self.ends)
        gaps = self.attribute.of(place, owners) - self.attribute.of(place, ends)
        return _reduced(owners, -gaps if self.below else gaps, entities, "largest")

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the numbers of the entities and of what they are compared with, and the paths between."""
        ends = np.unique(_ends_of(place, self.steps, entities, self.ends)[1])
        both = np.union1d(entities, ends)[: 2 * _PROVEN]
        return self.attribute.proofs(place, both) + _paths(place, entities, self.steps, self.ends)


def _paths(place: Place, entities: Ints, steps: Steps, ends: SetPlan) -> list[Item]:
    """Return the paths of a pattern from some entities to a set."""
    wanted = ends.run(place)
    return [path for entity in entities.tolist() for path in Along(entity, steps).proofs(place, wanted)]


def _triples(place: Place, edges: Edges, entities: Ints, *, heads: bool, name: str = "") -> list[Item]:
    """Return the triples at some entities, with the properties that conditions and a number speak of."""
    triples = edges.run(place)[np.isin(edges.ends(place, heads=heads), entities)]
    return proofs_of(place, triples, [*filter(None, [name]), *(condition.name for condition in edges.conditions)])
