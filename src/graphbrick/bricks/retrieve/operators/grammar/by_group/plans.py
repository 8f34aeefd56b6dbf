"""Plans that give a number for each group of a set: «the average price of products by category»."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators.amounts import reduced, shown_number
from graphbrick.bricks.retrieve.operators.grammar.measures import pairs
from graphbrick.bricks.retrieve.operators.measures import Attribute, Best, Measure
from graphbrick.bricks.retrieve.operators.sets import Ints, Members, Place, SetPlan, Shown, Steps, TextPlan, no_value
from graphbrick.core.items import Item
from graphbrick.core.properties.values import shown_value
from graphbrick.core.trace import event
from graphbrick.patterns.properties.sources import Source, value_of

_PROVEN, _GROUPS = 20, 100  # entities that are shown in all, at least one of each of so many groups
_LISTED_EMPTY = 20  # groups without any that are listed
PARTS = ("year", "month", "day", "weekday")
"""Parts of dates by which entities can be grouped."""


class Key(NamedTuple):
    """What a group has in common.

    Attributes:
        text: The label of an entity, a value, or the part of a date.
        entity: The entity; None for a value.
    """

    text: str
    entity: int | None = None


@dataclass(frozen=True)
class Grouping:
    """What entities of one class are grouped by.

    Attributes:
        name: What the groups are, in words.
        steps: The pattern from an entity to that which has its group; empty for the entity itself.
        of_class: The class at the end of the pattern, whose members are the groups unless a property is given.
        source: The property whose values are the groups; None for the entities at the end of the pattern.
        part: A part of a date, one of `PARTS`; "" for whole values.
    """

    name: str
    steps: Steps = ()
    of_class: str = ""
    source: Source | None = None
    part: str = ""

    @property
    def is_of_numbers(self) -> bool:
        """True for groups by a number, which «by» before it may only rank: «the lightest elements by weight»."""
        return self.source is not None and self.source.literal is not None and not self.part

    def text(self, place: Place) -> str:
        """Return the way to the groups as people read it; "" for a property of the entity itself."""
        return f" (* {place.steps_text(self.steps, self.of_class)})" if self.steps else ""

    def groups(self, place: Place, entities: Ints) -> dict[Key, Ints]:
        """Return the entities of each group; one is in several groups if it has several of what they are made by."""
        found: dict[Key, set[int]] = {}
        starts, ends = pairs(place, entities, self.steps) if self.steps else (entities, entities)
        if self.of_class:
            inside = np.isin(ends, place.classes[self.of_class])
            starts, ends = starts[inside], ends[inside]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            for key in self._keys(place, end):
                found.setdefault(key, set()).add(start)
        return {key: np.array(sorted(own), dtype=np.int64) for key, own in found.items()}

    def without(self, place: Place, every: Ints) -> tuple[str, int, int]:
        """Return what the groups are, how many of some entities are in none, and how many there are."""
        own = self.groups(place, every).values()
        inside = np.unique(np.concatenate([*own, np.zeros(0, dtype=np.int64)]))
        return self.name, len(every) - len(inside), len(every)

    def all_keys(self, place: Place) -> list[Key]:
        """Return the groups that there are, also without any entity; none for groups by a property."""
        if self.source is not None or not self.of_class:
            return []
        return [Key(place.graph.label(one), one) for one in place.classes[self.of_class].tolist()]

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the properties, or the paths, that show the groups of some entities."""
        if not self.steps:
            return [] if self.source is None else place.properties(self.source, entities)
        followed = (place.followed(one, self.steps, back=False) for one in entities.tolist())
        return [one.path(i) for one in followed if one is not None for i in range(len(one.ends))]

    def _keys(self, place: Place, entity: int) -> list[Key]:
        if self.source is None:
            return [Key(place.graph.label(entity), entity)]
        value = value_of(place.graph, self.source, entity)
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        return [Key(part_of(shown_value(one), self.part)) for one in values]


def part_of(date: str, part: str) -> str:
    """Return the part of a date that is written year first; the whole text for no part.

    >>> [part_of("2014-02-12", part) for part in PARTS]
    ['2014', '2014-02', '2014-02-12', 'Wednesday']
    """
    if part == "weekday":
        return datetime.date.fromisoformat(date[:10]).strftime("%A")
    return date[: {"year": 4, "month": 7, "day": 10}[part]] if part else date


@dataclass(frozen=True)
class OfEach(TextPlan):
    """What each entity of a set has, beside its name: «employees and their departments».

    Attributes:
        base: The set.
        grouping: What each of them has: a property, or what relations lead to.
    """

    base: SetPlan
    grouping: Grouping

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{self.grouping.name}{self.grouping.text(place)} of each of: {self.base.text(place)}"

    def owners(self, place: Place) -> Ints:
        """Return the entities of the set."""
        return self.base.run(place)

    def without_group(self, place: Place) -> tuple[str, int, int]:
        """Return what each should have, how many have nothing, and how many there are."""
        return self.grouping.name, len(self.owners(place)) - len(self._found(place)), len(self.owners(place))

    def _found(self, place: Place) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for key, own in self.grouping.groups(place, self.owners(place)).items():
            for entity in own.tolist():
                found.setdefault(entity, []).append(key.text)
        return found

    def shown(self, place: Place) -> list[Shown]:
        """Return «entity: values» for each that has any, in the order of the set."""
        found = self._found(place)
        if not found:
            raise no_value(self.base.text(place), self.grouping.name)
        own = [entity for entity in self.owners(place).tolist() if entity in found]
        return [Shown(f"{place.graph.label(entity)}: {', '.join(found[entity])}", entity) for entity in own]

    def proofs(self, place: Place) -> list[Item]:
        """Return what shows it of a few entities."""
        return self.grouping.proofs(place, self.owners(place)[:_PROVEN])


@dataclass(frozen=True)
class BestOfEach(TextPlan):
    """The best of each group of a set, beside the name of the group: «the oldest employee of each store».

    Attributes:
        base: The set.
        measure: What is compared.
        grouping: What the groups are.
        largest: Whether the largest number wins.
        rank: Which in the order is asked for.
        n: How many.
    """

    base: SetPlan
    measure: Measure
    grouping: Grouping
    largest: bool = True
    rank: int = 1
    n: int = 1

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        best = Best(self.base, self.measure, self.largest, self.rank, self.n).text(place)
        return f"{best}, in each {self.grouping.name}{self.grouping.text(place)}"

    def owners(self, place: Place) -> Ints:
        """Return the entities of the set."""
        return self.base.run(place)

    def without_group(self, place: Place) -> tuple[str, int, int]:
        """Return what the groups are, how many entities of the set are in none, and how many there are."""
        return self.grouping.without(place, self.owners(place))

    def _found(self, place: Place) -> dict[Key, Ints]:
        """Return the best of each group in which any has the number, by the names of the groups."""
        found = dict[Key, Ints]()
        ties = 0
        for key, own in sorted(self.grouping.groups(place, self.owners(place)).items(), key=lambda one: one[0].text):
            values = self.measure.of(place, own)
            own, values = own[~np.isnan(values)], values[~np.isnan(values)]
            distinct = np.unique(values)[:: -1 if self.largest else 1]
            if self.n > 1:
                order = np.lexsort((own, -values if self.largest else values))
                found[key] = own[order][: self.n]
                ties += int((values[order][self.n :] == values[order][self.n - 1]).sum()) if len(own) > self.n else 0
            elif self.rank <= len(distinct):
                found[key] = own[values == distinct[self.rank - 1]]
        if ties:
            text = (
                f"{ties:,} more have the same {self.measure.text(place)} as the last of their group; they are left out"
            )
            event(text, "operators.ties_in_groups", ties=ties, n=self.n)
        return {key: own for key, own in found.items() if len(own)}

    def shown(self, place: Place) -> list[Shown]:
        """Return «group: names» for each group that has any."""
        found = self._found(place)
        if not found:
            raise no_value(self.base.text(place), self.grouping.name)
        labels = {key: ", ".join(map(place.graph.label, own.tolist())) for key, own in found.items()}
        return [Shown(f"{key.text}: {said}", key.entity) for key, said in labels.items()]

    def proofs(self, place: Place) -> list[Item]:
        """Return what shows the groups and the numbers of some."""
        some = [own[:1] for own in list(self._found(place).values())[:_PROVEN]]
        few = np.unique(np.concatenate([*some, np.zeros(0, dtype=np.int64)]))
        return self.measure.proofs(place, few) + self.grouping.proofs(place, few)


@dataclass(frozen=True)
class PerGroup(TextPlan):
    """A number for each group of a set, the largest first; or the groups with the best number, or the mean of all.

    Attributes:
        base: The set.
        how: "count", or "sum", "mean", "median", "largest" or "smallest" of the measure.
        measure: The number of each entity; None for a count.
        grouping: What the groups are.
        best: "largest" or "smallest" for the groups with this number, "mean" for the mean of the numbers, "" for all.
    """

    base: SetPlan
    how: str
    measure: Attribute | None
    grouping: Grouping
    best: str = ""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        number = self.how if self.measure is None else f"{self.how} of {self.measure.text(place)}"
        best = f"{self.best} of: " if self.best else ""
        return f"{best}{number} of: {self.base.text(place)}, for each {self.grouping.name}{self.grouping.text(place)}"

    def owners(self, place: Place) -> Ints:
        """Return the entities of the set."""
        return self.base.run(place)

    def numbers(self, place: Place) -> list[tuple[Key, float]]:
        """Return the groups with their numbers: dates in their order, others with the largest number first."""
        groups = self.grouping.groups(place, self.base.run(place))
        if self.measure is None:
            found = [(key, float(len(own))) for key, own in groups.items()]
            found += [(key, 0.0) for key in self.grouping.all_keys(place) if key not in groups]
        else:
            found = []
            for key, own in groups.items():
                values = self.measure.of(place, own)
                values = values[~np.isnan(values)]
                if len(values):
                    found.append((key, reduced(values, self.how)))
        if not found:
            raise no_value(self.base.text(place), self.grouping.name)
        by_date = self.grouping.part and self.grouping.part != "weekday"
        return sorted(found, key=lambda one: (one[0].text,) if by_date else (-one[1], one[0].text))

    def without_group(self, place: Place) -> tuple[str, int, int]:
        """Return what the groups are, how many entities of the set are in none, and how many there are."""
        return self.grouping.without(place, self.base.run(place))

    def shown(self, place: Place) -> list[Shown]:
        """Return «group: number» for each group, the names of the best groups, or the mean."""
        unit = self.measure.unit(place) if self.measure is not None else ""
        numbers = self.numbers(place)
        if self.best == "mean":
            return [Shown(shown_number(float(np.mean([number for _, number in numbers])), unit))]
        if self.best:
            return [Shown(*key) for key, _ in self._best(numbers)]
        empty = self.empty_groups(place)
        return [
            Shown(f"{key.text}: {shown_number(number, unit)}", key.entity)
            for key, number in numbers
            if number or not empty
        ]

    def empty_groups(self, place: Place) -> int:
        """Return how many groups without any are not listed, where many have none of what is a part of a class."""
        if self.measure is not None or self.best or isinstance(self.base, Members):
            return 0
        empty = sum(number == 0 for _, number in self.numbers(place))
        return empty if empty > _LISTED_EMPTY else 0

    def _best(self, numbers: list[tuple[Key, float]]) -> list[tuple[Key, float]]:
        best = (max if self.best == "largest" else min)(number for _, number in numbers)
        return [one for one in numbers if one[1] == best]

    def proofs(self, place: Place) -> list[Item]:
        """Return what shows the groups of some entities of each group, of the best groups alone if these are asked."""
        numbers = self.numbers(place)
        groups = self.grouping.groups(place, self.base.run(place))
        shown = self._best(numbers) if self.best in ("largest", "smallest") else numbers
        n = max(1, _PROVEN // len(shown))
        some = [entity for key, _ in shown[:_GROUPS] if key in groups for entity in groups[key][:n].tolist()]
        few = np.array(list(dict.fromkeys(some)), dtype=np.int64)
        items = [] if self.measure is None else self.measure.proofs(place, few)
        return items + self.grouping.proofs(place, few)
