"""Noun phrases with a superlative: «the three oldest pilots», «most recently discovered elements»."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn, OfEdges, OfEnds
from graphbrick.bricks.retrieve.operators.grammar.nouns.phrases import Nouns
from graphbrick.bricks.retrieve.operators.grammar.small_words import DATED, QUANTITIES
from graphbrick.bricks.retrieve.operators.plan import Measure
from graphbrick.bricks.retrieve.operators.wording import Comparison
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.patterns.properties.sources import Source

_SOLD = frozenset(map(stem, "sold sell selling bought buy purchased ordered".split()))
_OFTEN = ("often", "frequently", "commonly")
_SOMEBODY = ("we", "you", "they", "people", "most")
_ALIKE = 6  # letters that an adjective and the name of a number share: «electronegative»


class Ranking(Nouns):
    """A reader of superlatives before nouns."""

    def best(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield «newest plane», «three largest halls», «second oldest pilot», «top 3 departments by budget»."""
        n, rank, place = self._rank(at)
        tokens, english = self.tokens, self.tokens.english
        for said, after in tokens.phrase(place, english.superlatives):
            many = tokens.amount(after)
            if n == 1 and many and many[1] == after + 1 and is_plural(tokens.word(after + 1)):
                yield from self._ranked(many[1], english.superlatives[said], int(many[0].value), rank)
            yield from self._ranked(tokens.past(after, ("of", "among", "the")), english.superlatives[said], n, rank)
        if tokens.word(place) in ("most", "best", "least"):
            yield from self._most_done(place, n, rank)
        if tokens.word(place) in ("most", "least"):  # «most electronegative element»
            yield from self._by_adjective(place, n, rank)
        for said, after in tokens.phrase(place, DATED):
            yield from self._by_date(after, DATED[said], n, rank)
        if tokens.word(at) == "top":
            yield from self._most_done(at, n, rank)
            yield from self._ranked(place, Comparison(True, ()), n, rank)
        if n > 1:  # «three airlines with the most planes»
            for subject, end in self.noun(place):
                if isinstance(subject.plan, p.Best) and subject.plan.n == 1:
                    yield Subject(replace(subject.plan, n=n), subject.name), end

    def _rank(self, at: int) -> tuple[int, int, int]:
        """Return how many are asked for, from which place in their order, and the place after the words for it."""
        tokens = self.tokens
        at += tokens.word(at) == "top"
        if tokens.word(at) in self.english.ordinals:
            return 1, self.english.ordinals[tokens.word(at)], at + 1
        many = tokens.amount(at)
        is_number = many is not None and many[0].date is None and many[0].value == int(many[0].value)
        return (int(many[0].value), 1, many[1]) if many and is_number and many[1] == at + 1 else (1, 1, at)

    def _ranked(self, at: int, comparison: Comparison, n: int, rank: int) -> Iterator[tuple[Subject, int]]:
        """Yield the best of a noun phrase by what an adjective measures, or by a number that follows: «by budget»."""
        tokens = self.tokens
        for subject, end in self.with_adjectives(at):
            for inside, last in self.with_modifiers(subject, end):
                if tokens.is_one_of(last, ("by", "in")):
                    start = tokens.past(last + 1, ("the", "terms", "of", "their"))
                    dates = self.dates_of(subject.name)
                    if tokens.is_one_of(start, ("year", "date", "age")) and len(dates) == 1:
                        best = p.Best(inside.plan, p.Attribute(dates[0]), comparison.largest, rank, n)
                        yield Subject(best, subject.name), start + 1
                    for further, after in self._numbers_of_ends(start, subject):
                        best = p.Best(inside.plan, further, comparison.largest, rank, n)
                        yield Subject(best, subject.name), after
                    for source, after in self.sources(start, subject):
                        if source.literal is not None:
                            best = p.Best(inside.plan, p.Attribute(source), comparison.largest, rank, n)
                            yield Subject(best, subject.name), after
                measure = self.measure_of(comparison.names, inside)
                if measure is not None:
                    largest = self.is_upward(comparison, measure)
                    yield Subject(p.Best(inside.plan, measure, largest, rank, n), subject.name), last

    def how_often(self, at: int, subject: Subject, *, times: bool = False) -> Measure | None:
        """Return how often, or in what quantity, what a verb says is done to the members of a class: «ordered», «sold».

        Args:
            at: The place of the verb.
            subject: What it is done to.
            times: Whether the question asks for how often, so that quantities do not count.
        """
        verbs = self.tokens.verb_stems(at)
        done = [
            join
            for join in self.links.between(subject.name, None)
            if not join.forward and verbs & set(self.links.labels[join.relation])
        ]
        if len(done) == 1 and times:
            return CountIn(((done[0].relation, False),), p.Members(done[0].end))  # «most often borrowed book»
        for name in self.links.joins:
            of_name = name != subject.name and verbs & set(stems(spaced(name)))
            for link in self.links.plain(subject.name, (name,), "have"):
                (relation, forward) = link.steps[0]
                counts = [
                    one for one in self.of_triples
                    if relation in one.relations and one.is_number and one.words <= QUANTITIES
                ]  # fmt: skip
                counts = [one for one in counts if stem("amount") not in one.words] if len(counts) > 1 else counts
                if not of_name and not (verbs & _SOLD and counts):
                    continue
                if len(counts) == 1 and not times:
                    measure: Measure = OfEdges(relation, forward, None, counts[0].name, "sum")
                else:
                    measure = CountIn(link.steps, p.Members(name))
                if not of_name:
                    said = f"{self.tokens.word(at)!r} is no word of this graph; {measure.text(self.place)} is taken"
                    self.resolver.assumptions[measure] = said
                return measure
        if len(done) == 1:
            return CountIn(((done[0].relation, False),), p.Members(done[0].end))
        joins = self.links.between(subject.name, None)
        if len(joins) != 1 or self.tokens.word(at - 1) not in _SOMEBODY:
            return None
        (join,) = joins  # «which lab test do we run most often», of tests that only results lead to
        often = CountIn(((join.relation, join.forward),), p.Members(join.end))
        self.resolver.assumptions[often] = f"{self.tokens.word(at)!r} is read as {often.text(self.place)}"
        return often

    def _most_done(self, at: int, n: int, rank: int) -> Iterator[tuple[Subject, int]]:
        """Yield «most ordered product», «best selling products», «least often ordered product»."""
        tokens = self.tokens
        verb = tokens.past(at + 1, _OFTEN)
        if not tokens.word(verb).endswith(("ed", "ing")) and not tokens.verb_stems(verb) & _SOLD:
            return
        for subject, end in self.with_adjectives(verb + 1):
            measure = self.how_often(verb, subject, times=verb > at + 1)
            if measure is None:
                continue
            for inside, last in self.with_modifiers(subject, end):
                yield Subject(p.Best(inside.plan, measure, tokens.word(at) != "least", rank, n), subject.name), last

    def _numbers_of_ends(self, at: int, subject: Subject) -> Iterator[tuple[Measure, int]]:
        """Yield «(by) number of orders», «(by) orders», «(by) total freight» of what relations lead to."""
        tokens = self.tokens
        start = at + 2 if tokens.joined(at, at + 2) in ("number of", "count of") else at
        if start > at or is_plural(tokens.word(at)):
            for inner, end in self.noun(start):
                for link in self.links_to(subject, inner):
                    yield CountIn(link.steps, inner.plan), end
        yield from self.over_ends(at + 1, subject, self.how_many_combine(at, subject))

    def links_to(self, subject: Subject, inner: Subject) -> list[Link]:
        """Return the relation that joins two classes, or the only way of two relations."""
        plain = self.links.plain(subject.name, (inner.name,), "have")
        is_near = bool(self.links.between(subject.name, (inner.name,)))
        return plain or ([] if is_near else [one for one in self.links.any_ways(subject.name) if one.end == inner.name])

    def over_ends(self, at: int, subject: Subject, how: str) -> Iterator[tuple[Measure, int]]:
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

    def _by_adjective(self, at: int, n: int, rank: int) -> Iterator[tuple[Subject, int]]:
        for subject, end in self.with_adjectives(at + 2):
            for source in self.numbers_like(at + 1, subject):
                for inside, last in self.with_modifiers(subject, end):
                    largest = self.tokens.word(at) == "most"
                    yield Subject(p.Best(inside.plan, p.Attribute(source), largest, rank, n), subject.name), last

    def numbers_like(self, at: int, subject: Subject) -> list[Source]:
        """Return the one number that an adjective at a place is made of: «electronegative»."""
        adjective = self.tokens.word(at)[:_ALIKE]
        own = [one for one in self.own_sources(subject.name) if one.literal is not None and not one.is_date]
        fits = [one for one in own if any(word.startswith(adjective) for word in spaced(one.name).lower().split())]
        return fits if len(fits) == 1 and len(adjective) == _ALIKE else []

    @abstractmethod
    def moment_of(self, name: str, dates: Sequence[Source], *, is_plain: bool) -> Measure | None:
        """Return when the things of a class are: by their one date, with the time of day at which they begin.

        Args:
            name: The class.
            dates: The dates that may be meant.
            is_plain: Whether no verb says of what the date is.
        """

    def _by_date(self, at: int, largest: bool, n: int, rank: int) -> Iterator[tuple[Subject, int]]:
        """Yield «(most recently) discovered elements», «(last) fault of e0», by a date."""
        for start, verbs in ((at, frozenset[str]()), (at + 1, self.tokens.verb_stems(at))):
            for subject, end in self.with_adjectives(start):
                date = self.resolver.plain_date(p.Members(subject.name))
                dates = self.dates_named(verbs, subject.name) if verbs else [date.source] if date else []
                measure = self.moment_of(subject.name, dates, is_plain=not verbs)
                if measure is None:
                    continue
                for inside, last in self.with_modifiers(subject, end):
                    yield Subject(p.Best(inside.plan, measure, largest, rank, n), subject.name), last
