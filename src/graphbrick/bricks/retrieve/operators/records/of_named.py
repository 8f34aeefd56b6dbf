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
_EACH = Expression(r"\b(?P<name>e\d+),? each\b(?! other)")
_OF_EACH = Expression(
    r"^(?P<ask>(?:(?:what|which|who) (?:is|are|was|were) )?(?:the )?(?P<what>[a-z][a-z -]*?)) "
    r"(?P<do>of|by|for|from|in|at|with) (?P<list>e\d+(?:,? (?:and )?e\d+)+)(?P<rest>)$"
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


def _read(parser: Parser, text: str, read: Callable[[Parser], Plan | None]) -> Plan | None:
    try:
        return read(Parser(parser.resolver, replace(parser.question, text=text)))
    except CannotPlanError:
        return None


def _number_of_records(parser: Parser, text: str, read: Callable[[Parser], Plan | None]) -> Plan | None:
    """Return the number of records for «goals scored by e0», what each is asked of; None where it names no records."""
    plan = _read(parser, f"number of {text}", read)
    return plan if isinstance(plan, OfTriples | CountOfTriples) else None


def says_each(text: str) -> bool:
    """Return whether a question asks something of each of the names before the word: «Ada, Bo and Cy each»."""
    return _EACH.search(text) is not None


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
    question, is_each = parser.question, says_each(parser.question.text)
    text = _EACH.sub(r"\g<name>", question.text)
    match = (_OF_EACH.match(text) if is_each else None) or _SUBJECTS.match(text) or _OWNERS.match(text)
    if match is None or _TOGETHER.intersection(WORD.findall(text.replace(match["list"], ""))):
        return None
    names = _MENTION.findall(match["list"])
    if len(_MENTION.findall(text)) != len(names):
        return None
    may_be_both = match["ask"].startswith("how many") and len(names) < _MANY and not is_each
    parts = list[tuple[int, Plan]]()
    for name in names:
        asked = f"{match['ask']} {_ONE.get(match['do'], match['do'])} e{name}{match['rest'] or ''}"
        plan = _number_of_records(parser, asked, read) if match["ask"] == match.groupdict().get("what") else None
        plan = plan or _read(parser, asked, read)
        is_one = isinstance(plan, TextPlan | ValuePlan)
        if may_be_both and not isinstance(plan, OfTriples | CountOfTriples):
            return None  # records are of one alone: a goal has one scorer, a film may have two directors
        is_one |= isinstance(plan, SetPlan) and (is_each or len(plan.run(parser.place)) == 1)
        if plan is None or not is_one:
            return None
        parts.append((parser.entity(f"e{name}"), plan))
    return OfNamed(tuple(parts))
