"""Questions about journeys: «where does e0 fly to from e1», «the destinations of e0», «how far is it from e0 to e1»."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.asked.records import RecordsAsked
from graphbrick.bricks.retrieve.operators.grammar.groups import SOME, Subject, joined
from graphbrick.bricks.retrieve.operators.grammar.nouns.heads import DESTINATIONS
from graphbrick.bricks.retrieve.operators.grammar.places.measures import AsTheCrowFlies, distance_from
from graphbrick.bricks.retrieve.operators.grammar.small_words import AUXILIARIES
from graphbrick.bricks.retrieve.operators.plan import Plan, SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem

_MOVES = frozenset(map(stem, "go fly travel run sail drive serve operate head ride ship come".split()))
_ENDS = 2  # relations of journeys to places: those to where they begin and end
_ANYBODY = frozenset("you we one i they people somebody passengers".split())
_CAN = AUXILIARIES | {"can", "could"}
_E = r"(?:the )?(?P<{}>e\d+)"
_HOW_FAR = tuple(
    Expression(wording.replace("ONE", _E.format("one")).replace("TWO", _E.format("two")))
    for wording in (
        r"how far (?:away )?(?:is|are) (?:it |we )?(?:from )?ONE (?:away )?(?:from|to) TWO",
        r"how far (?:apart|away from each other) are ONE and TWO",
        r"how far (?:is|are) ONE and TWO (?:apart|away from each other)",
        r"how many (?P<unit>kilomet(?:re|er)s?|kms?|miles?|mi|met(?:re|er)s?|m|feet) (?:is it|are there|is|are) "
        r"(?:from|between) ONE (?:to|and) TWO",
        r"(?:what is )?(?:the )?distance (?:from|between|of) ONE (?:to|and|from) TWO",
    )
)
_MILES = frozenset(map(stem, "miles mi".split()))


class JourneysAsked(RecordsAsked):
    """A reader of questions about journeys: of things, such as flights, that lead from one place to another."""

    def _journeys(self) -> Iterator[tuple[Plan, int]]:
        """Yield where somebody goes, or can go."""
        tokens = self.tokens
        wanted = tokens.word(0) if tokens.word(0) in ("from", "to") else ""
        at = 1 if wanted else 0
        counts = tokens.joined(at, at + 2) == "how many"
        at += 2 if counts else 0
        for name, place in self.links.journeys():
            if len(self.links.between(name, (place,))) > _ENDS and tokens.word(at) != "where":
                continue  # the stops that a bus goes to are more than where it ends
            start = at
            if tokens.word(at) == "where":
                start = at + 1
            elif not wanted and (start := self._destinations(at)):
                wanted = "to"
            elif counts or tokens.is_one_of(at, ("which", "what")):
                start = at + (not counts)
                start = start + 1 if self.class_at(start, start + 1) == place else 0
            for plan, end in self._gone(start, name, place, wanted) if start > at else ():
                yield p.Count(plan) if counts else plan, end

    def _destinations(self, at: int) -> int:
        """Return the place after «(which) destinations»; 0 if they are not named."""
        start = self.tokens.past(at, ("which", "what", "are", "is", "list", "all", "the", "show", "me", "name"))
        return start + 1 if self.tokens.is_one_of(start, DESTINATIONS) else 0

    def _gone(self, at: int, name: str, place: str, wanted: str) -> Iterator[tuple[SetPlan, int]]:
        """Yield the places that journeys of somebody lead to, or begin at."""
        tokens, every = self.tokens, Subject(p.Members(name), name)
        starts: list[tuple[Subject, int]] = []
        if tokens.is_one_of(at, _CAN) and tokens.is_one_of(at + 1, _ANYBODY):
            starts.append((every, at + 2))
        elif tokens.is_one_of(at, _CAN):
            starts += self._journeys_of(every, at + 1)
        elif tokens.is_one_of(at, ("of", "for", "from")):
            inside = self._journeys_of(every, at + 1) if tokens.word(at) != "from" else []
            for records, end in [*inside, (every, at)]:
                yield from self._ends(records, end, place, wanted)
        elif tokens.entity(at) is not None:
            for records, end in self._journeys_of(every, at):
                yield from self._ends(records, end, place, wanted)
        elif tokens.is_one_of(at, _ANYBODY) and tokens.word(at + 1) in ("can", "could"):
            starts.append((every, at + 2))
        for records, end in starts:
            if tokens.verb_stems(end) & _MOVES or tokens.is_one_of(end, ("have", "reach", "offer")):
                yield from self._ends(records, end + 1, place, wanted)

    def _journeys_of(self, every: Subject, at: int) -> list[tuple[Subject, int]]:
        """Return the journeys of a group that is named at a place, such as an airline, or the journeys named there."""
        found = []
        for group, end in self.group(at):
            if every.name in group.classes and group.quantity == SOME:
                found.append((Subject(group.plan, every.name), end))
            for link in self.links.plain(every.name, group.classes, "by") if group.quantity == SOME else ():
                found.append((Subject(joined(every, link, group.plan), every.name), end))
        return found

    def _ends(self, records: Subject, at: int, place: str, wanted: str) -> Iterator[tuple[SetPlan, int]]:
        """Yield the places, where «to» and «from» may stand alone: «to from e1», «from e1 to»."""
        tokens = self.tokens
        is_alone = tokens.word(at) == "to" and (at + 1 == len(tokens) or tokens.word(at + 1) in ("from", "on", "in"))
        for inner, end in self.with_modifiers(records, at + is_alone):
            last = tokens.word(end) if end + 1 == len(tokens) and tokens.word(end) in ("to", "from") else ""
            for link in self.links.end_of_journey(records.name, place, last or wanted or "to"):
                yield Walk(inner.plan, link.steps, (place,)), end + bool(last)

    def _how_far(self) -> Iterator[tuple[Plan, int]]:
        """Yield how far two places are apart."""
        tokens = self.tokens
        match = next(filter(None, (wording.fullmatch(tokens.joined(0, len(tokens))) for wording in _HOW_FAR)), None)
        if match is None:
            return
        one, other = (self.parser.entity(match[name]) for name in ("one", "two"))
        unit = match.groupdict().get("unit") or ""
        measure = distance_from(self.place, one, np.array([other], dtype=np.int64))
        if isinstance(measure, AsTheCrowFlies):
            measure = replace(measure, in_miles=stem(unit) in _MILES)
        if measure is not None:
            yield p.Amount(p.Listed((other,)), measure), len(tokens)
