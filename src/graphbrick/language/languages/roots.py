"""The roots of words in the language that a question is asked in."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from graphbrick.language.folding import fold
from graphbrick.language.languages.asking import asked_in, asking_words
from graphbrick.language.languages.german import german_root
from graphbrick.language.languages.romance import ROMANCE, romance_root
from graphbrick.language.languages.spelling import is_cyrillic, spelling_root
from graphbrick.language.stems import root
from graphbrick.language.stop_words import stop_words


def root_of(question: str) -> Callable[[str], str]:
    """Return what gives the roots of words in the language of a question.

    It is `german_root` for German, `romance_root` for Romance languages, `spelling_root` for English and in Cyrillic
    letters, and `root` for others.
    """
    words = fold(question).split()
    german, english = (sum(word in function_words(name) for word in words) for name in ("german", "english"))
    if german > english:
        return german_root
    if asked_in(question) in ROMANCE:
        return romance_root
    is_other = not any(map(is_cyrillic, words)) and asking_words(question) - function_words("english")
    return root if is_other else spelling_root


@cache
def function_words(language: str) -> frozenset[str]:
    """Return the folded function words of a language."""
    return stop_words()[language] | frozenset(fold(word) for word in stop_words()[language])
