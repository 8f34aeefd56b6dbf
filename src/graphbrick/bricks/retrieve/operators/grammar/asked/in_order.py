"""Answers in an order: «volcanoes in e0 sorted by elevation», «rank them by price», «from a to z»."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.grammar.numbers import Numbers
from graphbrick.bricks.retrieve.operators.measures import Attribute, Measure
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Place, Plan, SetPlan
from graphbrick.bricks.retrieve.operators.sets import Ints
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.items import Item
from graphbrick.core.properties.values import Kind, shown_value
from graphbrick.core.trace import event
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stems
from graphbrick.patterns.properties.sources import Source, sources_of

_TO = r"(?:sort|sorted|order|ordered|rank|ranked|arrange|arranged)"
_DIRECTION = (
    r"(?:[, ]+(?:in )?(?:(?P<way>ascending|asc|increasing|descending|desc|decreasing|chronological|reverse)(?: order)?"
    r"|\(?(?:the )?(?P<best>(?:most |least )?[a-z]+) first\)?|from (?P<one>[a-z]+) to (?P<other>[a-z]+)))?"
)
_SORTED = Expression(
    rf"(?P<rest>.+?),? (?:and )?(?P<verb>{_TO})(?: (?:them|these|it|those|the list))? (?:by|on|according to) "
    rf"(?:their |its |the )?(?P<by>[a-z][a-z _-]*?){_DIRECTION}$"
)
_LISTED = Expression(
    rf"(?:(?P<verb>{_TO})|list|show(?: me)?|give me|name) (?P<rest>.+?) by (?:their |its |the )?"
    rf"(?P<by>[a-z][a-z _-]*?){_DIRECTION}$"
)
_ALPHABET = Expression(
    rf"(?P<rest>.+?),? (?:{_TO} )?(?:alphabetically|in alphabetical order|from a to z|{_TO} by (?:the )?name)"
    r"(?P<back>,? (?:from z to a|backwards|reversed?))?$"
)
_COUNT = Expression(r"^(?:number|count|amount) of ")
_DAY = Expression(r" (?:date|day|time)$")
_NAMES = Expression(r"^(?:(?:list|show|sort|order|rank|give me|name)\b)?(?: |,|and|(?:the )?e\d+)+$")
_DOWN = frozenset("descending desc decreasing reverse".split())
_HIGH = frozenset("high highest large largest big biggest most best new newest latest z expensive old oldest".split())


@dataclass(frozen=True)
class InOrder(SetPlan):
    """The entities of a set by a number, a text or their names; those without one are the last, and are told.

    Attributes:
        base: The set.
        by: The number or date, or the text property; None for the names.
        largest: Whether the largest is the first.
    """

    base: SetPlan
    by: Measure | Source | None
    largest: bool = False

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        name = "name" if self.by is None else self.by.name if isinstance(self.by, Source) else self.by.text(place)
        return f"{self.base.text(place)}, by {name}, {'largest' if self.largest else 'smallest'} first"

    def _run(self, place: Place) -> Ints:
        entities = self.base.run(place)
        names = [place.graph.label(one).casefold() for one in entities.tolist()]
        order = sorted(range(len(entities)), key=names.__getitem__, reverse=self.by is None and self.largest)
        if isinstance(self.by, Source):
            texts = [shown_value(place.graph.properties(one).get(self.by.name, "")) for one in entities.tolist()]
            known = [at for at in order if texts[at]]
            known.sort(key=lambda at: texts[at].casefold(), reverse=self.largest)
            order = known + [at for at in order if not texts[at]]
            n_unknown = len(order) - len(known)
        elif self.by is not None:
            numbers = self.by.of(place, entities)
            order.sort(
                key=lambda at: np.inf if np.isnan(numbers[at]) else -numbers[at] if self.largest else numbers[at]
            )
            n_unknown = int(np.isnan(numbers).sum())
        else:
            n_unknown = 0
        if n_unknown:
            event(f"{n_unknown:,} of them have no value to be ordered by; they are last", "operators.last_in_order")
        return entities[order]

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set, and their numbers."""
        numbers = self.by.proofs(place, entities) if isinstance(self.by, Measure) else []
        return self.base.proofs(place, entities) + numbers


def in_order(parser: Parser, text: str, read: Callable[[Parser, str], Plan | None]) -> SetPlan | None:
    """Return the plan of a question that says the order of its answers; None if it says none that the graph knows.

    Args:
        parser: Knows the graph.
        text: The question, with placeholders.
        read: Reads a question by the grammar.
    """
    named = _ALPHABET.match(text)
    if named is not None:
        base = _base(parser, named["rest"], read)
        return None if base is None else InOrder(base, None, bool(named["back"]))
    for match in filter(None, (_SORTED.match(text), _LISTED.match(text))):
        base = _base(parser, match["rest"], read)
        if base is not None and match["verb"] and match["by"] in ("name", "names"):
            return InOrder(base, None, match["way"] in _DOWN or match["one"] == "z")
        by = None if base is None else _by(parser, match["by"], base, is_said=match["verb"] is not None)
        if base is not None and by is not None:
            return InOrder(base, by, _is_down(parser, match, by))
    return None


def _base(parser: Parser, text: str, read: Callable[[Parser, str], Plan | None]) -> SetPlan | None:
    if _NAMES.match(text):
        return parser.listed(text)
    plan = read(parser, text) or (read(parser, f"list {text}") if not text.startswith("list ") else None)
    if plan is None and MENTION.search(text):
        try:
            plan = parser.set(parser.english.as_question(re.sub(r"^(?:list|show(?: me)?) (?:all )?", "", text)))
        except CannotPlanError:
            return None
    return plan if isinstance(plan, SetPlan) else None


def _by(parser: Parser, words: str, base: SetPlan, *, is_said: bool) -> Measure | Source | None:
    """Return the number, count or text property that words name; None for none.

    Args:
        parser: Knows the graph.
        words: The words.
        base: What is ordered.
        is_said: Whether the question says that they are an order; «books by author» are those of an author.
    """
    own = {one.stems: one for one in sources_of(parser.place.graph) if one.kind == Kind.TEXT and one.literal is None}
    text = own.get(stems(words.replace("_", " "))) if is_said else None
    try:
        count = _COUNT.sub("", words)
        names = dict.fromkeys((words.replace("_", " "), _DAY.sub("", words)))
        number = next(filter(None, (parser.resolver.attribute(name, base) for name in names)), None)
        return number or text or (parser.resolver.degree(count, base) if is_said and count != words else None)
    except CannotPlanError:
        return text


def _is_down(parser: Parser, match: re.Match[str], by: Measure | Source) -> bool:
    """Return whether the largest is to be the first; unless it is said, only ranks begin with it."""
    if match["way"]:
        return match["way"] in _DOWN
    first = match["best"] or match["one"]
    if not first:
        return (match["verb"] or "").startswith("rank")
    comparison = parser.english.superlatives.get(first)
    if comparison is not None and isinstance(by, Attribute) and first not in _HIGH:
        return Numbers.is_upward(comparison, by)
    if first in ("old", "oldest"):
        return not (isinstance(by, Attribute) and by.is_date(parser.place))
    return first in _HIGH
