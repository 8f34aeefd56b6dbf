"""What a noun alone stands for: a class, all with a value, those with a role, the ends of a relation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    Group,
    Subject,
    joined,
    linked,
)
from graphbrick.bricks.retrieve.operators.grammar.nouns.values import OfValues
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.properties.selections import Where
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.language import forms
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.patterns.lexicon import STAFF
from graphbrick.patterns.properties.sources import Source, owners_of, sources_of
from graphbrick.patterns.properties.terms import has_names_of_people

_LONGEST = 3  # words of the name of a class
_FEW = 100  # different values of a property
_BEFORE_NOUN = frozenset("which what a an every each any no".split())
_RARE = 0.25  # share of a class
_FAR_MORE = 5  # times as many, so that these are meant
_VERSIONS = frozenset("release releases version versions edition editions".split())
_BEFORE_VERSION = frozenset("which what first last latest newest oldest earliest older newer each every a an".split())
_OF_VERSION = frozenset("date dates year status number numbers notes time".split())
DESTINATIONS = frozenset("destination destinations".split())
_PEOPLE = frozenset("people persons".split())
_OF_STAFF = tuple(map(stem, "employee worker staffer".split()))
# Words of properties whose values are nouns for what has them.
_OF_PEOPLE = frozenset(map(stem, "title role position job occupation profession rank".split()))
_OF_THINGS = frozenset(map(stem, "type kind category subcategory class genre family style".split()))
_CATEGORIES = frozenset(map(stem, "type kind category position role profession occupation".split()))
_HOLDERS = frozenset("winner winners holder holders laureate laureates owners".split())


class Heads(OfValues):
    """A reader of nouns."""

    @abstractmethod
    def group(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield the readings of a noun phrase with its quantity."""

    def _head(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield the sets that the noun at a place names: a class, all with a value, a role, the ends of a relation."""
        tokens = self.tokens
        value = tokens.term(at)
        if value is not None and value[1] > at + 1 and self.class_at(at, at + 1):
            yield from self._by_value(at)  # «store managers», where there are stores
        yield from self._by_role_of_class(at)
        for end in range(min(at + _LONGEST, len(tokens)), at, -1):
            name = self.class_at(at, end)
            is_verb = tokens.word(end - 1).endswith("ed") and not name.lower().endswith("ed")  # «(who) ordered in 2014»
            if name and name in self.links.joins and not is_verb:
                if tokens.is_one_of(end, ("member", "members")):  # «staff members»
                    yield Subject(p.Members(name), name), end + 1
                yield Subject(p.Members(name), name), end
        yield from self._by_last_word(at)
        yield from self._by_value(at)
        yield from self.roles(at)
        yield from self._by_kind(at)
        for name in self.links.joins:
            for source, end in self.sources(at, Subject(p.Members(name), name)):
                is_class = bool(self.class_at(at, end))  # winners of prizes are no prizes
                end = tokens.past(end, ("prize",))
                if tokens.word(end) in _HOLDERS and not is_class:
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
        yield from self._by_rare_number(at)

    def _by_role_of_class(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield «department heads», «the project lead»: what a noun after a class names at one of its relations."""
        tokens = self.tokens
        for end in range(min(at + _LONGEST, len(tokens)), at, -1):
            name, word = self.class_at(at, end), tokens.word(end)
            is_noun = is_plural(word) or tokens.word(at - 1) in ("the", "a", "each", "every")
            is_verb = tokens.word(end + 1) in ("the", "a", "an") or tokens.entity(end + 1) is not None
            if not name or not is_noun or is_verb or is_plural(tokens.word(end - 1)):
                continue
            links = self.links.by_noun(tokens.stems(at, end + 1), name)  # «project leads», of `PROJECT_LEAD`
            for link in links or self.links.by_noun(tokens.stems(end, end + 1), name):
                if link.end != name and not self.class_at(end, end + 1):
                    every = Subject(link.everything(), link.end)
                    yield Subject(joined(every, link.back(name), p.Members(name)), link.end), end + 1

    def _by_rare_number(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield those with a number that few of their class have, by a noun in its name: «foods» of `foodPoints`."""
        word, after = self.tokens.word(at), self.tokens.stems(at + 1, at + 2)
        if not (is_plural(word) or self.tokens.word(at - 1) in (*_BEFORE_NOUN, "the", "all")):
            return
        found = [
            (name, source)
            for name in self.links.joins
            for source in self.own_sources(name)
            if len(source.stems) > 1 and source.stems[0] == stem(word) and source.stems[1:2] != after
            if source.literal is not None and not source.is_date and self._is_rare(name, source)
        ]
        if len(found) == 1:
            ((name, source),) = found
            plan = p.Both((p.Members(name), self.resolver.holding(source)))
            self.resolver.assumptions[plan] = f"{word!r} is taken for every {name} with {source.name}"
            yield Subject(plan, name), at + 1

    def _is_rare(self, name: str, source: Source) -> bool:
        """Return whether few members of a class have a property."""
        members = self.lexicon.classes[name]
        return int(np.isin(members, owners_of(self.place.graph, source)).sum()) <= _RARE * len(members)

    def _by_kind(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield what one relation joins to an entity with a plural as its name: «transition metals», «beverages»."""
        tokens = self.tokens
        is_said = tokens.word(at) in ("members", "entries") and tokens.word(at + 1) == "of"
        start = tokens.past(at + 2, ("the",)) if is_said else at
        entity = tokens.entity(start)
        last = "" if entity is None else self.place.graph.label(entity).lower().split()[-1]
        is_kind = entity is not None and self._is_category(entity)
        if entity is None or not (is_said or is_kind or (is_plural(last) and not last.endswith("ics"))):
            return
        named, last_at = self._kinds_from(start)
        ends = p.Listed(named)
        own = self.links.classes_of(ends.run(self.place))[:1]
        if own and not is_said and not is_kind and self.links.is_place(own[0]):
            return  # the «United States» are no kind of something
        kinds = [(name, link) for name in self.links.joins for link in self.links.plain(name, own, "in")]
        if len(kinds) == 1 and kinds[0][0] not in own:
            if not is_said and not is_kind and forms.kind_of(spaced(kinds[0][0]).lower()) == forms.PERSON:
                return  # people in «North Sales» are no kind of people
            (name, link) = kinds[0]
            end = last_at
            after = self.class_at(end, end + 1) if end < len(tokens) else ""
            if after in own and not is_said:
                return  # «the Transition group» is the group
            end += bool(after) and (after in own or after == name)  # «of the Group 10 elements»
            yield Subject(joined(Subject(p.Members(name), name), link, ends), name), end

    def _is_category(self, entity: int) -> bool:
        """Return whether an entity is a kind of something by its class: a Position, of defenders."""
        return any(_CATEGORIES & set(stems(spaced(name))) for name in self.place.graph.types(entity))

    def _kinds_from(self, at: int) -> tuple[tuple[int, ...], int]:
        """Return the entities of one class that are listed from a place, with plurals as names, and the place after."""
        tokens, named, types, end = self.tokens, list[int](), self.place.graph.types, at
        while (entity := tokens.entity(at)) is not None and (not named or set(types(entity)) & set(types(named[0]))):
            if named and (at == end or not is_plural(self.place.graph.label(entity).lower().split()[-1])):
                break
            named.append(entity)
            end = at + 1
            at = tokens.past(end, (",", "and", "or"))
        return tuple(named), end

    def class_at(self, at: int, end: int) -> str:
        """Return the class that the words between two places name; "" for none."""
        name = self.lexicon.class_named(self.tokens.stems(at, end))
        if name or end - at > 1:
            return name
        if self.tokens.word(at) in _PEOPLE:
            return self.lexicon.class_of_people
        if self.tokens.word(at) in STAFF:  # also where there are clients
            named = (self.lexicon.class_named((one,)) for one in _OF_STAFF)
            return self.lexicon.class_of_people or next(filter(None, named), "")
        if self.tokens.word(at) in DESTINATIONS:
            return next((place for _, place in self.links.journeys()), "")
        if self.tokens.word(at) in _VERSIONS and (name := self._of_versions(at)):
            return name
        word = self.tokens.stems(at, end)[0]
        near = map(self.lexicon.class_named, self.tokens.english.near.get(word, ()))
        found = next(filter(None, near), "") if word in self.tokens.english.class_words else ""
        return found or self.links.class_ending_in(at)

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
                        if len(plan.run(self.place)):  # a skill has a category as well, but none is a laptop
                            yield Subject(plan, name), end

    def _of_versions(self, at: int) -> str:
        """Return the one class with a property that «releases» or «versions» speak of, which is an assumption."""
        word, before, after = (self.tokens.word(place) for place in (at, at - 1, at + 1))
        is_which = before in _BEFORE_VERSION or self._is_one_which(at)
        if not (is_plural(word) or is_which) or after in _OF_VERSION:
            return ""
        own = {name: [one.stems for one in self.own_sources(name) if one.relation < 0] for name in self.links.joins}
        exact = [name for name, names in own.items() if (stem(word),) in names]
        fits = exact if len(exact) == 1 else [name for name, names in own.items() if stem(word) in chain(*names)]
        sizes = {name: len(self.lexicon.classes[name]) for name in fits}
        found = sorted(sizes, key=lambda name: -sizes[name])
        if not found or (len(found) > 1 and sizes[found[0]] < _FAR_MORE * sizes[found[1]]):
            return ""
        said = f"{word!r} is no class of this graph; {found[0]} is taken, which has such a property"
        self.resolver.assumptions.setdefault(p.Members(found[0]), said)
        return found[0]

    def _is_one_which(self, at: int) -> bool:
        """Return whether a value or a name stands before a noun, and «which» before it: «which Ubuntu version»."""
        starts = [start for start in range(max(1, at - _LONGEST), at) if self.tokens.word(start - 1) in _BEFORE_VERSION]
        terms = [self.tokens.term(start) for start in starts if self.tokens.entity(at - 1) is None]
        return any(term[1] == at for term in terms if term) or bool(starts and self.tokens.entity(at - 1) is not None)

    def _by_last_word(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield all with a value that ends in a noun: «engineers» of «Senior Engineer» and «Test Engineer»."""
        word = self.tokens.word(at)
        value = self.tokens.term(at)
        names = [source for source in value[0].sources if not has_names_of_people(source)] if value else []
        if names or not (is_plural(word) or self.tokens.word(at - 1) in _BEFORE_NOUN):
            return  # «Butcher» may be a surname, «which butcher» is none
        graph = self.place.graph
        by_word = current_session().get(("last words of values", graph.place, graph.hash), self._last_words, at_most=8)
        persons = [name for name in self.links.joins if forms.kind_of(spaced(name).lower()) == forms.PERSON]
        for name in self.links.joins:
            own = self.own_sources(name)
            fits = {
                source: values
                for source, values in by_word.get(stem(word), {}).items()
                if source in own and not (_OF_PEOPLE if name in persons else _OF_THINGS).isdisjoint(source.words)
            }
            for source, values in fits.items() if len(fits) == 1 else ():
                parts = tuple(Where(p.Members(name), (source,), value) for value in values)
                plan: SetPlan = p.Either(parts) if len(parts) > 1 else parts[0]
                said = f"{word!r} is read as {source.name} {' or '.join(values)}"
                self.resolver.assumptions[plan] = said
                yield Subject(plan, name), at + 1

    def _last_words(self) -> dict[str, dict[Source, list[str]]]:
        """Return the values of two or more words by the stems of their last ones, for each property with few values."""
        found: dict[str, dict[Source, list[str]]] = {}
        texts = {source.name: source for source in sources_of(self.place.graph) if source.kind == Kind.TEXT}
        for column in self.place.graph.columns:
            for text in column.few_texts(_FEW) if column.name in texts and not column.of_triples else ():
                *before, last = text.lower().split() or [""]
                if before and last.isalpha() and len(before) < _LONGEST:
                    found.setdefault(stem(last), {}).setdefault(texts[column.name], []).append(text)
        return found
