"""Noun phrases: «the three oldest pilots of e0», «parts that are out of stock», «neither e0 nor e1»."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    NO,
    SOME,
    Group,
    Quantity,
    Reading,
    Subject,
    joined,
)
from graphbrick.bricks.retrieve.operators.grammar.nouns.heads import Heads
from graphbrick.bricks.retrieve.operators.grammar.nouns.values import Values
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.language import forms
from graphbrick.language.stems import is_plural

_ARTICLES = frozenset("the a an some any those these this that all different distinct our my".split())
_NOBODY = frozenset("nobody nothing none".split())
_ANYBODY = frozenset("anybody anyone anything somebody someone something everybody everyone everything".split())
_QUANTITIES = {
    "no": NO, "zero": NO, "not any": NO, "none of the": NO, "only": Quantity("only"), "nothing but": Quantity("only"),
    "all": Quantity("all"), "every": Quantity("all"), "each": Quantity("all"), "all the": Quantity("all"),
    "several": Quantity("least", 2), "multiple": Quantity("least", 2), "a few": Quantity("least", 2),
    "at least one": SOME, "one or more": SOME, "any of the": SOME,
}  # fmt: skip
_ALL_OF = frozenset(("all three of", "all four of", "all two of", "both of", "all of", "each of"))


class Nouns(Heads):
    """A reader of noun phrases."""

    @abstractmethod
    def best(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield the noun phrases with a superlative that begin at a place."""

    @abstractmethod
    def known_date(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield those that have the date of what a participle at a place says, where only some have it."""

    @abstractmethod
    def modified(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield what the words after a noun select of its entities, with the places after them."""

    def group(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield the readings of a noun phrase with its quantity, such as «at least two Boeing planes»."""
        self.tokens.begin_phrase()
        yield from self._pronoun(at)
        yield from self._names(at)
        yield from self._amounts_of_names(at)
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
            elif (beside := tokens.entity(end)) is not None and not self._is_like(beside, entity):
                break  # «Arsenal midfielders» are no list
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

    def _amounts_of_names(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield «8 obsidian», «more than 4 e0»: an amount of one thing, which stands at triples."""
        for bound, end in self.bound(at) if self.of_triples else ():
            start = self.tokens.past(end, ("of",))
            is_plain = bound.date is None and bound.high is None and bound.relative is None and not bound.names
            if is_plain and not bound.unit and self.tokens.entity(start) is not None:
                for group, last in self._names(start):
                    yield group._replace(quantity=Quantity(bound.kind, bound.number)), last

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

    def _is_like(self, one: int, other: int) -> bool:
        """Return whether two entities have a type in common."""
        return not set(self.place.graph.types(one)).isdisjoint(self.place.graph.types(other))

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

    def _with_values(self, said: Iterable[tuple[Values, int]]) -> Iterator[tuple[Subject, int]]:
        for values, place in said:
            for subject, end in self.with_adjectives(place):
                for plan in self.with_values(subject, values):
                    yield Subject(plan, subject.name), end

    def _of_described(self, described: Iterable[tuple[Subject, int]]) -> Iterator[tuple[Subject, int]]:
        """Yield «physics prize winners», «open order customers»: what a plural names at what stands before it."""
        for subject, end in described:
            if end >= len(self.tokens) or not is_plural(self.tokens.word(end)):
                continue
            noun, name = self.tokens.stems(end, end + 1), self.class_at(end, end + 1)
            for link in () if name else self.links.by_noun(noun, subject.name):
                every = Subject(link.everything(), link.end)
                if link.end != subject.name:
                    yield Subject(joined(every, link.back(subject.name), subject.plan), link.end), end + 1
            for link in self.links.plain(name, (subject.name,), "") if name and name != subject.name else ():
                yield Subject(joined(Subject(p.Members(name), name), link, subject.plan), name), end + 1

    def with_adjectives(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield «married pilots», «Boeing and Airbus planes», «high severity faults», or a noun alone."""
        tokens = self.tokens
        said = list(self.values(at))
        several = [one for one in said if len(one[0].terms) > 1 and not one[0].is_or]  # «electric and manual tools»
        described = list(self._with_values(one for one in said if one not in several))
        yield from described  # «open bugs», before all that is open
        yield from self._of_described(described)
        yield from self._head(at)
        yield from self._with_values(several)
        if is_participle(tokens.word(at)) and tokens.term(at) is None:  # «blocked bugs»
            for subject, end in self.with_adjectives(at + 1):
                for one in self.known_date(at, subject):
                    yield Subject(one.plan, subject.name), end
                for link, after in self.links.by_verb(at, subject.name, passive=True):
                    if after == at + 1:
                        yield Subject(joined(subject, link, link.everything()), subject.name), end
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


def is_participle(word: str) -> bool:
    """Return whether a word may be a participle, and no other form of its verb: «built», «flying»."""
    if word.endswith(("ed", "ing")) or not forms.is_installed():
        return word.endswith(("ed", "ing"))
    verb = forms.verb_of(word)
    return bool(verb) and word != verb and word == forms.participle(verb)
