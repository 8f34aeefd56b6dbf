"""Paths between classes, and how well a phrase says them."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from graphbrick.bricks.retrieve.operators.phrases import PhraseResolver
from graphbrick.bricks.retrieve.operators.schema.class_graph import Join
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.forms import PERSON, kind_of
from graphbrick.language.stems import WORD, Stems, root, stem
from graphbrick.patterns.lexicon import label_stems

WHO = Expression(
    r"^(?:who|whom)\b(?! (?:is|are|was|were) (?:all )?(?:the )?(?!(?:in|on|at|with|by|from|of|to)\b)[a-z -]+ "
    r"(?:of|in|on|at|for|by|that|who)\b)"
)
"""A question for people: «who won e0», but not «who are the drivers of e0», which names their class."""
# Words in labels of relations that a preposition of direction speaks of.
_DIRECTIONS = {
    "to": frozenset(map(stem, ("arrive", "arrival", "destination", "into", "target", "end"))),
    "from": frozenset(map(stem, ("depart", "departure", "origin", "source", "start", "leave"))),
}
# Words in labels of relations that say whether their heads, or their tails, are the parts.
_MEMBERSHIP = {
    False: frozenset(map(stem, ("member", "part", "belong", "in", "within"))),
    True: frozenset(map(stem, ("include", "contain"))),
}
_BELONGS = Expression(r"\b(?:on|in|at|of|within|inside) e\d+\b")
_BEFORE = Expression(r"\b(?P<word>of|in|on|at|by|for|with|from|to|about) e\d+\b")
_FIRST_VERB = Expression(r"(?:who|which [a-z]+|what [a-z]+) (?:(?:has|have|had|is|are|was|were) )?([a-z]+)")
_SMALL_ROOTS = frozenset(map(root, ("in", "on", "at", "by", "for", "with", "from", "to", "of", "is", "has")))
_Y = ("y", "i")


class Way(NamedTuple):
    """A path between classes.

    Attributes:
        joins: Its steps.
        left: The words that it does not explain yet.
        ends: All classes that it ends in, if a question asks for several: «who works in e0», doctors and nurses.
    """

    joins: tuple[Join, ...]
    left: frozenset[str]
    ends: tuple[str, ...] = ()


class Saying(NamedTuple):
    """How well a phrase says a path, by what counts most.

    Attributes:
        spoken: How many of its relations words of the phrase say.
        does: 1 if the verb, or preposition, after «who» or «which films» says the last relation.
        by_preposition: 1 if the preposition before the entity is a word of the first relation.
        is_member: 1 if the phrase asks for what belongs to the entity, and so does the relation.
        by_noun: How many of its relations nouns of the phrase say.
        is_person: 1 if «who» asks, and the path leads to people.
    """

    spoken: int
    does: int
    by_preposition: int
    is_member: int
    by_noun: int
    is_person: int


class WaysSaid:
    """A judge of how well the words of phrases say paths between classes.

    Args:
        resolver: Knows the graph and its words.
    """

    def __init__(self, resolver: PhraseResolver) -> None:
        self.graph, self.english, self.lexicon = resolver.place.graph, resolver.english, resolver.lexicon

    def label(self, join: Join) -> Stems:
        """Return the stems of the label of a step's relation."""
        return label_stems(self.graph.relation_label(join.relation))

    def is_spoken(self, join: Join, content: Set[str]) -> bool:
        """Return whether words say the relation of a step."""
        words = self.lexicon.relations[join.relation].words
        return any(self.is_among(word, words) for word in content)

    def is_among(self, word: str, words: Set[str]) -> bool:
        """Return whether a word, or a word near it, is among others; «supplied» has another stem than «supplies»."""
        if self.english.is_among(word, words):
            return True
        return word[-1:] in _Y and len(word) > len("ied") and any(f"{word[:-1]}{end}" in words for end in _Y)

    def how_well(self, way: Way, phrase: str, content: Set[str]) -> Saying:
        """Return how well a phrase says a path.

        Args:
            way: The path.
            phrase: The phrase.
            content: The stems of its words that a path has to explain.
        """
        first, last = self.label(way.joins[0]), way.joins[-1]
        before, verb = _BEFORE.search(phrase), _FIRST_VERB.match(phrase)
        word = before["word"] if before else ""
        nouns = {root(word) for word in WORD.findall(phrase)} - _SMALL_ROOTS
        return Saying(
            spoken=len({join.relation for join in way.joins if self.is_spoken(join, content)}),
            does=int(self.is_spoken(last, {stem(verb[1])}) or verb[1] in self.label(last)) if verb else 0,
            by_preposition=int(word in first or bool(_DIRECTIONS.get(word, frozenset()) & set(first))),
            is_member=int(bool(_MEMBERSHIP[way.joins[0].forward] & set(first)) and bool(_BELONGS.search(phrase))),
            by_noun=len({join.relation for join in way.joins if nouns & set(map(root, self.label(join)))}),
            is_person=int(bool(WHO.match(phrase)) and kind_of(last.end) == PERSON),
        )
