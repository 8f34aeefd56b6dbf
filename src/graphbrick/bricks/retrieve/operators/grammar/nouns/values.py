"""Values of properties in noun phrases, and what «not» before them says: «married», «unmarried», «Boeing or Airbus»."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    Reading,
    Subject,
)
from graphbrick.bricks.retrieve.operators.grammar.roles import Roles
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.properties.selections import Named, Where
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.language import forms
from graphbrick.language.stems import stem
from graphbrick.patterns.properties.name_parts import NameOf
from graphbrick.patterns.properties.sources import Source, words_of_values
from graphbrick.patterns.properties.terms import Term
from graphbrick.patterns.properties.value_parts import PartOf

_PREFIXES = ("un", "non-", "non", "in")
_SHOWN = 4  # values in a message


class Values(NamedTuple):
    """Values of properties side by side.

    Attributes:
        terms: Each with whether it is negated.
        is_or: Whether «or» joins them.
    """

    terms: tuple[tuple[Term, bool], ...]
    is_or: bool = False


class OfValues(Roles):
    """A reader of values."""

    def values(self, at: int) -> Iterator[tuple[Values, int]]:
        """Yield values side by side, each with whether it is negated: «married», «unmarried», «Boeing or Airbus»."""
        tokens = self.tokens
        if tokens.word(at) == "either":
            start = tokens.past(at + 1, ("a", "an", "the"))
            yield from ((found, end) for found, end in self.values(start) if found.is_or)
            return
        is_not = tokens.is_one_of(at, ("not", "non", "non-"))
        place = at + 1 if is_not else at
        found = tokens.term(place) or self._prefixed(place)
        if found is None:
            return
        term, end = found
        negated = is_not or tokens.term(place) is None or tokens.is_prefixed(place)
        after = tokens.past(end, (",",))
        if tokens.word(after) in ("and", "or", "nor"):
            articles = ("the",) if tokens.word(after) == "and" else ("a", "an", "the")  # «a jam and a leak» are both
            for others, last in self.values(tokens.past(after + 1, articles)):
                yield others._replace(terms=((term, negated), *others.terms), is_or=tokens.word(after) != "and"), last
        beside = tokens.term(end)
        if beside is not None and term.value is not True and not frozenset(term.sources).isdisjoint(beside[0].sources):
            for others, last in self.values(end):  # «in Berlin London and Rome»
                yield others._replace(terms=((term, negated), *others.terms), is_or=True), last
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
            if isinstance(sources[0], NameOf):
                inside = Reading(self._named_by_part(subject, str(term.value)), end)
            elif isinstance(sources[0], PartOf):
                inside = Reading(self._with_part(subject, sources[0], str(term.value)), end)
            else:
                inside = Reading(Where(subject.plan, sources, term.value), end, known=sources[:1])
            parts += [one.plan for one in (self.denied(subject, [inside]) if negated else [inside])]
            known.append(sources[0].of if isinstance(sources[0], PartOf) and sources[0].of else sources[0])
        both = p.Either if shared or values.is_or else p.Both
        yield Reading(both(tuple(parts)) if parts[1:] else parts[0], end, known=tuple(dict.fromkeys(known)))

    def _named_by_part(self, subject: Subject, words: str) -> SetPlan:
        """Return the part of a set with words in their names, which is an assumption: one of them may be meant."""
        plan = Named(subject.plan, words)
        self.resolver.assumptions[plan] = f"{words!r} is taken for every {subject.name} with it in the name"
        return plan

    def _with_part(self, subject: Subject, source: PartOf, words: str) -> SetPlan:
        """Return the part of a set with one of the values that have words in them, which is an assumption."""
        own = (source.of,) if source.of is not None else ()
        plan = p.Either(tuple(Where(subject.plan, own, value) for value in source.values))
        shown = ", ".join(source.values[:_SHOWN]) + (", ..." if len(source.values) > _SHOWN else "")
        self.resolver.assumptions[plan] = f"{words!r} is taken for {source.name} {shown}"
        return plan

    def has(self, subject: Subject, source: Source) -> bool:
        """Return whether members of a class have a property."""
        if isinstance(source, NameOf):
            return source.of_class == subject.name
        if isinstance(source, PartOf):
            return source.of in self.own_sources(subject.name)
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

    def with_some(self, subject: Subject, source: Source, *, none: bool, is_entry: bool = False) -> SetPlan:
        """Return the part of a set with a property, or without: of numbers, those with 0 if there are any.

        Args:
            subject: The set.
            source: The property.
            none: Whether the part without is asked for.
            is_entry: Whether any value will do: zero is «a value».
        """
        if source.kind == Kind.BOOLEAN:
            yes = Where(subject.plan, (source,), True)
            if none and source.codes:  # «partial» is neither with nor without
                return Where(subject.plan, (source,), "no" if str(source.yes).lower() == "yes" else "n")
            return p.Without(self._knowing(subject, source, yes), yes) if none else yes
        known: SetPlan = p.Both((subject.plan, self.resolver.holding(source)))
        if source.literal is None or source.is_date or is_entry:
            return p.Without(subject.plan, known) if none else known
        zero = p.compared(p.Members(subject.name), p.Attribute(source), "exactly", 0)
        has = p.Without(known, zero) if len(zero.run(self.place)) else known
        return p.Without(subject.plan, has) if none else has

    def _values_called(self, label: str) -> Iterator[Values]:
        """Yield the values that have the name of an entity: «Economics students» of a programme."""
        terms = self.tokens.values_in(label.lower())
        if len(terms) == 1 and terms[0].start == 0 and terms[0].end == len(label):
            yield Values(((terms[0], False),))

    def values_said_as(self, verbs: Set[str]) -> Iterator[Values]:
        """Yield the values of one word that a verb may say: «leak» for «leaked»."""
        graph = self.place.graph
        by_verb = current_session().get(("values as verbs", graph.place, graph.hash), self._by_verb, at_most=8)
        spoken = verbs - self.lexicon.words  # «works (at e0)» is no phone of the type Work
        for word in sorted({word for verb in spoken for word in by_verb.get(verb, ())}):
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
