"""The entities that a text of a conversation names, with their places in it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from graphbrick.bricks.link.context import settled
from graphbrick.bricks.link.exact import Matches, exact_names
from graphbrick.bricks.link.question import Question, disjoint
from graphbrick.bricks.link.unmatched import Unmatched
from graphbrick.bricks.link.words import vocabulary
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.seeds import mentioned
from graphbrick.language.folding import nfc
from graphbrick.language.stems import WORD, root, stem
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.patterns.lexicon import lexicon_of
from graphbrick.patterns.properties.sources import sources_of

_MIN_SCORE = 0.8  # that of LinkLabels
_TRIPLES = 10_000  # of an entity that are looked at, in each direction
_BEFORE_NOUN = frozenset("the a an her his its their my your our this that these those which what whose".split())


class Name(NamedTuple):
    """A name in a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        entity: The entity.
        unique: Whether no other entity has the name.
    """

    start: int
    end: int
    entity: int
    unique: bool


def names_in(graph: Any, text: str) -> list[Name]:
    """Return the entities that a text names, in order, as `LinkLabels` does but without common words.

    Args:
        graph: A graph; only folder graphs also find misspelt names, and tell entities of one name apart.
        text: The text, in Unicode form NFC.
    """
    if not isinstance(graph, Graph):
        return _mentioned(graph, text)
    question = Question.read(text)
    exact = exact_names(graph, question)
    # A single word in lower case is a name only where no article makes it a noun: «and of kenya?», not «the capital».
    single = [(span, mention) for span, mention in exact.words if not _is_noun(question, span.first)]
    matches: Matches = Unmatched(graph, question, _MIN_SCORE).beside(disjoint(exact.names)) or disjoint(single)
    words = question.words
    return [
        Name(words[span.first].start, words[span.last].end, mention.entity, not mention.others)
        for span, mention in settled(graph, question, matches)
    ]


def _is_noun(question: Question, at: int) -> bool:
    return at > 0 and question.words[at - 1].text in _BEFORE_NOUN


def _mentioned(graph: Any, text: str) -> list[Name]:
    """Return the names in a text by the search of a graph without a folder, such as a database."""
    names = []
    for entity in mentioned(graph, text):
        for name in (graph.label(entity), *graph.aliases(entity)):
            place = re.search(rf"(?<!\w){re.escape(nfc(name))}(?!\w)", text, re.IGNORECASE) if name else None
            if place is not None:
                names.append(Name(place.start(), place.end(), entity, unique=False))
                break
    return sorted(names)


def type_words(graph: Any, entity: int) -> frozenset[str]:
    """Return the roots of the words of an entity's types."""
    return frozenset(root(word.lower()) for label in graph.types(entity) for word in WORD.findall(label))


class Speaks:
    """Matcher of the words of a question with the relations and properties of entities.

    Args:
        graph: The graph; only folder graphs can tell.
        text: The question.
        learned: The folder of learned patterns, whose words count too; None for none.
    """

    def __init__(self, graph: Any, text: str, learned: str | None) -> None:
        self._graph, self._learned = graph, learned
        self._words = {word.lower() for word in WORD.findall(text)} - QUESTION_WORDS

    def of(self, entity: int) -> int:
        """Return how much the words speak of the relations and properties of an entity.

        A word counts 2 for a property or a relation that leaves it («the husband of X»), 1 for one that only enters it.
        """
        if not isinstance(self._graph, Graph) or not self._words:
            return 0
        leaving = self._spoken(entity, forward=True) | self._of_properties(entity)
        return 2 * len(leaving) + len(self._spoken(entity, forward=False) - leaving)

    def _of_properties(self, entity: int) -> set[str]:
        """Return the words that speak of properties of an entity."""
        own = self._graph.properties(entity)
        known = {word for one in sources_of(self._graph) if one.relation < 0 and one.name in own for word in one.words}
        return {word for word in self._words if stem(word) in known}

    def _spoken(self, entity: int, *, forward: bool) -> set[str]:
        """Return the words that speak of relations of an entity in one direction."""
        csr, graph = self._graph.csr, self._graph
        row = csr.row(entity, forward)
        row = slice(row.start, min(row.stop, row.start + _TRIPLES))
        relations = np.unique(csr.relation[row] if forward else csr.relation[csr.in_triple[row]]).tolist()
        lexicon, labels = lexicon_of(graph, self._learned), vocabulary(graph)
        stems = frozenset[str]().union(*(lexicon.relations[one].words for one in relations))
        roots = frozenset[str]().union(*(labels.relation(one) for one in relations))
        return {word for word in self._words if stem(word) in stems or root(word) in roots}
