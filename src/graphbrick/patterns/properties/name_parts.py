"""Words of a question that stand in the names of several entities of one class: «Varley St» of the stops there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice

from graphbrick.core.properties.stated import shortened
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.languages import TYPES
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import name_form
from graphbrick.language.stems import spaced, stem
from graphbrick.language.stop_words import FUNCTION_WORDS, QUESTION_WORDS
from graphbrick.patterns.properties.sources import UNITS, Source
from graphbrick.patterns.properties.terms import Term

SHOWN = 5
"""Names in a message."""
_LONGEST, _LONGEST_NAME = 5, 80  # words of a part, and characters of a name in a message
_SHORTEST = 3  # letters of a word that stands alone
_MOST = 10_000  # entities
_TEXTS, _READ_WORDS = 64, 64  # texts that a session remembers, words of a text
_WORD = Expression(r"[^\s,;:?!()«»\"]+")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = Expression(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|\b{_MONTH},? (?:of )?\d"
    rf"|\b(?:in|during|since|until|before|after|between|from|through) {_MONTH}\b",
    re.IGNORECASE,
)
_NO_WORD = Expression(r"e\d+|[\d.,:/-]+")  # placeholders, numbers and dates


@dataclass(frozen=True)
class NameOf(Source):
    """The names of the entities of a class, as if they were a property of them.

    Attributes:
        of_class: The class.
    """

    of_class: str = ""


def entities_with(graph: Graph, words: str) -> list[int]:
    """Return the entities with words in their labels, one after the other; incomplete for very common words.

    Texts in a language are mostly prose, and parts of them name nothing.
    """
    wanted = f" {name_form(words)} "
    found = (one for one in graph.names.containing(name_form(words)) if graph.first_type(one) not in TYPES)
    return [one for one in found if wanted in f" {name_form(graph.label(one))} "]


def which_is_meant(graph: Graph, part: str, entities: Sequence[int]) -> str:
    """Return the question which of several entities is meant by a part of their names."""
    shown = ", ".join(shortened(graph.label(entity), _LONGEST_NAME) for entity in entities[:SHOWN])
    more = f", and {len(entities) - SHOWN:,} more" if len(entities) > SHOWN else ""
    return (
        f"{part!r} may stand for {len(entities):,} names in this graph: {shown}{more}; which one is meant? "
        "Write it in full"
    )


def parts_of_names(
    graph: Graph, text: str, taken: Sequence[tuple[int, int]], known: Set[str], capitals: Collection[str]
) -> list[Term]:
    """Return words of a text that stand one after the other in the names of several entities of one class.

    Words that English has, such as «new», count where they are written with a capital, or beside the name of the class:
    «the hail and ride stops».

    Args:
        graph: The graph.
        text: The text, in any case; entities may be placeholders such as `e0`.
        taken: Where words stand that mean something else.
        known: Stems of words that mean something else if they stand alone.
        capitals: The words that are written with a capital, in lower case.
    """
    key = ("parts of names", graph.place, graph.hash, text, tuple(taken), frozenset(known), tuple(capitals))
    return list(current_session().get(key, lambda: list(_read(graph, text, taken, known, capitals)), at_most=_TEXTS))


def _read(
    graph: Graph, text: str, taken: Sequence[tuple[int, int]], known: Set[str], capitals: Collection[str]
) -> Iterator[Term]:
    taken = [*taken, *(match.span() for match in _DATE.finditer(text))]
    words = [
        word
        for word in islice(_WORD.finditer(text), _READ_WORDS)
        if not any(word.start() < end and start < word.end() for start, end in taken)
    ]
    at = 0
    while at < len(words):
        for size in range(min(_LONGEST, len(words) - at), 0, -1):
            span = words[at : at + size]
            after = words[at + size][0].lower() if at + size < len(words) else ""
            start, end = span[0].start(), span[-1].end()
            part = text[start:end].removesuffix("'s")
            if part.split() == [word[0].removesuffix("'s") for word in span] and (
                sources := _sources(graph, part, known, capitals, after)
            ):
                yield Term(start, start + len(part), sources, _as_written(graph, part))
                break
        else:
            size = 1
        at += size


def _sources(graph: Graph, part: str, known: Set[str], capitals: Collection[str], after: str) -> tuple[NameOf, ...]:
    """Return the classes of the entities that have words in their names; none if they mean something else."""
    words = part.lower().split()
    if any(word in QUESTION_WORDS or word in FUNCTION_WORDS for word in (words[0], words[-1])):
        return ()
    is_amount = _NO_WORD.fullmatch(words[0]) and words[-1] in UNITS  # «more than 16 GB» of memory
    own = [word for word in words if not {word, stem(word)} & known and not _NO_WORD.fullmatch(word)]
    own = [] if is_amount else own
    if not own or any(re.fullmatch(r"e\d+", word) for word in words) or (len(words) == 1 and len(part) < _SHORTEST):
        return ()
    entities = entities_with(graph, part)
    if not 1 < len(entities) <= _MOST:
        return ()
    kinds = set(graph.types(entities[0])).intersection(*map(graph.types, entities))
    if not any(word in capitals or _is_name(word) for word in own):
        kinds = {kind for kind in kinds if after and stem(after) == stem(spaced(kind).lower())}
    return tuple(NameOf("name", of_class=kind) for kind in sorted(kinds))


def _as_written(graph: Graph, part: str) -> str:
    """Return words as the first name with them has them, with its capitals."""
    labels = map(graph.label, entities_with(graph, part))
    found = (re.search(rf"(?<!\w){re.escape(part)}(?!\w)", label, re.IGNORECASE) for label in labels)
    return next((match[0] for match in found if match), part)


def _is_name(word: str) -> bool:
    """Return whether a word in lower case is none that English has."""
    return any(sign.isdigit() for sign in word) or (forms.is_installed() and not forms.is_word(word))
