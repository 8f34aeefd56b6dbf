"""Comparisons of the entities of a set: «older than e0», «the oldest of them», «earn more than their boss»."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.dates import MOMENT
from graphbrick.bricks.retrieve.operators.grammar.groups import Reading, Subject
from graphbrick.bricks.retrieve.operators.grammar.measures import Above, CountIn
from graphbrick.bricks.retrieve.operators.grammar.numbers import AGE, Bound
from graphbrick.bricks.retrieve.operators.grammar.ranking import Ranking
from graphbrick.bricks.retrieve.operators.grammar.small_words import DATED, DECADES, HAPPENS, THEIR
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.wordings.units import names_of_unit
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.properties.sources import Source, owners_of

_OBJECTS = frozenset("by via with from to for through".split())
_DUE = frozenset(map(stem, "due required deadline expected promised planned scheduled target".split()))
"""Stems of names of dates until which something should be done."""


class Comparing(Ranking):
    """A reader of comparisons."""

    def past_own_words(self, at: int, source: Source) -> int:
        """Return the place after words that the name of a number has too: «50 per kg» of `price_per_kg`."""
        own = set(stems(spaced(source.name.replace("_", " ")))) | {"per"}
        signs = {self.english.currencies[word] for word in own if word in self.english.currencies}
        while at < len(self.tokens):
            is_own_money = self.english.currencies.get(self.tokens.word(at)) in signs
            if self.tokens.stems(at, at + 1)[0] not in own and not is_own_money:
                break
            at += 1
        return at

    def measured_by(self, at: int, subject: Subject) -> list[Source]:
        """Return the number that a verb gives: «earn» a salary."""
        own = [one for one in self.own_sources(subject.name) if one.literal is not None and not one.is_date]
        fits = [
            one
            for one in own
            if any(self.english.is_among(word, self.resolver.words_of(one)) for word in self.tokens.verb_stems(at))
        ]
        return fits if len(fits) == 1 else []

    def _by_number(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «earn more than 100», «cost less than e0», «weigh the most»."""
        tokens = self.tokens
        for source in self.measured_by(at, subject):
            attribute = p.Attribute(source)
            for bound, end in self.bound(at + 1):
                for one in self.as_compared(subject, source, bound, end):
                    yield one._replace(end=self.past_own_words(end, source))
            yield from self._above(at + 1, subject, attribute)
            start = tokens.past(at + 1, ("the",))
            if tokens.word(start) in ("most", "least"):
                best = p.Best(subject.plan, attribute, tokens.word(start) == "most")
                yield from self._among(best, subject, start + 1)

    def as_compared(self, subject: Subject, source: Source, bound: Bound, end: int) -> Iterator[Reading]:
        """Yield the reading that a number or date compares so, if it can."""
        plan = self.compared(subject, p.Attribute(source), bound._replace(names=()))
        if plan is not None:
            yield Reading(plan, end, known=(source,))

    def _above(self, at: int, subject: Subject, attribute: p.Attribute) -> Iterator[Reading]:
        """Yield «(earn) more than their boss», «(are) older than their trainer»."""
        tokens = self.tokens
        for said, end in tokens.phrase(at, self.english.comparatives):
            comparison = self.english.comparatives[said]
            if tokens.word(end) != "than":
                continue
            start = tokens.past(end + 1, ("the", "that", "of"))
            if not tokens.is_one_of(start, THEIR):
                continue
            for last in range(min(start + 3, len(tokens)), start + 1, -1):
                links = self.links.by_noun(tokens.stems(start + 1, last), subject.name)
                name = self.class_at(start + 1, last)
                links += self.links.plain(subject.name, (name,), "of") if name else []
                for link in links:
                    up = self.is_upward(comparison, attribute) if comparison.names else comparison.largest
                    measure = Above(link.steps, link.everything(), attribute, below=not up)
                    yield Reading(p.Within(subject.plan, measure, low=0.0), last, can_be_denied=False)

    def _as_big(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «older than e0», «over 50 years old», «at most 30», «newer than 2010»."""
        tokens = self.tokens
        for bound, end in self.bound(at):
            often = names_of_unit(bound.unit) if bound.names else ()
            names = [*(name for name in bound.names if name in often), *often] or bound.names
            measure = self.measure_of(names, subject, bound.unit) if bound.names else self.age_of(subject)
            plan = None if measure is None else self._sized(subject, measure, bound)
            if measure is not None and plan is not None:
                last = tokens.past(end, ("old", "years", "year", "of", "age"))
                yield Reading(plan, last, known=(measure.source,))
        for said_phrase, _ in tokens.phrase(at, self.english.comparatives):
            measure = self.measure_of(self.english.comparatives[said_phrase].names, subject)
            if measure is not None:
                yield from self._above(at, subject, measure)

    def _sized(self, subject: Subject, measure: p.Attribute, bound: Bound) -> SetPlan | None:
        """Return the part of a set that an adjective compares, «older» as an age or as a date."""
        is_date = measure.is_date(self.place)
        flipped = {"over": "under", "under": "over", "least": "most", "most": "least"}
        if bound.names and AGE in measure.source.words and bound.kind in flipped and "born" in bound.names:
            bound = bound._replace(kind=flipped[bound.kind])  # «older» names dates, of which the smaller is the older
        if bound.names and is_date and bound.relative is None and bound.date is None and bound.number < 1000:
            return None
        return self.compared(subject, measure, bound._replace(names=()))

    def _superlative(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(is) the oldest», among the subjects."""
        tokens = self.tokens
        start = tokens.past(at, ("the",))
        for said, end in tokens.phrase(start, self.english.superlatives):
            comparison = self.english.superlatives[said]
            measure = self.measure_of(comparison.names, subject)
            if measure is not None:
                best = p.Best(subject.plan, measure, self.is_upward(comparison, measure))
                yield from self._among(best, subject, end)

    def _dated_superlative(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(are the) most recently founded»."""
        tokens = self.tokens
        for said, end in tokens.phrase(tokens.past(at, ("the",)), DATED):
            dates = self.dates_named(tokens.verb_stems(end), subject.name) if end < len(tokens) else []
            if len(dates) == 1:
                best = p.Best(subject.plan, p.Attribute(dates[0]), DATED[said])
                yield Reading(best, end + 1, can_be_denied=False)

    def _among(self, best: p.Best, subject: Subject, at: int) -> Iterator[Reading]:
        """Yield a superlative among a group: «(earns the most) of the workers who report to e0», or among all."""
        if self.tokens.word(at) in ("among", "of", "amongst"):
            for group, end in self.group(at + 1):
                if subject.name in group.classes and group.quantity.kind in ("some", "all", "both"):
                    among = replace(best, base=p.Both((best.base, group.plan)))
                    yield Reading(among, end, can_be_denied=False)
        yield Reading(best, at, can_be_denied=False)

    def _in_their_forties(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «in their forties», «in his 30s»."""
        tokens, age = self.tokens, self.age_of(subject)
        low = DECADES.get(tokens.word(at + 2))
        if age is not None and low is not None and tokens.is_one_of(at + 1, THEIR):
            plan = p.Within(subject.plan, age, low, low + 9, includes=True)
            yield Reading(plan, at + 3, known=(age.source,))

    def _plain_dates(self, subject: Subject) -> list[Source]:
        """Return the one date of a class of things that happen, for «faults in 2024»."""
        date = self.resolver.plain_date(p.Members(subject.name))
        return [] if date is None else [date.source]

    def _in_time(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «bought before 2015», «were hired in 2010», «opened after e0», where a date says it."""
        verbs = self.tokens.verb_stems(at)
        named = self.dates_named(verbs, subject.name)
        if not named and verbs & HAPPENS:
            named = self.dates_of(subject.name)
        if len(named) != 1:
            return
        yield from self._at_last(at + 1, subject, named[0])
        yield from self.beside_another(at + 1, subject, named[0])
        for bound, end in self.moment(at + 1):
            yield from self.as_compared(subject, named[0], bound, end)
        yield from self.known_date(at, subject)

    def known_date(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(patients who) died», «(orders that were) shipped», where only some have the date of it."""
        verbs = self.tokens.verb_stems(at)
        goes_on = self.tokens.word(at + 1) in _OBJECTS or next(self.moment(at + 1), None) is not None
        named = [] if goes_on else self.dates_named(verbs, subject.name)
        if len(named) != 1 or not (verbs & set(named[0].stems) or self._nouns_of(verbs, named[0])):
            return
        members, owners = self.lexicon.classes[subject.name], owners_of(self.place.graph, named[0])
        if not np.isin(members, owners).all():
            yield Reading(self.with_some(subject, named[0], none=False), at + 1)

    def _nouns_of(self, verbs: Set[str], source: Source) -> set[str]:
        """Return the words of a date that a verb is told by: the `date_of_death` of who died."""
        return {word for word in source.stems for verb in verbs if (word,) in self.english.near.get(verb, ())}

    def beside_another(self, at: int, subject: Subject, source: Source) -> Iterator[Reading]:
        """Yield «(shipped) after their required date», «(stock) below the reorder level», «(shipped) late»."""
        tokens, own = self.tokens, self.own_sources(subject.name)
        said = [(kind, end) for _, end, kind in self._sides(at)]
        found = [
            (kind, other, last)
            for kind, end in said
            for other, last in self.sources(tokens.past(end, ("the", *THEIR)), subject)
        ]
        due = [one for one in own if one.is_date and one.words & _DUE and one != source]
        if tokens.word(at) in ("late", "early") and len(due) == 1:
            found.append(("over" if tokens.word(at) == "late" else "under", due[0], at + 1))
        for kind, other, last in found:
            if other == source or other.literal is None or other.is_date != source.is_date:
                continue
            gap = p.Gap(p.Attribute(source), p.Attribute(other))
            up, down = ("after", "before") if source.is_date else ("over", "under")
            low, high = (0.0, np.inf) if kind == "over" else (-np.inf, 0.0)
            words = f"{up if kind == 'over' else down} {other.name}"
            yield Reading(p.Within(subject.plan, gap, low, high, said=words), last, known=(source, other))

    def having_more(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(owners with) more dogs than cats», «(players with) fewer goals than assists»."""
        tokens, more = self.tokens, self.tokens.word(at)
        low, high = (0.0, np.inf) if more == "more" else (-np.inf, 0.0)
        for one, than, said in self._counted(at + 1, subject) if more in ("more", "fewer", "less") else ():
            if tokens.word(than) != "than":
                continue
            for other, last, further in self._counted(than + 1, subject):
                words = f"{more} than {other.text(self.place)}"
                plan = p.Within(subject.plan, p.Gap(one, other), low, high, said=words)
                yield Reading(plan, last, known=(*said, *further))

    def _counted(self, at: int, subject: Subject) -> Iterator[tuple[p.Measure, int, tuple[Source, ...]]]:
        """Yield a number of each subject, or how many of something it has, with the place after it."""
        for source, end in self.sources(at, subject):
            if source.literal is not None and not source.is_date:
                yield p.Attribute(source), end, (source,)
        for inner, end in self.noun(at):
            for link in self.links.plain(subject.name, (inner.name,), "have"):
                yield CountIn(link.steps, inner.plan), end, ()

    def _sides(self, at: int) -> Iterator[tuple[str, int, str]]:
        """Yield «after», «below», «more than», «greater than», with the place after each, and whether it is over."""
        tokens, english = self.tokens, self.english
        for said, end in tokens.phrase(at, english.bounds):
            if english.bounds[said] in ("over", "under"):
                yield said, end, english.bounds[said]
        for said, end in tokens.phrase(at, english.comparatives):
            if tokens.word(end) == "than":
                yield said, end + 1, "over" if english.comparatives[said].largest else "under"

    def _at_last(self, at: int, subject: Subject, source: Source) -> Iterator[Reading]:
        """Yield «(were discovered) first», «(was born) last», «(discovered) in the same year as e0»."""
        tokens = self.tokens
        for said, end in tokens.phrase(at, DATED):
            yield Reading(p.Best(subject.plan, p.Attribute(source), DATED[said]), end, can_be_denied=False)
        start = tokens.past(at, ("in", "on", "during", "the", "from"))
        if tokens.word(start) == "same" and tokens.word(start + 1) in ("year", "day", "date"):
            yield from self.same_time(start + 1, subject, source)

    def same_time(self, at: int, subject: Subject, source: Source) -> Iterator[Reading]:
        """Yield those whose date is of the year, or the day, of that of an entity: «the same year as e0»."""
        other, last = self.other(at + 1)
        if other is None:
            return
        (number,) = p.Attribute(source).of(self.place, np.array([other], dtype=np.int64))
        if not np.isnan(number):
            low, high = (np.floor(number), np.floor(number) + 1) if self.tokens.word(at) == "year" else (number, number)
            alike = p.Within(subject.plan, p.Attribute(source), low, high - MOMENT * (low != high), includes=True)
            yield Reading(p.Without(alike, p.Listed((other,))), last, can_be_denied=False)

    def other(self, at: int) -> tuple[int | None, int]:
        """Return the entity after «as», «like» or «of», and the place after it."""
        tokens = self.tokens
        if not tokens.is_one_of(at, ("as", "like", "of", "with")):
            return None, at
        start = tokens.past(at + 1, ("the",))
        return tokens.entity(start), start + 1
