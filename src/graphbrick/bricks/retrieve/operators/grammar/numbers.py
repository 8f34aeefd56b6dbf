"""Numbers and dates in phrases: the names of properties, «more than 100», «older than e0», «before 2015»."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.dates import Date
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.links import Links
from graphbrick.bricks.retrieve.operators.grammar.small_words import KINDS
from graphbrick.bricks.retrieve.operators.grammar.tokens import Tokens
from graphbrick.bricks.retrieve.operators.own_dates import begins_or_ends
from graphbrick.bricks.retrieve.operators.plan import Measure, SetPlan
from graphbrick.bricks.retrieve.operators.triples.columns import triple_properties
from graphbrick.bricks.retrieve.operators.wording import Comparison
from graphbrick.bricks.retrieve.operators.wordings.money import currency_in, scale_in, scale_said
from graphbrick.bricks.retrieve.operators.wordings.units import UNIT_STEMS, factor_in, names_of_unit
from graphbrick.core.deferred import cached_property
from graphbrick.core.session import current_session
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD, Stems, is_plural, spaced, stem, stems
from graphbrick.patterns.properties.sources import Source, owners_of, sources_of

_TIMES = {
    "before": "under", "earlier than": "under", "prior to": "under", "until": "most", "up to": "most", "by": "most",
    "after": "over", "later than": "over", "since": "least", "from": "exactly", "in": "exactly", "on": "exactly",
    "during": "exactly", "of": "exactly",
}  # fmt: skip
AGE = stem("age")
_PLAIN_REST = frozenset(map(stem, "primary main default number no value name".split()))
_GENERAL = frozenset("code number name date value level".split())
_GENERAL_STEMS = frozenset(map(stem, "date year day time month".split()))
_LARGEST_SIZE = 3  # words of the name of a property
_LONG_VERB = 5  # letters of the stem of a verb that nouns are made of: «discovery»
_WIDE = 3.0  # times the largest number that an amount may be which is likely to have its unit
_THOUSANDS = Expression(r"^\d*k$")
_FIRST_YEAR = 100  # a smaller number is no year
_AVERAGES = ("the average", "average", "the mean")


class Bound(NamedTuple):
    """A comparison as a phrase says it.

    Attributes:
        kind: "over", "under", "least", "most", "exactly" or "between".
        number: The number that it is made with.
        date: The date, if it is one.
        high: The second number or date of «between».
        names: What the adjective measures: «older».
        relative: What it is compared with where that is no number: "average" or an entity.
        unit: The unit of the number, as it is written; "" for none.
        others: Further dates, any of which may hold: «in 2004 or 2015».
    """

    kind: str
    number: float = 0.0
    date: Date | None = None
    high: float | Date | None = None
    names: tuple[str, ...] = ()
    relative: int | str | None = None
    unit: str = ""
    others: tuple[Date, ...] = ()


class Numbers:
    """A reader of numbers and dates in the phrases of a question.

    Args:
        tokens: The question.
        links: The relations that its words name.
    """

    def __init__(self, tokens: Tokens, links: Links) -> None:
        self.tokens, self.links, self.parser = tokens, links, tokens.parser
        self.resolver, self.english = self.parser.resolver, tokens.english
        self.lexicon, self.place = self.resolver.lexicon, self.resolver.place

    def bound(self, at: int) -> Iterator[tuple[Bound, int]]:
        """Yield the comparisons that begin at a place: «more than 5», «at least two», «between 1 and 3», «two»."""
        tokens, english = self.tokens, self.english
        for said, end in tokens.phrase(at, english.bounds):
            if english.match("time_bound", said) and not self._is_number_after(end):
                continue
            yield from self._amounts(english.bounds[said], end)
        if tokens.word(at) == "between":
            yield from self._between(at + 1)
        for said, end in tokens.phrase(at, english.comparatives):
            if tokens.word(end) != "than":
                continue
            comparison = english.comparatives[said]
            names = comparison.names
            for bound, last in self._amounts("over" if comparison.largest else "under", end + 1):
                yield bound._replace(names=names), last
        many = tokens.amount(at)
        for said, kind in (("or more", "least"), ("or fewer", "most"), ("or less", "most"), ("and more", "least")):
            if many is not None and many[0].date is None and tokens.joined(many[1], many[1] + 2) == said:
                yield self._with_unit(Bound(kind, many[0].value), many[1] + 2)
        if many is not None and many[0].date is None:
            yield self._with_unit(Bound("exactly", many[0].value), many[1])

    def _is_number_after(self, at: int) -> bool:
        many = self.tokens.amount(at)
        return many is not None and many[0].date is None and many[0].value < _FIRST_YEAR

    def _amounts(self, kind: str, at: int) -> Iterator[tuple[Bound, int]]:
        """Yield a comparison with the number, the entity or the average at a place."""
        tokens = self.tokens
        many = tokens.amount(at)
        if many is not None:
            amount, end = many
            yield self._with_unit(Bound(kind, amount.value, amount.date), end)
            return
        for _, end in tokens.phrase(at, _AVERAGES):
            yield Bound(kind, relative="average"), end
        start = tokens.past(at, ("the", "that", "of"))
        entity = tokens.entity(start)
        if entity is not None:
            yield Bound(kind, relative=entity), start + 1

    def _with_unit(self, bound: Bound, at: int) -> tuple[Bound, int]:
        """Return a comparison with the unit of its amount, and the place after it; other rules read money."""
        if _THOUSANDS.search(self.tokens.word(at - 1)):
            is_money = self.tokens.word(at) in self.english.currencies
            return bound._replace(unit=self.tokens.word(at) if is_money else "k"), at + is_money
        for place in (at - 1, at):
            is_money = self.tokens.word(place) in self.english.currencies and self.tokens.word(place) != "pounds"
            stems_at = self.tokens.stems(place, place + 1)
            if is_money or not UNIT_STEMS.isdisjoint(stems_at):
                return bound._replace(unit=self.tokens.word(place)), place + 1
        return bound, at

    def _between(self, at: int) -> Iterator[tuple[Bound, int]]:
        low = self.tokens.amount(at)
        if low is None or self.tokens.word(low[1]) not in ("and", "to"):
            return
        high = self.tokens.amount(low[1] + 1)
        if high is not None:
            upper: float | Date = high[0].date or high[0].value
            said = self.tokens.joined(at, high[1])  # «between 1 and 2 million»
            lower = low[0].value if low[0].date else self.english.same_scale(said, low[0].value, high[0].value)
            yield self._with_unit(Bound("between", lower, low[0].date, upper), high[1])

    def moment(self, at: int) -> Iterator[tuple[Bound, int]]:
        """Yield the stretches of time that begin at a place: «before 2015», «in March 2020», «after e0»."""
        tokens = self.tokens
        if tokens.word(at) in ("between", "from"):
            for bound, end in self._between(at + 1):
                if bound.date is not None or bound.number >= _FIRST_YEAR:
                    yield bound, end
        for said, end in tokens.phrase(at, _TIMES):
            inner = next(((kind, last) for kind, last in self._twice(said, end)), None)
            kind, end = inner or (_TIMES[said], end)
            many = tokens.amount(tokens.past(end, ("the", "year")))
            if many is not None and (many[0].date is not None or many[0].value >= _FIRST_YEAR):
                bound = Bound(kind, many[0].value, many[0].as_date)
                yield from self._or_in(bound, many[1])
                yield bound, many[1]
            start = tokens.past(end, ("the",))
            entity = tokens.entity(start)
            if entity is not None and said in ("before", "after", "earlier than", "later than", "prior to"):
                yield Bound(kind, relative=entity), start + 1

    def _or_in(self, bound: Bound, at: int) -> Iterator[tuple[Bound, int]]:
        """Yield «(in 2004) or 2015», «(in 2004), 2007 and in 2015»."""
        tokens = self.tokens
        joint = tokens.past(at, (",", "or", "and"))
        start = tokens.past(joint, ("in",))
        many = tokens.amount(start) if joint > at and bound.kind == "exactly" else None
        if many is not None and (many[0].date is not None or many[0].value >= _FIRST_YEAR):
            both = bound._replace(others=(*bound.others, many[0].as_date))
            yield from self._or_in(both, many[1])
            yield both, many[1]

    def _twice(self, said: str, at: int) -> Iterator[tuple[str, int]]:
        """Yield «since before 2018», which is before."""
        if said == "since" and self.tokens.word(at) in ("before", "after"):
            yield _TIMES[self.tokens.word(at)], at + 1

    def sources(self, at: int, subject: Subject) -> Iterator[tuple[Source, int]]:
        """Yield the properties of a class that the words at a place name, whole names first."""
        tokens, partial, of_triples = self.tokens, list[tuple[Source, int]](), triple_properties(self.place.graph)
        is_count = tokens.joined(at, at + 2) in ("number of", "count of") and is_plural(tokens.word(at + 2))
        for end in range(min(at + _LARGEST_SIZE, len(tokens)), at, -1):
            said = tokens.stems(at, end)
            for source in self.own_sources(subject.name):
                if said == source.stems:
                    if tokens.is_one_of(end, _GENERAL) and not self.class_named(end):
                        yield source, end + 1  # «iata code», «opening date»
                    yield source, end
                    continue
                own = {*self.resolver.words_of(source), *source.stems}
                general = _GENERAL_STEMS if source.is_date else frozenset[str]()
                if set(said) <= general or is_count:
                    continue  # the number of employees is no employee number
                if all(self._says(word, source, own) or word in general for word in said):
                    partial.append((source, end))
        is_of_triples = any(
            len(one.stems) > 1 and tokens.stems(at, at + len(one.stems)) == one.stems for one in of_triples
        )
        for source, end in partial if not is_of_triples else ():  # «units shipped» of triples are no units per case
            is_other = tokens.word(at) in {one.name for one in of_triples} and tokens.word(at) not in source.spoken
            several = list(dict.fromkeys(one for one, last in partial if last == end))
            usual = [one for one in several if self._is_usual(tokens.stems(at, end), one)] or several
            if usual == [source] and not is_other:  # a rating is no tax rate
                if tokens.is_one_of(end, _GENERAL) and not self.class_named(end):
                    yield source, end + 1  # «phone number»
                yield source, end

    def _is_usual(self, said: Stems, source: Source) -> bool:
        """Return whether a noun alone is a property with a plain word more: `goals_scored`, `phone_primary`."""
        rest = source.stems[len(said) :]
        is_plain = len(rest) == 1 and (rest[0] in _PLAIN_REST or said in self.english.near.get(rest[0], ()))
        return source.stems[: len(said)] == said and is_plain

    def _says(self, word: str, source: Source, own: Set[str]) -> bool:
        """Return whether a word speaks of a property: of its name, or near it alone: fees are no price."""
        if word in source.stems:
            return True
        last = source.spoken.rpartition(" ")[2]
        if len(source.stems) > 1 and forms.is_installed() and forms.participle_of(last):
            own = own - {stem(last)}  # a rating is no `goals_scored`
        return self.english.is_among(word, own) and word not in self._exact_names

    @cached_property
    def _exact_names(self) -> frozenset[str]:
        """The stems that are the whole name of a property of entities or triples."""
        graph = self.place.graph
        names = (*(one.stems for one in sources_of(graph)), *(one.stems for one in triple_properties(graph)))
        return frozenset(name[0] for name in names if len(name) == 1)

    def how_many_combine(self, at: int, subject: Subject) -> str:
        """Return how a word combines numbers, "sum" for «total»; "" for another, and in a name: `total_spent`."""
        how = KINDS.get(self.tokens.word(at), "")
        own = self.own_sources(subject.name) if how else ()
        is_name = any(self.tokens.stems(at, at + len(one.stems)) == one.stems for one in own)
        return "" if is_name else how

    def class_named(self, at: int) -> str:
        """Return the class that the word at a place names; "" for none."""
        return self.lexicon.class_named(self.tokens.stems(at, at + 1))

    def own_sources(self, name: str) -> list[Source]:
        """Return the properties that members of a class have."""
        graph = self.place.graph
        key = ("sources of a class", graph.place, graph.hash, name)
        return current_session().get(key, lambda: self._own_sources(name), at_most=256)

    def _own_sources(self, name: str) -> list[Source]:
        members, graph = self.lexicon.classes[name], self.place.graph
        return [source for source in sources_of(graph) if np.isin(members, owners_of(graph, source)).any()]

    def measure_of(self, names: Sequence[str], subject: Subject, unit: str = "") -> p.Attribute | None:
        """Return the number of the members of a class that an adjective measures, in a unit if any is."""
        own = [source for source in self.own_sources(subject.name) if source.literal is not None]
        own = [one for one in own if unit and factor_in(self.place.graph, one.name, unit) is not None] or own
        names = ("age", *names) if {"birth date", "born"} & set(names) else tuple(names)
        for name in names:
            said = [stem(word) for word in WORD.findall(name)]
            fits = [one for one in own if all(word in self.resolver.words_of(one) for word in said)]
            exact = [one for one in fits if len(one.stems) == len(said)]
            if exact or len(fits) == 1:
                return p.Attribute((exact or fits)[0])
        near = [one for one in own if len(one.stems) == 1 and self._is_near(one.stems[0], names)]
        if len(near) == 1:
            return p.Attribute(near[0])
        if {"founded", "built"} & set(names):
            dates = [one for one in own if one.is_date]
            return p.Attribute(dates[0]) if len(dates) == 1 else None
        return None

    def _is_near(self, word: str, names: Sequence[str]) -> bool:
        """Return whether a word is near one of some names: seats are a capacity."""
        return any(tuple(map(stem, WORD.findall(name))) in self.english.near.get(word, ()) for name in names)

    @staticmethod
    def is_upward(comparison: Comparison, measure: p.Attribute) -> bool:
        """Return whether the largest number wins: «oldest» names dates, of which the smallest does, or an age."""
        return comparison.largest != (AGE in measure.source.words and "born" in comparison.names)

    def compared(self, subject: Subject, measure: Measure, bound: Bound) -> SetPlan | None:
        """Return the part of a set whose number compares as a phrase says; None if it cannot be compared so."""
        is_date = measure.is_date(self.place)
        kind = bound.kind
        if bound.relative is not None:
            number = self._relative(subject, measure, bound.relative)
            return None if number is None else p.compared(subject.plan, measure, kind, number)
        if bound.others:
            one = bound._replace(others=(), date=bound.date)
            dates = [one, *(one._replace(date=date) for date in bound.others)]
            parts = tuple(filter(None, (self.compared(subject, measure, date) for date in dates)))
            return p.Either(parts) if len(parts) == len(dates) else None
        factor = self._factor(subject, measure, bound)
        if factor is None:
            return None
        if is_date:
            if bound.date is None and bound.number < _FIRST_YEAR:
                return None
            bound = self._in_year(subject, measure, bound)
            if bound.date is not None and bound.date.start < 1:
                return None  # of several years
            first = bound.date or Date(bound.number, 1.0, f"{bound.number:.0f}")
            last = bound.high if isinstance(bound.high, Date) or bound.high is None else Date(bound.high, 1.0, "")
            if isinstance(bound.high, float):
                last = Date(bound.high, 1.0, f"{bound.high:.0f}")
            return p.dated(subject.plan, measure, kind, first, last)
        if bound.date is not None or isinstance(bound.high, Date):
            return None
        high = np.inf if bound.high is None else bound.high * factor
        return p.compared(subject.plan, measure, kind, bound.number * factor, high)

    def _in_year(self, subject: Subject, measure: Measure, bound: Bound) -> Bound:
        """Return a comparison with a day or month in the only year of the dates of a class, which is an assumption."""
        dates = [one for one in (bound.date, bound.high) if isinstance(one, Date)]
        if not any(one.start < 1 for one in dates):
            return bound
        values = measure.of(self.place, p.Members(subject.name).run(self.place))
        years = np.unique(np.floor(values[~np.isnan(values)]))
        if len(years) != 1:
            return bound
        year = int(years[0])
        said = f"the year is not said; all dates of {measure.text(self.place)} are of {year}"
        self.resolver.assumptions[measure] = said
        first, last = (
            one._replace(start=one.start + year, text=f"{one.text} {year}")
            if isinstance(one, Date) and one.start < 1
            else one
            for one in (bound.date, bound.high)
        )
        return bound._replace(date=first if isinstance(first, Date) else None, high=last)

    def _factor(self, subject: Subject, measure: Measure, bound: Bound) -> float | None:
        """Return how many of the unit of a number the unit of an amount is; None where the graph does not tell.

        A number without a unit is compared as it is, which is an assumption, if the amount is one as it has.
        """
        name, unit = measure.text(self.place), measure.unit(self.place)
        if not bound.unit or bound.unit == "k":  # read as thousands
            numbers = measure.of(self.place, p.Members(subject.name).run(self.place))
            return 1.0 / scale_said(name, bound.number, numbers, in_full=bound.unit == "k")
        if bound.unit in self.english.currencies:
            is_own = self.english.currencies[bound.unit] == currency_in(self.english, name, unit)
            return 1.0 / scale_in(name) if is_own else None  # other rules read money in general
        known = 1.0 if bound.unit == unit else factor_in(self.place.graph, name, bound.unit, unit)
        if known is not None or stem(bound.unit) in {stem(unit) for unit in self.english.units}:
            return known or 1.0
        if any(stem(bound.unit) in (word, word.rstrip("s")) for word in stems(spaced(name))):
            return 1.0
        numbers = measure.of(self.place, p.Members(subject.name).run(self.place))
        wide = _WIDE if set(names_of_unit(bound.unit)) & set(spaced(name).lower().split()) else 1.0
        if not np.nanmin(numbers) / wide <= bound.number <= np.nanmax(numbers) * wide:
            return None
        said = f"{bound.unit!r} is not in this graph; {name} is compared as it is"
        self.resolver.assumptions[measure] = said
        return 1.0

    def _relative(self, subject: Subject, measure: Measure, other: int | str) -> float | None:
        """Return the number that «the average», or an entity, has."""
        if isinstance(other, int):
            (number,) = measure.of(self.place, np.array([other], dtype=np.int64))
            return None if np.isnan(number) else float(number)
        numbers = measure.of(self.place, p.Members(subject.name).run(self.place))
        return None if np.isnan(numbers).all() else float(np.nanmean(numbers))

    def in_time(self, subject: Subject, source: Source, bound: Bound) -> SetPlan | None:
        """Return the part of a set whose date lies in a stretch of time; None if it is no date."""
        return self.compared(subject, p.Attribute(source), bound._replace(names=())) if source.is_date else None

    def dates_of(self, name: str) -> list[Source]:
        """Return the dates of a class."""
        return [one for one in self.own_sources(name) if one.is_date]

    def dates_named(self, verbs: Set[str], name: str) -> list[Source]:
        """Return the dates of a class that a verb speaks of: those of its own name if there are any."""
        own = self.dates_of(name)
        exact = [one for one in own if verbs & set(one.stems)] or [
            one for one in own if any(w.startswith(v) for w in one.stems for v in verbs if len(v) >= _LONG_VERB)
        ]
        near = [one for one in own if any(self.english.is_among(verb, self.resolver.words_of(one)) for verb in verbs)]
        begun = [] if exact else begins_or_ends(verbs, own)
        for one in begun:
            self.resolver.told_if_pair(p.Attribute(one), one)
        return exact or begun or near

    def age_of(self, subject: Subject) -> p.Attribute | None:
        """Return the age of people: «workers over 50»."""
        own = [one for one in self.own_sources(subject.name) if one.stems == (AGE,)]
        is_people = forms.kind_of(spaced(subject.name).lower()) == forms.PERSON
        return p.Attribute(own[0]) if own and is_people else None
