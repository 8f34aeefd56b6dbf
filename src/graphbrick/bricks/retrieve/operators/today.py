"""What depends on today's date: «last month», «in the past 30 days», «two years ago», and ages from dates of birth."""

from __future__ import annotations

import calendar
import datetime
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphbrick.bricks.retrieve.operators.dates import today
from graphbrick.bricks.retrieve.operators.measures import Attribute, Floats, Measure
from graphbrick.bricks.retrieve.operators.sets import Ints, Place
from graphbrick.core.items import Item
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, spaced, stem
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.column_numbers import as_number
from graphbrick.patterns.properties.sources import Source, has_triple_properties, owners_of, sources_of

Days = tuple[datetime.date, datetime.date]

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "couple of": 2,
}  # fmt: skip
_COUNT = rf"(?:(?P<n>\d{{1,4}}|{'|'.join(_NUMBERS)}) )"
_UNIT = r"(?P<unit>day|week|month|quarter|year)s?"
_BEFORE = r"\b(?:(?P<how>in|during|over|within|for|from|of|on|since|until|till|before|after|by) )?(?:the )?"
_PERIOD = Expression(
    rf"{_BEFORE}(?P<which>last|past|previous|this|current|next|coming) {_COUNT}?{_UNIT}\b"
    r"(?P<own>['’]s(?: (?P<rest>[^,?]+))?)?(?! (?:of|in which|when|that|which|with)\b)"
)
_DAY = Expression(rf"{_BEFORE}(?P<which>(?<!as of )today|yesterday|tomorrow)\b(?P<own>['’]s(?: (?P<rest>[^,?]+))?)?")
_AGO = Expression(
    r"\b(?:(?P<more>(?:more|longer|earlier) than|over)|(?P<less>(?:less|fewer|later) than|within)"
    rf"|(?P<how>since|until|till|before|after|in|from|by))? ?{_COUNT}{_UNIT} ago\b"
)
_OLDER = Expression(
    r"\b(?:who (?:is|are|was|were) |that (?:is|are) |(?:is|are) )?(?:aged )?"
    r"(?P<how>older than|younger than|over|under|above|below|at least|at most) (?:the age of )?"
    r"(?P<n>\d{1,3})(?P<said> (?:years?|yrs?)(?: old| of age)?)?\b"
    r"(?![ ,.]?\d| (?:months?|weeks?|days?|hours?|minutes?)\b)"  # no 50 000 and no 6 months
)
_AGED = Expression(
    r"\b(?:who (?:is|are) )?aged (?:between |from )?(?P<low>\d{1,3})(?: ?(?:-|–|to|and|until) ?(?P<high>\d{1,3}))?\b"
)
_IN_THEIR = Expression(
    r"\b(?:who (?:is|are) )?in (?:their|his|her) (?P<tens>\d0|twenties|thirties|forties|fifties|sixties|seventies)s?\b"
)
_TENS = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies")
_AGE_OF = Expression(r"^(?:what(?: is|'s)? )?(?:the )?(?:current )?age of e\d+$|^e\d+ age$")
_E = Expression(r"\be\d+\b")
_AGE_IN = Expression(r"\bage (?=(?:in|at) (?:the )?e\d)")
_BIRTH, _DEATH = frozenset(map(stem, ("birth", "born", "dob", "birthday"))), frozenset(map(stem, ("death", "died")))
_OLDEST = 120  # years
_ENDS = Expression(r"$|[,?]| (?:in|at|from|of|and|or|who|with|without|for|by|that)\b")
_WORD = Expression(r"[a-z]+")


def in_dates(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question with dates for «last month», «two years ago», «older than 50», and tell what they are.

    Args:
        graph: The graph. Without dates, or with a property that is called so, nothing is changed.
        text: The question, in lower case.
        lexicon: The words of the graph.
    """
    sources = sources_of(graph)
    if not has_triple_properties(graph) and not any(one.is_date for one in sources):
        return text
    for pattern, dated in ((_AGO, _ago), (_PERIOD, _period), (_DAY, _one_day)):
        for match in pattern.finditer(text):
            said = match[0].strip()
            phrase = dated(match)
            if phrase and not any(said in one.spoken for one in sources):
                return in_dates(graph, _told(text, match, phrase), lexicon)
    return _with_births(graph, text, lexicon)


def _told(text: str, match: re.Match[str], phrase: str) -> str:
    """Return a text with a phrase in place of a match; what is of a time stands before it: «this year's orders»."""
    said = match[0].strip()
    event(f"«{said}» is read as «{phrase}»: today is {today()}", "operators.by_today", said=said, read_as=phrase)
    rest = (match.groupdict().get("rest") or "").strip()
    after = text[match.end() :]
    return re.sub(r"\s+", " ", f"{text[: match.start()]} {rest} {phrase} {after}").strip()


def _number(said: str | None) -> int:
    return int(said) if said and said.isdigit() else _NUMBERS.get(said or "", 1)


def _moved(day: datetime.date, unit: str, n: int) -> datetime.date | None:
    """Return a day moved by some units; the last day of a month that is shorter; None if there is no such day."""
    try:
        if unit in ("day", "week"):
            return day + datetime.timedelta(days=n * (7 if unit == "week" else 1))
        months = day.year * 12 + day.month - 1 + n * {"month": 1, "quarter": 3, "year": 12}[unit]
        year, month = divmod(months, 12)
        return datetime.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
    except (ValueError, OverflowError):
        return None


def _of_calendar(unit: str, day: datetime.date) -> Days:
    """Return the first and the last day of the calendar's day, week, month, quarter or year around a day."""
    if unit == "week":
        first = day - datetime.timedelta(days=day.weekday())
        return first, first + datetime.timedelta(days=6)
    first = {
        "day": day,
        "month": day.replace(day=1),
        "quarter": day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
        "year": day.replace(month=1, day=1),
    }[unit]
    after = _moved(first, unit, 1) or day
    return first, after - datetime.timedelta(days=1)


def _phrase(how: str | None, days: Days) -> str:
    """Return a stretch of days with its preposition: «in 2025», «since 2026-11-01», «between 2026-11-23 and ...»."""
    first, last = days
    if how in ("since", "after", "before", "until", "till", "by"):
        return f"{how} {last if how in ('after', 'until', 'till', 'by') else first}"
    if first == last:
        return f"on {first}"
    if days == _of_calendar("year", first):
        return f"in {first.year}"
    if days == _of_calendar("month", first):
        return f"in {first:%Y-%m}"
    return f"between {first} and {last}"


def _period(match: re.Match[str]) -> str:
    """Return «in 2025» for «last year», and two days for «the past 30 days»; "" where no time is meant."""
    which, unit, now = match["which"], match["unit"], today()
    back, ahead = which in ("last", "past", "previous"), which in ("next", "coming")
    if match["n"] or which in ("past", "coming"):
        other = _moved(now, unit, (-1 if back else 1) * _number(match["n"])) if back or ahead else None
        return "" if other is None else _phrase(match["how"], (min(other, now), max(other, now)))
    day = _moved(now, unit, -1 if back else 1 if ahead else 0)
    return "" if day is None else _phrase(match["how"], _of_calendar(unit, day))


def _one_day(match: re.Match[str]) -> str:
    day = today() + datetime.timedelta(days={"yesterday": -1, "today": 0, "tomorrow": 1}[match["which"]])
    return _phrase(match["how"], (day, day))


def _ago(match: re.Match[str]) -> str:
    """Return «before 2021-11-30» for «more than five years ago», «in 2021» for «five years ago»."""
    day = _moved(today(), match["unit"], -_number(match["n"]))
    if day is None:
        return ""
    if match["more"] or match["less"]:
        return f"{'before' if match['more'] else 'since'} {day}"
    return _phrase(
        match["how"], (day, day) if match["how"] not in (None, "in", "from") else _of_calendar(match["unit"], day)
    )


def birth_of(graph: Graph) -> Source | None:
    """Return the only date of birth in a graph, if nothing in it has an age or a date of death; None otherwise."""
    own = [one for one in sources_of(graph) if one.literal is not None]
    if any(one.stems == (stem("age"),) or _DEATH & set(one.words) for one in own):
        return None
    births = [one for one in own if one.is_date and _BIRTH & set(one.words)]
    return births[0] if len(births) == 1 else None


def _with_births(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «born before 1976-11-30» for «older than 50», where a date of birth tells the age.

    Of other things than persons, «older than 5 years» is «before 2021-11-30».
    """
    source = birth_of(graph)
    owner = "" if source is None else _class_of(graph, source, lexicon)
    if owner and _AGE_OF.match(text):  # the property that is called so is a date
        return f"how old is {_E.findall(text)[0]}"
    if owner:
        text = _AGE_IN.sub(f"age of {forms.plural(spaced(owner).lower())} ", text)
    for match in _OLDER.finditer(text):
        noun = _noun_before(text, match, lexicon)
        is_person = bool(owner) and noun in ("", owner)
        is_said = "than" in match["how"] or match["said"] or (noun and _ENDS.match(text, match.end()))
        if (is_person and is_said) or (noun and noun != owner and "than" in match["how"] and match["said"]):
            day = _moved(today(), "year", -int(match["n"]))
            how = {"older": "before", "over": "before", "above": "before", "at least": "until", "at most": "since"}
            word = how.get(match["how"].removesuffix(" than"), "after")
            if day is not None and int(match["n"]) <= _OLDEST:
                return _told(text, match, f"{'born ' if is_person else ''}{word} {day}")
    found = (_AGED.search(text) or _IN_THEIR.search(text)) if owner else None
    if found is None:
        return text
    low, high = _ages_of(found)
    first, last = _moved(today(), "year", -high - 1), _moved(today(), "year", -low)
    if first is None or last is None or not low <= high <= _OLDEST:
        return text
    return _told(text, found, f"born between {first + datetime.timedelta(days=1)} and {last}")


def _ages_of(match: re.Match[str]) -> tuple[int, int]:
    """Return the lowest and the highest age of «aged 40 to 50», «in their forties»."""
    tens = match.groupdict().get("tens")
    if tens is None:
        return int(match["low"]), int(match["high"] or match["low"])
    low = int(tens) if tens.isdigit() else 20 + 10 * _TENS.index(tens)
    return low, low + 9


def _class_of(graph: Graph, source: Source, lexicon: Lexicon) -> str:
    """Return the smallest class that has a property; "" without one."""
    owners = owners_of(graph, source)
    having = [name for name, members in lexicon.classes.items() if np.isin(owners, members).all()]
    return min(having, key=lambda name: len(lexicon.classes[name]), default="")


def _noun_before(text: str, match: re.Match[str], lexicon: Lexicon) -> str:
    """Return the class that is named last before a match; "" for none, and for «project leads»."""
    words = _WORD.findall(text[: match.start()])
    at = next((at for at in range(len(words) - 1, -1, -1) if lexicon.class_named((stem(words[at]),))), None)
    if at is None or (words[at + 1 :] and is_plural(words[at + 1])):
        return ""
    return lexicon.class_named((stem(words[at]),))


@dataclass(frozen=True)
class Age(Measure):
    """The years since a date of each entity, by today's date; those since a year may be one too many."""

    is_own: ClassVar[bool] = True
    date: Attribute

    def text(self, place: Place) -> str:
        """Return the measure as people read it."""
        return f"years from {self.date.text(place)} to {today()}"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the whole years of each entity, NaN where there is no date."""
        return np.floor((as_number(today()) or 0.0) - self.date.of(place, entities))

    def unit(self, place: Place) -> str:
        """Return the unit."""
        return "years"

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the dates."""
        return self.date.proofs(place, entities)


def age_by(place: Place, measure: Measure) -> Age | None:
    """Return the age that a date tells; None for a number, and where some have a date of death, and so no age today."""
    if not isinstance(measure, Attribute) or any(_DEATH & set(one.words) for one in sources_of(place.graph)):
        return None
    event(f"ages are counted until today, {today()}", "operators.age_today", property=measure.text(place))
    return Age(measure)
