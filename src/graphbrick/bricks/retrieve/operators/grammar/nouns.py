"""Noun phrases: «the three oldest pilots of e0», «parts that are out of stock», «neither e0 nor e1»."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    NO,
    SOME,
    Group,
    Quantity,
    Reading,
    Subject,
    joined,
    linked,
)
from graphbrick.bricks.retrieve.operators.grammar.roles import Roles
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.properties.selections import Where
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.language import forms
from graphbrick.language.stems import is_plural, spaced, stem
from graphbrick.patterns.properties.sources import Source, words_of_values
from graphbrick.patterns.properties.terms import Term

_ARTICLES = frozenset("the a an some any those these this that all different distinct".split())
_NOBODY = frozenset("nobody nothing none".split())
_ANYBODY = frozenset("anybody anyone anything somebody someone something everybody everyone everything".split())
_QUANTITIES = {
    "no": NO, "zero": NO, "not any": NO, "none of the": NO, "only": Quantity("only"), "nothing but": Quantity("only"),
    "all": Quantity("all"), "every": Quantity("all"), "each": Quantity("all"), "all the": Quantity("all"),
    "several": Quantity("least", 2), "multiple": Quantity("least", 2), "a few": Quantity("least", 2),
    "at least one": SOME, "one or more": SOME, "any of the": SOME,
}  # fmt: skip
_LONGEST = 3  # words of the name of a class
_PREFIXES = ("un", "non-", "non", "in")
_HOLDERS = frozenset("winner winners holder holders laureate laureates owners".split())
_ALL_OF = frozenset(("all three of", "all four of", "all two of", "both of", "all of", "each of"))


class Values(NamedTuple):
    """Values of properties side by side.

    Attributes:
        terms: Each with whether it is negated.
        is_or: Whether «or» joins them.
    """

    terms: tuple[tuple[Term, bool], ...]
    is_or: bool = False


class Nouns(Roles):
    """A reader of noun phrases."""

    @abstractmethod
    def best(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield the noun phrases with a superlative that begin at a place."""

    @abstractmethod
    def modified(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield what the words after a noun select of its entities, with the places after them."""

    def group(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield the readings of a noun phrase with its quantity, such as «at least two Boeing planes»."""
        self.tokens.begin_phrase()
        yield from self._pronoun(at)
        yield from self._names(at)
        yield from self._both_values(at)
        for quantity, place in self._quantity(at):
            for subject, end in self.noun(place, bare=True):
                yield Group(subject.plan, (subject.name,), quantity), end

    def _pronoun(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield «nobody», «anything», «no one»."""
        tokens, every = self.tokens, p.Listed(())
        if tokens.is_one_of(at, _NOBODY):
            yield Group(every, (), NO, is_any=True), at + 1
        if tokens.is_one_of(at, _ANYBODY):
            yield Group(every, (), SOME, is_any=True), at + 1
        if tokens.word(at + 1) == "one" and tokens.word(at) in ("no", "any", "some"):
            yield Group(every, (), NO if tokens.word(at) == "no" else SOME, is_any=True), at + 2

    def _names(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield «e0», «e0 and e1», «either e0 or e1», «neither e0 nor e1»."""
        tokens = self.tokens
        word = tokens.word(at)
        start = at + 1 if word in ("both", "either", "neither", "only", "the", "also") else at
        kind = self.class_at(start, start + 1) if tokens.entity(start + 1) is not None else ""
        start += bool(kind) and tokens.entity(start + 1) in self.lexicon.classes[kind]  # «route e0»
        said = next((size for size in (3, 2) if tokens.joined(at, at + size) in _ALL_OF), 0)
        start = at + said if said else start
        entities, end, joint = list[int](), start, ""
        while (entity := tokens.entity(end)) is not None:
            entities.append(entity)
            end += 1
            name = self.class_at(end, end + 1) if end < len(tokens) else ""
            if name and entity in self.lexicon.classes[name]:
                end += 1  # «the e0 series»
            after = tokens.past(end, (",",))
            if tokens.word(after) in ("and", "or", "nor") and tokens.entity(after + 1) is not None:
                joint, end = tokens.word(after), after + 1
            elif after > end and tokens.entity(after) is not None:
                end = after
        if not entities:
            return
        ends = p.Listed(tuple(entities))
        parts = tuple(p.Listed((entity,)) for entity in entities)
        quantity = SOME
        if word == "neither":
            quantity = NO
        elif word == "only":
            quantity = Quantity("only")
        elif len(entities) > 1 and (word == "both" or joint == "and" or said):
            quantity = Quantity("both")
        classes = self.links.classes_of(ends.run(self.place))
        yield Group(ends, classes, quantity, parts=parts, alike=self._alike(entities)), end

    def _both_values(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield «(have) asthma and diabetes», values that stand for things: each of them is meant.

        «Electricians and welders» are any of these, and so are «Boeing and Airbus planes».
        """
        tokens = self.tokens
        for values, end in self.values(at + (tokens.word(at) == "both")):
            kinds = {source for term, _ in values.terms for source in term.sources}
            is_joint = len(values.terms) > 1 and not values.is_or and not any(negated for _, negated in values.terms)
            if not is_joint or is_plural(tokens.word(end - 1)) or next(self._head(end), None) is not None:
                continue
            for name in self.links.joins:
                every = Subject(p.Members(name), name)
                if len(kinds & set(self.own_sources(name))) == 1:
                    parts = tuple(next(self.with_values(every, Values((term,)))) for term in values.terms)
                    yield Group(p.Either(parts), (name,), Quantity("both"), parts=parts), end

    def _alike(self, entities: list[int]) -> SetPlan:
        """Return some entities with the others of their types that have their names."""
        types = self.place.graph.types
        return p.Listed(
            tuple(
                other
                for entity in entities
                for other in (entity, *self.parser.schema.namesakes(entity))
                if set(types(entity)) & set(types(other))
            )
        )

    def _quantity(self, at: int) -> Iterator[tuple[Quantity, int]]:
        """Yield how many a noun phrase speaks of."""
        tokens = self.tokens
        for said, end in tokens.phrase(at, _QUANTITIES):
            yield _QUANTITIES[said], end
        for bound, end in self.bound(at):
            if bound.date is None and bound.high is None and bound.relative is None and not bound.names:
                is_unit = bound.unit and bound.unit == tokens.word(end - 1)  # «five people», of a class of that name
                if is_unit or not bound.unit:
                    yield Quantity(bound.kind, bound.number), end - 1 if is_unit else end
        if tokens.word(at) == "neither":
            yield NO, at + 1
        yield SOME, tokens.past(at, _ARTICLES)

    def noun(self, at: int, *, bare: bool = False) -> Iterator[tuple[Subject, int]]:
        """Yield the readings of a noun phrase without its quantity, longest first.

        Args:
            at: The place after the article.
            bare: Whether superlatives are part of it: «newest plane».
        """
        at = self.tokens.past(at, _ARTICLES)
        if bare:
            yield from self.best(at)
        for subject, end in self.with_adjectives(at):
            yield from self.with_modifiers(subject, end)

    def with_modifiers(self, subject: Subject, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield what further words select of the entities of a noun, then the noun alone."""
        for plan, end in self.modified(at, subject):
            yield from self.with_modifiers(Subject(plan, subject.name), end)
        yield subject, at

    def with_adjectives(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield «married pilots», «Boeing and Airbus planes», «high severity faults», or a noun alone."""
        tokens = self.tokens
        for subject, end in self._head(at):
            yield subject, end
        for values, place in self.values(at):
            for subject, end in self.with_adjectives(place):
                for plan in self.with_values(subject, values):
                    yield Subject(plan, subject.name), end
        entity = tokens.entity(at)
        if entity is not None:  # «e0 pilots»
            ends = p.Listed((entity,))
            own = self.links.classes_of(ends.run(self.place))
            named = (
                tokens.word(at + 1).endswith("'s") and self.class_at(at + 1, at + 2) in own
            )  # «e0 department's courses»
            for subject, end in self.with_adjectives(at + 2 if named else at + 1):
                links = self.links.plain(subject.name, own, "")
                for link in links:
                    yield Subject(joined(subject, link, ends), subject.name), end
                for values in () if links else self._values_called(self.place.graph.label(entity)):
                    for plan in self.with_values(subject, values):
                        yield Subject(plan, subject.name), end

    def _values_called(self, label: str) -> Iterator[Values]:
        """Yield the values that have the name of an entity: «Economics students» of a programme."""
        terms = self.tokens.values_in(label.lower())
        if len(terms) == 1 and terms[0].start == 0 and terms[0].end == len(label):
            yield Values(((terms[0], False),))

    def values(self, at: int) -> Iterator[tuple[Values, int]]:
        """Yield values side by side, each with whether it is negated: «married», «unmarried», «Boeing or Airbus»."""
        tokens = self.tokens
        is_not = tokens.is_one_of(at, ("not", "non", "non-"))
        place = at + 1 if is_not else at
        found = tokens.term(place) or self._prefixed(place)
        if found is None:
            return
        term, end = found
        negated = is_not or tokens.term(place) is None or tokens.is_prefixed(place)
        after = tokens.past(end, (",",))
        if tokens.word(after) in ("and", "or", "nor"):
            for others, last in self.values(after + 1):
                yield others._replace(terms=((term, negated), *others.terms), is_or=tokens.word(after) != "and"), last
        yield Values(((term, negated),)), end

    def _prefixed(self, at: int) -> tuple[Term, int] | None:
        """Return the value of «unmarried», «unheated», where a property says «married»."""
        word = self.tokens.word(at)
        for prefix in _PREFIXES:
            if not word.startswith(prefix) or len(word) < len(prefix) + 4:
                continue
            terms = self.tokens.values_in(word.removeprefix(prefix).lstrip("-"))
            if len(terms) == 1 and terms[0].start == 0 and terms[0].sources[0].kind == Kind.BOOLEAN:
                return terms[0], at + 1
        return None

    def with_values(self, subject: Subject, values: Values) -> Iterator[SetPlan]:
        """Yield the part of a set that has some values of its own properties: one of those of one property."""
        yield from (one.plan for one in self.valued(subject, values, 0))

    def valued(self, subject: Subject, values: Values, end: int) -> Iterator[Reading]:
        """Yield the reading that a set has some values: one of those of one property, or all of several."""
        parts, known = list[SetPlan](), list[Source]()
        shared = frozenset[Source].intersection(*(frozenset(term.sources) for term, _ in values.terms))
        for term, negated in values.terms:
            sources = tuple(one for one in term.sources if self.has(subject, one))
            if not sources:
                return
            inside = Reading(Where(subject.plan, sources, term.value), end, known=sources[:1])
            parts += [one.plan for one in (self.denied(subject, [inside]) if negated else [inside])]
            known.append(sources[0])
        both = p.Either if shared or values.is_or else p.Both
        yield Reading(both(tuple(parts)) if parts[1:] else parts[0], end, known=tuple(dict.fromkeys(known)))

    def has(self, subject: Subject, source: Source) -> bool:
        """Return whether members of a class have a property."""
        return source in self.own_sources(subject.name)

    def denied(self, subject: Subject, readings: Iterable[Reading]) -> Iterator[Reading]:
        """Yield the part of a set of which what was read is not so, where «not» has a clear meaning."""
        for one in readings:
            if one.can_be_denied:
                inside, base = one.wide or one.plan, subject
                for source in one.known:
                    base = base._replace(plan=self._knowing(base, source, inside))
                plan = p.opposite(inside) or p.Without(base.plan, inside)
                yield one._replace(plan=plan, wide=None, known=())

    def denied_if(self, subject: Subject, readings: Iterable[Reading], *, negated: bool) -> Iterable[Reading]:
        """Return what was read, or where a «not» stood before it, its denial."""
        return self.denied(subject, readings) if negated else readings

    def _knowing(self, subject: Subject, source: Source, inside: SetPlan) -> SetPlan:
        """Return the part of a set of which a property is known, if some have it that are not in another set."""
        known = p.Both((p.Members(subject.name), self.resolver.holding(source)))
        others, members = p.Without(known, inside).run(self.place), self.lexicon.classes[subject.name]
        if len(known.run(self.place)) == len(members) or not len(others):
            return subject.plan
        return p.Both((subject.plan, self.resolver.holding(source)))

    def with_some(self, subject: Subject, source: Source, *, none: bool) -> SetPlan:
        """Return the part of a set with a property, or without: of numbers, those with 0 if there are any."""
        if source.kind == Kind.BOOLEAN:
            yes = Where(subject.plan, (source,), True)
            return p.Without(self._knowing(subject, source, yes), yes) if none else yes
        known: SetPlan = p.Both((subject.plan, self.resolver.holding(source)))
        if source.literal is None or source.is_date:
            return p.Without(subject.plan, known) if none else known
        zero = p.compared(p.Members(subject.name), p.Attribute(source), "exactly", 0)
        has = p.Without(known, zero) if len(zero.run(self.place)) else known
        return p.Without(subject.plan, has) if none else has

    def _head(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield the sets that the noun at a place names: a class, all with a value, a role, the ends of a relation."""
        tokens = self.tokens
        for end in range(min(at + _LONGEST, len(tokens)), at, -1):
            name = self.class_at(at, end)
            is_verb = tokens.word(end - 1).endswith("ed") and not name.lower().endswith("ed")  # «(who) ordered in 2014»
            if name and name in self.links.joins and not is_verb:
                if tokens.is_one_of(end, ("member", "members")):  # «staff members»
                    yield Subject(p.Members(name), name), end + 1
                yield Subject(p.Members(name), name), end
        yield from self._by_value(at)
        yield from self.roles(at)
        yield from self._by_kind(at)
        for name in self.links.joins:
            for source, end in self.sources(at, Subject(p.Members(name), name)):
                end = tokens.past(end, ("prize",))
                if tokens.word(end) in _HOLDERS:
                    every = Subject(p.Members(name), name)
                    yield Subject(self.with_some(every, source, none=False), name), end + 1
        for end in range(min(at + 2, len(tokens)), at, -1):
            for start, link in self.links.called(tokens.stems(at, end)):
                if not tokens.is_one_of(end, ("of",)):
                    ends = joined(
                        Subject(link.everything(), link.end),
                        link.back(start),
                        p.Members(start),
                    )
                    yield Subject(ends, link.end), end
                    continue
                for group, last in self.group(end + 1):  # «the trainer of e0»
                    if start in group.classes and group.quantity.kind in ("some", "both"):
                        every = Subject(link.everything(), link.end)
                        for one in linked(self.place, every, link.back(start), group):
                            yield Subject(one.plan, link.end), last

    def _by_kind(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield what one relation joins to an entity with a plural as its name: «transition metals», «beverages»."""
        tokens = self.tokens
        is_said = tokens.word(at) in ("members", "entries") and tokens.word(at + 1) == "of"
        start = tokens.past(at + 2, ("the",)) if is_said else at
        entity = tokens.entity(start)
        last = "" if entity is None else self.place.graph.label(entity).lower().split()[-1]
        if entity is None or not (is_said or (is_plural(last) and not last.endswith("ics"))):
            return
        ends = p.Listed((entity,))
        own = self.links.classes_of(ends.run(self.place))[:1]
        if own and not is_said and self.links.is_place(own[0]):
            return  # the «United States» are no kind of something
        kinds = [(name, link) for name in self.links.joins for link in self.links.plain(name, own, "in")]
        if len(kinds) == 1 and kinds[0][0] not in own:
            if not is_said and forms.kind_of(spaced(kinds[0][0]).lower()) == forms.PERSON:
                return  # people in «North Sales» are no kind of people
            (name, link) = kinds[0]
            end = start + 1
            after = self.class_at(end, end + 1) if end < len(tokens) else ""
            if after in own and not is_said:
                return  # «the Transition group» is the group
            end += bool(after) and (after in own or after == name)  # «of the Group 10 elements»
            yield Subject(joined(Subject(p.Members(name), name), link, ends), name), end

    def class_at(self, at: int, end: int) -> str:
        """Return the class that the words between two places name; "" for none."""
        name = self.lexicon.class_named(self.tokens.stems(at, end))
        if name or end - at > 1:
            return name
        word = self.tokens.stems(at, end)[0]
        near = map(self.lexicon.class_named, self.tokens.english.near.get(word, ()))
        found = next(filter(None, near), "") if word in self.tokens.english.class_words else ""
        return found or self.links.class_ending_in(at)

    def values_said_as(self, verbs: Set[str]) -> Iterator[Values]:
        """Yield the values of one word that a verb may say: «leak» for «leaked»."""
        graph = self.place.graph
        by_verb = current_session().get(("values as verbs", graph.place, graph.hash), self._by_verb, at_most=8)
        for word in sorted({word for verb in verbs for word in by_verb.get(verb, ())}):
            terms = self.tokens.values_in(word)
            if len(terms) == 1 and terms[0].start == 0 and terms[0].end == len(word):
                yield Values(((terms[0], False),))

    def _by_verb(self) -> dict[str, list[str]]:
        """Return the words of values by the stems of verbs that they are forms of."""
        found: dict[str, list[str]] = {}
        for word in words_of_values(self.place.graph):
            verb = forms.verb_of(word) if word.isalpha() and forms.is_installed() else ""
            for one in {stem(word), stem(verb)} if verb else ():
                found.setdefault(one, []).append(word)
        return found

    def _by_value(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield all that have a value that stands for them: «electricians», «a leak», «Boeings»."""
        for values, end in self.values(at):
            if any(negated or term.value is True for term, negated in values.terms):
                continue
            sources = {source for term, _ in values.terms for source in term.sources}
            for name in self.links.joins:
                subject = Subject(p.Members(name), name)
                if any(self.has(subject, source) for source in sources):
                    for plan in self.with_values(subject, values):
                        yield Subject(plan, name), end
