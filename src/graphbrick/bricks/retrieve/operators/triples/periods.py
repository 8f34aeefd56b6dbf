"""Stretches of time in questions: «in 2004», «between 2010 and 2012», «until 2015», «the 2012 ...»."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphbrick.bricks.retrieve.operators.dates import Date, of_year
from graphbrick.bricks.retrieve.operators.measures import Span, span_of
from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.language.expressions.expression import Expression

_YEAR = Expression(r"(?P<year>1\d{3}|2[01]\d{2})(?:s(?= |$))?(?![\d,.%-])(?! ?(?:or more|or less|%))")
_UNIT = Expression(r"(?:the )?(?:year |season |month )?")
_AFTER = Expression(r"(?: season| year)?(?=[ ,]|$)")
_BETWEEN = Expression(r"\b(?:between|from) (?=the |year|season|\d|[a-z]+ \d)")
_AND = Expression(r" ?(?:and|to|until|till|through|-|–) (?=\S)")
_WORD = Expression(
    r"\b(?P<word>in|during|throughout|for|on|of|back in|since|before|after|until|till|up to|prior to)"
    r"(?= (?:the )?(?:year |season |month )?(?:\d|[a-z]{3,9}\.?,? (?:of |the )?\d))"
)
_BARE = Expression(
    r"(?<!than )(?<!over )(?<!above )(?<!under )(?<!below )(?<!least )(?<!most )(?<!exactly )\b(?=[12]\d{3}\b)"
)
_KINDS = {
    "since": "least", "before": "under", "prior to": "under", "after": "over", "until": "most", "till": "most",
    "up to": "most",
}  # fmt: skip
_DECADE = Expression(r"\b(?:in|during) the (?P<year>[12]\d{2}0)s\b")


class Period(NamedTuple):
    """A stretch of time in a text.

    Attributes:
        span: The stretch.
        word: The word before it, such as «since»; "in" for none.
        rest: The text without it.
    """

    span: Span
    word: str
    rest: str


def period_in(text: str, english: English) -> Period | None:
    """Return the first stretch of time in a lower-case text; None if there is none.

    >>> from graphbrick.bricks.retrieve.operators.wording import english
    >>> texts = "who led e0 in 2004", "who led e0 between 2010 and 2012", "the 2012 e0 winner", "over 2000 people"
    >>> [period and (period.span.said, period.rest) for text in texts for period in [period_in(text, english())]]
    [('in 2004', 'who led e0'), ('from 2010 to 2012', 'who led e0'), ('in 2012', 'the e0 winner'), None]
    """
    decade = _DECADE.search(text)
    if decade:
        year = float(decade["year"])
        return Period(span_of("between", of_year(year), of_year(year + 9)), "in", _without(text, decade.span()))
    for match in _BETWEEN.finditer(text):
        first = _date(text, match.end(), english)
        joined = _AND.match(text, first[1]) if first else None
        last = _date(text, joined.end(), english) if joined else None
        if first and last:
            return Period(span_of("between", first[0], last[0]), "in", _without(text, (match.start(), last[1])))
    for pattern in (_WORD, _BARE):
        for match in pattern.finditer(text):
            place = match.end() + (1 if match[0] else 0)
            date = _date(text, place, english)
            if date is not None:
                word = match.groupdict().get("word") or "in"
                kind = _KINDS.get(word, "exactly")
                return Period(span_of(kind, date[0]), word, _without(text, (match.start(), date[1])))
    return None


def _date(text: str, place: int, english: English) -> tuple[Date, int] | None:
    """Return the date at a place of a text, and where it ends."""
    unit = _UNIT.match(text, place)
    place = unit.end() if unit else place
    amount = english.read_amount(text[place:])
    if amount is not None and amount.date is not None:
        end = len(text) - len(amount.rest) if amount.rest else len(text)
        return amount.date, end
    year = _YEAR.match(text, place)
    after = _AFTER.match(text, year.end()) if year else None
    return (of_year(float(year["year"])), after.end()) if year and after else None


def _without(text: str, place: tuple[int, int]) -> str:
    return re.sub(r"\s+", " ", f"{text[: place[0]]} {text[place[1] :]}").strip(" ,")
