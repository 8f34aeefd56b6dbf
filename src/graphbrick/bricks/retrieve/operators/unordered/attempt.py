"""The entities of one class of which all parts of a question hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.asked.questions import Questions
from graphbrick.bricks.retrieve.operators.grammar.clocks import AFTER_VERB, TIMED
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject, joined
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn
from graphbrick.bricks.retrieve.operators.grammar.small_words import BE, HAVE
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.schema.class_graph import Join
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.triples.edges import Condition, Said
from graphbrick.bricks.retrieve.operators.unordered.parts import (
    AtTriples,
    Best,
    Bounded,
    Named,
    OfClass,
    OfProperty,
    Part,
    Valued,
)
from graphbrick.bricks.retrieve.operators.unordered.units import has_unit, has_word, is_in, unit_of
from graphbrick.bricks.retrieve.operators.unordered.ways import Ways, steps_of
from graphbrick.language import forms
from graphbrick.language.stems import stem
from graphbrick.patterns.lexicon import SMALL
from graphbrick.patterns.properties.sources import Source

_BEGINS = frozenset(
    map(
        stem,
        "join joined adopt adopted introduce introduced brought start started began begin took enter entered".split(),
    )
)
"""Stems of verbs that speak of when something began."""
_MOVING = {
    **dict.fromkeys("leave leaves left leaving departs departed".split(), "from"),
    **dict.fromkeys("reach reaches reached reaching enters entered visits visited".split(), "to"),
}
"""Prepositions that verbs before a place say."""
_TIMES = frozenset(map(stem, "date day time moment year month".split()))
_WEEK = 7 / 366  # in years
_NEAR = 3  # words between a number and the property that it is compared with


class Attempt:
    """One way of putting the parts of a question together.

    Args:
        questions: Reads phrases of the question.
        parts: Its parts.
        target: The class that is asked for.
        start: The place after the words that ask.

    Attributes:
        used: The places of the words that have a meaning in the plan.
        relations: The relations of the plan.
    """

    def __init__(self, questions: Questions, parts: Sequence[Part], target: str, start: int) -> None:
        self.questions, self.parts, self.target = questions, list(parts), target
        self.tokens, self.links = questions.tokens, questions.links
        self.start, self.ways = start, Ways(questions.links)
        self.used, self.relations = set(range(start)), list[int]()
        self.at_triples = list[Bounded | AtTriples]()

    def use(self, *parts: Part) -> None:
        """Count the words of parts as used."""
        for part in parts:
            self.used.update(range(part.start, part.end))

    def selected(self, *, may_be_named: bool) -> SetPlan | None:
        """Return the entities of which all parts hold; None if a part has no place.

        Args:
            may_be_named: Whether the question may name the entities themselves, as where a property of one is asked.
        """
        bests = [one for one in self.parts if isinstance(one, Best)]
        if len(bests) > 1:
            return None
        said = self._said()
        if said is None:
            return None
        base = self._joined(said, may_be_named=may_be_named, counts=bool(bests))
        return self._best(base, bests[0]) if bests and base is not None else base

    def _said(self) -> dict[str, list[Part]] | None:
        """Return what is said of the entities of each class; None if something is said of none."""
        classes = [one.name for one in self.parts if isinstance(one, OfClass)]
        said = {name: list[Part]() for name in dict.fromkeys((self.target, *classes))}
        for part in self.parts:
            if isinstance(part, OfClass) and part.name == self.target:
                self.use(part)
            if not isinstance(part, Named | Valued | Bounded) or part.start in self.used:
                continue
            name = self._owner(part, classes)
            if name is not None:
                said.setdefault(name, []).append(part)
            elif isinstance(part, Bounded):
                self.at_triples.append(part)
            else:
                return None
        self.at_triples += [one for one in self.parts if isinstance(one, AtTriples) and one.value]
        return said

    def _owner(self, part: Part, classes: Sequence[str]) -> str | None:
        """Return the class of whose entities a part is said: the nearest to the one asked for."""
        if isinstance(part, Named):
            names = self.links.classes_of(p.Listed((part.entity,)).run(self.questions.place))
            return names[0] if names else None
        fits = [name for name in self.links.joins if self._own(part, Subject(p.Members(name), name)) is not None]
        noun = self._noun_of_adjective(part)
        if noun and noun not in fits:
            return None
        return min(
            fits,
            key=lambda one: (
                one != self._class_before(part.start),
                one != self.target,
                one not in classes,
                self.ways.distance(self.target, one),
            ),
            default=None,
        )

    def _noun_of_adjective(self, part: Part) -> str:
        """Return the class of which an adjective before it is said: «female teachers» are no teachers of women.

        «Electronics orders» may be those of what is called so: it is a noun.
        """
        after = next((one for one in self.parts if isinstance(one, OfClass) and one.start == part.end), None)
        if after is None or not isinstance(part, Valued) or part.end != part.start + 1:
            return ""
        people, word = self.links.people(), self.tokens.word(part.start)
        owners = [name for name in people if self._own(part, Subject(p.Members(name), name)) is not None]
        is_adjective = forms.is_installed() and (word in ("female", "male") or not forms.may_be_noun(word))
        return after.name if is_adjective or (after.name in people and owners) else ""

    def _class_before(self, at: int) -> str:
        """Return the class that is named just before a place: «customers in (the USA)»."""
        before = [one for one in self.parts if isinstance(one, OfClass) and 0 <= at - one.end < _NEAR]
        return before[-1].name if before else ""

    def _own(self, part: Part, subject: Subject, *, use: bool = False) -> SetPlan | None:
        """Return the part of a set of whose own properties a part of the question holds."""
        if isinstance(part, Valued):
            return next(iter(self.questions.with_values(subject, part.values)), None)
        source = self._measured(part, subject, use=use) if isinstance(part, Bounded) else None
        if not isinstance(part, Bounded) or source is None or source.literal is None:
            return None
        if not has_unit(source, part.bound.unit, self.questions.english):
            return None
        return self.questions.compared(subject, p.Attribute(source), part.bound._replace(names=()))

    def _measured(self, part: Bounded, subject: Subject, *, use: bool) -> Source | None:
        """Return the property that a number or time is compared with."""
        beside = self._beside(part, subject.name, use=use)
        if beside is not None:
            return beside
        if part.is_time:
            return self._dated(part, subject.name, use=use)
        own = self.questions.own_sources(subject.name) if part.bound.unit or part.end < len(self.tokens) else []
        of_unit = [one for one in own if one.literal is not None and is_in(one, part.bound.unit)]
        if self._at_triples_in(part.bound.unit) and not any(has_word(one, part.bound.unit) for one in of_unit):
            of_unit = []  # hours of triples are no days of leave in hours
        after = self.tokens.stems(part.end, part.end + 1)
        of_unit = of_unit or [one for one in own if one.literal is not None and after and after[0] in unit_of(one)]
        is_count = any(isinstance(one, OfClass) and one.start == part.end for one in self.parts)
        if len(of_unit) == 1 and not part.bound.names and not is_count:
            if use and not part.bound.unit:
                self.used.add(part.end)
            return of_unit[0]
        if part.bound.names:
            measure = self.questions.measure_of(part.bound.names, subject)
            return None if measure is None else measure.source
        for at in range(max(part.start - _NEAR, self.start), part.start):
            own = self.questions.measured_by(at, subject)
            if own:
                if use:
                    self.used.add(at)
                return own[0]
        return None

    def _at_triples_in(self, unit: str) -> list[TripleProperty]:
        """Return the numbers of triples with a unit in their names; those with other words of the question, if any."""
        own = [one for one in self.questions.of_triples if unit and one.is_number and stem(unit) in one.stems]
        said = {word for at in range(self.start, len(self.tokens)) for word in self.tokens.verb_stems(at)}
        return [one for one in own if said & (one.words - {stem(unit)})] or own

    def _beside(self, part: Bounded, name: str, *, use: bool) -> Source | None:
        """Return the property whose name stands beside a number or time."""
        for one in self.parts:
            if not isinstance(one, OfProperty):
                continue
            gap = part.start - one.end if one.end <= part.start else one.start - part.end
            own = [source for owner, source in one.sources if owner == name and source.literal is not None]
            if 0 <= gap < _NEAR and len(own) == 1 and own[0].is_date == part.is_time:
                if use:
                    self.use(one)
                return own[0]
        return None

    def _dated(self, part: Bounded, name: str, *, use: bool) -> Source | None:
        """Return the date that a verb before a time names; else the only date of a class."""
        for at in range(part.start - 1, max(part.start - 1 - _NEAR, self.start - 1), -1):
            named = self.questions.dates_named(self.tokens.verb_stems(at), name)
            if len(named) == 1:
                if use:
                    self.used.add(at)
                return named[0]
        plain = self.questions.resolver.plain_date(p.Members(name))
        return None if plain is None or plain.source.words.isdisjoint(_TIMES) else plain.source

    def moment(self, *, is_time: bool) -> Source | None:
        """Return the time of day of the class asked for, where that is asked or the day is said; else its date.

        Args:
            is_time: Whether the question says «what time».
        """
        days = (one.bound.date for one in self.parts if isinstance(one, Bounded) and one.is_time)
        if not (is_time or any(day is not None and day.width < _WEEK for day in days)):
            return self.date()
        for at in range(self.start, len(self.tokens)):
            verbs = self.tokens.verb_stems(at) & TIMED if at not in self.used else frozenset[str]()
            clock = self.questions.clock_named(verbs, self.target) if verbs else None
            if clock is not None:
                self.used.add(at)
                self.used.update(range(at + 1, self.tokens.past(at + 1, AFTER_VERB)))
                return clock
        return self.questions.clock_named(frozenset(), self.target)

    def date(self) -> Source | None:
        """Return the date of the class asked for that a word of the question names; else its only date."""
        dates = self.questions.dates_of(self.target)
        for at in range(self.start, len(self.tokens)):
            named = [] if at in self.used else self.questions.dates_named(self.tokens.verb_stems(at), self.target)
            if len(named) == 1:
                self.used.add(at)
                return named[0]
        general = [one for one in dates if one.words & _TIMES]
        return general[0] if len(general) == 1 else None

    def _joined(self, said: dict[str, list[Part]], *, may_be_named: bool, counts: bool) -> SetPlan | None:
        """Return the members of the class asked for that are joined to those of the other classes."""
        names = sorted(said, key=lambda name: self.ways.distance(self.target, name))
        parents = dict[str, str]()
        for name in names[1:]:
            near = [self.target, *parents]
            start = next((one.start for one in said[name] if isinstance(one, Named)), -1)
            before = self._class_before(start) if start >= 0 else ""  # «an image for e0», of orders that have images
            parents[name] = min(
                near, key=lambda one: (self.ways.distance(one, name), one != before, one != self.target)
            )
        conditions: dict[str, list[SetPlan]] = {name: [] for name in names}
        for name in reversed(names[1:]):
            ends = self._ends(name, said[name], conditions[name])
            if ends is None:
                return None
            if not said[name] and not conditions[name] and counts:
                continue  # «the most flights» is no condition
            self.use(*(one for one in self.parts if isinstance(one, OfClass) and one.name == name))
            for place, plan in ends:
                way = self._way(parents[name], name, place)
                if not way:
                    return None
                conditions[parents[name]].append(self._along(way, plan))
        conditions[self.target] += self._at_own_triples()
        ends = self._ends(self.target, said[self.target], conditions[self.target])
        named = any(isinstance(one, Named) for one in said[self.target])
        return ends[0][1] if ends and len(ends) == 1 and named <= may_be_named else None

    def _at_own_triples(self) -> list[SetPlan]:
        """Return those at whose triples a text stands that no way has used: «food allergies», of who is allergic."""
        found = list[SetPlan]()
        for part in self.at_triples:
            if not isinstance(part, AtTriples) or part.start in self.used:
                continue
            fits = [join for join in self.links.between(self.target, None) if join.relation in part.one.relations]
            if len(fits) == 1:
                self.relations.append(fits[0].relation)
                found.append(self._along((fits[0],), p.Members(fits[0].end)))
        return found

    def _ends(self, name: str, parts: Sequence[Part], others: Sequence[SetPlan]) -> list[tuple[int, SetPlan]] | None:
        """Return the members of a class of which parts and other conditions hold, for each that is named by itself."""
        subject = Subject(p.Members(name), name)
        plans, named = list(others), [one for one in parts if isinstance(one, Named)]
        for part in parts:
            self.use(part)
            if not isinstance(part, Named):
                plan = self._own(part, subject, use=True)
                if plan is None:
                    return None
                plans.append(plan)
        if not named:
            return [(-1, p.Both(tuple(plans)) if len(plans) > 1 else plans[0] if plans else subject.plan)]
        groups = [(one.start, p.Listed((one.entity,))) for one in named]
        return [(at, p.Both((one, *plans)) if plans else one) for at, one in groups]

    def _way(self, start: str, end: str, place: int) -> tuple[Join, ...]:
        """Return the way between two classes that the question means; empty if that is not clear."""
        before = [self.tokens.word(at) for at in range(max(place - 2, 0), place)] if place > 0 else []
        preposition = next((word for word in reversed(before) if word not in ("the", "a", "an")), "")
        preposition = _MOVING.get(preposition, preposition)
        way = self.ways.chosen(start, end, self._relations_said(), preposition)
        self.relations += [join.relation for join in way]
        return way

    def _along(self, way: tuple[Join, ...], ends: SetPlan) -> SetPlan:
        """Return what a way joins to some ends, by triples of which what the question says of triples holds."""
        conditions = [self.conditions(join.relation) for join in way]
        if not any(conditions):
            return joined(Subject(p.Members(way[0].start), way[0].start), Link(steps_of(way), way[-1].end), ends)
        for join, own in zip(reversed(way), reversed(conditions), strict=True):
            subject = Subject(p.Members(join.start), join.start)
            ends = joined(subject, Link(((join.relation, join.forward),), join.end), ends, own)
        return ends

    def conditions(self, relation: int) -> tuple[Condition, ...]:
        """Return what the question says of the triples of a relation."""
        found = list[Condition]()
        for part in self.at_triples:
            condition = self._condition(part, relation)
            if condition is not None:
                self.use(part)
                found.append(condition)
        return tuple(found)

    def _condition(self, part: Bounded | AtTriples, relation: int) -> Condition | None:
        """Return the condition on the triples of a relation that a part of the question says; None for none."""
        if isinstance(part, AtTriples):
            return Said(part.one.name, part.value) if relation in part.one.relations else None
        if part.is_time:
            condition = self.questions.during(relation, part.bound) if part.bound.relative is None else None
            near = range(max(part.start - 2 * _NEAR, 0), part.start)
            begun = [at for at in near if _BEGINS & self.tokens.verb_stems(at)] if condition is not None else []
            self.used.update(begun)
            return replace(condition, until="") if condition is not None and begun else condition
        own = [one for one in self.questions.of_triples if one.is_number and relation in one.relations]
        named = [one for one in self._at_triples_in(part.bound.unit) if one in own]
        if len(named) > 1:
            return None  # hours that are planned, or that are booked
        beside = [one for one in self.parts if isinstance(one, AtTriples) and abs(one.start - part.end) < _NEAR]
        for one in named or [at.one for at in beside if at.one in own]:
            self.used.update(
                at for at in range(self.start, len(self.tokens)) if self.tokens.stems(at, at + 1)[0] in one.stems
            )
            return next((condition for condition, _ in self.questions.number_at(one, part.bound, 0)), None)
        return None

    def _relations_said(self) -> list[int]:
        """Return the relations of whose label the question has a word that means nothing else."""
        places = [at for at in range(self.start, len(self.tokens)) if at not in self.used]
        said = {word for at in places for word in self.tokens.verb_stems(at)}
        return [number for number, label in enumerate(self.links.labels) if said & (set(label) - SMALL)]

    def _best(self, base: SetPlan, best: Best) -> SetPlan | None:
        """Return the best of a set by a number that the question names, or by how many it is joined to."""
        self.use(best)
        comparison, before = best.comparison, best.start - self.tokens.is_one_of(best.start - 1, ("the",))
        is_last = best.end == len(self.tokens) and not best.is_date
        if is_last and not self.tokens.is_one_of(before - 1, BE | HAVE):
            return None  # «has served the longest» measures no length
        if best.is_date:
            date = self.date()
            return None if date is None else p.Best(base, p.Attribute(date), comparison.largest)
        for one in self.parts:
            if not isinstance(one, OfProperty) or one.start in self.used:
                continue
            own = [source for name, source in one.sources if name == self.target and source.literal is not None]
            if len(own) == 1:
                self.use(one)
                return p.Best(base, p.Attribute(own[0]), comparison.largest)
        if comparison.names:
            names = (*comparison.names, *(("distance",) if "length" in comparison.names else ()))
            measure = self.questions.measure_of(names, Subject(base, self.target))
            up = measure is not None and self.questions.is_upward(comparison, measure)
            return None if measure is None else p.Best(base, measure, up)
        for one in self.parts:
            if isinstance(one, OfClass) and one.start >= best.end and one.name != self.target:
                self.use(one)
                steps = steps_of(self._way(self.target, one.name, -1))
                return p.Best(base, CountIn(steps, p.Members(one.name)), comparison.largest) if steps else None
        return None
