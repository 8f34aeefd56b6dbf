"""Plans that give the values of properties."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.amounts import value_with_unit
from graphbrick.bricks.retrieve.operators.properties.selections import Where
from graphbrick.bricks.retrieve.operators.sets import (
    Ints,
    Listed,
    Place,
    SetPlan,
    Shown,
    TextPlan,
    no_value,
)
from graphbrick.core.items import Item, Property
from graphbrick.core.properties.values import Scalar, Value, shown_value
from graphbrick.patterns.properties.sources import Source, holders_of, value_of

_PROVEN = 20  # owners whose value is shown


@dataclass(frozen=True)
class Values(TextPlan):
    """The values of a property of all entities of a set.

    Attributes:
        base: The set.
        source: The property.
        part: "year" for the years of dates, "count" for their number, "commonest" or "rarest" for the values that most,
            or fewest, entities have, "each" for a line for each entity that has any; "" for whole values.
    """

    base: SetPlan
    source: Source
    part: str = ""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        if self.part == "each":
            return f"{self.source.name} of each of: {self.base.text(place)}"
        return f"{self.part or ''}{' of ' if self.part else ''}{self.source.name} of: {self.base.text(place)}"

    def owners(self, place: Place) -> Ints:
        """Return the entities of the set."""
        return self.base.run(place)

    def shown(self, place: Place) -> list[Shown]:
        """Return the distinct values in the order of the entities; a line for each of several named ones."""
        is_named = isinstance(self.base, Listed) and len(self.base.entities) > 1
        entities = list(self.base.entities) if isinstance(self.base, Listed) else self.base.run(place).tolist()
        own = [value_of(place.graph, self.source, entity) for entity in entities]
        values = [value for value in own if value is not None]
        if not values:
            raise no_value(self.base.text(place), self.source.name)
        if self.part == "each":
            known = [(entity, value) for entity, value in zip(entities, own, strict=True) if value is not None]
            return [Shown(f"{place.graph.label(one)}: {', '.join(self._texts(value))}", one) for one, value in known]
        labels = list(map(place.graph.label, entities)) if is_named and self.part in ("", "year") else []
        if labels and len(set(labels)) == len(labels):
            lines = [", ".join(self._texts(value)) if value is not None else "not known" for value in own]
            return [Shown(f"{label}: {line}", one) for label, line, one in zip(labels, lines, entities, strict=True)]
        texts = Counter(text for value in values for text in self._texts(value))
        if self.part in ("commonest", "rarest"):
            best = (max if self.part == "commonest" else min)(texts.values())
            return [Shown(text) for text, n in texts.items() if n == best]
        return [Shown(f"{len(texts):,}")] if self.is_count else list(map(Shown, texts))

    @property
    def is_count(self) -> bool:
        """True if it gives the number of values."""
        return self.part == "count"

    def _texts(self, value: Value) -> list[str]:
        unit = "" if self.source.measured else self.source.unit
        texts = [value_with_unit(one, unit) for one in (value if isinstance(value, tuple) else (value,))]
        return [text[:4] for text in texts] if self.part == "year" else texts

    def proofs(self, place: Place) -> list[Item]:
        """Return the properties, after what leads to their owners."""
        entities = self.base.run(place)[:_PROVEN]
        way = [] if isinstance(self.base, Listed) else self.base.proofs(place, entities)
        return [*place.properties(self.source, entities), *way]


@dataclass(frozen=True)
class Holds(TextPlan):
    """The truth of «all of these entities have a value of a property».

    Attributes:
        base: The entities.
        sources: Properties, one of which has the value.
        value: The value.
        is_not: Whether the opposite is the question.
    """

    base: SetPlan
    sources: tuple[Source, ...]
    value: Scalar
    is_not: bool = False

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        text = f"is {self.base.text(place)} among: {Where(None, self._of(place), self.value).text(place)}"
        return f"not ({text})" if self.is_not else text

    def owners(self, place: Place) -> Ints:
        """Return the entities."""
        return self.base.run(place)

    def _of(self, place: Place) -> tuple[Source, ...]:
        """Return the properties that all the entities have."""
        own = self.base.run(place).tolist()
        has = (all(value_of(place.graph, source, one) is not None for one in own) for source in self.sources)
        return tuple(source for source, all_have in zip(self.sources, has, strict=True) if own and all_have)

    def shown(self, place: Place) -> list[Shown]:
        """Return yes or no."""
        sources, entities = self._of(place), self.base.run(place).tolist()
        if not sources:
            raise no_value(self.base.text(place), self.sources[0].name)
        holders = {entity for source in sources for entity in holders_of(place.graph, source, self.value).tolist()}
        return [Shown("yes" if holders.issuperset(entities) != self.is_not else "no")]

    def proofs(self, place: Place) -> list[Item]:
        """Return the properties."""
        entities = self.base.run(place)[:_PROVEN]
        return [item for source in self._of(place) for item in place.properties(source, entities)]


@dataclass(frozen=True)
class TripleValues(TextPlan):
    """The values of a property of triples."""

    triples: tuple[int, ...]
    name: str

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{self.name} of: {'; '.join(map(place.graph.triple_text, self.triples[:3]))}"

    def texts(self, place: Place) -> list[str]:
        """Return the plan as people read it, and all its triples."""
        return [self.text(place), *map(place.graph.triple_text, self.triples)]

    def owners(self, place: Place) -> Ints:
        """Return the ends of the triples."""
        return np.array([end for triple in self.triples for end in place.graph.triple(triple)[::2]], dtype=np.int64)

    def shown(self, place: Place) -> list[Shown]:
        """Return the distinct values."""
        values = (place.graph.triple_properties(triple).get(self.name) for triple in self.triples)
        return list(dict.fromkeys(Shown(shown_value(value)) for value in values if value is not None))

    def proofs(self, place: Place) -> list[Item]:
        """Return the properties of the triples."""
        graph, items = place.graph, list[Item]()
        for triple in self.triples[:_PROVEN]:
            value = graph.triple_properties(triple).get(self.name)
            if value is not None:
                items.append(Property(graph, triple, self.name, value, of_triple=True))
        return items
