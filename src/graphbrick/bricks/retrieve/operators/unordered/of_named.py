"""Questions about several named things, each with an answer of its own: «how many goals did Ada, Bo and Cy score»."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from graphbrick.bricks.retrieve.operators.cards.several import OfNamed
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan, ValuePlan
from graphbrick.bricks.retrieve.operators.sets import TextPlan
from graphbrick.bricks.retrieve.operators.triples.plans import CountOfTriples, OfTriples
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD

_SUBJECTS = Expression(
    r"^(?P<ask>how many [a-z -]+?|(?:(?:in|at|on|from|for) )?(?:which|what) [a-z -]+?|where|when|what) "
    r"(?P<do>did|do|have|are|were) (?P<list>e\d+(?:, e\d+)*,? and e\d+)(?P<rest> .+)?$"
)
_OWNERS = Expression(
    r"^(?P<ask>(?:(?:what|which|who) (?:is|are|was|were) )?(?:(?:list|show|give me|name) )?(?:the )?[a-z][a-z -]*?) "
    r"(?P<do>of) (?P<list>e\d+(?:, e\d+)+,? and e\d+)(?P<rest>)$"
)
_MENTION = Expression(r"e(\d+)")
_TOGETHER = frozenset(
    "together both all total combined altogether common same share each other and or than not".split()
)
_ONE = {"of": "of", "do": "does", "have": "has", "are": "is", "were": "was", "did": "did"}
_MANY = 3  # names from which on a count is one of each; of two it may be that of both


def of_named(parser: Parser, read: Callable[[Parser], Plan | None]) -> Plan | None:
    """Return the plan of a question with several names before its verb, each with an answer of its own; else None.

    So has «the clubs of Ada, Bo and Cy», where each of three or more has one.

    Counts are of each of three or more names, and counts of records of each of two. What else is asked must have one
    answer for each: «which teams do Ada and Bo play for», and not «which films did Ada and Bo direct», which may be
    those of both.

    Args:
        parser: Knows the question.
        read: Returns the plan of a question about one name, or raises.
    """
    text, question = parser.question.text, parser.question
    match = _SUBJECTS.match(text) or _OWNERS.match(text)
    if match is None or _TOGETHER.intersection(WORD.findall(text.replace(match["list"], ""))):
        return None
    names = _MENTION.findall(match["list"])
    if len(_MENTION.findall(text)) != len(names):
        return None
    may_be_both = match["ask"].startswith("how many") and len(names) < _MANY
    parts = list[tuple[int, Plan]]()
    for name in names:
        asked = f"{match['ask']} {_ONE[match['do']]} e{name}{match['rest'] or ''}"
        try:
            plan = read(Parser(parser.resolver, replace(question, text=asked)))
        except CannotPlanError:
            return None
        is_one = isinstance(plan, TextPlan | ValuePlan)
        if may_be_both and not isinstance(plan, OfTriples | CountOfTriples):
            return None  # records are of one alone: a goal has one scorer, a film may have two directors
        if plan is None or not (is_one or (isinstance(plan, SetPlan) and len(plan.run(parser.place)) == 1)):
            return None
        parts.append((parser.entity(f"e{name}"), plan))
    return OfNamed(tuple(parts))
