"""A number for each group of triples: «the average fee per vet», «treatments by reason»."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.amounts import reduced, shown_number
from graphbrick.bricks.retrieve.operators.sets import CannotPlanError, Place, Shown, TextPlan
from graphbrick.bricks.retrieve.operators.triples.edges import Edges, proofs_of
from graphbrick.bricks.retrieve.operators.wordings.units import unit_in
from graphbrick.core.items import Item
from graphbrick.core.properties.values import shown_value

_PARTS = {"year": 4, "month": 7}  # characters of a date


@dataclass(frozen=True)
class TriplesPerGroup(TextPlan):
    """A number over the triples of each group, the largest first; groups of dates in their order.

    Attributes:
        edges: The triples.
        name: The property that is added up or averaged; "" for their number.
        how: "count", "sum", "mean", "median", "largest" or "smallest".
        by: "head" or "tail" for the entities there, else the property whose values are the groups.
        part: "year" or "month" of the dates of that property; "" for whole values.
        best: "largest" or "smallest" for the names of the groups with this number; "" for all with their numbers.
    """

    edges: Edges
    name: str
    how: str
    by: str
    part: str = ""
    best: str = ""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        number = f"{self.how} of {self.name}" if self.name else "number of triples"
        group = f"{self.part} of {self.by}" if self.part else self.by
        best = f"{self.best} of: " if self.best else ""
        return f"{best}{number} of: {self.edges.text(place)}, for each {group}"

    def _groups(self, place: Place) -> dict[tuple[str, int | None], list[int]]:
        """Return the places of the triples of each group."""
        found: dict[tuple[str, int | None], list[int]] = {}
        triples = self.edges.run(place)
        if self.by in ("head", "tail"):
            for at, end in enumerate(self.edges.ends(place, heads=self.by == "head").tolist()):
                found.setdefault((place.graph.label(end), end), []).append(at)
            return found
        for at, triple in enumerate(triples.tolist()):
            value = place.graph.triple_properties(triple).get(self.by)
            for one in value if isinstance(value, tuple) else () if value is None else (value,):
                text = shown_value(one)
                found.setdefault((text[: _PARTS[self.part]] if self.part else text, None), []).append(at)
        return found

    def empty_groups(self, place: Place) -> int:
        """Return the number of groups in which no triple has the number."""
        known = ~np.isnan(self.edges.numbers(place, self.name)) if self.name else None
        return 0 if known is None else sum(not known[own].any() for own in self._groups(place).values())

    def without_group(self, place: Place) -> tuple[str, int, int]:
        """Return by what the triples are grouped, how many have nothing of it, and how many there are."""
        grouped = {at for own in self._groups(place).values() for at in own}
        n = len(self.edges.run(place))
        return self.by, n - len(grouped), n

    def shown(self, place: Place) -> list[Shown]:
        """Return «group: number» for each group that has the number, or the best groups."""
        values = self.edges.numbers(place, self.name) if self.name else np.ones(len(self.edges.run(place)))
        numbers = []
        for key, own in self._groups(place).items():
            known = values[own][~np.isnan(values[own])]
            if len(known):
                numbers.append((key, reduced(known, "sum" if self.how == "count" else self.how)))
        if not numbers:
            text = f"nothing in «{self.edges.text(place)}» has a value of {self.name or self.by}"
            raise CannotPlanError(text, code="triples.no_groups", name=self.name or self.by)
        numbers.sort(key=lambda one: (one[0][0],) if self.part else (-one[1], one[0][0]))
        if self.best:
            best = (max if self.best == "largest" else min)(number for _, number in numbers)
            return [Shown(*key) for key, number in numbers if number == best]
        unit = unit_in(self.name) if self.name else ""
        return [Shown(f"{text}: {shown_number(number, unit)}", entity) for (text, entity), number in numbers]

    def proofs(self, place: Place) -> list[Item]:
        """Return the first triples with their properties."""
        names = [name for name in (self.name, self.by) if name and name not in ("head", "tail")]
        return proofs_of(place, self.edges.run(place), names)
