"""Plans that select entities by their properties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphbrick.bricks.retrieve.operators.sets import Along, CannotPlanError, Ints, Place, SetPlan
from graphbrick.core.items import Item
from graphbrick.core.properties.values import Kind, Scalar, shown_value
from graphbrick.language.folding import name_form
from graphbrick.language.stems import spaced
from graphbrick.patterns.properties.sources import Source, holders_of, owners_of, sources_of, value_of

_PROVEN = 20  # entities whose value is shown
_MOST_NAMES = 200_000  # that are read
_NAMES = frozenset(("name", "title"))
_OF_NAMES = frozenset("long full short official display common local other alternative native".split())
_MOST_STARTS = 20_000  # entities from which a pattern is followed


@dataclass(frozen=True)
class Holding(SetPlan):
    """All entities that have a property."""

    source: Source

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"everything with {self.source.name}"

    def _run(self, place: Place) -> Ints:
        entities = owners_of(place.graph, self.source)
        nodes = place.subgraph.nodes
        return entities if nodes is None else entities[np.isin(entities, nodes)]


@dataclass(frozen=True)
class Where(SetPlan):
    """The entities of a set whose property has a value.

    Attributes:
        base: The set; None for all that have the value.
        source: The property; of several with the value, the others too.
        value: The value.
    """

    base: SetPlan | None
    sources: tuple[Source, ...]
    value: Scalar

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        names = " or ".join(source.name for source in self.sources)
        among = "everything" if self.base is None else self.base.text(place)
        if self.value is True:
            return f"{names} among: {among}"
        return f"{names} {shown_value(self.value)} among: {among}"

    def _run(self, place: Place) -> Ints:
        parts = [holders_of(place.graph, source, self.value) for source in self.sources]
        holders = np.unique(np.concatenate(parts))
        nodes = place.subgraph.nodes
        if nodes is not None:
            holders = holders[np.isin(holders, nodes)]
        if self.base is None:
            return holders
        entities = self.base.run(place)
        return entities[np.isin(entities, holders)]

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        own = [item for source in self.sources for item in place.properties(source, entities[:_PROVEN])]
        return own if self.base is None else self.base.proofs(place, entities) + own


@dataclass(frozen=True)
class Named(SetPlan):
    """The entities of a set with words in their names, or in a longer or shorter name of their own: `full_name`.

    Attributes:
        base: The set.
        words: The words, one after the other.
        place_in_name: "" for anywhere, "first" or "last".
    """

    base: SetPlan
    words: str
    place_in_name: str = ""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        where = f"{self.place_in_name} in" if self.place_in_name else "in"
        return f"«{self.words}» {where} the name among: {self.base.text(place)}"

    def _run(self, place: Place) -> Ints:
        entities = self.base.run(place)
        if len(entities) > _MOST_NAMES:
            raise CannotPlanError(
                f"reading {len(entities):,} names would take too long",
                code="operators.too_many_names",
                n=len(entities),
            )
        before = "^" if self.place_in_name == "first" else r"(?<!\w)"
        after = "" if self.place_in_name and len(self.words) == 1 else r"(?!\w)"  # «starts with B»
        before = "" if self.place_in_name == "last" and len(self.words) == 1 else before
        after = "$" if self.place_in_name == "last" else after
        pattern = re.compile(f"{before}{re.escape(name_form(self.words))}{after}")
        others = [source for source in sources_of(place.graph) if source.relation < 0 and _is_own_name(place, source)]
        has = [any(map(pattern.search, _names(place, one, others))) for one in entities.tolist()]
        return entities[np.array(has, dtype=np.bool_)]


def _is_own_name(place: Place, source: Source) -> bool:
    """Return whether a property is another name of what has it: `route_long_name`, and not `contact_name`."""
    last = source.spoken.rpartition(" ")[2]
    if last not in _NAMES or source.kind != Kind.TEXT:
        return False
    types = next((place.graph.types(owner) for owner in owners_of(place.graph, source)[:1].tolist()), ())
    own = {word for name in types for word in spaced(name).lower().split()}
    return bool(types) and set(source.spoken.split()) <= own | _OF_NAMES | _NAMES


def _names(place: Place, entity: int, others: Sequence[Source]) -> Iterator[str]:
    """Yield the names of an entity as they are compared."""
    yield name_form(place.graph.label(entity))
    for source in others:
        value = value_of(place.graph, source, entity)
        yield from (name_form(str(one)) for one in (value if isinstance(value, tuple) else (value,)) if one is not None)


@dataclass(frozen=True)
class Through(SetPlan):
    """The entities at the end of a pattern from any entity of a set: «people who work in Germany».

    Attributes:
        base: The set.
        along: The pattern, from one of them.
    """

    base: SetPlan
    along: Along

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"({self.base.text(place)}) {place.steps_text(self.along.steps, self.along.of_class)}"

    def _ways(self, place: Place) -> list[Along]:
        entities = self.base.run(place)
        if len(entities) > _MOST_STARTS:
            raise CannotPlanError(
                f"following {place.steps_text(self.along.steps)} from {len(entities):,} entities would take too long",
                code="operators.too_many_starts",
                n=len(entities),
            )
        return [replace(self.along, start=entity) for entity in entities.tolist()]

    def _run(self, place: Place) -> Ints:
        ends = [way.run(place) for way in self._ways(place)]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *ends]))

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        paths = [item for way in self._ways(place) for item in way.proofs(place, entities)]
        return paths + self.base.proofs(place, self.base.run(place))
