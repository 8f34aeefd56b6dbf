"""Plans of questions by the grammar, and by the most usual of several relations where that is needed."""

from __future__ import annotations

from functools import partial

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan
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


def of_usual(parser: Parser) -> Plan | None:
    """Return the plan of a question where «of» or «in» may mean several relations, by the most usual of them.

    «Employees of e0» work there rather than that they are lent to it. It is told.
    """
    resolver = parser.resolver
    resolver.usual = usual = dict[int, str]()
    try:
        plan = of_grammar(parser)
    except CannotPlanError:
        return None  # the first error says more
    finally:
        resolver.usual = None
    if plan is None:
        return None
    texts = plan.texts(parser.place)
    label = parser.place.graph.relation_label
    told = [text for relation, text in usual.items() if any(label(relation) in one for one in texts)]
    resolver.assumptions[plan] = "; ".join(told)
    return plan if told else None
