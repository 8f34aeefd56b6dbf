"""Clauses: what is said of the entities of a set, such as «fly no Boeing planes and are older than 50»."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    NO,
    SOME,
    Group,
    Quantity,
    Reading,
    Subject,
    is_countable,
    joined,
    linked,
)
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.nouns.phrases import is_participle
from graphbrick.bricks.retrieve.operators.grammar.small_words import (
    ADVERBS,
    BE,
    DATE_NOUNS,
    DO,
    HAPPENS,
    HAVE,
    JOINED,
    LIGHT,
    NOT,
    PLACED,
    THAT,
    WITH,
)
from graphbrick.bricks.retrieve.operators.grammar.verbs import Verbs
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.properties.selections import Named
from graphbrick.language.stems import is_plural

_IN_NAME = {
    "contains": "", "contain": "", "has": "", "includes": "", "starts with": "first", "start with": "first",
    "begins with": "first", "begin with": "first", "ends with": "last", "ends in": "last", "end with": "last",
}  # fmt: skip


class Clauses(Verbs):
    """A reader of clauses, and of the words after a noun."""

    def clauses(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield the readings of one or more clauses about the entities of a set, longest first."""
        for first in self.clause(at, subject):
            yield from self._further(first, subject)

    def _further(self, said: Reading, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield a clause with those that «and», «but» or «or» join to it, then the clause alone."""
        tokens = self.tokens
        at = tokens.past(said.end, (",",))
        word = tokens.word(at)
        if word in JOINED or (word == "or" and at < len(tokens)):
            base = subject if word == "or" else Subject(said.plan, subject.name)
            start = tokens.past(at + 1, ("also", "yet", "who", "that", "which"))
            for other in self._elliptic(start, base, said):
                plan = p.Either((said.plan, other.plan)) if word == "or" else other.plan
                further = Reading(plan, other.end, other.link or said.link, other.group or said.group)
                yield from self._further(further, subject)
        yield said.plan, said.end
        is_state = bool(said.known) and said.link is None and not isinstance(said.plan, p.Best)
        if is_state and tokens.word(said.end) in PLACED:  # «(which stations) have no parking in e0»
            yield from as_sets(self._placed(said.end, Subject(said.plan, subject.name)))

    def _elliptic(self, at: int, subject: Subject, said: Reading) -> Iterator[Reading]:
        """Yield clauses after «and» that may lack their verb: «but not captains», «and not for e1»."""
        yield from self.clause(at, subject)
        negated = self.tokens.is_one_of(at, NOT)
        start = at + 1 if negated else at
        if said.link is not None and said.group is not None:
            same = self._same_object(start, subject, said.link, said.group)
            yield from self.denied_if(subject, same, negated=negated)
        if not self.tokens.is_one_of(start, BE | DO | HAVE):
            yield from self._is(start, subject, negated=negated)
            yield from self.denied_if(subject, self._having(start, subject), negated=negated)
        if said.link is not None:
            objects = self._objects(self.tokens.past(start, PLACED), subject, said.link)
            yield from self.denied_if(subject, objects, negated=negated)

    def _same_object(self, at: int, subject: Subject, link: Link, group: Group) -> Iterator[Reading]:
        """Yield «(work for e0) but not as a captain», «(had a fault in 2022) but not in 2024»."""
        for conditions, end in self.conditions(at, link):
            if conditions:
                yield from linked(self.place, subject, link, group._replace(quantity=SOME), end, conditions)
        if not isinstance(group.plan, p.Listed):
            for plan, end in self.modified(at, Subject(link.everything(), link.end)):
                for one in linked(self.place, subject, link, Group(plan, (link.end,)), end):
                    yield one._replace(group=group)

    def clause(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield the readings of a clause that begins with its verb."""
        tokens = self.tokens
        at = tokens.past(at, ADVERBS)
        word, after = tokens.word(at), tokens.past(at + 1, ADVERBS)
        negated = tokens.is_one_of(after, NOT)
        if negated:
            after = tokens.past(after + 1, ADVERBS)
        if word in BE:
            yield from self._is(after, subject, negated=negated)
            yield from self.denied_if(subject, self._verb(after, subject), negated=negated)
        elif word in DO and (negated or after < len(tokens)):
            yield from self.denied_if(subject, self._verb(after, subject), negated=negated)
            if tokens.is_one_of(after, HAVE):
                yield from self.denied_if(subject, self._having(after + 1, subject), negated=negated)
        elif word in HAVE:
            if tokens.word(after) == "been":
                yield from self._is(after + 1, subject, negated=negated)
                yield from self.denied_if(subject, self._verb(after + 1, subject), negated=negated)
            if tokens.term(after) is not None:  # «have won deals», of a stage that is called won
                yield from self.denied_if(subject, self._having(after, subject), negated=negated)
            if not is_plural(tokens.word(after)):  # «have subtasks»
                yield from self.denied_if(subject, self._verb(after, subject), negated=negated)
            yield from self.denied_if(subject, self._having(after, subject), negated=negated)
            yield from self._verb(at, subject)
        elif word in NOT:
            yield from self.denied(subject, self._verb(at + 1, subject))
        elif word == "only":
            for link, end in self.links.by_verb(at + 1, subject.name):
                for group, last in self.group(end):
                    if link.leads_to(group.classes) and group.quantity == SOME:
                        only = group._replace(quantity=Quantity("only"))
                        yield from linked(self.place, subject, link, only, last)
        else:
            yield from self._verb(at, subject)

    def modified(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield what the words after a noun select of its entities, with the places after them."""
        tokens = self.tokens
        word = tokens.word(at)
        if word in THAT:
            yield from self.clauses(at + 1, subject)
            yield from self._object_of(at + 1, subject)
        elif word == "whose":
            yield from self._whose(at + 1, subject)
        elif word in WITH and word not in ("has", "have", "had"):
            for said in self._with(at, subject):
                yield from self._further(said, subject)
        elif word in NOT:
            denied = self.denied(subject, self._verb(at + 1, subject))
            yield from as_sets(chain(self._is(at + 1, subject, negated=True), denied))
        elif word and word not in BE | DO | HAVE:
            yield from self._plainly_modified(at, subject)

    def _plainly_modified(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield «(planes) in e0», «worth 100», «after 2020», «bought by e0», «except e0»."""
        tokens = self.tokens
        word = tokens.word(at)
        if word == "worth":
            yield from as_sets(self._by_number(at, subject))
        yield from as_sets(self._placed(at, subject))
        yield from as_sets(self._as_big(at, subject))
        yield from as_sets(self.at_distance(at, subject))
        for bound, end in self.moment(at):
            for source in self._plain_dates(subject):
                yield from as_sets(self.as_compared(subject, source, bound, end))
        clock = self.clock_named(frozenset(("start",)), subject.name)
        yield from as_sets(self.within_clock(at, subject, clock)) if clock else ()
        if is_participle(word):
            yield from as_sets(self._participle(at, subject))
        yield from self._object_of(at, subject)
        if word in ("except", "excluding") or tokens.joined(at, at + 2) == "other than":
            for group, end in self.group(at + (2 if word == "other" else 1)):
                for other in self._excepted(subject, group):
                    yield p.Without(subject.plan, other), end

    def _excepted(self, subject: Subject, group: Group) -> Iterator[SetPlan]:
        """Yield what «except e0» takes from a set: members of its class, or what one relation joins to others."""
        if not group.classes or subject.name in group.classes or group.is_any:
            yield group.plan
        else:
            yield from (
                joined(subject, link, group.plan) for link in self.links.plain(subject.name, group.classes, "of")
            )

    def _participle(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «based in e0», «bought before 2015», «supplied by e0», «working for e0»."""
        yield from self.by_clock(at, subject)
        done = self.really_done(at, subject)
        yield from self.took_place(at, done) if done is not None else ()
        subject = done or subject
        for link, end in self.links.by_verb(at, subject.name, passive=not self.tokens.word(at).endswith("ing")):
            passive = not self.tokens.word(at).endswith("ing")
            yield from self._done(end, subject, link, passive=passive)
        yield from self.at_own_value(at, subject)
        yield from self._in_time(at, subject)
        yield from self.dated_triples(at, subject)

    def _whose(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield «whose salary is over 100», «whose trainer works for e0»."""
        tokens = self.tokens
        for source, end in self.sources(at, subject):
            end = tokens.past(end, DATE_NOUNS) if source.is_date else end
            if tokens.is_one_of(end, BE):
                for bound, last in self.moment(end + 1) if source.is_date else ():
                    yield from as_sets(self.as_compared(subject, source, bound, last))
                yield from as_sets(self.beside_another(end + 1, subject, source))
                for bound, last in self.bound(end + 1):
                    plan = self.compared(subject, p.Attribute(source), bound._replace(names=()))
                    if plan is not None and source.literal is not None:
                        yield plan, last
                for values, last in self.values(end + 1):
                    if all(source in term.sources for term, _ in values.terms):
                        own = tuple((replace(term, sources=(source,)), negated) for term, negated in values.terms)
                        yield from ((plan, last) for plan in self.with_values(subject, values._replace(terms=own)))
        for said, start in tokens.phrase(at + 1, _IN_NAME) if tokens.word(at) in ("name", "title") else ():
            end = next((place for place in range(start, len(tokens)) if self._ends_name(place)), len(tokens))
            yield Named(subject.plan, self.words_at(start, end), _IN_NAME[said]), end
        for end in range(min(at + 2, len(tokens)), at, -1):
            for link in self.links.by_noun(tokens.stems(at, end), subject.name):
                for plan, last in self.clauses(end, Subject(link.everything(), link.end)):
                    yield from as_sets(linked(self.place, subject, link, Group(plan, (link.end,)), last))
            name = self.class_at(at, end)
            for link in self.links.plain(subject.name, (name,), "have") if name else ():
                for plan, last in self.clauses(end, Subject(p.Members(name), name)):
                    if is_plural(tokens.word(end - 1)) and NOT.intersection(tokens.words[end:last]):
                        continue  # of all, or of some
                    yield from as_sets(linked(self.place, subject, link, Group(plan, (name,)), last))

    def _ends_name(self, at: int) -> bool:
        """Return whether another clause begins at a place: «(starts with Hail) and that e0 serves»."""
        word, after = self.tokens.word(at), self.tokens.word(at + 1)
        return word in (",", *THAT) or (word in JOINED and (after in THAT or after in BE | DO | HAVE))

    def _object_of(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield «(parts that) e0 supplies», «(faults that) nobody repaired», «(machines) workers over 50 operate»."""
        tokens = self.tokens
        for group, end in chain(self.group(at), self._others(at, subject)):
            place = tokens.past(end, DO | HAVE | BE | ADVERBS)
            negated = tokens.is_one_of(place, NOT)
            passive = not BE.isdisjoint(tokens.words[end:place])
            done = self.done_by(subject, group, place + 1 if negated else place, passive=passive)
            yield from as_sets(self.denied_if(subject, done, negated=negated))

    def _busy_with(self, at: int, name: str, subject: Subject) -> list[tuple[Link, int]]:
        """Return what «(projects that e0 is) busy with», «involved in» may mean."""
        is_light = self.tokens.word(at) in LIGHT or self.tokens.verb_stems(at) & HAPPENS
        if not is_light or self.tokens.word(at + 1) not in PLACED:
            return []
        return [(link, at + 2) for link in self.links.plain(name, (subject.name,), self.tokens.word(at + 1))]

    def done_by(
        self, subject: Subject, group: Group, at: int, *, passive: bool, counted: bool = False
    ) -> Iterator[Reading]:
        """Yield the objects to which as many of a group as is said do what a verb at a place says."""
        names = [name for name in self.links.joins if group.is_any or name in group.classes]
        for name in names:
            ways = [*self.links.by_verb(at, name, passive=passive), *self._busy_with(at, name, subject)]
            if self.tokens.word(at) == "have":  # «(features that) e0 does not have»
                ways += [(link, at + 1) for link in self.links.plain(name, (subject.name,), "have")]
            for link, end in ways:
                if not link.leads_to((subject.name,)) or (counted and not is_countable(self.place, link)):
                    continue
                back = link.back(name)
                for conditions, last in self.conditions(end, back):
                    if group.is_any and len(names) > 1 and group.quantity == NO:
                        several = [one for one in names if self.links.by_verb(at, one) and one != name]
                        if any(link.end == subject.name for one in several for link, _ in self.links.by_verb(at, one)):
                            continue
                    yield from linked(self.place, subject, back, group, last, conditions)


def as_sets(readings: Iterable[Reading]) -> Iterator[tuple[SetPlan, int]]:
    """Yield the sets of readings, with the places after them."""
    return ((one.plan, one.end) for one in readings)
