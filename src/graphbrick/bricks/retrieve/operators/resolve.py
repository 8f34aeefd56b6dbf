"""Measures to compare or count by: relations with numbers or dates, and counts of ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

import numpy as np

from graphbrick.bricks.retrieve.operators.own_dates import YEAR, OwnDates
from graphbrick.bricks.retrieve.operators.phrases import SAMPLE
from graphbrick.bricks.retrieve.operators.plan import (
    Attribute,
    CannotPlanError,
    Degree,
    Having,
    Holding,
    Measure,
    Members,
    Plan,
    SetPlan,
    UnknownNounError,
)
from graphbrick.bricks.retrieve.operators.properties.which_number import attribute_of, meant_of
from graphbrick.bricks.retrieve.operators.sets import UNREAD_WORDS
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import not_known
from graphbrick.core.properties.values import Kind
from graphbrick.language import forms
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.patterns.lexicon import RelationNames
from graphbrick.patterns.properties.sources import Source, owners_of, sources_of

_MOSTLY = 0.5  # of the ends of a relation, for it to be of people
_TRIED = 12  # entities that may lack what is counted
_AMOUNTS = (Kind.INTEGER, Kind.NUMBER)
_COUNTED = frozenset(("size", "elevation"))  # of adjectives that numbers of things may have: large, small, high, low
_OF_VALUES = ("highest", "lowest")  # values, which are not counted
_NO_SIZES = frozenset(  # words of names of numbers that do not say how big something is
    map(stem, "id code number rank year season tier level severity age position order version zip".split())
)
_TYPED = 20  # owners whose types explain a noun
_NO_DATES = frozenset("price weight size height speed population".split())  # what no date measures


class Resolver(OwnDates):
    """A finder of the patterns and measures that phrases of a question speak of."""

    def assume(self, plan: Plan, verbs: Sequence[str], *, is_named: bool = False) -> None:
        """Record the assumption that verbs which a plan does not use mean what the plan says.

        Args:
            plan: The plan.
            verbs: Their stems.
            is_named: Whether the question names the properties, so that general verbs say no more.

        Raises:
            CannotPlanError: A verb speaks of something else: «born», or a relation of the graph.
        """
        if not verbs:
            return
        relations = self.lexicon.relations
        if any(sign.isdigit() for verb in verbs for sign in verb):
            raise self.unread(plan, verbs)  # «over-80» is no verb
        if any((not is_named and verb in self.english.near) or self._is_of_any(verb, relations) for verb in verbs):
            raise self.unread(plan, verbs)
        quoted = " ".join(map(repr, verbs))
        self.assumptions[plan] = f"{quoted} is not a word of this graph; taken for {plan.text(self.place)}"

    def unexplained(self, plan: Plan, words: Sequence[str], *, by_relations: bool = False) -> list[str]:
        """Return the stems that neither a plan nor the types of the entities in it explain.

        Args:
            plan: The plan.
            words: The stems.
            by_relations: Whether only the relations of the plan count, as for the verb of «people who live in Kenya».
        """
        graph, texts = self.place.graph, plan.texts(self.place)
        relations = [
            names
            for number, names in enumerate(self.lexicon.relations)
            if any(graph.relation_label(number) in text for text in texts)
        ]
        own = set[str]()
        if not by_relations:
            types = {name for owner in plan.owners(self.place)[:_TYPED].tolist() for name in graph.types(owner)}
            own |= {word for text in (*texts, *types) for word in stems(spaced(text))}
            own |= {word for source in sources_of(graph) if _is_named(source.name, texts) for word in source.words}
        return [
            word
            for word in self.english.without_objects(words)
            if word not in self.english.value_words
            and not self.english.is_among(word, own)
            and not self._is_of_any(word, relations)
            and not self._measures(word, own)
        ]

    def unread(self, plan: Plan, words: Sequence[str]) -> CannotPlanError:
        """Return the error that a plan leaves words of the question unread."""
        text = f"{not_known(words)}; without that, the question is: {plan.text(self.place)}"
        return CannotPlanError(text, code=UNREAD_WORDS, words=tuple(words))

    def _is_of_any(self, word: str, relations: Sequence[RelationNames]) -> bool:
        return any(self.english.is_among(word, names.words) for names in relations)

    def _measures(self, word: str, words: Set[str]) -> bool:
        """Return whether a word is an adjective of a property that has some words: «how heavy» for the weight."""
        more = self.english.comparatives
        comparison = more.get(f"more {word}") or more.get(f"more {word}e")  # a stem
        return comparison is not None and any(words >= set(stems(name)) for name in comparison.names)

    def degree(self, words: str, base: SetPlan) -> Degree:
        """Return the count for each entity that a phrase asks for: «languages spoken in».

        Raises:
            CannotPlanError: No pattern explains the words.
        """
        entities = base.run(self.place)
        if not len(entities):
            raise CannotPlanError(
                f"there is nothing in «{base.text(self.place)}» to count {words} of",
                code="operators.nothing_to_count",
                words=words,
            )
        others = Counter[Degree]()  # patterns with more relations than the words say
        votes, unsaid, values = Counter[Degree](), tuple[str, ...](), {s.relation for s in sources_of(self.place.graph)}
        phrase = words if MENTION.search(words) else f"which {words} does e0 have"
        taken = dict[Degree, str]()
        own = ((base.relation, base.forward),) if isinstance(base, Having) else ()  # directors made what they directed
        for place, entity in enumerate(self._sample(entities, _TRIED)):
            if place >= SAMPLE and (votes or not others):
                break
            matches = self._matches(phrase, entity)
            of_base = (match for match in matches if match.along.steps == own and match.is_like(matches[0]))
            for match in [*of_base, *matches][:1]:
                if match.unsaid and self._is_only_noun(match, phrase):
                    degree = Degree(match.along.steps)
                    taken[degree] = self.assumptions.pop(match.along)
                    votes[degree] += 1
                elif match.unsaid:
                    unsaid = match.unsaid
                elif match.along.steps[-1][0] not in values:  # numbers are compared, not counted
                    (others if match.excess else votes)[Degree(match.along.steps, match.along.of_class)] += 1
        votes = votes or others
        if not votes:
            raise CannotPlanError(
                f"nothing in this graph can be counted as {' '.join(map(repr, unsaid or (words,)))}",
                code="operators.not_countable",
                words=tuple(unsaid or (words,)),
            )
        chosen = votes.most_common(1)[0][0]
        if chosen in taken:
            noun = taken[chosen].partition(" is not")[0]
            self.assumptions[chosen] = f"{noun} is not a word of this graph; taken for {chosen.text(self.place)}"
        return chosen

    def measure(self, words: str, names: Sequence[str], base: SetPlan, wording: str) -> Measure:
        """Return the measure that is compared: a relation with numbers or dates, else a count.

        Args:
            words: The words for it, such as «population» or «neighbours»; may be empty.
            names: What the adjective measures, if there is no word for it.
            base: What is compared.
            wording: The operator as the question says it, for the error.

        Raises:
            CannotPlanError: The graph has nothing of the kind.
        """
        if "distance" in names:
            raise CannotPlanError(
                f"{wording!r} needs distances or coordinates, which this graph does not have",
                code="operators.needs_places",
                wording=wording,
            )
        if self.words_in(words):
            attribute = self.attribute(words, base)
            is_count = is_plural(words.split()[-1]) or not wording.startswith(_OF_VALUES)
            is_count &= not names or not _COUNTED.isdisjoint(names)  # «the shortest route» is not the fewest routes
            if attribute is not None or is_count:
                return self.degree(words, base) if attribute is None else attribute
            names = ()  # the highest rating is no number of what was rated
        for name in names:
            attribute = self.attribute(name, base)
            if attribute is not None and (_NO_DATES.isdisjoint(names) or not attribute.is_date(self.place)):
                return attribute
        only = self.only_date(base) if "date" in names else self._only_size(base, wording) if "size" in names else None
        if only is not None:
            return only
        raise CannotPlanError(
            f"this graph has no number for {wording!r}{_wanted(names)} here",
            code="operators.no_number_here",
            wording=wording,
        )

    def _only_size(self, base: SetPlan, wording: str) -> Attribute | None:
        """Return the number of the entities of a set if most of them have one only that is an amount."""
        entities = base.run(self.place)
        amounts = [s for s in self.numeric if not s.is_date and s.kind in _AMOUNTS and not s.words & _NO_SIZES]
        has = [
            one
            for one in amounts
            if len(entities) and np.isin(entities, owners_of(self.place.graph, one)).mean() > _MOSTLY
        ]
        if len(has) != 1:
            return None
        only = Attribute(has[0])
        self.assumptions[only] = f"{wording!r} is taken for {only.text(self.place)}, the only amount here"
        return only

    def is_no_person(self, base: SetPlan) -> bool:
        """Return whether «who» cannot ask for a set: its class is not one of people or groups, though others are."""
        people = [name for name in self.lexicon.by_class.values() if any(map(forms.may_be_who, name))]
        name = self.lexicon.classes_of(base.run(self.place))
        return bool(people) and bool(name) and bool(self.place.graph.type_table) and not forms.may_be_who(name)

    def attribute(self, words: str, base: SetPlan) -> Attribute | None:
        """Return the relation with numbers or dates that words speak of, if most of a set have a value."""
        whole, entities = stems(words), base.run(self.place)
        for source in self.numeric:
            if source.stems == whole and not np.isnan(Attribute(source).of(self.place, entities)).all():
                return Attribute(source)  # «baseline high date» beside `baseline_low_date`
        wanted = self.english.without_objects(self.words_in(words))
        attribute = attribute_of(self, wanted, entities) or attribute_of(self, self.of_number(wanted), entities)
        if attribute is not None:
            self.assume_number(wanted, attribute.source)
        return attribute

    def of_number(self, words: Sequence[str]) -> list[str]:
        """Return stems without those that only say that there is a number: «won» of Oscars, «score» of Metacritic."""
        general = self.english.of_numbers - self._numbers
        return [word for word in self.without_gaining(words) if word not in general]

    def without_gaining(self, words: Sequence[str]) -> list[str]:
        """Return stems without verbs that only say that something has a number: «won» of Oscars, but not of games."""
        gaining, objects = self.english.gaining, self.english.objects
        return [
            word
            for word in words
            if word in self._numbers or word not in gaining or objects.get(word, frozenset()).intersection(words)
        ]

    def assume_number(self, words: Sequence[str], source: Source) -> None:
        """Record the assumption that a property is meant by a noun such as «score», which its name does not have."""
        general = self.english.of_numbers.difference(self.words_of(source))
        unsaid = " ".join(repr(word) for word in words if word in general)
        if unsaid:
            self.assumptions[Attribute(source)] = f"{unsaid} is not a word of this graph; taken for {source.name}"

    @cached_property
    def _numbers(self) -> frozenset[str]:
        """The words of the names of numbers and dates."""
        return frozenset[str]().union(*(source.words for source in self.numeric))

    def measured(
        self, words: str, names: Sequence[str], wording: str, *, dates: bool = False
    ) -> tuple[SetPlan, Measure]:
        """Return the measure where the question names no class, and all that have it: «who earns the most».

        Args:
            words: The words for it, such as «salary»; may be empty.
            names: What the adjective measures, if there is no word for it.
            wording: The operator as the question says it, for the error.
            dates: Whether only dates count.

        Raises:
            CannotPlanError: The graph has nothing of the kind.
        """
        of_class = None if dates else self._number_of_class(words)
        if of_class is not None:
            return of_class
        wanted = self.english.without_objects(self.words_in(words))
        ways = [wanted, self.of_number(wanted)] if wanted else [self.words_in(name) for name in names]
        for words_of_one in filter(None, ways):
            is_class = {name[-1] for name in self.lexicon.by_class}.issuperset(words_of_one)
            sources = [
                source
                for source in self.numeric
                if self.is_said(words_of_one, source)
                and (source.is_date or not dates)
                and (not is_class or source.stems == tuple(words_of_one))  # the biggest order is no `nb_orders`
            ]
            if sources:
                source = meant_of(self, words, wanted, sources)
                return self.holding(source), Attribute(source)
        for relation, forward in sorted(self.steps_named(stems(words))) if wanted and not dates else ():
            return Having(relation, forward), Degree(((relation, forward),))
        kind = "date" if dates else "number"
        raise CannotPlanError(
            f"this graph has no {kind} for {wording!r}{_wanted(names)}",
            code="operators.no_measure",
            wording=wording,
            kind=kind,
        )

    def _number_of_class(self, words: str) -> tuple[SetPlan, Measure] | None:
        """Return the number that «order total» names: the `total` of orders, not that of invoices."""
        noun, _, rest = words.partition(" ")
        for name in self.lexicon.classes_in(noun) if rest else ():
            for source in self.numeric:
                owners = owners_of(self.place.graph, source) if source.stems == stems(rest) else ()
                if np.isin(self.lexicon.classes[name], owners).any():
                    return Members(name), Attribute(source)
        return None

    @staticmethod
    def holding(source: Source) -> SetPlan:
        """Return all entities that have a property."""
        return Having(source.relation) if source.relation >= 0 else Holding(source)

    def date(self, words: str, base: SetPlan, wording: str) -> Attribute:
        """Return the relation with dates that words speak of.

        Raises:
            CannotPlanError: There is none.
        """
        attribute = self.attribute(words, base) or self.date_of_making(words, base)
        if attribute is not None and (attribute.source.is_date or attribute.source.stems == YEAR):
            return attribute
        raise CannotPlanError(
            f"this graph has no date for {wording!r} ({words})",
            code="operators.no_date",
            wording=wording,
        )

    def check_order(self, text: str) -> None:
        """Raise `CannotPlanError` for «the last invoice of e0», of which no path reads «last»."""
        order = self.english.search("time_order", text)
        word = "" if order is None else (order["first"] or order["last"])
        if word and stem(word.split()[-1]) not in self.lexicon.words:
            raise CannotPlanError(f"no rule reads what {word!r} changes here", code=UNREAD_WORDS, words=(word,))

    def has_number(self, words: str) -> bool:
        """Return whether a relation gives numbers or dates for some words."""
        try:
            return isinstance(self.measured(words, (), words)[1], Attribute)
        except CannotPlanError:
            return False

    def check_measured(self, words: str) -> None:
        """Raise `CannotPlanError` if the words of a measure name an entity, such as airport GDP."""
        named = MENTION.search(words)
        if named:
            raise CannotPlanError(
                f"'{named[0]}' is an entity; it cannot be measured or counted",
                code="operators.measure_is_entity",
                name=named[0],
            )

    def taken_for(
        self, error: UnknownNounError, words: str, names: Sequence[str], wording: str, *, dates: bool = False
    ) -> tuple[SetPlan, Measure]:
        """Return the measure, and all that have it, for a noun that may name them: «the longest ship».

        Args:
            error: Says that nothing is called so.
            words: As for `measured`, like the others.
            names: What the adjective measures.
            wording: The operator as the question says it.
            dates: Whether only dates count.

        Raises:
            CannotPlanError: The entities have a type or another name, or nothing has such a number.
        """
        base, measure = self.measured(words, names, wording, dates=dates)
        if not isinstance(measure, Attribute) or self.place.graph.type_table or len(error.nouns) != 1:
            raise error
        noun, label = error.nouns[0], measure.text(self.place)
        named = self.lexicon.classes_of(base.run(self.place))
        if named and not (named == "person" and forms.kind_of(noun) == forms.PERSON):  # engineers are people
            raise CannotPlanError(
                f"{not_known([noun])}; if everything with {label} is, learn it: "
                f"graphbrick learn GRAPH --call {label!r}=NAME",
                code="operators.unknown_noun",
                noun=noun,
            )
        self.assumptions[base] = f"{noun!r} is not a word of this graph; taken for {base.text(self.place)}"
        return base, measure


def _is_named(name: str, texts: Sequence[str]) -> bool:
    """Return whether a name stands in one of some texts as a word."""
    return any(name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for text in texts)


def _wanted(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if names else ""
