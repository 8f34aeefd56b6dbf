"""Meanings of English words: words of the same meaning, and nouns for a kind of another.

The meanings are an extract of WordNet 3.0 (``senses.tsv.xz`` and ``verbs.tsv.xz``, which ``tools/english_lexicon.py``
makes), and everyday words that it keeps apart (``near.toml``).
"""

from __future__ import annotations

import lzma
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

_FURTHEST = 2  # steps from a noun to a kind of a kind
_MOST = 200  # words at one distance; a noun with more kinds is too general to say what they speak of
_MANY_MEANINGS = "*"


class _Meanings(NamedTuple):
    """Contents of the file; a line is only read in full when one of its words is asked for.

    Attributes:
        lines: The words of each meaning, then the distances of each to the meanings that are a kind of it.
        of_word: The common meanings of each word, with a star behind a word of many meanings.
    """

    lines: list[str]
    of_word: dict[str, list[int]]

    def of(self, noun: str) -> list[int]:
        """Return the common meanings of a noun."""
        return sorted(self.of_word.get(noun, []) + self.of_word.get(noun + _MANY_MEANINGS, []))

    def words(self, meaning: int) -> list[str]:
        """Return the words of a meaning, with a star behind those of many meanings."""
        named = self.lines[meaning]
        return named.split(",") if named else []

    def kinds(self, meaning: int) -> list[int]:
        """Return the meanings that are a kind of a meaning."""
        distances = self.lines[len(self.lines) // 2 + meaning]
        return [meaning + int(distance) for distance in distances.split(",")] if distances else []


@lru_cache(maxsize=1)
def _meanings() -> _Meanings:
    packed = (files("graphbrick.patterns.english") / "senses.tsv.xz").read_bytes()
    lines = lzma.decompress(packed).decode("utf-8").splitlines()
    of_word: dict[str, list[int]] = {}
    for number, line in enumerate(lines[: len(lines) // 2]):
        for word in line.split(","):
            if word in of_word:
                of_word[word].append(number)
            else:
                of_word[word] = [number]
    return _Meanings(lines, of_word)


@lru_cache(maxsize=4096)
def kinds_of(noun: str) -> Mapping[str, int]:
    """Return nouns for a kind of a noun, with their distance: 0 for the same meaning, at most 2.

    Words of many meanings are left out, because they often mean something else, and so is what is further away than
    200 words at one distance.

    >>> kinds_of("school")["alma mater"], kinds_of("spouse")["better half"], "words" in kinds_of("language")
    (1, 0, False)
    """
    meanings, kinds = _meanings(), dict[str, int]()
    numbers, met = meanings.of(noun) if noun else [], set[int]()
    for distance in range(_FURTHEST + 1):
        numbers = [number for number in dict.fromkeys(numbers) if number not in met]
        met.update(numbers)
        named = [word for number in numbers for word in meanings.words(number)]
        if len(named) > _MOST:
            break
        for word in named:
            if not word.endswith(_MANY_MEANINGS) and word != noun:
                kinds.setdefault(word, distance)
        numbers = [kind for number in numbers for kind in meanings.kinds(number)]
    return kinds


@lru_cache(maxsize=1)
def _near() -> dict[str, dict[str, set[str]]]:
    """Return the words of the same everyday meaning, for nouns and for verbs."""
    groups = tomllib.loads((files("graphbrick.patterns.english") / "near.toml").read_text(encoding="utf-8"))
    by_word = {kind: defaultdict[str, set[str]](set) for kind in groups}
    for kind, lines in groups.items():
        for line in lines:
            for word in (members := set(line.split())):
                by_word[kind][word] |= members - {word}
    return {kind: dict(words) for kind, words in by_word.items()}


@lru_cache(maxsize=1)
def _meanings_of_verbs() -> dict[str, list[list[str]]]:
    packed = (files("graphbrick.patterns.english") / "verbs.tsv.xz").read_bytes()
    by_verb = defaultdict[str, list[list[str]]](list)
    for line in lzma.decompress(packed).decode("utf-8").splitlines():
        words = line.split(",")
        for word in words:
            by_verb[word.rstrip(_MANY_MEANINGS)].append(words)
    return dict(by_verb)


def same_verbs(verb: str) -> frozenset[str]:
    """Return verbs that may say what a verb says; one of two verbs has the meaning as a common one.

    >>> [verb in same_verbs("buy") for verb in ("purchase", "sell")], "repair" in same_verbs("fix")
    ([True, False], True)
    """
    verbs = set(_near()["verbs"].get(verb, ()))
    for words in _meanings_of_verbs().get(verb, ()):
        own = verb in words
        verbs |= {word.rstrip(_MANY_MEANINGS) for word in words if own or not word.endswith(_MANY_MEANINGS)}
    return frozenset(verbs - {verb})


def near_nouns(noun: str) -> frozenset[str]:
    """Return nouns of the same everyday meaning, as «club» for team; the plural of one that is cut short has them too.

    >>> "team" in near_nouns("club"), near_nouns("thing"), "application" in near_nouns("apps")
    (True, frozenset(), True)
    """
    nouns = _near()["nouns"]
    return frozenset(nouns.get(noun) or nouns.get(noun.removesuffix("s")) or ())


def is_narrower(noun: str, name: str) -> bool:
    """Return whether a noun says a kind of what another noun says, and not the same.

    >>> is_narrower("cantor", "musician"), is_narrower("musician", "cantor"), is_narrower("club", "team")
    (True, False, False)
    """
    return kinds_of(name).get(noun, 0) > 0 and name not in near_nouns(noun)
