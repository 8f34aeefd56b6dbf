"""Roles and numbers that stand at triples: «captains of e0», «as a captain», «since 2021», «in a quantity of 3»."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.dates import Date, of_year
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject, joined
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.numbers import Bound, Numbers
from graphbrick.bricks.retrieve.operators.grammar.small_words import QUANTITIES
from graphbrick.bricks.retrieve.operators.measures import span_of
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty, triple_properties
from graphbrick.bricks.retrieve.operators.triples.edges import Condition, During, Edges, Holds, Measures, Said
from graphbrick.bricks.retrieve.operators.triples.plans import Ends
from graphbrick.core.deferred import cached_property
from graphbrick.core.properties.values import Kind
from graphbrick.language import forms
from graphbrick.language.stems import Stems, possible_singulars, spaced, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.patterns.english import senses
from graphbrick.patterns.lexicon import SMALL

_FEW, _LONGEST = 100, 4  # different texts of a property; words of a role
_OR_MORE = frozenset(("or more", "and more"))
_ROLE = frozenset(("as", "in", "with"))
_EVENTS = frozenset(
    map(
        stem,
        "register join enrol enroll sign hire appoint admit start begin add buy acquire elect order purchase book "
        "borrow award win create publish release open adopt recruit".split(),
    )
)
"""Stems of verbs of what is done at once, so that a date of its beginning is that of it."""


class Roles(Numbers):
    """A reader of the properties of triples."""

    @cached_property
    def of_triples(self) -> tuple[TripleProperty, ...]:
        """The properties of triples."""
        return triple_properties(self.place.graph)

    @cached_property
    def texts(self) -> dict[Stems, tuple[TripleProperty, str]]:
        """The few texts of properties of triples by their stems."""
        texts = dict[Stems, tuple[TripleProperty, str]]()
        named = {one.name: one for one in self.of_triples if one.kind == Kind.TEXT}
        for column in self.place.graph.columns:
            if column.of_triples and column.name in named:
                for text in column.few_texts(_FEW):
                    texts[tuple(text.lower().split())] = texts[stems(text)] = (named[column.name], text)
        return texts

    def text_of_triples(self, at: int) -> Iterator[tuple[TripleProperty, str, int]]:
        """Yield the text of triples that begins at a place, in the singular or plural."""
        tokens = self.tokens
        yield from self._named_text(at)
        for end in range(min(at + _LONGEST, len(tokens)), at, -1):
            last = tokens.word(end - 1)
            if end == at + 1 and last in FUNCTION_WORDS:
                continue  # «in series 9» has no result IN
            head, mark, rest = last.partition("-")  # «runners-up»
            singulars = (f"{one}-{rest}" for one in possible_singulars(head)) if mark else possible_singulars(last)
            ways = ((*tokens.stems(at, end - 1), *stems(form)) for form in (last, *singulars))
            for way in (*ways, tuple(tokens.words[at:end])):
                found = self.texts.get(way)
                if found is not None:
                    after = end + len(found[0].stems)
                    is_named = tokens.stems(end, after) == found[0].stems  # «the -ms- prefix»
                    yield from ((*found, place) for place in ((after, end) if is_named else (end,)))
                    break

    def _named_text(self, at: int) -> Iterator[tuple[TripleProperty, str, int]]:
        """Yield the text of triples after the name of its property: «version 26»."""
        tokens, columns = self.tokens, [one for one in getattr(self.place.graph, "columns", ()) if one.of_triples]
        for one in self.of_triples:
            start = at + len(one.stems)
            if one.kind != Kind.TEXT or tokens.stems(at, start) != one.stems:
                continue
            for end in range(min(start + _LONGEST, len(tokens)), start, -1):
                text = tokens.joined(start, end)
                if any(column.name == one.name and len(column.named(text)) for column in columns):
                    yield one, text, end
                    break

    def roles(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield all that have a role at a triple: «captains», «first officers of e0»."""
        tokens = self.tokens
        for one, text, end in self.text_of_triples(at):
            for relation in sorted(one.relations):
                label = set(self.links.labels[relation])
                if set(tokens.stems(end, end + 1)) & (label - SMALL) or set(stems(text)) <= label:
                    continue  # «pending reviews» are no customers; all of `MEMBER_OF` are members
                condition = Said(one.name, text)
                for start, joins in self.links.joins.items():
                    if not any(join.relation == relation and join.forward for join in joins):
                        continue
                    if tokens.word(end) in ("of", "at", "for", "in", "with", "from"):
                        place = tokens.past(end + 1, ("the",))
                        entity = tokens.entity(place)
                        tails = None if entity is None else self._tails(start, relation, p.Listed((entity,)))
                        if tails is not None:
                            yield (
                                Subject(Ends(Edges(relation, None, tails, (condition,)), heads=True), start),
                                place + 1,
                            )
                    yield Subject(Ends(Edges(relation, None, None, (condition,)), heads=True), start), end

    def _tails(self, start: str, relation: int, ends: p.Listed) -> SetPlan | None:
        """Return an entity where a relation leads to its class, else what the one further relation joins to it.

        Who was out in a series was so in an episode of it.
        """
        own = self.links.classes_of(ends.run(self.place))
        names = {join.end for join in self.links.joins[start] if join.relation == relation and join.forward}
        if names.intersection(own):
            return ends
        further = [(name, link) for name in sorted(names) for link in self.links.plain(name, own, "of")]
        if len(further) != 1:
            return None
        ((name, link),) = further
        return joined(Subject(p.Members(name), name), link, ends)

    def conditions(self, at: int, link: Link) -> Iterator[tuple[tuple[Condition, ...], int]]:
        """Yield the conditions on the triples of a link that begin at a place, the most first; then none."""
        if len(link.steps) == 1:
            for condition, end in self._condition(at, link.steps[0][0]):
                for others, last in self.conditions(end, link):
                    yield (condition, *others), last
        yield (), at

    def _condition(self, at: int, relation: int) -> Iterator[tuple[Condition, int]]:
        """Yield «since 2021», «as a captain», «in a quantity of more than 3», «for more than 1000»."""
        tokens = self.tokens
        own = [one for one in self.of_triples if relation in one.relations]
        for bound, end in self.moment(at):
            is_since = bound.kind == "least" and tokens.word(at) == "since" and self._begins(relation)
            if is_since and self._is_event(relation):
                yield from self._since(relation, bound, end)
                continue  # «registered since 2021» was done then or later
            if is_since:
                bound = bound._replace(kind="exactly")  # «has flown it since 2021» began then
                yield from self._since(relation, bound, end)
                continue
            condition = self.during(relation, bound) if bound.relative is None else None
            is_open = condition is not None and not condition.until and bound.kind == "exactly"
            if is_open and self._begins(relation) and not self._is_event(relation):
                continue  # what began before may have gone on
            if condition is not None:
                yield condition, end
        if tokens.word(at) in _ROLE:
            start = tokens.past(at + 1, ("a", "an", "the", "role", "of"))
            for one, text, end in self.text_of_triples(start):
                if relation in one.relations:
                    yield Said(one.name, text), end
        yield from self._state(at, own, relation)
        start = tokens.past(at, ("in", "with", "a", "an", "the", "for"))
        yield from self._any_of(at, own)
        for one in own:
            size = len(one.stems)
            if not one.is_number:
                continue
            if start > at and tokens.stems(start, start + size) == one.stems:
                for bound, end in self.bound(tokens.past(start + size, ("of",))):
                    yield from self.number_at(one, bound, end)
            for bound, end in self.bound(start):
                if tokens.stems(end, end + size) == one.stems:
                    yield from self.number_at(one, bound, end + size)

    def _any_of(self, at: int, own: Sequence[TripleProperty]) -> Iterator[tuple[Condition, int]]:
        """Yield «with a discount», which is above zero, «without any discount»."""
        tokens = self.tokens
        if not tokens.is_one_of(at, ("with", "without", "at")):
            return
        start = tokens.past(at + 1, ("a", "an", "any", "some", "no"))
        none = tokens.word(at) == "without" or "no" in tokens.words[at + 1 : start]
        for one in own:
            end = start + len(one.stems)
            goes_on = tokens.is_one_of(end, ("of", "over", "above", "under", "below", "between", "at"))
            is_told = start > at + 1 or none
            if one.is_number and is_told and tokens.stems(start, end) == one.stems and not goes_on:
                yield Measures(one.name, 0.0, 0.0 if none else np.inf, includes=none), end

    def quantity_of(self, relation: int) -> TripleProperty | None:
        """Return the one number of the triples of a relation that says how many there are of something."""
        counts = [one for one in self.of_triples if relation in one.relations and one.is_number]
        counts = [one for one in counts if one.words <= QUANTITIES - {stem("amount")}]
        return counts[0] if len(counts) == 1 else None

    def _state(self, at: int, own: list[TripleProperty], relation: int) -> Iterator[tuple[Condition, int]]:
        """Yield «(implements) only partially», where `partial_implementation` of the triples is true."""
        start = self.tokens.past(at, ("only", "just"))
        word, label = self.tokens.word(start), self.links.labels[relation]
        said = stem(word.removesuffix("ly")) if word.endswith("ly") else ""
        for one in own if said else ():
            rest = one.stems[1:]
            is_of_verb = all(noun.startswith(verb) for noun in rest for verb in label[:1])
            if one.kind == Kind.BOOLEAN and one.stems[0] == said and is_of_verb:
                yield Holds(one.name), start + 1

    def _is_event(self, relation: int) -> bool:
        """Return whether a relation says by its label that something was done at once: `REGISTERED_AT`, `JOINED`."""
        return not _EVENTS.isdisjoint(self.links.labels[relation])

    def _since(self, relation: int, bound: Bound, end: int) -> Iterator[tuple[Condition, int]]:
        condition = self.during(relation, bound) if bound.relative is None else None
        if condition is not None:
            yield replace(condition, until=""), end

    def number_at(self, one: TripleProperty, bound: Bound, end: int) -> Iterator[tuple[Condition, int]]:
        """Yield the condition that a number of triples compares as a phrase says, with a place."""
        is_own_unit = not bound.unit or stem(bound.unit) in one.stems
        if bound.date is None and bound.relative is None and not bound.names and is_own_unit:
            low, high = {
                "over": (bound.number, np.inf), "least": (bound.number, np.inf), "under": (-np.inf, bound.number),
                "most": (-np.inf, bound.number), "exactly": (bound.number, bound.number),
                "between": (bound.number, float(bound.high) if isinstance(bound.high, float) else bound.number),
            }[bound.kind]  # fmt: skip
            yield Measures(one.name, low, high, includes=bound.kind not in ("over", "under")), end

    def amount_of_named(self, at: int) -> Iterator[tuple[Condition, int, int, int]]:
        """Yield «at least three e0», «six e0 outputs or more», where a number of triples says how many.

        Yields:
            The condition, the relation of its triples, the entity, and the place after the phrase.
        """
        tokens = self.tokens
        for bound, end in self.bound(at):
            start = tokens.past(end, ("units", "pieces", "of", "the"))
            entity = tokens.entity(start)
            if entity is None or bound.unit:
                continue
            for one in self.of_triples:
                if not one.is_number or QUANTITIES.isdisjoint(one.words):
                    continue
                for relation in one.relations:
                    nouns = {*self.links.labels[relation], *stems(spaced(" ".join(self.place.graph.types(entity))))}
                    word = tokens.word(start + 1)
                    same = senses.near_nouns(forms.singular(word)) if word.isalpha() else frozenset[str]()
                    last = start + 1 + (not nouns.isdisjoint(map(stem, (word, *same))))
                    is_more = bound.kind == "exactly" and tokens.joined(last, last + 2) in _OR_MORE
                    size = bound._replace(kind="least") if is_more else bound
                    for condition, after in self.number_at(one, size, last + 2 * is_more):
                        yield condition, relation, entity, after

    def during(self, relation: int, bound: Bound) -> During | None:
        """Return the condition that triples of a relation are of a time; None if they have no one date."""
        times = [one for one in self.of_triples if one.is_time and relation in one.relations]
        begins, ends = [one for one in times if one.is_begin], [one for one in times if one.is_end]
        if bound.date is not None and bound.date.start < 1:
            return None  # a day without a year
        first = bound.date or of_year(bound.number)
        last = bound.high if isinstance(bound.high, Date) or bound.high is None else of_year(bound.high)
        span = span_of(bound.kind, first, last)
        if len(times) == 1:
            return During(times[0].name, span)
        if len(begins) == len(ends) == 1 and len(times) == 2:
            return During(begins[0].name, span, "" if bound.kind in ("under", "over") else ends[0].name)
        return None

    def _begins(self, relation: int) -> bool:
        """Return whether the date of the triples of a relation says when something began."""
        return any(one.is_begin for one in self.of_triples if relation in one.relations)

    def begin_of(self, relation: int) -> TripleProperty | None:
        """Return the one date of the triples of a relation that says when something began."""
        times = [one for one in self.of_triples if one.is_time and relation in one.relations and not one.is_end]
        return times[0] if len(times) == 1 else None
