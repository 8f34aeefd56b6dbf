"""The relations that verbs, nouns and prepositions of a question name, between classes of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.measures import pairs
from graphbrick.bricks.retrieve.operators.grammar.tokens import Tokens
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.schema.class_graph import Join, class_graph_of
from graphbrick.bricks.retrieve.operators.sets import Ints, Pattern, Steps
from graphbrick.core.deferred import cached_property
from graphbrick.core.session import current_session
from graphbrick.language import forms
from graphbrick.language.stems import Stems, is_plural, possible_singulars, spaced, stem, stems
from graphbrick.patterns.lexicon import SMALL, label_stems, stems_of_name
from graphbrick.patterns.properties.names import in_full
from graphbrick.patterns.text import in_words

PARTICLES = frozenset("in of by at with for to from on under into onto about against as over up out off after".split())
"""Words that may follow a verb and belong to it: «work for», «report to»."""
_OF_VERBS = {  # nouns for what a verb is done to, by its stem
    stem(noun): stem(verb)
    for noun, verb in (("prerequisite", "requires"), ("requirement", "requires"), ("dependency", "depends"))
}
_ABOVE = frozenset(map(stem, "parent part in of under belongs super above broader".split()))
_BELOW = frozenset(map(stem, "sub child children contains includes narrower".split()))
"""Words of relations from a thing to one above it, and to one below."""
_SAME = {"into": "to", "to": "into", "onto": "on", "within": "in", "inside": "in"}
_PLAIN = frozenset("in at on from by to".split())
_IN = frozenset(("in", "at", "of", "with", "have", ""))
_PLACES = {"in": ("at", "on"), "at": ("in", "on"), "on": ("in", "at")}
_ENDS = {  # what relations that lead to the ends of journeys are called
    "from": frozenset(map(stem, "origin source start departure departs begin".split())),
    "to": frozenset(map(stem, "destination dest target arrival arrives end finish".split())),
}
_LOCAL = frozenset(map(stem, "in at on within inside part belong belongs located location base home place".split()))
"""Words of a label by which something is in a place; citizens of a country need not be in it."""
_SUBJECTS = frozenset(
    "who that which what he she it they we you nobody everybody anybody somebody one also never always".split()
)
_LONGEST = 3  # words of a verb
GENERAL = frozenset(map(stem, "see seen saw treat serve handle use meet met stop look deal".split()))
"""Stems of verbs that say no more than that two things have to do with each other."""
_ALIKE = 6  # letters that a noun and the word of a relation share
_FULLER = 2.0  # times as many have one relation as any other, so that it is meant: each works somewhere
_BEFORE_NOUN = frozenset("a an the all which what many any no of both some these those".split())
_ENDING = 5  # letters of a noun that the name of a class may end in


def may_be_in(label: Stems, place: str) -> bool:
    """Return whether a relation may say that something is in a place of a class; that of citizens does not."""
    others = set(label) - SMALL - set(stems(spaced(place)))
    return not others or not _LOCAL.isdisjoint(label)


class Link(NamedTuple):
    """A way from the members of one class to those of another.

    Attributes:
        steps: The relations with their directions.
        end: The class that it leads to; the largest of several.
        ends: All classes that it leads to, if there are several.
    """

    steps: Steps
    end: str
    ends: tuple[str, ...] = ()

    def leads_to(self, names: Sequence[str]) -> bool:
        """Return whether it leads to one of some classes."""
        return any(name in (self.ends or (self.end,)) for name in names)

    def back(self, start: str) -> Link:
        """Return the way in the other direction, to the class that this one leaves."""
        return Link(tuple((relation, not forward) for relation, forward in reversed(self.steps)), start)

    def everything(self) -> SetPlan:
        """Return all that it leads to."""
        (relation, forward) = self.steps[-1]
        return p.Having(relation, not forward) if self.ends else p.Members(self.end)


class Links:
    """A finder of the relations that words name.

    Args:
        tokens: The question.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.tokens, self.english = tokens, tokens.english
        self.resolver = tokens.parser.resolver
        self.lexicon, self.place = self.resolver.lexicon, self.resolver.place
        self.joins = class_graph_of(self.place.graph).joins

    @cached_property
    def labels(self) -> list[Stems]:
        """The stems of the label of each relation."""
        return [label_stems(self.place.graph.relation_label(number)) for number in range(self.place.graph.n_relations)]

    def classes_of(self, entities: Ints) -> tuple[str, ...]:
        """Return the classes of some entities that have relations, those of most first."""
        shares = {name: np.isin(entities, self.lexicon.classes[name]).mean() for name in self.joins if len(entities)}
        fits = [name for name, share in shares.items() if share > 0]
        return tuple(sorted(fits, key=lambda name: (-shares[name], len(self.lexicon.classes[name]))))

    def people(self) -> list[str]:
        """Return the classes that «who» may ask for, persons before groups."""
        names = [name for name in self.joins if forms.may_be_who(spaced(name))]
        return sorted(names, key=lambda name: forms.kind_of(spaced(name).lower()) != forms.PERSON)

    @staticmethod
    def is_place(name: str) -> bool:
        """Return whether a class is one of places."""
        return forms.is_place(spaced(name).lower())

    def between(self, start: str, ends: Iterable[str] | None) -> list[Join]:
        """Return the relations from a class to any of some classes; to any class for None."""
        wanted = None if ends is None else set(ends)
        return [join for join in self.joins.get(start, ()) if wanted is None or join.end in wanted]

    def journeys(self) -> list[tuple[str, str]]:
        """Return the class of journeys, and the class of the places between which they go; nothing if several fit.

        Flights are journeys: one of their relations to airports says «from», and another one «to».
        """
        found = []
        for name, joins in self.joins.items():
            for end in {join.end for join in joins if join.forward and join.end != name}:
                begins, ends = self.end_of_journey(name, end, "from"), self.end_of_journey(name, end, "to")
                if begins and ends and begins != ends:
                    found.append((name, end))
        return found if len(found) == 1 else []

    def end_of_journey(self, name: str, place: str, preposition: str) -> list[Link]:
        """Return the one relation from journeys to where they begin, or end: `STARTS_AT`, `GOES_TO`."""
        said = [one for one in self.between(name, (place,)) if one.forward and self.is_said(one, preposition)]
        ends = [Link(((one.relation, True),), place) for one in said[: len(said) == 1]]
        return ends or self.plain(name, (place,), preposition)

    def by_verb(self, at: int, start: str, *, passive: bool = False) -> list[tuple[Link, int]]:
        """Return the relations from a class that a verb at a place names, with the places after it.

        Args:
            at: The place.
            start: The class of the subject.
            passive: Whether the verb is passive, so that the subject is what it is done to.
        """
        found = list[tuple[Link, int, bool]]()
        if self._is_noun(at):
            return []
        for end in range(min(at + _LONGEST, len(self.tokens)), at, -1):
            said = self.tokens.stems(at, end)
            first, rest = self.tokens.verb_stems(at), said[1:]
            particles = [word for word in rest if word in PARTICLES]
            if any(word not in PARTICLES for word in rest) or len(particles) != len(rest):
                continue
            if len(rest) > 1 or (rest and self.tokens.word(end - 1) == "by" and not passive):
                continue
            joins = [join for join in self.between(start, None) if self._says(join, first)]
            joins = [join for join in joins if self._fits(join, first, passive=passive)]
            for link in self.merged(joins):
                label = self.labels[link.steps[0][0]]
                fits = not rest or {rest[0], _SAME.get(rest[0], "by")} & set(label) or rest[0] == "by"
                if fits or (link.end != start and self._may_follow(rest[0], label)):
                    found.append((link, end, bool(fits)))
        sure = [(link, end) for link, end, fits in found if fits]
        others = [(link, end) for link, end, fits in found if not fits]
        taken = {link for link, end in sure if end > at + 1}
        return [*sure, *(one for one in others if one[0] not in taken)] or self._by_general_verb(at, start)

    def _is_noun(self, at: int) -> bool:
        """Return whether a word is the plural of a class after a word that is no subject: «hot deals»."""
        tokens, before = self.tokens, self.tokens.word(at - 1) if at else ""
        if not is_plural(tokens.word(at)) or not self.lexicon.class_named(tokens.stems(at, at + 1)):
            return False
        is_subject = before in _SUBJECTS or is_plural(before) or self.lexicon.class_named(tokens.stems(at - 1, at))
        return bool(before) and not is_subject and tokens.entity(at - 1) is None

    def _by_general_verb(self, at: int, start: str) -> list[tuple[Link, int]]:
        """Return the ways that «see», «treat», «use» may mean, each an assumption; see `any_ways`."""
        is_noun = is_plural(self.tokens.word(at)) and self.lexicon.class_named(self.tokens.stems(at, at + 1))
        if is_noun or not GENERAL.intersection(self.tokens.verb_stems(at)):
            return []  # «stops» where there are stops
        found = []
        for link in self.any_ways(start):
            for way in (link, link.back(start)):
                text = f"{self.tokens.word(at)!r} is read as {self.place.steps_text(way.steps)}"
                self.resolver.assumptions.setdefault(Pattern(way.steps), text)
            found += [(link, at + 1 + (self.tokens.word(at + 1) in PARTICLES)), (link, at + 1)]
        return list(dict.fromkeys(found))

    def any_ways(self, start: str) -> list[Link]:
        """Return the way from a class to each other one; see `way`."""
        key = ("any ways", self.place.graph.place, self.place.graph.hash, start)
        ways = current_session().get(key, lambda: {end: self.way(start, end) for end in self._ways(start)}, at_most=256)
        return [Link(steps, end) for end, steps in ways.items() if steps]

    def way(self, start: str, end: str, said: str = "") -> Steps:
        """Return the pattern that joins two classes, by one relation or two in a row; empty if that is not clear.

        Of several patterns it is the one that a text names. Else it is the one that joins all that the others join:
        trips stop at many stops, and start at some of these. Else it is the one that twice as many members have.
        """
        ways = self._ways(start).get(end, [])
        words = set(stems(said)) - SMALL - {*stems_of_name(start), *stems_of_name(end)}
        named = [one for one in ways if any(words & set(self.labels[relation]) for relation, _ in one)]
        for chosen in (ways, named):
            if len(chosen) == 1:
                return chosen[0]
        return self.widest(start, ways) if ways else ()

    def _ways(self, start: str) -> dict[str, list[Steps]]:
        """Return the patterns from a class to each other one: of one relation, or else of two."""
        near = [join for join in self.between(start, None) if join.end != start]
        ways: dict[str, list[Steps]] = {}
        for first in near:
            ways.setdefault(first.end, []).append(((first.relation, first.forward),))
        reached = {start, *ways}
        for first in near:
            for second in self.between(first.end, None):
                if second.end not in reached:
                    steps = ((first.relation, first.forward), (second.relation, second.forward))
                    ways.setdefault(second.end, []).append(steps)
        return {end: list(dict.fromkeys(several)) for end, several in ways.items()}

    def widest(self, start: str, ways: list[Steps]) -> Steps:
        """Return the pattern that joins all that the others join, or that far more of a class have; else none."""
        found = [pairs(self.place, self.lexicon.classes[start], one) for one in ways]
        joined = [np.unique(starts * self.place.graph.n_entities + ends) for starts, ends in found]
        widest = max(range(len(ways)), key=lambda at: len(joined[at]))
        if all(np.isin(one, joined[widest]).all() for one in joined):
            return ways[widest]
        having = [len(np.unique(starts)) for starts, _ in found]
        most, other = sorted(range(len(ways)), key=lambda at: -having[at])[:2]
        return ways[most] if having[most] >= _FULLER * having[other] else ()

    @staticmethod
    def _may_follow(particle: str, label: Stems) -> bool:
        """Return whether a verb may have a word that its label lacks: «fly to»; «evolve into» is not `evolves with`."""
        own = PARTICLES.intersection(label) - {"by"}
        return not own or ({particle} | own <= {"in", "at", "on"})

    def _says(self, join: Join, verbs: Set[str]) -> bool:
        """Return whether a relation speaks of one of some verbs."""
        names = self.lexicon.relations[join.relation]
        label = self.labels[join.relation]
        words = names.words | set(label) - SMALL
        words -= set(label) if label[:1] == (stem("has"),) else set()  # a capital that a country has is no verb
        nouns = {stem(word) for noun in names.nouns for word in noun.split()} - set(self.labels[join.relation])
        verb = stem(names.verb) if names.verb else ""
        return any(
            word == verb or (word in words and word not in nouns) or (word not in words and self._near(word, words))
            for word in verbs
        )

    def _fits(self, join: Join, verbs: Set[str], *, passive: bool) -> bool:
        """Return whether a verb may say a relation in its direction; between two classes a «by» tells it."""
        label = set(self.labels[join.relation])
        if join.start == join.end:
            return bool(verbs & label) and self._is_subject(join, passive=passive)
        return "by" not in label or not verbs & label or join.forward == passive

    def _near(self, word: str, words: Set[str]) -> bool:
        return self.english.is_among(word, words)

    def _is_subject(self, join: Join, *, passive: bool) -> bool:
        """Return whether the class that a relation leaves is the subject of a sentence with its verb.

        Heads of `TRAINED_BY` are trained, and its tails train; heads of `REPORTS_TO` report; those of `BASED_ON` are
        based on its tails.
        """
        if passive and self._is_passive_with_preposition(join.relation):
            return join.forward
        names, label = self.lexicon.relations[join.relation], self.labels[join.relation]
        head_does = names.subject != "tail" if names.subject else "by" not in label
        return join.forward == (head_does != passive)

    def _is_passive_with_preposition(self, relation: int) -> bool:
        """Return whether a label is a participle with a preposition other than «by»."""
        first, *rest = in_words(self.place.graph.relation_label(relation)).split() or [""]
        verb = forms.verb_of(first) if forms.is_installed() else ""
        is_participle = first.endswith("ed") or (bool(verb) and first == forms.participle(verb))
        return is_participle and "by" not in rest and not PARTICLES.isdisjoint(rest)

    def by_noun(self, name: Stems, start: str) -> list[Link]:
        """Return the relations from a class to what a noun names: «trainer», the tail of `TRAINED_BY`."""
        steps = self.resolver.steps_named(name)
        for number, label in enumerate(self.labels):
            if len(name) == 1 and _OF_VERBS.get(name[0]) in label:
                steps |= {(number, True)}
        steps = steps or frozenset(self._below(name))  # «subclass» is the noun of `subClassOf` itself
        joins = self.between(start, None)
        found = [join for join in joins if (join.relation, join.forward) in steps]
        return self.merged(found if steps else self._derived(name, joins))  # a producer is not what is produced

    def _derived(self, name: Stems, joins: Iterable[Join]) -> list[Join]:
        """Return the one relation with a word that begins as a noun does: `ALLERGIC_TO` of allergies."""
        if len(name) != 1 or len(name[0]) < _ALIKE or self.lexicon.class_named(name):
            return []
        begin, found = name[0][:_ALIKE], list[Join]()
        for one in joins:
            label = self.labels[one.relation]
            if one.forward and name[0] not in label and any(word.startswith(begin) for word in label):
                found.append(one)
        return found if len({one.relation for one in found}) == 1 else []

    def by_records(self, name: Stems, start: str) -> list[Link]:
        """Return the relations from a class that a noun names, or counts: a review is a triple of `REVIEWED`."""
        said = [join for join in self.between(start, None) if len(name) == 1 and name[0] in self.labels[join.relation]]
        return self.by_noun(name, start) or self.merged(said)

    def _below(self, name: Stems) -> set[tuple[int, bool]]:
        """Return the relations to «subgroups» of a group, where its relation to another group says which is above."""
        own = self.lexicon.class_named((name[0].removeprefix("sub").lstrip("-"),)) if len(name) == 1 else ""
        if not own or not name[0].startswith("sub"):
            return set()
        joins = [join for join in self.between(own, (own,)) if join.forward]
        labels = {join.relation: frozenset(self.labels[join.relation]) for join in joins}
        return {(one, bool(_BELOW & label)) for one, label in labels.items() if (_ABOVE | _BELOW) & label}

    def merged(self, joins: Iterable[Join]) -> list[Link]:
        """Return the ways of some joins, one for those along one relation to several classes."""
        ways: dict[tuple[int, bool], list[str]] = {}
        for join in joins:
            ways.setdefault((join.relation, join.forward), []).append(join.end)
        links = []
        for step, ends in ways.items():
            ends.sort(key=lambda name: -len(self.lexicon.classes[name]))
            links.append(Link((step,), ends[0], tuple(ends) if len(ends) > 1 else ()))
        return links

    def called(self, name: Stems) -> list[tuple[str, Link]]:
        """Return the classes, with the relations from them, that lead to what a noun names."""
        return [(start, link) for start in self.joins for link in self.by_noun(name, start)]

    def plain(self, start: str, ends: Sequence[str], preposition: str) -> list[Link]:
        """Return the one relation that «have», «of» or a preposition may mean between two classes; none for several."""
        joins = [join for join in self.between(start, ends[:1]) if join.start != join.end]
        said = [join for join in joins if preposition in self.labels[join.relation]]
        said = said or [join for join in joins if self.is_said(join, preposition)]
        said = said or [join for join in joins if preposition in _IN and self._says_classes(join)]
        chosen = joins if len(joins) == 1 else said
        if len(chosen) != 1:
            return []
        label = self.labels[chosen[0].relation]
        if (
            preposition in _PLAIN
            and not {preposition, *_PLACES.get(preposition, ())} & set(label)
            and _PLAIN & set(label)
        ):
            return []  # «to e0» is not `part of`
        (join,) = chosen
        if preposition in _PLACES and self.is_place(join.end) and not may_be_in(label, join.end):
            return []
        return [Link(((join.relation, join.forward),), join.end)]

    def _says_classes(self, join: Join) -> bool:
        """Return whether a relation is called by no more than the classes that it joins: `DEPT_EMP`, `DEAL_OF`."""
        label = self.place.graph.relation_label(join.relation)
        words = stems(" ".join(in_full(in_words(label).lower().split(), frozenset())))
        own = {*stems_of_name(join.start), *stems_of_name(join.end)}
        return bool(own.intersection(words)) and set(words) <= own | {"of", stem("has")}

    def is_said(self, join: Join, preposition: str) -> bool:
        """Return whether the label of a relation has a preposition, or a word for what it says of journeys."""
        return not {preposition, *_ENDS.get(preposition, ())}.isdisjoint(self.labels[join.relation])

    def class_ending_in(self, at: int) -> str:
        """Return the one class whose name ends in a noun: «works» of Artwork; "" for none."""
        word, before = self.tokens.word(at), self.tokens.word(at - 1) if at else ""
        if len(word) < _ENDING - 1 or not (is_plural(word) or before in ("a", "an", "the", "which")):
            return ""
        endings = (word, *possible_singulars(word))
        named = [name for name in self.joins if name.lower().endswith(endings)]
        is_noun = at == 0 or before in _BEFORE_NOUN  # «the works», of an artist who works
        return named[0] if len(named) == 1 and (is_noun or stem(word) not in self.lexicon.words) else ""
