"""Questions for the description of entities, or their other names, which a graph keeps beside their properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.sets import Place, Shown, TextPlan, no_value
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.items import Entity, Item
from graphbrick.graphs.cards import card_of
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stems
from graphbrick.patterns.properties.sources import sources_of

_ASKED = Expression(
    r"^(?:(?:what|which)(?: is| are| was| were)? |(?:show|give|tell)(?: me)? |list )?(?:all |any )?(?:the |an? )?"
    r"(?P<what>descriptions?|alias(?:es)?|(?:other|alternative|alternate) names?|synonyms|nicknames?) (?:of|for) "
    r"(?:the (?:[a-z]+ )?)?(?P<who>e\d+(?:(?:, | and |, and )e\d+)*)$"
)


@dataclass(frozen=True)
class OwnTexts(TextPlan):
    """The descriptions of some entities, or their other names.

    Attributes:
        entities: The entities.
        names: Whether their other names are asked for.
    """

    entities: tuple[int, ...]
    names: bool

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return (
            f"{'other names' if self.names else 'description'} of: {', '.join(map(place.graph.label, self.entities))}"
        )

    def shown(self, place: Place) -> list[Shown]:
        """Return the texts."""
        read: Callable[[int], list[str]] = place.graph.aliases if self.names else _described(place)
        found = [Shown(text, entity) for entity in self.entities for text in read(entity) if text]
        if not found:
            raise no_value(
                " and ".join(map(place.graph.label, self.entities)), "other name" if self.names else "description"
            )
        return found

    def proofs(self, place: Place) -> list[Item]:
        """Return the entities."""
        return [Entity(place.graph, entity) for entity in self.entities]


def own_texts(parser: Parser, text: str) -> OwnTexts | None:
    """Return the plan of «what are the aliases of e0»; None for another question, and where something is called so."""
    match, graph = _ASKED.match(text), parser.place.graph
    if match is None:
        return None
    names = [*(one.name for one in sources_of(graph)), *map(graph.relation_label, range(graph.n_relations))]
    if any(stems(spaced(name)) == stems(match["what"]) for name in names):
        return None
    entities = tuple(dict.fromkeys(parser.entity(mention[0]) for mention in MENTION.finditer(match["who"])))
    return OwnTexts(entities, not match["what"].startswith("description"))


def _described(place: Place) -> Callable[[int], list[str]]:
    return lambda entity: [card_of(place.graph, entity, languages=place.languages).description]
