"""Distances: «the nearest depot to e0», «stops within 500 m of e0», «more than 2,500 miles away from e0»."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.comparing import Comparing
from graphbrick.bricks.retrieve.operators.grammar.groups import Reading, Subject, joined
from graphbrick.bricks.retrieve.operators.grammar.nouns.heads import DESTINATIONS
from graphbrick.bricks.retrieve.operators.grammar.places.measures import distance_from
from graphbrick.bricks.retrieve.operators.measures import Measure
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.wording import Comparison
from graphbrick.bricks.retrieve.operators.wordings.units import names_of_unit

_AWAY = ("away", "distant")
_FROM = ("from", "to", "of")


class Distances(Comparing):
    """A reader of distances."""

    def _far_from(self, at: int, name: str) -> Iterator[tuple[Measure, p.SetPlan, int]]:
        """Yield how far members of a class are from the entity that is named at a place: «(away) from e0»."""
        tokens = self.tokens
        start = tokens.past(at, _AWAY)
        if not tokens.is_one_of(start, _FROM):
            return
        for group, end in self.group(start + 1):
            if isinstance(group.plan, p.Listed) and len(group.plan.entities) == 1:
                measure = distance_from(self.place, group.plan.entities[0], self.lexicon.classes[name])
                if measure is not None:
                    yield measure, group.plan, end

    def _ranked(self, at: int, comparison: Comparison, n: int, rank: int) -> Iterator[tuple[Subject, int]]:
        """Yield «(nearest) depot to e0», then the best by other numbers."""
        tokens = self.tokens
        if "distance" in comparison.names:
            for subject, end in self.with_adjectives(at):
                is_reached = tokens.is_one_of(end - 1, DESTINATIONS) and tokens.word(end) == "from"
                for measure, here, last in self._far_from(end, subject.name):
                    others = self._reached(here) if is_reached else p.Without(subject.plan, here)
                    yield Subject(p.Best(others, measure, comparison.largest, rank, n), subject.name), last
        yield from super()._ranked(at, comparison, n, rank)

    def _reached(self, here: p.SetPlan) -> p.SetPlan:
        """Return the places to which journeys from a place lead."""
        ((name, place),) = self.links.journeys()
        records: p.SetPlan = Subject(p.Members(name), name).plan
        for link in self.links.plain(name, (place,), "from"):
            records = joined(Subject(records, name), link, here)
        for link in self.links.plain(name, (place,), "to"):
            records = Walk(records, link.steps, (place,))
        return records

    def _superlative(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(is) nearest to e0», «(lies) farthest away from e0», then what is the best by other numbers."""
        tokens = self.tokens
        for said, end in tokens.phrase(tokens.past(at, ("the",)), self.english.superlatives):
            comparison = self.english.superlatives[said]
            for measure, here, last in self._far_from(end, subject.name) if "distance" in comparison.names else ():
                others = p.Without(subject.plan, here)
                yield Reading(p.Best(others, measure, comparison.largest), last, can_be_denied=False)
        yield from super()._superlative(at, subject)

    def at_distance(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(stops) within 5 km of e0», «more than 5 km away from e0»."""
        tokens = self.tokens
        is_within = tokens.word(at) == "within"
        start = tokens.past(at, ("within", "a", "at", "distance", "of"))
        for bound, end in self.bound(start):
            is_length = bound.unit and "distance" in names_of_unit(bound.unit)
            if not is_length or bound.date is not None or (bound.kind == "exactly" and not is_within):
                continue
            for measure, here, last in self._far_from(end, subject.name):
                others = Subject(p.Without(subject.plan, here), subject.name)
                plan = self.compared(others, measure, bound._replace(kind="most") if is_within else bound)
                if plan is not None:
                    yield Reading(plan, last, can_be_denied=False)
