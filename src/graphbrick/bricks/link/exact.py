"""Names that a question spells as the graph does, apart from case, accents and punctuation.

Of names that differ in signs only, such as «C» and «C++», the one whose signs stand in the question is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphbrick.bricks.link.question import Question, Span
from graphbrick.bricks.link.words import vocabulary
from graphbrick.core import Mention
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import Token, tokens
from graphbrick.language.hashing import extend_span, token_hashes
from graphbrick.language.signs import fit, has_signs

# Longer names are found as given seeds, not in running text.
_LONGEST_NAME = 64
_OTHER_SIGNS, _OF_CODE = 0.95, ("(", ">")  # the score of a name without the signs of a question; signs after code

Matches = list[tuple[Span, Mention]]


@dataclass(frozen=True)
class ExactNames:
    """Exact names in a question, each longest first; spans may overlap.

    Attributes:
        names: Spans that are surely meant as names.
        words: Single lower-case words, which may be meant as common words.
        terms: Words that the types or relations of the graph use, such as «capital» or «the director».
        unlike: Texts of mentions with signs that the name does not have, such as «C++» for C.
    """

    names: Matches
    words: Matches
    terms: Matches
    unlike: set[str] = field(default_factory=set)

    @property
    def words_covered(self) -> int:
        """Number of words of the question that are part of a name."""
        return len({at for span, _ in (*self.names, *self.words) for at in range(span.first, span.last + 1)})


@dataclass(frozen=True)
class Written:
    """A name as a text writes it, with its signs.

    Attributes:
        surface: The words with the signs of the name that stand in the text.
        numbers: The ids of the names whose signs agree best with the text.
        is_marked: Whether it has signs that only names have, such as «C++».
        surplus: The «+» and «#» after it that no name has.
    """

    surface: str
    numbers: Sequence[int]
    is_marked: bool = False
    surplus: str = ""


def as_written(graph: Graph, text: str, words: Sequence[Token], numbers: Sequence[int]) -> Written:
    """Return which of the names that fold to the same words a text has with their signs.

    Args:
        graph: The graph.
        text: The text in Unicode form NFC.
        words: Where the words of the names stand in it.
        numbers: The ids of the names.
    """
    start, end = words[0].start, words[-1].end
    named = {number: graph.names.name(number) for number in numbers}
    if not numbers or not (text[end : end + 1] in ("+", "#") or any(map(has_signs, named.values()))):
        return Written(text[start:end], numbers)
    fits = {name: fit(text, words, name) for name in set(named.values())}
    best = min((one.missing, one.extra) for one in fits.values())
    alike = [number for number in numbers if fits[named[number]][:2] == best]
    agreeing = [fits[named[number]] for number in alike]
    start, end = max(one.start for one in agreeing), min(one.end for one in agreeing)
    surplus = min((one.surplus for one in agreeing), key=len)
    return Written(text[start:end], alike, all(one.is_marked for one in agreeing), surplus)


def exact_names(graph: Graph, question: Question) -> ExactNames:
    """Return the exact names in a question."""
    names = ExactNames([], [], [])
    for span in spans_of_names(graph, question):
        numbers = graph.names.exact(question.folded(span))
        written = as_written(graph, question.text, question.words[span.first : span.last + 1], numbers)
        surface, numbers = written.surface, list(written.numbers)
        entities = ranked(graph, surface, numbers)
        if not entities or (span.size == 1 and span not in question.quoted and question.is_month(span.first)):
            continue
        if written.surplus:
            surface += written.surplus
            names.unlike.add(surface)
        entry = span, Mention(surface, entities[0], _OTHER_SIGNS if written.surplus else 1.0, tuple(entities[1:]))
        is_sure = written.is_marked or span in question.quoted
        if question.text[question.words[span.last].end :][:1] in _OF_CODE:
            from graphbrick.bricks.link.codes import is_code  # few questions have code

            is_sure |= is_code(graph, question.text, numbers)
        if is_sure:
            names.names.append(entry)
        elif question.is_function_words(span):  # "It" may be the film; "it", or "In" at the beginning, is not
            if span.first > 0 and not surface.islower() and any(graph.names.name(n) == surface for n in numbers):
                names.names.append(entry)
        elif _is_term(graph, question, span, numbers):
            names.terms.append(entry)
        elif span.size == 1 and question.is_lower(span) and not _is_number_of(graph, question, span, entities):
            names.words.append(entry)
        else:
            names.names.append(entry)
    single = (Span(at, at) for at in range(len(question.words)))
    taken = [span for span, _ in (*names.names, *names.words, *names.terms)]
    capitals = (one for one in single if not (question.is_lower(one) or question.is_function_words(one)))
    if any(not any(map(one.overlaps, taken)) for one in capitals):
        from graphbrick.bricks.link.codes import names_by_codes  # most questions have none

        names.names.extend(names_by_codes(graph, question, taken, ranked))
    return names


def _is_term(graph: Graph, question: Question, span: Span, numbers: Iterable[int]) -> bool:
    """Return whether a span has only words of types and relations, and no capitals of a name."""
    words = question.words[span.first : span.last + 1]
    known = vocabulary(graph)  # function words of a span do not count, as in «the director»
    if not all(word.text in known for word in words if not question.is_function_word(word)):
        return False
    is_written = any(graph.names.name(number) == question.surface(span) for number in numbers)
    is_alone = span.size == 1 and (not is_written or (span.first == 0 and len(question.words) > 1))
    return is_alone or question.is_lower(span)


def _is_number_of(graph: Graph, question: Question, span: Span, entities: Iterable[int]) -> bool:
    """Return whether a word with digits stands for what is called so: «route 131», but not «the 131 trips»."""
    word = question.words[span.first]
    if not any(sign.isdigit() for sign in word.text):
        return False
    from graphbrick.language.restrictions import is_numbered  # most words have no digits

    kinds = [name for one in entities for name in graph.types(one)]
    return is_numbered(question.text, word.start, word.end, kinds)


def read(graph: Graph, text: str) -> tuple[Question, ExactNames]:
    """Return a question and its exact names; signs that stand alone and are a name are words of it.

    If the words of a folder of an earlier version cover more of the question, it is read by their rules.
    """
    question = Question.read(text)
    names = exact_names(graph, question)
    inside = [(question.words[span.first].start, question.words[span.last].end) for span, _ in names.names]
    signed = question.with_signs(lambda signs: bool(graph.names.exact(signs)))
    signs = [word for word in signed.words if word not in question.words] if signed is not question else []
    if signs and not any(start < sign.start < end for start, end in inside for sign in signs):
        question, names = signed, exact_names(graph, signed)
    if text.isascii():
        return question, names
    from graphbrick.language.folding_before import tokens_before  # most questions need none

    words = tokens_before(question.text)
    if words != tokens(question.text):
        before = Question.read(text, words)
        if (names_before := exact_names(graph, before)).words_covered > names.words_covered:
            return before, names_before
    return question, names


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
