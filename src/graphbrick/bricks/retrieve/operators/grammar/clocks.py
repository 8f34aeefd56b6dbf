"""Times of day: «leave before 7:30», «the earliest trip», «when does e0 start»."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import Reading, Subject
from graphbrick.bricks.retrieve.operators.grammar.small_words import PLACED
from graphbrick.bricks.retrieve.operators.grammar.states import States
from graphbrick.bricks.retrieve.operators.measures import Floats, Measure
from graphbrick.bricks.retrieve.operators.sets import Ints, Place
from graphbrick.core.items import Item
from graphbrick.core.properties.values import Kind
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem
from graphbrick.patterns.properties.clocks import hours_of, is_clock
from graphbrick.patterns.properties.sources import Source, owners_of

_TIME = Expression(r"(?P<hours>\d{1,2})(?::(?P<minutes>[0-5]\d))?(?P<half>am|pm|a\.m|p\.m)?")
_NAMED = {"noon": 12.0, "midday": 12.0, "midnight": 24.0}
_PAST = {"half past": 0.5, "quarter past": 0.25, "quarter to": -0.25}
_HALVES = {
    "am": "am", "a.m": "am", "pm": "pm", "p.m": "pm", "o'clock": "", "h": "", "hrs": "", "in the morning": "am",
    "in the afternoon": "pm", "in the evening": "pm", "at night": "pm",
}  # fmt: skip
_BOUNDS = {
    "before": "under", "earlier than": "under", "until": "most", "by": "most", "no later than": "most",
    "after": "over", "later than": "over", "since": "least", "from": "least", "at": "exactly",
}  # fmt: skip
_STARTS, _ENDS = (
    frozenset(map(stem, words.split()))
    for words in (
        "start begin leave depart departure open take set from go run",
        "end finish arrive arrival close land get until to",
    )
)
TIMED = _STARTS | _ENDS
"""Stems of verbs that say when something begins or ends."""
_PAST_FORMS = frozenset("left took".split())
_MOVING = frozenset(map(stem, "leave depart take arrive land".split()))
"""Stems of verbs of journeys: a shop that opened in 2015 need not have an opening time."""
_PLANNED = frozenset(map(stem, "sched scheduled planned due supposed timetable expected".split()))
_HOURS = 12  # of a half of a day
_SHORTEST = 3  # letters of a name that is cut short: `dep_time`
PLANNED_TO = ("due", "supposed", "scheduled", "planned", "expected", "to", "set")
"""Words before a verb that say that it is planned."""
AFTER_VERB = ("off", "out", "in", "up")
"""Words after a verb that says when something begins or ends: «take off»."""


class Clock(NamedTuple):
    """A stretch of the day: hours after midnight, and how the question says it."""

    low: float
    high: float
    includes: bool
    said: str


@dataclass(frozen=True)
class TimeOfDay(Measure):
    """The hours after midnight of a property with times of day."""

    is_own: ClassVar[bool] = True
    source: Source

    def text(self, place: Place) -> str:
        """Return the name of the property."""
        return self.source.name

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the hours of each entity, NaN where there is no time."""
        return hours_of(place.graph, self.source, entities)

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the properties."""
        return place.properties(self.source, entities)


@dataclass(frozen=True)
class Moment(Measure):
    """A day with a time of day, in years."""

    is_own: ClassVar[bool] = True
    date: p.Attribute
    time: TimeOfDay

    def text(self, place: Place) -> str:
        """Return the names of both properties."""
        return f"{self.date.text(place)} and {self.time.text(place)}"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the moment of each entity, NaN where either is unknown."""
        return self.date.of(place, entities) + self.time.of(place, entities) / (24 * 366)

    def is_date(self, place: Place) -> bool:
        """Return that the numbers are years."""
        return True

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return both properties."""
        return self.date.proofs(place, entities) + self.time.proofs(place, entities)


class Clocks(States):
    """A reader of times of day."""

    def time_of_day(self, at: int) -> tuple[float, str, int] | None:
        """Return the hours of a time of day that begins at a place, as it is said, and the place after it."""
        tokens = self.tokens
        if tokens.word(at) in _NAMED:
            return _NAMED[tokens.word(at)], tokens.word(at), at + 1
        past = _PAST.get(tokens.joined(at, at + 2))
        hour = tokens.amount(at + 2) if past is not None else None
        match = _TIME.fullmatch(tokens.word(at))
        if hour is not None:
            hours, end, is_told = hour[0].value + (past or 0.0), hour[1], True
        elif match is not None:
            hours, end = int(match["hours"]) + int(match["minutes"] or 0) / 60, at + 1
            is_told = bool(match["minutes"] or match["half"])
        else:
            return None
        half = match["half"] if match and match["half"] else ""
        for said, last in () if half else tokens.phrase(end, _HALVES):
            half, end, is_told = said, last, True
            break
        if not is_told:
            return None
        is_late = _HALVES.get(half, "") == "pm"
        hours = hours % 12 + 12 * is_late if _HALVES.get(half) else hours
        return hours, tokens.joined(at, end), end

    def stretch(self, at: int) -> Iterator[tuple[Clock, int]]:
        """Yield «before 7:30», «between 8 am and 9 am», «at noon»."""
        tokens = self.tokens
        if tokens.word(at) in ("between", "from") and (low := self.time_of_day(at + 1)) is not None:
            high = self.time_of_day(low[2] + 1) if tokens.word(low[2]) in ("and", "to", "until") else None
            if high is not None:
                yield Clock(low[0], high[0], True, f"from {low[1]} to {high[1]}"), high[2]
        yield from self._hours_of_one_half(at)
        for said, end in tokens.phrase(at, _BOUNDS):
            found = self.time_of_day(end)
            if found is None:
                continue
            hours, words, last = found
            kind = _BOUNDS[said]
            low_, high_ = {"under": (-np.inf, hours), "most": (-np.inf, hours), "exactly": (hours, hours)}.get(
                kind, (hours, np.inf)
            )
            yield Clock(low_, high_, kind not in ("over", "under"), f"{said} {words}"), last

    def _hours_of_one_half(self, at: int) -> Iterator[tuple[Clock, int]]:
        """Yield «between 7 and 9 am», where the second hour says what the first one is."""
        tokens = self.tokens
        is_hour = tokens.word(at + 1).isdecimal() and int(tokens.word(at + 1)) <= _HOURS
        is_between = tokens.word(at) in ("between", "from") and tokens.word(at + 2) in ("and", "to", "until")
        if not is_hour or not is_between:
            return
        high, low = self.time_of_day(at + 3), float(tokens.word(at + 1))
        if high is not None and low <= _HOURS:
            low = low % _HOURS + (_HOURS if high[0] >= _HOURS and low % _HOURS + _HOURS <= high[0] else 0)
            yield Clock(low, high[0], True, f"from {tokens.word(at + 1)} to {high[1]}"), high[2]

    def clocks_of(self, name: str) -> list[Source]:
        """Return the properties of a class that are times of day."""
        return [one for one in self.own_sources(name) if is_clock(self.place.graph, one)]

    def clock_named(self, verbs: Set[str], name: str) -> Source | None:
        """Return the time of day of a class that a verb speaks of: of a beginning, an end, or the only one."""
        own = self.clocks_of(name)
        for said in (_STARTS, _ENDS):
            if verbs & said:
                own = [one for one in own if any(_is_one_of(word, said) for word in one.stems)] or own
                break
        is_planned = bool(_PLANNED & {stem(word) for word in self.tokens.words})
        kept = [one for one in own if bool(_PLANNED & set(one.stems)) == is_planned] or own
        return kept[0] if len(kept) == 1 else None

    def moment_of(self, name: str, dates: Sequence[Source], *, is_plain: bool) -> Measure | None:
        """Return when the things of a class are: by their one date, with the time of day at which they begin."""
        clock = self.clock_named(frozenset(("start",)), name) if is_plain and len(dates) < 2 else None
        if len(dates) != 1:
            return TimeOfDay(clock) if clock is not None and not dates else None
        date = p.Attribute(dates[0])
        return Moment(date, TimeOfDay(clock)) if clock is not None and dates[0].kind == Kind.DATE else date

    def by_clock(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «leave before 7:30», «is due to arrive after 6 pm», «starts the earliest»."""
        tokens = self.tokens
        verb = tokens.past(at, PLANNED_TO)
        source = self.clock_named(tokens.verb_stems(verb), subject.name) if verb < len(tokens) else None
        if source is None:
            return
        after = tokens.past(verb + 1, AFTER_VERB)
        yield from self.within_clock(after, subject, source)
        start = tokens.past(after, ("the",))
        if tokens.word(start) in ("earliest", "first", "latest", "last"):
            best = p.Best(subject.plan, TimeOfDay(source), tokens.word(start) in ("latest", "last"))
            yield Reading(best, start + 1, can_be_denied=False)

    def really_done(self, at: int, subject: Subject) -> Subject | None:
        """Return the subjects that a verb in the past can speak of: those that left have a time of departure.

        Where only some have the time of day that the verb says, the others are planned, or did not take place. None
        for another verb.
        """
        tokens = self.tokens
        verbs = tokens.verb_stems(at) & _MOVING
        is_past = tokens.word(at).endswith("ed") or tokens.word(at) in _PAST_FORMS or "did" in tokens.words[:at]
        own = (
            [one for one in self.clocks_of(subject.name) if not _PLANNED & set(one.stems)] if verbs and is_past else []
        )
        said = next(side for side in (_STARTS, _ENDS) if verbs & side) if own else frozenset[str]()
        own = [one for one in own if any(_is_one_of(word, said) for word in one.stems)]
        if len(own) != 1 or not _PLANNED.isdisjoint(map(stem, tokens.words)):
            return None
        members, owners = self.lexicon.classes[subject.name], owners_of(self.place.graph, own[0])
        if np.isin(members, owners).all():
            return None
        return Subject(self.with_some(subject, own[0], none=False), subject.name)

    def took_place(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(flights that) left», «took off on 8 February», of subjects that have the time of day of it."""
        end = self.tokens.past(at + 1, AFTER_VERB)
        for bound, last in self.moment(end):
            for date in self._plain_dates(subject):
                yield from self.as_compared(subject, date, bound, last)
        if self.tokens.entity(self.tokens.past(end, (*PLACED, "the"))) is None:
            yield Reading(subject.plan, end)

    def within_clock(self, at: int, subject: Subject, source: Source) -> Iterator[Reading]:
        """Yield those whose time of day lies in the stretch at a place."""
        for clock, end in self.stretch(at):
            low, high, includes, said = clock
            plan = p.Within(subject.plan, TimeOfDay(source), low, high, includes=includes, said=said)
            for bound, last in self.moment(end):  # «before 5:30 on 8 February»
                for date in self._plain_dates(subject):
                    yield from self.as_compared(Subject(plan, subject.name), date, bound, last)
            yield Reading(plan, end, known=(source,))


def _is_one_of(word: str, said: Set[str]) -> bool:
    """Return whether a word is one of some stems, or one of them cut short: `dep`."""
    return any(word == one or (len(word) >= _SHORTEST and one.startswith(word)) for one in said)
