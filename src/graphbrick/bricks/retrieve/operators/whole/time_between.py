"""The time between the dates of two entities: «how many days were there between e0 and e1»."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import Attribute, CannotPlanError, Place, ValuePlan
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.sources import Source, value_of

_DAYS = {"day": 1, "week": 7}
_ASKED = Expression(
    r"how many (?P<unit>day|week|month|year)s (?:(?:are|were|was|is|lie|lay|did|do) )?(?:there )?"
    r"(?:(?:pass|passed|elapsed|went by|have passed) )?(?:between|from) (?:the )?(?:(?P<what>[a-z_ -]+?) of )?"
    r"(?P<one>e\d+) (?:and|to|until|till) (?:(?:the )?(?:[a-z]+|that) of )?(?P<other>e\d+)(?: (?P<verb>[a-z]+))?"
)

_DATE_NOUN = Expression(r"\b(?:dates?|days?|times?)(?: of)?\b")


@dataclass(frozen=True)
class TimeBetween(ValuePlan):
    """The days, weeks, whole months or whole years between the dates of two entities.

    Attributes:
        one: An entity.
        other: The other one; which is earlier does not matter.
        source: The property with the dates.
        counted: "day", "week", "month" or "year".
    """

    one: int
    other: int
    source: Source
    counted: str

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        names = " and ".join(map(place.graph.label, (self.one, self.other)))
        return f"{self.counted}s between the {self.source.name} of {names}"

    def value(self, place: Place) -> float:
        """Return the number, never negative.

        Raises:
            CannotPlanError: A date is not known to the day.
        """
        first, last = sorted(self._day(place, entity) for entity in (self.one, self.other))
        if self.counted in _DAYS:
            return (last - first).days / _DAYS[self.counted]
        months = 12 * (last.year - first.year) + last.month - first.month - (last.day < first.day)
        return float(months if self.counted == "month" else months // 12)

    def _day(self, place: Place, entity: int) -> datetime.date:
        value = value_of(place.graph, self.source, entity)
        if isinstance(value, datetime.date):
            return datetime.date(value.year, value.month, value.day)
        try:
            return datetime.date.fromisoformat(str(value))
        except ValueError:
            text = f"{self.source.name} of {place.graph.label(entity)} is no day: {value or 'unknown'}"
            raise CannotPlanError(text, code="operators.no_day", value=str(value)) from None


def time_between(parser: Parser, text: str) -> ValuePlan | None:
    """Return the plan of «how many days were there between the releases of e0 and e1»; None for another question.

    Raises:
        CannotPlanError: They have no such date, or several of which the question names none.
    """
    match = _ASKED.fullmatch(text)
    if match is None:
        return None
    one, other = parser.entity(match["one"]), parser.entity(match["other"])
    pair, words = p.Listed((one, other)), _DATE_NOUN.sub("", match["what"] or match["verb"] or "").strip()
    date = _date(parser, words, pair) if words else parser.resolver.only_date(pair)
    if date is None or date.source.relation >= 0:
        text = f"several dates, or none, tell when {parser.place.graph.label(one)} was; say which"
        raise CannotPlanError(text, code="operators.no_date_of_both", wording=match["unit"])
    return TimeBetween(one, other, date.source, match["unit"])


def _date(parser: Parser, words: str, pair: p.Listed) -> Attribute:
    """Return the date that words name, or the verb that they are the noun of: «creation» of `created`."""
    verb = forms.verb_behind(words) if forms.is_installed() else ""
    try:
        return parser.resolver.date(words, pair, words)
    except CannotPlanError:
        if not verb:
            raise
    return parser.resolver.date(verb, pair, words)
