"""What the triples of each entity of a set tell of times: «who works on Atlas, and since when»."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.sets import Ints, Place, Shown, TextPlan, no_value
from graphbrick.bricks.retrieve.operators.triples.columns import triple_properties
from graphbrick.core.items import Item, Property
from graphbrick.core.properties.values import Value, shown_value

_PROVEN, _MOST = 20, 1000  # triples that are shown, and that are looked at of one entity


@dataclass(frozen=True)
class TimesOfEach(TextPlan):
    """A property of the triples that lead to each entity of a set.

    Attributes:
        base: The set: the ends of one relation.
        name: The property.
    """

    base: Walk
    name: str

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{self.name} of each of: {self.base.text(place)}"

    def owners(self, place: Place) -> Ints:
        """Return the entities of the set."""
        return self.base.run(place)

    def _found(self, place: Place) -> Iterator[tuple[int, int, Value]]:
        """Yield the entities of the set, with a triple that leads to each and its value."""
        ends, ((relation, forward),) = set(self.base.run(place).tolist()), self.base.steps
        for start in self.base.base.run(place).tolist():
            triples = place.graph.triples_from(start) if forward else place.graph.triples_to(start)
            for triple in list(triples)[:_MOST]:
                head, own, tail = place.graph.triple(triple)
                end, value = tail if forward else head, place.graph.triple_properties(triple).get(self.name)
                if own == relation and end in ends and value is not None:
                    yield end, triple, value

    def shown(self, place: Place) -> list[Shown]:
        """Return «name: value» for each entity."""
        values: dict[int, list[str]] = {}
        for end, _, value in self._found(place):
            values.setdefault(end, []).append(shown_value(value))
        if not values:
            raise no_value(self.base.text(place), self.name)
        label = place.graph.label
        return [Shown(f"{label(end)}: {', '.join(dict.fromkeys(own))}", end) for end, own in values.items()]

    def proofs(self, place: Place) -> list[Item]:
        """Return the properties of some triples."""
        found = list(self._found(place))[:_PROVEN]
        return [Property(place.graph, triple, self.name, value, of_triple=True) for _, triple, value in found]


def times_of_each(place: Place, base: object, when: str) -> TimesOfEach | None:
    """Return the plan of the times of what leads to a set; None if no property, or several, tell them.

    Args:
        place: The graph.
        base: The plan of the set.
        when: "since when", "until when" or "when".
    """
    if not isinstance(base, Walk) or len(base.steps) != 1:
        return None
    own = [one for one in triple_properties(place.graph) if base.steps[0][0] in one.relations and one.is_time]
    begins, ends = [one for one in own if one.is_begin], [one for one in own if one.is_end]
    fitting = {"since when": begins, "from when": begins, "until when": ends, "till when": ends}.get(when, own)
    return TimesOfEach(base, fitting[0].name) if len(fitting) == 1 else None
