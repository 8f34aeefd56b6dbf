"""Dates in questions: years, months and days as stretches of time, in years with their fraction."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import NamedTuple

from graphbrick.graphs.store.literals import read_literal
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem

MOMENT = 1e-4
"""Years that are shorter than a day, so that «after May» begins with June."""
MAKING = frozenset(
    map(stem, "placed made created issued recorded filed registered received come came arrived entered taken raised "
              "submitted booked written sent happened occurred logged reported built manufactured produced".split())
)  # fmt: skip
"""Stems of verbs that only say that an order or a ticket came to be: its own date is meant."""
_DECADE = Expression(r"(?:the )?(?P<year>(?:1[5-9]|20)\d0|(?:(?<=the )|(?<=')|(?<=’))\d0)['’]?s\b")  # «30s» are seconds
_ISO = Expression(r"(?P<date>\d{4}-\d{2}(?:-\d{2})?)(?:\s+|$)")


_DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
_NAMED_DECADE = Expression(rf"\b(?P<before>(?:in|of|from|during|since) the )(?P<name>{'|'.join(_DECADES)})\b")


def with_decades(text: str) -> str:
    """Return a lower-case text with decades in numbers.

    >>> with_decades("hired in the eighties"), with_decades("in their thirties")
    ('hired in the 1980s', 'in their thirties')
    """
    return _NAMED_DECADE.sub(lambda match: f"{match['before']}19{_DECADES.index(match['name']) + 2}0s", text)


def today() -> datetime.date:
    """Return today's date in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


class Date(NamedTuple):
    """A decade, year, month or day.

    Attributes:
        start: When it begins, in years.
        width: How long it lasts, in years.
        text: How it is shown, such as "2024-02".
        rest: The words after it.
    """

    start: float
    width: float
    text: str
    rest: str = ""


def of_year(year: float) -> Date:
    """Return a year."""
    return Date(year, 1.0, f"{year:.0f}")


def read_date(text: str, months: Mapping[str, int]) -> Date | None:
    """Return the decade, month or day that a lower-case text begins with; None if there is none.

    Args:
        text: The text.
        months: The number of each month by its names.

    >>> texts = "5th of february 2024 or so", "february 5, 2024", "february 2024", "5 people"
    >>> [date and date.text for text in texts for date in [read_date(text, {"february": 2})]]
    ['2024-02-05', '2024-02-05', '2024-02', None]
    >>> read_date("the 80s", {})
    Date(start=1980, width=10.0, text='1980s', rest='')
    """
    iso = _ISO.match(text)
    if iso:
        return _date(iso["date"], text[iso.end() :])
    decade = _DECADE.match(text)
    if decade:
        year = int(decade["year"]) + (1900 if len(decade["year"]) == 2 else 0)
        return Date(year, 10.0, f"{year}s", text[decade.end() :].strip())
    names = "|".join(sorted(months, key=len, reverse=True))
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    for pattern in (
        rf"(?:the )?{day}(?: of)? (?P<month>{names})\.?,? (?P<year>\d{{4}})\b",
        rf"(?P<month>{names})\.? (?:the )?{day},? (?P<year>\d{{4}})\b",
        rf"(?P<month>{names})\.?,?(?: of)? (?P<year>\d{{4}})\b(?P<day>)",
    ):
        match = re.match(pattern, text)
        if match:
            shown = f"{match['year']}-{months[match['month']]:02d}"
            return _date(f"{shown}-{int(match['day']):02d}" if match["day"] else shown, text[match.end() :])
    return None


def _date(text: str, rest: str) -> Date | None:
    read = read_literal(text)
    if read is None or read.kind != "date":
        return None
    try:
        day = datetime.date.fromisoformat(text if len(text) > 7 else f"{text}-01").replace(year=2000)
    except ValueError:  # the year 0000, or digits of another script
        return None
    month_after = (day.replace(day=1) + datetime.timedelta(days=31)).replace(day=1)
    days = 1 if len(text) > 7 else (month_after - day).days
    return Date(read.value, days / 366, text, rest.strip())
