"""Words of questions, answers and evidence, and how far one text has those of another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from graphbrick.language.folding import fold
from graphbrick.language.stems import short_stem
from graphbrick.language.stop_words import INTERROGATIVES, stop_words


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text, without function words.

    >>> sorted(content_words("Who signed the treaties of 1963?"))
    ['1963', 'sign', 'treat']
    """
    return frozenset(short_stem(word) for word in fold(text).split() if word not in _stops())


def coverage(words: Collection[str], text: Collection[str], weight: Mapping[str, float] | None = None) -> float:
    """Return the share of words in a text, each by its weight (1 without one); 0 without words.

    >>> coverage({"kenya", "capital"}, content_words("Nairobi is the capital."))
    0.5
    """
    weights = {word: 1.0 if weight is None else weight.get(word, 1.0) for word in words}
    total = sum(weights.values())
    return sum(value for word, value in weights.items() if word in text) / total if total else 0.0


def says(text: str, answer: str) -> bool:
    """Return whether a text has an answer: word for word, or most content words of a longer one.

    >>> says("It was signed in Nairobi.", "Nairobi"), says("The minister signed it.", "a minister of Kenya and Uganda")
    (True, False)
    """
    folded = fold(answer)
    if not folded:
        return False
    if f" {folded} " in f" {fold(text)} ":
        return True
    words = content_words(answer)
    return len(words) > 1 and coverage(words, content_words(text)) > 0.6


@lru_cache(maxsize=1)
def _stops() -> frozenset[str]:
    return stop_words()["english"] | INTERROGATIVES
