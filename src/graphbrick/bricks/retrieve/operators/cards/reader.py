"""Questions for all that is known about entities: «tell me about X», «who is X», «what does X do»."""

from __future__ import annotations

from graphbrick.bricks.retrieve.operators.cards.plan import Cards
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import Along, Plan
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.trace import event
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.properties.sources import has_columns

_MOST_NAMESAKES = 5
_MOST_TRIPLES = 1_000  # of an entity, among which one for its occupation is looked for


class CardReader:
    """A reader of questions for cards.

    Args:
        parser: Reads the parts of the question.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.place = parser, parser.english, parser.place
        self.lexicon, self.has_properties = parser.resolver.lexicon, has_columns(parser.place.graph)

    def read(self, text: str, *, namesakes: bool) -> Plan | None:
        """Return the plan of a question for all that is known about entities; None for another question.

        Args:
            text: The question.
            namesakes: Whether a name means all entities of this name.
        """
        english, graph = self.english, self.place.graph
        told, doing, about = (english.match(name, text) for name in ("card", "doing", "about"))
        match = told or about or doing
        if match is None or not all(map(self._is_kind, filter(None, match.group("kind", "noun")))):
            return None
        entities = [self.parser.entity(mention[0]) for mention in MENTION.finditer(match["who"])]
        if doing and (occupation := self._occupation(entities[0])):
            return occupation
        if about and not (graph.description(entities[0]) or self.has_properties):
            verb = stem(about["verb"])
            if verb in self.lexicon.words or not self.english.content(verb):
                return None  # a relation may be meant, such as «described as», or tags
        if namesakes:
            entities = [other for one in entities for other in self._namesakes(one)]
        return Cards(tuple(dict.fromkeys(entities)))

    def _is_kind(self, noun: str) -> bool:
        """Return whether a noun beside a name is the name of a class, as in «the service e0»."""
        return bool(self.lexicon.class_named(stems(noun)))

    def _namesakes(self, entity: int) -> list[int]:
        """Return an entity and others of its name, the best known first."""
        graph = self.place.graph
        named = sorted(graph.named(graph.label(entity)), key=lambda one: (one != entity, -graph.degree(one)))
        if len(named) > _MOST_NAMESAKES:
            event(
                f"{len(named):,} entities are called {graph.label(entity)!r}; {_MOST_NAMESAKES} are shown",
                "operators.namesakes",
                n=len(named),
            )
        return named[:_MOST_NAMESAKES] or [entity]

    def _occupation(self, entity: int) -> Plan | None:
        """Return the plan of «what does e0 do» where a relation says so; None without one."""
        graph = self.place.graph
        leaving = dict.fromkeys(
            graph.relation_of(triple) for triple in list(graph.triples_from(entity))[:_MOST_TRIPLES]
        )
        labels = {one: spaced(graph.relation_label(one)).lower() for one in leaving}
        named = [one for one, label in labels.items() if self.english.search("occupation", label)]
        return Along(entity, ((named[0], True),)) if len(named) == 1 else None
