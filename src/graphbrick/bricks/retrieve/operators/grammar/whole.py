"""Plans of whole questions by the grammar."""

from __future__ import annotations

from functools import partial

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import Plan
from graphbrick.bricks.retrieve.operators.things.reading import asks_for_card


def of_grammar(parser: Parser) -> Plan | None:
    """Return the plan of a question in which every word has its place in the grammar, or one near it."""
    if asks_for_card(parser.english, parser.question.text):
        return None
    from graphbrick.bricks.retrieve.operators.grammar.asked.questions import (
        read as read_by_grammar,  # some need none
    )

    text = parser.question.text
    return read_by_grammar(parser, text) or parser.by_near_words(partial(read_by_grammar, parser), text)
