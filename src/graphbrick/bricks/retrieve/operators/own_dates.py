"""The one date of things, which questions need not name: the orders of 2013."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeVar

import numpy as np

from graphbrick.bricks.retrieve.operators.dates import MAKING
from graphbrick.bricks.retrieve.operators.phrases import PhraseResolver
from graphbrick.bricks.retrieve.operators.plan import Attribute, Measure, Plan, SetPlan
from graphbrick.core.deferred import cached_property
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.properties.sources import Source, sources_of

Planned = TypeVar("Planned", Plan, Measure)
LIFE_DATES = frozenset(
    map(stem, "birth born birthday birthdate dob death died hire hired debut joined founded inducted".split())
)
"""Stems of names of dates that a question speaks of with a verb of their own."""
_TIMES = frozenset(map(stem, "date day time moment year month".split()))
_STARTS = frozenset(
    map(
        stem,
        "start started begin began open opened created admission admitted entry issued release launch publish".split(),
    )
)
YEAR = (stem("year"),)
_PAIR = (stem("first"), stem("last"))
_BEGINS, _ENDS = (
    (frozenset(map(stem, said.split())), frozenset(map(stem, named.split())))
    for said, named in (
        (
            "open opened start started begin began launch launched",
            "start begin from opening opened since admission admitted arrival entry checkin pickup",
        ),
        (
            "close closed end ended finish finished stop stopped",
            "end until closing closed discharge departure exit checkout return",
        ),
    )
)
_PARTICLES = frozenset("in up out on".split())


PLACES = tuple(
    map(stem, "address city location place headquarters region country hometown birthplace town home".split())
)
"""Stems of names of properties that say where something is, the likeliest first."""
EVENTS = frozenset(map(stem, ("happen", "occur", "place", "begin", "start")))
"""Stems of words for what a plain date is of."""
BEGINNINGS = frozenset(map(stem, ("since", "from", "start", "started", "begin", "joined", "date", "year", "valid")))
"""Stems of names of dates at which a relation began."""


def begins_or_ends(verbs: Set[str], dates: Sequence[Source]) -> list[Source]:
    """Return the dates of several that a verb speaks of by when things begin or end: «opened», of a start date.

    Without such a date it is the first or last of a pair, such as `first_seen` and `last_seen`.
    """
    for (said, named), (word, other) in zip((_BEGINS, _ENDS), (_PAIR, _PAIR[::-1]), strict=True):
        if verbs & said and len(dates) > 1:
            rests = [one.stems[1:] for one in dates if one.stems[:1] == (other,)]
            return [one for one in dates if named & set(one.stems)] or [
                one for one in dates if one.stems[:1] == (word,) and one.stems[1:] in rests
            ]
    return []


class OwnDates(PhraseResolver):
    """A finder of the dates that go without a name."""

    @cached_property
    def numeric(self) -> list[Source]:
        """The properties that are numbers or dates."""
        return [source for source in sources_of(self.place.graph) if source.literal is not None]

    def only_date(self, base: SetPlan) -> Attribute | None:
        """Return the date of the entities of a set if most of them have one kind of date only."""
        entities = base.run(self.place)
        own = [Attribute(source) for source in self.numeric if source.relation < 0]
        dates = [one for one in own if one.source.is_date]
        if not dates:  # a plane of 1999 may have no more than a year
            dates = [one for one in own if one.source.stems == YEAR]
        shared = [one for one in dates if len(entities) and np.mean(~np.isnan(one.of(self.place, entities))) >= 0.5]
        if len(shared) > 1:  # «rental date» of rentals
            general = _TIMES | set(stems(self.lexicon.classes_of(entities)))
            starts = [one for one in shared if one.source.words & _STARTS]  # visits in March begin then
            shared = [one for one in shared if one.source.words <= general] or starts
        return shared[0] if len(shared) == 1 else None

    def plain_date(self, base: SetPlan) -> Attribute | None:
        """Return the only date of the entities of a set, unless it needs a verb of its own, as that of a birth does."""
        date = self.only_date(base)
        return None if date is None or date.source.words & LIFE_DATES else date

    def date_of_making(self, words: str, base: SetPlan) -> Attribute | None:
        """Return the only date of some entities for words that say no more than that they came to be: «placed»."""
        said = [stem(word) for word in words.split() if word not in _PARTICLES]
        own = stems(spaced(self.lexicon.classes_of(base.run(self.place))))
        is_plain = words == "date" or (bool(said) and all(word in MAKING or word in own for word in said))
        return self.plain_date(base) if is_plain else None

    def told_if_pair(self, planned: Planned, date: Source) -> Planned:
        """Return a plan or measure; that the first or last date is when things begin or end is an assumption."""
        if date.stems[:1] in ((_PAIR[0],), (_PAIR[1],)):
            which = "began" if date.stems[0] == _PAIR[0] else "ended"
            self.assumptions[planned] = f"{date.name} is taken for when it {which}"
        return planned
