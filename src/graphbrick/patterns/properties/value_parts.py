"""Words of a question that are a part of values of one property: «SUVs» of «Small SUV 4WD» and «Standard SUV 2WD»."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice, pairwise

from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.language.stems import is_plural, stem
from graphbrick.language.stop_words import FUNCTION_WORDS, QUESTION_WORDS
from graphbrick.patterns.properties.sources import Source, sources_of
from graphbrick.patterns.properties.terms import Term

_MOST_VALUES = 300  # different ones of a column of kinds
_REPEATED = 1.5  # times that each value of a column of kinds stands there at least, on average
_SHORTEST, _LONGEST = 3, 3  # letters of a word, words of a part
_READ_WORDS, _TEXTS = 64, 64
_WORD = Expression(r"[^\s,;:?!()«»\"]+")
_WORDS = Expression(r"[^\W_]+")
_BEFORE = frozenset("a an which what any every each no another".split())


@dataclass(frozen=True)
class PartOf(Source):
    """Some values of a property that have words in common, as if they were one.

    Attributes:
        values: The values.
        of: The property.
    """

    values: tuple[str, ...] = ()
    of: Source | None = None


def parts_of_values(graph: Graph, text: str, taken: Sequence[tuple[int, int]], known: Set[str]) -> list[Term]:
    """Return the words of a text that name a kind by a part of its values: «SUVs» of «Small SUV 4WD».

    The property must tell kinds of things, as its values come again; and the words must stand for things: in the
    plural, after «a», or before the name of a class.

    Args:
        graph: The graph.
        text: The text in lower case; entities may be placeholders such as `e0`.
        taken: Where words stand that mean something else.
        known: Stems of words that mean something else, and of the names of classes.
    """
    key = ("parts of values", graph.place, graph.hash, text, tuple(taken), frozenset(known))
    return list(current_session().get(key, lambda: list(_read(graph, text, taken, known)), at_most=_TEXTS))


def _read(graph: Graph, text: str, taken: Sequence[tuple[int, int]], known: Set[str]) -> Iterator[Term]:
    every = list(islice(_WORD.finditer(text.lower()), _READ_WORDS))
    kinds = _kinds(graph) if every else {}
    at = 0
    while at < len(every):
        for size in range(min(_LONGEST, len(every) - at), 0, -1):
            span = every[at : at + size]
            if any(word.start() < end and start < word.end() for word in span for start, end in taken):
                continue
            words = [part for word in span for part in _WORDS.findall(word[0])]
            if _is_kind(every, at, size, words, known) and (sources := _sources(kinds, words)):
                yield Term(span[0].start(), span[-1].end(), sources, " ".join(words))
                break
        else:
            size = 1
        at += size


def _is_kind(every: Sequence[re.Match[str]], at: int, size: int, words: Sequence[str], known: Set[str]) -> bool:
    """Return whether words may stand for a kind: «minivans», «a minivan», «midsize cars»."""
    if not words or any(word in QUESTION_WORDS or word in FUNCTION_WORDS or word.isdecimal() for word in words):
        return False
    if all({word, stem(word)} & known or re.fullmatch(r"e\d+", word) for word in words) or len(words[-1]) < _SHORTEST:
        return False
    last = words[-1]
    before = every[at - 1][0] if at else ""
    after = every[at + size][0] if at + size < len(every) else ""
    is_noun = forms.is_installed() and (forms.may_be_noun(last) or not forms.is_word(last))
    return (is_plural(last) and is_noun) or before in _BEFORE or (bool(after) and stem(after) in known and is_noun)


def _kinds(graph: Graph) -> dict[Source, list[tuple[str, str]]]:
    """Return the values of each property that tells kinds of things, with their plain forms; a session looks once."""
    return current_session().get(("kinds in values", graph.place, graph.hash), lambda: _find(graph), at_most=8)


def _find(graph: Graph) -> dict[Source, list[tuple[str, str]]]:
    found: dict[Source, list[tuple[str, str]]] = {}
    for source in sources_of(graph):
        columns = [one for one in graph.columns if one.name == source.name and not one.of_triples]
        if source.kind != Kind.TEXT or source.literal is not None or source.relation >= 0 or len(columns) != 1:
            continue
        texts = columns[0].few_texts(_MOST_VALUES)
        if texts and len(columns[0]) >= _REPEATED * len(texts):
            found[source] = [(_plain(text), text) for text in texts]
    return found


def _plain(text: str) -> str:
    """Return the stems of the words of a value, between blanks."""
    return f" {' '.join(map(stem, _WORDS.findall(fold(text))))} "


def _sources(kinds: dict[Source, list[tuple[str, str]]], words: Sequence[str]) -> tuple[PartOf, ...]:
    """Return the properties of which some values have words; also words that values write as one."""
    wanted = f" {' '.join(map(stem, words))} "
    sources = list[PartOf]()
    for source, values in kinds.items():
        own = [text for plain, text in values if wanted in plain or any(wanted in one for one in _joined(plain))]
        if own and len(own) < len(values):
            sources.append(PartOf(source.name, stems=source.stems, words=source.words, values=tuple(own), of=source))
    return tuple(sources)


def _joined(plain: str) -> Iterator[str]:
    """Yield a value with two of its words as one: «pickup» of «Pick-up Trucks»."""
    words = plain.split()
    for at, (first, second) in enumerate(pairwise(words)):
        yield f" {' '.join((*words[:at], stem(first + second), *words[at + 2 :]))} "
