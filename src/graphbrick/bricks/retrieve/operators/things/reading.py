"""Questions for facts of entities: what is known of them, values of properties, comparisons of named ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators.sets import NO_VALUE, UNREAD_WORDS, CannotPlanError
from graphbrick.bricks.retrieve.operators.wording import english
from graphbrick.bricks.retrieve.operators.wordings.doers import by_doer
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.sources import has_columns, has_triple_properties

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser
    from graphbrick.bricks.retrieve.operators.plan import Plan
    from graphbrick.bricks.retrieve.operators.wording import English
    from graphbrick.core import Evidence

_TOTAL = Expression(r"\b(?:total|combined)\b")

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
    if parser.question.entities:
        from graphbrick.bricks.retrieve.operators.cards.own_texts import own_texts

        told = own_texts(parser, text)
        if told is not None:
            return told
    if asks_for_card(parser.english, text):
        from graphbrick.bricks.retrieve.operators.cards.reader import CardReader

        cards = CardReader(parser).read(text, namesakes=namesakes and not parser.question.told)
        if cards is not None:
            return cards
    return _of_property(parser, text) if has_properties else None


def _of_property(parser: Parser, text: str) -> Plan | None:
    from graphbrick.bricks.retrieve.operators.facts import Facts
    from graphbrick.bricks.retrieve.operators.wordings.everyday import Everyday

    facts = Facts(parser)
    if parser.question.entities and (" and " in text or "," in text):
        from graphbrick.bricks.retrieve.operators.cards.several import several_values

        several = several_values(facts, text)
        if several is not None:
            return several
    plan = Everyday(facts).read(text) or facts.read(text)
    return _added_up(plan) if plan is not None and _TOTAL.search(text) else plan


def _added_up(plan: Plan) -> Plan:
    """Return the sum of the values of a plan for numbers; another plan as it is."""
    from graphbrick.bricks.retrieve.operators.measures import Attribute
    from graphbrick.bricks.retrieve.operators.plan import Amount
    from graphbrick.bricks.retrieve.operators.properties.plans import Values

    is_sum = isinstance(plan, Values) and not plan.part and plan.source.literal is not None and not plan.source.is_date
    return Amount(plan.base, Attribute(plan.source), "sum") if isinstance(plan, Values) and is_sum else plan


def fact_or_near(parser: Parser, *, namesakes: bool) -> Plan | None:
    """Return what `fact` reads; else what it reads with names of properties for words that mean the same.

    «website» is read as `homepage`, and «wrote» as «composed» where there is a `composer`.

    Raises:
        CannotPlanError: The entities do not have the property, under no such name.
    """
    missing = None
    try:
        plan = fact(parser, namesakes=namesakes)
    except CannotPlanError as error:
        if error.code != NO_VALUE:
            raise
        plan, missing = None, error
    if plan is None and has_columns(parser.place.graph) and parser.question.entities:
        plan = parser.by_near_words(partial(_of_property, parser), parser.question.text)
    if plan is None and missing is not None:
        raise missing
    return plan or _by_doer(parser)


def _by_doer(parser: Parser) -> Plan | None:
    """Return the plan of «who sings e0» where the graph has no such verb, but artists."""
    read = by_doer(parser.resolver, parser.question.text) if parser.question.entities else None
    if read is None:
        return None
    text, told = read
    try:
        plan = parser.set(text)
    except CannotPlanError:
        return None
    parser.resolver.assumptions[plan] = told
    return plan


def asks_for_card(words: English, text: str) -> bool:
    """Return whether a question may ask for all that is known about an entity."""
    return any(words.match(name, text) for name in ("card", "doing", "about"))


def is_open(text: str, evidence: Evidence) -> bool:
    """Return whether a question asks why or what if, and no plan answers it."""
    asks_why = english().match("open_question", text.lower()) is not None
    return asks_why and all(item.kind != "row" for item in evidence.items)


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
