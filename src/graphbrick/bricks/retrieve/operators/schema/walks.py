"""Plans that follow relations from class to class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.sets import Ints, Place, SetPlan, Steps
from graphbrick.core.items import Item

_PROVEN_STARTS = 20  # entities whose paths are shown


@dataclass(frozen=True)
class Walk(SetPlan):
    """The entities at the end of steps from any entity of a set, of one class after each step.

    Attributes:
        base: The set.
        steps: Relations with their directions.
        classes: The class after each step; empty for any.
        is_backward: Whether the plan is read from its ends: «every genre with ...».
    """

    base: SetPlan
    steps: Steps
    classes: tuple[str, ...]
    is_backward: bool = False

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        if self.is_backward:
            steps = tuple((relation, not forward) for relation, forward in reversed(self.steps))
            return f"every {self.classes[-1]} with {place.steps_text(steps, self._first(place))}"
        base = self.base.text(place)
        base = base if self._is_entity() else f"({base})"
        return f"{base} {place.steps_text(self.steps, self.classes[-1])}"

    def _first(self, place: Place) -> str:
        return self.base.text(place).removeprefix("every ")

    def _is_entity(self) -> bool:
        return len(getattr(self.base, "entities", ())) == 1

    def texts(self, place: Place) -> list[str]:
        """Return the plan as people read it, and the classes on the way."""
        return [self.text(place), *filter(None, self.classes)]

    def _run(self, place: Place) -> Ints:
        entities = self.base.run(place)
        starts = entities
        for (relation, forward), name in zip(self.steps, self.classes, strict=True):
            entities = _step(place, entities, relation, forward=forward)
            if name:
                entities = entities[np.isin(entities, place.classes[name])]
        return entities[~np.isin(entities, starts)] if self._is_entity() and self._goes_back() else entities

    def _goes_back(self) -> bool:
        """Return whether the last step undoes the first, so that the plan asks for others than the entity."""
        (first, forward), (last, is_forward) = self.steps[0], self.steps[-1]
        return first == last and (forward != is_forward or len(self.steps) > 1)

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        items: list[Item] = []
        for start in self.base.run(place)[:_PROVEN_STARTS].tolist():
            followed = place.followed(start, self.steps, back=False)
            if followed is not None:
                items += [followed.path(i) for i in np.flatnonzero(np.isin(followed.ends, entities)).tolist()]
        return items if self._is_entity() or self.is_backward else items + self.base.proofs(place, self.base.run(place))


def _step(place: Place, entities: Ints, relation: int, *, forward: bool) -> Ints:
    """Return the entities that a relation joins to any of some entities; both ways for a symmetric relation."""
    ends = np.unique(joined_to(place, entities, relation, forward=forward)[1])
    nodes = place.subgraph.nodes
    return ends if nodes is None else ends[np.isin(ends, nodes)]


def joined_to(place: Place, entities: Ints, relation: int, *, forward: bool) -> tuple[Ints, Ints]:
    """Return places in some entities, and what a relation joins to each; both ways for a symmetric relation."""
    ways = {forward, not forward} if place.graph.relation_label(relation) in place.symmetric else {forward}
    both = [_ends(place, entities, relation, forward=way) for way in ways]
    return np.concatenate([at for at, _ in both]), np.concatenate([ends for _, ends in both])


def _ends(place: Place, entities: Ints, relation: int, *, forward: bool) -> tuple[Ints, Ints]:
    csr = place.graph.csr
    begin, end = (csr.out_begin, csr.out_end) if forward else (csr.in_begin, csr.in_end)
    first, sizes = begin[entities].astype(np.int64), (end[entities] - begin[entities]).astype(np.int64)
    shift = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if len(sizes) else first
    entries = np.arange(int(sizes.sum()), dtype=np.int64) + shift
    triples = entries if forward else csr.in_triple[entries]
    of_relation = csr.relation[triples] == relation
    of_relation[of_relation] = place.counts(triples[of_relation].astype(np.int64), forward=forward)
    ends: Ints = (csr.tail[entries] if forward else csr.in_head[entries])[of_relation].astype(np.int64)
    return np.repeat(np.arange(len(entities), dtype=np.int64), sizes)[of_relation], ends
