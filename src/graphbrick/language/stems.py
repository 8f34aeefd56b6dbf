"""Stems of English words, of two kinds: what the forms of one word share, and what a family of words shares.

`stem` joins the forms of one word («directs», «directed»). Plans of operators use it: there a derived noun is another
thing, as «leader» names people and «lead» a relation. `root` joins derived nouns too («directed», «director»). Linking
uses it to tell the words of a graph's relations from names; with `stem` it finds fewer names in lower-case questions.
"""

from __future__ import annotations

import re
from functools import lru_cache

Stems = tuple[str, ...]

WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
"""A word, which may be hyphenated."""

_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "neighbor": "neighbour",
    "neighbors": "neighbour", "neighboring": "neighbour", "spoken": "speak", "spoke": "speak", "led": "lead",
    "written": "writ", "wrote": "writ", "made": "mak", "paid": "pay", "born": "bear", "held": "hold", "won": "win",
    "lies": "li", "lying": "li", "lay": "li", "built": "build", "sung": "sing", "worn": "wear", "known": "know",
    "taught": "teach", "bought": "buy", "sold": "sell", "flown": "fly", "ran": "run", "died": "di", "dies": "di",
    "used": "us",
}  # fmt: skip
_ROOT_ENDINGS = (
    "ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors", "ies", "ie", "ed", "es", "er", "or", "y", "s", "e",
)  # fmt: skip
_SHORTEST_ROOT = 3  # letters


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the part that all inflected forms of an English word share; derived nouns have another («director»).

    >>> [stem(word) for word in ("countries", "country", "borders", "bordering", "uses", "used", "languages", "bus")]
    ['country', 'country', 'border', 'border', 'us', 'us', 'languag', 'bus']
    """
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and re.search("[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lse":
                word = word[:-1]
            return word.removesuffix("e")
    return word.removesuffix("e") if len(word) > 2 else word


@lru_cache(maxsize=16_384)
def stems(text: str) -> Stems:
    """Return the stems of the words of a text.

    >>> stems("Time zones")
    ('tim', 'zon')
    """
    return tuple(stem(word) for word in WORD.findall(text))


def root(word: str) -> str:
    """Return the part that a folded English word shares with its other forms and with derived nouns.

    >>> root("directed") == root("director") == root("directs") == root("directing") == "direct"
    True
    >>> root("starred") == root("stars") == "star", root("countries") == root("country"), root("films")
    (True, True, 'film')
    """
    for ending in _ROOT_ENDINGS:
        short = word.removesuffix(ending)
        if short != word and len(short) >= _SHORTEST_ROOT:
            is_doubled = len(short) > _SHORTEST_ROOT and short[-1] == short[-2] and ending not in ("s", "es")
            return short[:-1] if is_doubled else short
    return word
