"""The plan that gives cards."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.bricks.retrieve.operators.sets import Place, Shown, TextPlan
from graphbrick.core.items import Item
from graphbrick.graphs.cards import cards_of


@dataclass(frozen=True)
class Cards(TextPlan):
    """All that is known about some entities, each on a card."""

    entities: tuple[int, ...]

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"card of: {', '.join(dict.fromkeys(map(place.graph.label, self.entities)))}"

    def shown(self, place: Place) -> list[Shown]:
        """Return the names of the entities, which their cards stand for."""
        return [Shown(place.graph.label(entity), entity) for entity in self.entities]

    def proofs(self, place: Place) -> list[Item]:
        """Return the cards."""
        return [*cards_of(place.graph, self.entities, languages=place.languages)]
