"""Names that a question spells as the graph does, apart from case, accents and punctuation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.link.question import Question, Span
from graphbrick.bricks.link.words import vocabulary
from graphbrick.core import Mention
from graphbrick.graphs.graph import Graph
from graphbrick.language.hashing import extend_span, token_hashes

# Longer names are found as given seeds, not in running text.
_LONGEST_NAME = 64

Matches = list[tuple[Span, Mention]]


@dataclass(frozen=True)
class ExactNames:
    """Exact names in a question, each longest first; spans may overlap.

    Attributes:
        names: Spans that are surely meant as names.
        words: Single lower-case words, which may be meant as common words.
        terms: Words that the types or relations of the graph use, such as «capital» or «the director».
    """

    names: Matches
    words: Matches
    terms: Matches


def exact_names(graph: Graph, question: Question) -> ExactNames:
    """Return the exact names in a question."""
    names = ExactNames([], [], [])
    for span in spans_of_names(graph, question):
        surface = question.surface(span)
        numbers = graph.names.exact(question.folded(span))
        entities = ranked(graph, surface, numbers)
        if not entities:
            continue
        entry = span, Mention(surface, entities[0], others=tuple(entities[1:]))
        if span in question.quoted:
            names.names.append(entry)
        elif question.is_function_words(span):
            # "It" inside a question may be the film; "it", or "In" at its beginning, is not.
            if span.first > 0 and not surface.islower() and any(graph.names.name(n) == surface for n in numbers):
                names.names.append(entry)
        elif _is_term(graph, question, span, numbers):
            names.terms.append(entry)
        elif span.size == 1 and question.is_lower(span):
            names.words.append(entry)
        else:
            names.names.append(entry)
    return names


def _is_term(graph: Graph, question: Question, span: Span, numbers: Iterable[int]) -> bool:
    """Return whether a span has only words of types and relations, and no capitals of a name."""
    words = question.words[span.first : span.last + 1]
    known = vocabulary(graph)
    # Function words of a span do not count, as in «the director».
    if not all(word.text in known for word in words if not question.is_function_word(word)):
        return False
    if question.is_lower(span):
        return True
    as_written = any(graph.names.name(number) == question.surface(span) for number in numbers)
    return span.size == 1 and (not as_written or (span.first == 0 and len(question.words) > 1))


def spans_of_names(graph: Graph, question: Question) -> list[Span]:
    """Return the spans whose hash is that of a name, most content words first, then longest."""
    words = question.words
    if not words:
        return []
    hashes = token_hashes([word.text for word in words])
    spans: list[Span] = []
    rolling = np.zeros(len(words), dtype=np.uint64)
    for length in range(1, min(graph.names.max_tokens, _LONGEST_NAME, len(words)) + 1):
        starts = len(words) - length + 1
        rolling = extend_span(rolling[:starts], hashes[length - 1 :])
        spans += [Span(int(i), int(i) + length - 1) for i in np.flatnonzero(graph.names.known(rolling))]
    # «the pacific ocean»: «pacific ocean» rather than «the pacific».
    spans.sort(key=lambda span: (span not in question.quoted, -question.content(span), -span.size, span.first))
    return spans


def ranked(graph: Graph, surface: str, names: Iterable[int]) -> list[int]:
    """Return the entities of names: exact spelling first, then labels, then by degree, then by id."""
    best: dict[int, tuple[bool, bool, int, int]] = {}
    for name in names:
        entity = graph.names.entity(name)
        is_alias = name != entity
        rank = (graph.names.name(name) != surface, is_alias, -graph.degree(entity), entity)
        best[entity] = min(rank, best.get(entity, rank))
    return sorted(best, key=lambda entity: best[entity])
