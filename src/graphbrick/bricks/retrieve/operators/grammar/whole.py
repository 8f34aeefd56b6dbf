"""Plans of whole questions by the grammar."""

from __future__ import annotations

from functools import partial

from graphbrick.bricks.retrieve.operators.grammar.by_group.wordings import about_them, and_when, in_one
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import Plan
from graphbrick.bricks.retrieve.operators.schema.refusals import check_one
from graphbrick.bricks.retrieve.operators.things.reading import asks_for_card
from graphbrick.language.expressions.expression import Expression

_EACH = Expression(r"\b(?:per|each|every|everyone|everybody|by|their|its|his|her|(?:the|an) average)\b")
_HYPHEN = Expression(r"(?<=\bbest|\bmost)-(?=[a-z])|(?<=\bleast)-(?=[a-z])|(?<=\btop)-(?=[a-z])")
_MORE = Expression(r"\b(?:more|fewer|less)\b")
_BEST = Expression(r"\b(?:most|fewest|least|(?:high|low|larg|bigg|small|great)est)\b")


def of_grammar(parser: Parser) -> Plan | None:
    """Return the plan of a question in which every word has its place in the grammar, or one near it."""
    if asks_for_card(parser.english, parser.question.text):
        return None
    from graphbrick.bricks.retrieve.operators.grammar.asked.questions import (
        read as read_by_grammar,  # some need none
    )

    text = _HYPHEN.sub(" ", parser.question.text)
    plan = _per_group(parser, text) if _EACH.search(text) else None
    plan = plan or read_by_grammar(parser, text) or parser.by_near_words(partial(read_by_grammar, parser), text)
    plan = plan or (_per_group(parser, text) if _BEST.search(text) else None)
    if plan is None and _EACH.search(text):  # «how many stations does each operator run»
        plan = parser.by_near_words(partial(_per_group, parser), text)
    if plan is None and _MORE.search(text):
        from graphbrick.bricks.retrieve.operators.grammar.asked.more import check_more

        check_more(text)
    return plan


def of_both(parser: Parser) -> Plan | None:
    """Return the plan of «which projects are active, and what is their budget», if both are read; None for one.

    Raises:
        CannotPlanError: There are two questions in one, of which only one would be answered.
    """
    text, plan = in_one(parser.question.text), None
    if text != parser.question.text or about_them(text)[0] or and_when(text)[0]:
        from graphbrick.bricks.retrieve.operators.grammar.by_group.reading import of_each

        plan = of_each(parser, text)
    if plan is None:
        check_one(parser.english, parser.question.text)
    return plan


def _per_group(parser: Parser, text: str) -> Plan | None:
    from graphbrick.bricks.retrieve.operators.grammar.by_group.reading import per_group  # few questions are of groups

    return per_group(parser, text)
