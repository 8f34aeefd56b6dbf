"""Questions for facts of entities: what is known of them, values of properties, comparisons of named ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators.sets import UNREAD_WORDS, CannotPlanError
from graphbrick.patterns.properties.sources import has_columns, has_triple_properties

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser
    from graphbrick.bricks.retrieve.operators.plan import Plan
    from graphbrick.bricks.retrieve.operators.wording import English

# Readers are imported where they are used: most questions need no properties.


def fact(parser: Parser, *, namesakes: bool) -> Plan | None:
    """Return the plan of a question about several named things, for a card, or for a value; else None.

    Args:
        parser: Reads the parts of the question.
        namesakes: Whether a name means all entities of this name.
    """
    text, has_properties = parser.question.text, has_columns(parser.place.graph)
    if len(parser.question.entities) > 1:
        from graphbrick.bricks.retrieve.operators.paths.connection import connection_in
        from graphbrick.bricks.retrieve.operators.things.choices import Choices

        between = connection_in(parser, text) or Choices(parser).read(text)
        if between is not None:
            return between
    if asks_for_card(parser.english, text):
        from graphbrick.bricks.retrieve.operators.cards.reader import CardReader

        cards = CardReader(parser).read(text, namesakes=namesakes and not parser.question.told)
        if cards is not None:
            return cards
    if not has_properties:
        return None
    from graphbrick.bricks.retrieve.operators.facts import Facts
    from graphbrick.bricks.retrieve.operators.wordings.everyday import Everyday

    facts = Facts(parser)
    return Everyday(facts).read(text) or facts.read(text)


def asks_for_card(words: English, text: str) -> bool:
    """Return whether a question may ask for all that is known about an entity."""
    return any(words.match(name, text) for name in ("card", "doing", "about"))


def check_time(parser: Parser) -> None:
    """Raise `CannotPlanError` if a question over properties has a stretch of time, which no path reads."""
    graph, text = parser.place.graph, parser.question.text
    if not (has_columns(graph) or has_triple_properties(graph)):
        return
    from graphbrick.bricks.retrieve.operators.triples.periods import period_in

    period = period_in(text, parser.english)
    if period is not None and not graph.named(period.span.said.split()[-1]):
        message = f"no rule reads «{period.span.said}» here"
        raise CannotPlanError(message, code=UNREAD_WORDS, words=(period.span.said,))
