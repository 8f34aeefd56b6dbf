"""What something is or has: «is running», «is in e0», «has more than 100 seats», «has no boss»."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.comparing import Comparing
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    ANYTHING,
    Group,
    Said,
    Subject,
    is_countable,
    joined,
    selected,
)
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn, OfEnds
from graphbrick.bricks.retrieve.operators.grammar.small_words import FILLERS, KINDS, PLACED, UNKNOWN, WITH
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Measure, SetPlan
from graphbrick.bricks.retrieve.operators.properties.selections import Where
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples import edges as triple_edges


class States(Comparing):
    """A reader of what follows «is» and «has»."""

    def _complement(self, at: int, subject: Subject, *, negated: bool) -> Iterator[Said]:
        """Yield what follows «is»: values, comparisons, nouns, places."""
        tokens = self.tokens
        if tokens.is_one_of(at, ("neither",)):
            return
        for values, end in self.values(at):
            for plan in self.with_values(subject, values):
                yield Said(self._unless(subject, values.terms[0][0].sources[0], plan, negated=negated), end)
        yield from self._as_big(at, subject, negated=negated)
        if tokens.word(at) == "worth":
            yield from self._by_number(at, subject, negated=negated)
        for plan, end in (*self._superlative(at, subject), *self._dated_superlative(at, subject)):
            if not negated:
                yield Said(plan, end)
        for inner, end in self.noun(tokens.past(at, ("a", "an", "the", "any")), bare=True):
            if negated and inner.name != subject.name and {inner.name, subject.name} <= set(self.links.people()):
                yield Said(p.Without(subject.plan, inner.plan), end)
            if inner.name == subject.name:
                both: SetPlan = p.Both((subject.plan, inner.plan))
                yield Said(p.Without(subject.plan, inner.plan) if negated else both, end)
        yield from self._placed(at, subject, negated=negated)
        if tokens.joined(at, at + 2) == "out of":
            for source, end in self.sources(at + 2, subject):
                yield Said(self.with_some(subject, source, none=not negated), end)
        if tokens.is_one_of(at, WITH):
            yield from self._having(at + 1, subject, negated=negated != (tokens.word(at) == "without"))

    def _placed(self, at: int, subject: Subject, *, negated: bool) -> Iterator[Said]:
        """Yield a preposition with its object: «in e0», «from Germany», «of the airline with most planes»."""
        tokens = self.tokens
        if tokens.word(at) in FILLERS and tokens.word(at + 1) in PLACED:
            at += 1
        word = tokens.word(at)
        if tokens.past(at, ("a", "an", "the")) < len(tokens):
            start = tokens.past(at, ("a", "an", "the"))
            if tokens.word(start) in ("member", "members", "part", "parts") and tokens.word(start + 1) == "of":
                at, word = start + 1, "of"
        if word == "outside":
            negated, word = not negated, "in"
            at += tokens.word(at + 1) == "of"
        if word not in PLACED:
            return
        if not negated:
            if tokens.joined(at + 1, at + 3) == "the same":
                yield from self.same_as(at + 1, subject)
            yield from self._at_text(at + 1, subject)
        yield from self._in_their_forties(at, subject, negated=negated)
        start = tokens.past(at + 1, ("the",))
        for values, end in self.values(start):
            for plan in self.with_values(subject, values):
                yield Said(self._unless(subject, values.terms[0][0].sources[0], plan, negated=negated), end)
        for group, end in self.group(at + 1):
            for link in self.links.plain(subject.name, group.classes, word):
                try:
                    yield Said(selected(self.place, subject, link, group, negated=negated), end, link)
                except CannotPlanError:
                    continue

    def _having(self, at: int, subject: Subject, *, negated: bool) -> Iterator[Said]:
        """Yield what follows «have» or «with»: properties, numbers of things, superlatives, roles."""
        tokens = self.tokens
        yield from self._having_value(at, subject, negated=negated)
        yield from self._having_role(at, subject)
        if not negated:
            if self.tokens.joined(at, at + 2) == "the same":
                yield from self.same_as(at, subject)
            yield from self._having_best(at, subject)
        for quantity, start in self._quantity(at):
            for end in range(min(start + 2, len(tokens)), start, -1):
                for link in self.links.by_noun(tokens.stems(start, end), subject.name):
                    base = Subject(link.everything(), link.end)
                    for inner, last in self.with_modifiers(base, end):
                        group = Group(inner.plan, (link.end,), quantity)
                        try:
                            yield Said(selected(self.place, subject, link, group, negated=negated), last, link)
                        except CannotPlanError:
                            continue
        for group, end in self.group(at):
            for link in self.links.plain(subject.name, group.classes, "have"):
                for conditions, last in self.conditions(end, link):
                    try:
                        plan = selected(self.place, subject, link, group, conditions, negated=negated)
                    except CannotPlanError:
                        continue
                    yield Said(plan, last, link)

    def _having_value(self, at: int, subject: Subject, *, negated: bool) -> Iterator[Said]:
        """Yield «a range over 4000 km», «fewer than 200 seats», «no known salary», «a high severity»."""
        tokens = self.tokens
        none = tokens.word(at) == "no"
        start = tokens.past(at, ("a", "an", "the", "no", "any"))
        start = tokens.past(start, UNKNOWN)
        for source, end in self.sources(start, subject):
            if source.literal is not None:
                attribute = p.Attribute(source)
                for bound, last in self.bound(tokens.past(end, ("of", "is", "that", "equal", "to"))):
                    said = self._negatable(bound, negated=negated)
                    plan = None if said is None or none else self.compared(subject, attribute, said._replace(names=()))
                    if plan is not None:
                        yield Said(plan, last)
            yield Said(self.with_some(subject, source, none=none != negated), end)
        for bound, end in self.bound(at):
            for source, last in self.sources(end, subject):
                said = self._negatable(bound, negated=negated)
                if source.literal is not None and not source.is_date and said is not None:
                    plan = self.compared(subject, p.Attribute(source), said._replace(names=()))
                    if plan is not None:
                        yield Said(plan, self.past_own_words(last, source))
        for values, end in self.values(start):
            for plan in self.with_values(subject, values):
                yield Said(self._unless(subject, values.terms[0][0].sources[0], plan, negated=negated != none), end)

    def _at_text(self, at: int, subject: Subject) -> Iterator[Said]:
        """Yield «on Monday», «at 08:15», where these stand at triples of the subjects."""
        for one, text, end in self.text_of_triples(self.tokens.past(at, ("a", "an", "the"))):
            for join in self.links.between(subject.name, None):
                if join.relation in one.relations and join.forward:
                    link = Link(((join.relation, True),), join.end)
                    yield Said(selected(self.place, subject, link, ANYTHING, (triple_edges.Said(one.name, text),)), end)

    def same_as(self, at: int, subject: Subject) -> Iterator[Said]:
        """Yield «(have) the same funder as e0», «(in) the same building as e0», «(share) the nobel year of e0»."""
        tokens = self.tokens
        start = tokens.past(at, ("the", "a", "an", "that"))
        start += tokens.word(start) == "same"
        if tokens.word(start) in ("year", "date", "day"):
            dates = self.dates_of(subject.name)
            yield from self.same_time(start, subject, dates[0]) if len(dates) == 1 else ()
        for source, end in self.sources(start, subject):
            other, last = self.other(end)
            if other is not None and source.relation < 0:
                value = self.place.graph.properties(other).get(source.name)
                if isinstance(value, str | int | float | bool):
                    alike = Where(subject.plan, (source,), value)
                    yield Said(p.Without(alike, p.Listed((other,))), last)
        for end in range(min(start + 2, len(tokens)), start, -1):
            other, last = self.other(end)
            if other is None:
                continue
            name = self.class_at(start, end)
            links = self.links.by_noun(tokens.stems(start, end), subject.name)
            links += self.links.plain(subject.name, (name,), "in") if name else []
            for link in links:
                ends = Walk(p.Listed((other,)), link.steps, (link.end,))
                yield Said(p.Without(joined(subject, link, ends), p.Listed((other,))), last)

    def _having_role(self, at: int, subject: Subject) -> Iterator[Said]:
        """Yield «(have) an advisor role in some project», where a role stands at triples."""
        tokens = self.tokens
        start = tokens.past(at, ("a", "an", "the"))
        for one, text, end in self.text_of_triples(start):
            if tokens.word(end) not in ("role", "position", "job", "function"):
                continue
            for join in self.links.between(subject.name, None):
                if join.relation not in one.relations:
                    continue
                link, condition = Link(((join.relation, join.forward),), join.end), (triple_edges.Said(one.name, text),)
                yield Said(selected(self.place, subject, link, ANYTHING, condition), end + 1)
                for group, last in self.group(end + 2) if tokens.is_one_of(end + 1, PLACED) else ():
                    if join.end in group.classes:
                        yield Said(selected(self.place, subject, link, group, condition), last)

    def _having_best(self, at: int, subject: Subject) -> Iterator[Said]:
        """Yield «the most planes», «the longest runway», «the highest average salary», «the lowest price»."""
        tokens = self.tokens
        start = tokens.past(at, ("the",))
        for said, end in tokens.phrase(start, self.english.superlatives):
            comparison = self.english.superlatives[said]
            how = KINDS.get(tokens.word(end), "")
            place = end + 1 if how else end
            for source, last in self.sources(place, subject):
                if source.literal is not None and not how:
                    best = p.Best(subject.plan, p.Attribute(source), comparison.largest)
                    for bound, after in self.moment(last):
                        for date in self._plain_dates(subject):
                            inside = self.in_time(subject, date, bound)
                            if inside is not None:
                                yield Said(replace(best, base=inside), after)
                    yield from (Said(plan, end) for plan, end in self._among(best, subject, last))
            for measure, last in self._over_ends(place, subject, how):
                yield Said(p.Best(subject.plan, measure, comparison.largest), last)
            if said in ("most", "fewest", "least") and not how:
                for link in self.links.by_noun(tokens.stems(end, end + 1), subject.name):
                    if is_countable(self.place, link):
                        measure = CountIn(link.steps, link.everything())
                        yield Said(p.Best(subject.plan, measure, comparison.largest), end + 1)
                for inner, last in self.noun(end):
                    for link in self._links_to(subject, inner):
                        if not is_countable(self.place, link):
                            continue
                        measure = CountIn(link.steps, inner.plan)
                        yield Said(p.Best(subject.plan, measure, comparison.largest), last)

    def _links_to(self, subject: Subject, inner: Subject) -> list[Link]:
        return self.links.plain(subject.name, (inner.name,), "have")

    def _over_ends(self, at: int, subject: Subject, how: str) -> Iterator[tuple[Measure, int]]:
        """Yield «(highest average) salary» of the pilots of airlines, where only these have one."""
        if not how:
            return
        for join in self.links.between(subject.name, None):
            if len(self.links.between(subject.name, (join.end,))) > 1:
                continue
            for source, end in self.sources(at, Subject(p.Members(join.end), join.end)):
                if source.literal is not None and not source.is_date:
                    steps = ((join.relation, join.forward),)
                    yield OfEnds(steps, p.Members(join.end), p.Attribute(source), how), end
