"""What something is or has: «is running», «is in e0», «has more than 100 seats», «has no boss»."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    ANYTHING,
    Group,
    Reading,
    Subject,
    is_countable,
    joined,
    linked,
)
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn
from graphbrick.bricks.retrieve.operators.grammar.numbers import Bound
from graphbrick.bricks.retrieve.operators.grammar.places.distances import Distances
from graphbrick.bricks.retrieve.operators.grammar.small_words import (
    AUXILIARIES,
    DATE_NOUNS,
    LIGHT,
    MADE,
    PLACED,
    THEIR,
    UNKNOWN,
    VALUES,
    WITH,
)
from graphbrick.bricks.retrieve.operators.properties.selections import Named, Where
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.triples.edges import Condition, Said
from graphbrick.core.properties.values import Kind
from graphbrick.language.stems import is_plural
from graphbrick.patterns.properties.sources import value_of


class States(Distances):
    """A reader of what follows «is» and «has»."""

    def _is(self, at: int, subject: Subject, *, negated: bool) -> Iterator[Reading]:
        """Yield what follows «is» or «is not»."""
        yield from self.denied_if(subject, self._complement(at, subject), negated=negated)
        people = set(self.links.people()) if negated else set[str]()
        for inner, end in self.noun(self.tokens.past(at, ("a", "an", "the", "any")), bare=True) if negated else ():
            if inner.name != subject.name and {inner.name, subject.name} <= people:  # «people who are no captains»
                yield Reading(p.Without(subject.plan, inner.plan), end)

    def _complement(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield what follows «is»: values, comparisons, nouns, places."""
        tokens = self.tokens
        if tokens.is_one_of(at, ("neither",)):
            return
        for values, end in self.values(at):
            yield from self.valued(subject, values, end)
        yield from self._as_big(at, subject)
        yield from self.at_distance(at, subject)
        if tokens.word(at) == "worth":
            yield from self._by_number(at, subject)
        yield from self._superlative(at, subject)
        yield from self._dated_superlative(at, subject)
        for inner, end in self.noun(tokens.past(at, ("a", "an", "the", "any")), bare=True):
            if inner.name == subject.name:
                yield Reading(p.Both((subject.plan, inner.plan)), end)
        yield from self._placed(at, subject)
        if tokens.joined(at, at + 2) == "out of":
            for source, end in self.sources(at + 2, subject):
                known = (source,) if source.kind == Kind.BOOLEAN else ()
                yield Reading(self.with_some(subject, source, none=True), end, known=known)
        if tokens.is_one_of(at, WITH):
            yield from self._with(at, subject)

    def _with(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «with a garage», «without a boss», «having no seats»."""
        having = chain(self._named(at + 1, subject), self._having(at + 1, subject))
        yield from self._without(subject, having) if self.tokens.word(at) == "without" else having

    def _without(self, subject: Subject, having: Iterable[Reading]) -> Iterator[Reading]:
        """Yield «without a boss», «without a laptop or a phone», first those that leave what tells of the subject."""
        tokens, lacking = self.tokens, list(self.denied(subject, having))
        for one in sorted(lacking, key=lambda one: not self._goes_on(one.end)):
            further = tokens.is_one_of(one.end, ("or", "and", "nor"))
            base = Subject(one.plan, subject.name)
            others = list(self.denied(base, self._having(one.end + 1, base))) if further else []
            yield from (other._replace(link=None, group=None) for other in others)
            yield one._replace(link=None, group=None) if others else one

    def _goes_on(self, at: int) -> bool:
        """Return whether what follows «without a boss» tells of the subject: «who work in e0», «in e0».

        Only one has a boss that works there: «without a boss who works in e0».
        """
        tokens, after = self.tokens, self.tokens.word(at + 1)
        if tokens.word(at) in ("who", "that", "which") and not is_plural(tokens.word(at - 1)):
            return after in ("are", "have", "do", "were") or (
                after not in AUXILIARIES and not after.endswith(("s", "ed")) and tokens.entity(at + 1) is None
            )
        return tokens.word(at) in ("in", "at") and tokens.entity(tokens.past(at + 1, ("the",))) is not None

    def _named(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(stops with) hospital in the name»."""
        tokens = self.tokens
        for end in range(at + 1, len(tokens)):
            last = tokens.past(end + 1, ("the", *THEIR))
            is_of_name = tokens.is_one_of(last, ("name", "names", "title", "titles"))
            if tokens.word(end) == "in" and last > end + 1 and is_of_name:
                begin = tokens.past(at, ("the", "a", "word", "words"))
                yield Reading(Named(subject.plan, self.words_at(begin, end)), last + 1)

    def words_at(self, at: int, end: int) -> str:
        """Return the words between two places, with the names of entities in place of their placeholders."""
        words = []
        for place in range(at, end):
            entity = self.tokens.entity(place)
            words.append(self.tokens.word(place) if entity is None else self.place.graph.label(entity))
        return " ".join(words)

    def _placed(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield a preposition with its object: «in e0», «from Germany», «of the airline with most planes»."""
        tokens = self.tokens
        if tokens.word(at) in MADE and tokens.word(at + 1) in PLACED:
            yield from self._at_value(at + 1, subject)
        if tokens.word(at) in LIGHT and tokens.word(at + 1) in PLACED:
            at += 1
        word = tokens.word(at)
        start = tokens.past(at, ("a", "an", "the"))
        if tokens.word(start) in ("member", "members", "part", "parts") and tokens.word(start + 1) == "of":
            at, word = start + 1, "of"
        if word == "outside":
            at += tokens.word(at + 1) == "of"
            yield from self.denied(subject, self._at(at, subject, "in"))
        elif word in PLACED:
            yield from self._at(at, subject, word)
        elif word == "as":  # «ended as a draw»
            yield from self._at_value(at, subject)

    def _at(self, at: int, subject: Subject, preposition: str) -> Iterator[Reading]:
        """Yield what follows a preposition."""
        tokens = self.tokens
        if tokens.joined(at + 1, at + 3) == "the same":
            yield from self.same_as(at + 1, subject)
        yield from self._at_text(at + 1, subject)
        yield from self._in_their_forties(at, subject)
        yield from self._in_any(at + 1, subject, preposition)
        yield from self._at_value(at, subject)
        for group, end in self.group(at + 1):
            for link in self.links.plain(subject.name, group.classes, preposition):
                yield from linked(self.place, subject, link, group, end)

    def _at_value(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield a value after a preposition: «(written) in Rust»."""
        for values, end in self.values(self.tokens.past(at + 1, ("the", "a", "an"))):
            yield from self.valued(subject, values, end)

    def _having(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield what follows «have» or «with»: properties, numbers of things, superlatives, roles."""
        tokens = self.tokens
        yield from self.having_more(at, subject)
        yield from self.having_amount(at, subject, self.links.merged(self.links.between(subject.name, None)))
        yield from self._having_value(at, subject)
        yield from self._having_records(at, subject)
        yield from self._having_role(at, subject)
        yield from self._having_number(at, subject)
        if tokens.joined(at, at + 2) == "the same":
            yield from self.same_as(at, subject)
        yield from self._having_best(at, subject)
        for quantity, start in self._quantity(at):
            start = tokens.past(start, UNKNOWN) if tokens.word(at) == "no" else start  # «no known allergies»
            for end in range(min(start + 2, len(tokens)), start, -1):
                for link in self.links.by_noun(tokens.stems(start, end), subject.name):
                    base = Subject(link.everything(), link.end)
                    for inner, last in self.with_modifiers(base, end):
                        group = Group(inner.plan, (link.end,), quantity)
                        yield from linked(self.place, subject, link, group, last)
        for group, end in self.group(at):
            for link in self.links.plain(subject.name, group.classes, "have"):
                for conditions, last in self.conditions(end, link):
                    yield from linked(self.place, subject, link, group, last, conditions)

    def having_amount(self, at: int, subject: Subject, links: list[Link]) -> Iterator[Reading]:
        """Yield «(need) at least three e0», where a number of triples says how many, by one of some relations."""
        for condition, relation, entity, end in self.amount_of_named(at):
            for link in links:
                if [step[0] for step in link.steps] == [relation] and link.leads_to(self.place.graph.types(entity)[:1]):
                    group = Group(p.Listed((entity,)), (link.end,))
                    for one in linked(self.place, subject, link, group, end, (condition,)):
                        yield one._replace(can_be_denied=False)

    def _having_value(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «a range over 4000 km», «fewer than 200 seats», «no known salary», «a high severity»."""
        tokens = self.tokens
        none = tokens.word(at) == "no"
        start = tokens.past(at, ("a", "an", "the", "no", "any"))
        yield from self._signed(start, subject)
        start = tokens.past(start, UNKNOWN)
        for source, end in self.sources(start, subject):
            after = tokens.past(end, ("of", "is", "that", "equal", "to"))
            for bound, last in () if none or source.literal is None else self.bound(after):
                yield from self.as_compared(subject, source, bound, last)
            for bound, last in self.moment(tokens.past(end, DATE_NOUNS)) if source.is_date and not none else ():
                yield from self.as_compared(subject, source, bound, last)  # «a due date after 1 May»
            yield from () if none else self.beside_another(after, subject, source)
            if self._is_of_others(end, source.kind == Kind.BOOLEAN, subject):
                continue
            known = (source,) if source.kind == Kind.BOOLEAN else ()
            entry = tokens.past(end, VALUES)  # «no value» is not zero
            is_entry = entry > end or tokens.word(end - 1) in VALUES
            some = self.with_some(subject, source, none=none, is_entry=is_entry)
            yield Reading(some, entry, known=known, can_be_denied=not none)
        for bound, end in self.bound(at):
            for source, last in self.sources(end, subject):
                if source.literal is not None and not source.is_date:
                    for one in self.as_compared(subject, source, bound, last):
                        yield one._replace(end=self.past_own_words(last, source))
        for values, end in self.values(start):
            is_state = values.terms[0][0].value is True
            if self._is_of_others(end, is_state, subject) or self._is_led_to(start, end, subject):
                continue
            having = self.valued(subject, values, end)
            yield from self.denied(subject, having) if none else having

    def _is_of_others(self, end: int, is_state: bool, subject: Subject) -> bool:
        """Return whether a state is that of others: to have subtasks is not to be a subtask."""
        said = self.tokens.stems(end - 1, end)
        return is_state and is_plural(self.tokens.word(end - 1)) and bool(self.links.by_noun(said, subject.name))

    def _is_led_to(self, at: int, end: int, subject: Subject) -> bool:
        """Return whether a word that is a value too names what a relation leads to: «without an epic», of `IN_EPIC`."""
        named = self.links.by_noun(self.tokens.stems(at, end), subject.name) if end == at + 1 else []
        return any(link.steps[0][1] for link in named)

    def _in_any(self, at: int, subject: Subject, preposition: str) -> Iterator[Reading]:
        """Yield «(in) an epic», where a relation such as `IN_EPIC` leads to one."""
        start = self.tokens.past(at, ("a", "an", "any", "some"))
        for link in self.links.by_noun(self.tokens.stems(start, start + 1), subject.name) if start > at else ():
            if preposition in self.links.labels[link.steps[0][0]]:
                yield Reading(joined(subject, link, link.everything()), start + 1)

    def _signed(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(a) negative balance»."""
        if self.tokens.word(at) in ("negative", "positive"):
            kind = "under" if self.tokens.word(at) == "negative" else "over"
            for source, end in self.sources(at + 1, subject):
                if source.literal is not None and not source.is_date:
                    yield from self.as_compared(subject, source, Bound(kind, 0.0), end)

    def _at_text(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «on Monday», «at 08:15», where these stand at triples of the subjects."""
        for one, text, end in self.text_of_triples(self.tokens.past(at, ("a", "an", "the"))):
            yield from self._where_triples(subject, one, Said(one.name, text), end)

    def same_as(self, at: int, subject: Subject) -> Iterator[Reading]:
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
                value = value_of(self.place.graph, source, other)
                if isinstance(value, str | int | float | bool):
                    alike = Where(subject.plan, (source,), value)
                    yield Reading(p.Without(alike, p.Listed((other,))), last, can_be_denied=False)
        for end in range(min(start + 2, len(tokens)), start, -1):
            other, last = self.other(end)
            if other is None:
                continue
            name = self.class_at(start, end)
            links = self.links.by_noun(tokens.stems(start, end), subject.name)
            links += self.links.plain(subject.name, (name,), "in") if name else []
            for link in links:
                ends = Walk(p.Listed((other,)), link.steps, (link.end,))
                same = p.Without(joined(subject, link, ends), p.Listed((other,)))
                yield Reading(same, last, can_be_denied=False)

    def _having_records(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(products with) pending reviews», «a review with a rating of 1», said of triples called reviews."""
        for quantity, start in self._quantity(at):
            texts = [(one.relations, (Said(one.name, text),), end) for one, text, end in self.text_of_triples(start)]
            for relations, before, place in (*texts, (None, (), start)):
                for end in range(min(place + 2, len(self.tokens)), place, -1):
                    for link in self.links.by_records(self.tokens.stems(place, end), subject.name):
                        if len(link.steps) > 1 or (relations is not None and link.steps[0][0] not in relations):
                            continue
                        group = Group(link.everything(), (link.end,), quantity)
                        for after, last in self.conditions(end, link):
                            if before or after:
                                yield from linked(self.place, subject, link, group, last, (*before, *after))

    def _having_role(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(have) an advisor role in some project», where a role stands at triples."""
        tokens = self.tokens
        start = tokens.past(at, ("a", "an", "the"))
        for one, text, end in self.text_of_triples(start):
            if tokens.word(end) not in ("role", "position", "job", "function"):
                continue
            for join in self.links.between(subject.name, None):
                if join.relation not in one.relations:
                    continue
                link, condition = Link(((join.relation, join.forward),), join.end), (Said(one.name, text),)
                yield from linked(self.place, subject, link, ANYTHING, end + 1, condition)
                for group, last in self.group(end + 2) if tokens.is_one_of(end + 1, PLACED) else ():
                    if join.end in group.classes:
                        yield from linked(self.place, subject, link, group, last, condition)

    def _having_number(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(players with) shirt number 10», a number at the triples of the subjects."""
        start = self.tokens.past(at, ("a", "an", "the"))
        for one in self.of_triples:
            end = start + len(one.stems)
            if not one.is_number or self.tokens.stems(start, end) != one.stems:
                continue
            for bound, last in self.bound(self.tokens.past(end, ("of",))):
                for condition, after in self.number_at(one, bound, last):
                    yield from self._where_triples(subject, one, condition, after)

    def _where_triples(
        self, subject: Subject, one: TripleProperty, condition: Condition, end: int
    ) -> Iterator[Reading]:
        """Yield the heads of triples that meet a condition; of works acquired in 2015, no museum was."""
        for join in self.links.between(subject.name, None):
            if join.relation in one.relations and join.forward:
                link = Link(((join.relation, True),), join.end)
                yield from linked(self.place, subject, link, ANYTHING, end, (condition,))

    def _having_best(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «the most planes», «the longest runway», «the highest average salary», «the lowest price»."""
        tokens = self.tokens
        start = tokens.past(at, ("the",))
        for said, end in tokens.phrase(start, self.english.superlatives):
            comparison = self.english.superlatives[said]
            how = self.how_many_combine(end, subject)
            place = end + 1 if how else end
            for source, last in self.sources(place, subject):
                if source.literal is not None and not how:
                    best = p.Best(subject.plan, p.Attribute(source), comparison.largest)
                    for bound, after in self.moment(last):
                        for date in self._plain_dates(subject):
                            inside = self.in_time(subject, date, bound)
                            if inside is not None:
                                yield Reading(replace(best, base=inside), after, can_be_denied=False)
                    yield from self._among(best, subject, last)
            for measure, last in self.over_ends(place, subject, how):
                yield Reading(p.Best(subject.plan, measure, comparison.largest), last, can_be_denied=False)
            if said in ("most", "fewest", "least") and not how:
                for link in self.links.by_noun(tokens.stems(end, end + 1), subject.name):
                    if is_countable(self.place, link):
                        measure = CountIn(link.steps, link.everything())
                        yield Reading(p.Best(subject.plan, measure, comparison.largest), end + 1, can_be_denied=False)
                for inner, last in self.noun(end):
                    for link in self.links_to(subject, inner):
                        if not is_countable(self.place, link):
                            continue
                        measure = CountIn(link.steps, inner.plan)
                        yield Reading(p.Best(subject.plan, measure, comparison.largest), last, can_be_denied=False)
