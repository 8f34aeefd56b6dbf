"""Which documents mention something: all its words in one passage, in any form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import reduce

import numpy as np

from graphbrick.core.session import current_session
from graphbrick.graphs.corpus import TextGraph, passage_words
from graphbrick.language.folding import fold, search_words
from graphbrick.language.languages.asking import asking_words
from graphbrick.language.languages.roots import function_words, root_of
from graphbrick.language.languages.spelling import american, is_cyrillic, spelling_root
from graphbrick.language.stems import stem
from graphbrick.language.stop_words import QUESTION_WORDS

_MOST_WORDS = 5  # of what is mentioned: more are a question of their own


def mentions_of(graph: TextGraph, name: str, question: str) -> list[int]:
    """Return the passages that mention something, in their order.

    They have its words one after the other; if none has, they have all of them. No forms of words are told apart.

    Args:
        graph: The graph.
        name: The words for what is mentioned.
        question: The question that they are from, whose language tells the forms of words.
    """
    empty = QUESTION_WORDS | function_words("german") | frozenset(map(fold, asking_words(question)))
    words = [word for word in search_words(name) if word not in empty]
    if not words or len(words) > _MOST_WORDS:
        return []
    of = root_of(question)
    if of is spelling_root and not any(map(is_cyrillic, words)):
        of = _inflected
    index = passage_words(graph)
    forms = current_session().get(("forms for mentions", of.__name__), lambda: _forms(graph, of), of=graph)
    known = [index.scores(forms.get(of(word), []), graph.n_passages) > 0 for word in words]
    every = np.flatnonzero(reduce(np.logical_and, known)).tolist()
    phrase = f" {' '.join(map(of, words))} "
    together = [i for i in every if phrase in f" {' '.join(map(of, _words_of(graph, i, empty)))} "]
    return together or every


def _inflected(word: str) -> str:
    """Return what the forms of an English word share, but no other words: «printers» is a printer, «printing» none."""
    return stem(american(word))


def _forms(graph: TextGraph, of: Callable[[str], str]) -> dict[str, list[str]]:
    """Return the words of the passages by their roots."""
    forms = defaultdict[str, list[str]](list)
    for word in passage_words(graph).words():
        forms[of(word)].append(word)
    return dict(forms)


def _words_of(graph: TextGraph, passage: int, empty: frozenset[str]) -> list[str]:
    place = graph.passage(passage)
    return [word for word in search_words(f"{place.section} {place.text}") if word not in empty]
