"""Rows of replies: names as they are kept, and whether a passage has them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

from graphbrick.language.folding import caseless, fold_name
from graphbrick.language.stems import without_plural
from graphbrick.language.stop_words import stop_words_of
from graphbrick.models.llm.replies.replies import one_line
from graphbrick.text.documents.sentences import sentences

T = TypeVar("T", bound=tuple[Any, ...])

_WORD = re.compile(r"\w+")
_QUOTES = "\"'`“”„«»‘’*_ "
_LONGEST_NAME, _LONGEST_TEXT = 100, 1000  # characters
_SHORTEST_STEM, _LONGEST_ENDING, _SHORTEST_CAPITALS = 4, 3, 2  # characters
_SUPPORTED = 0.25  # share of the words of a sentence that a passage has to have
_FEW_WORDS = 4  # of a sentence that is not judged by them, such as «A country.»
_NOTHING = frozenset(("", "none", "null", "n/a", "unknown", "-"))
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?(?=$|T)")

NOT_IN_PASSAGE = "not in the passage"
INCOMPLETE = "incomplete or not a name"
DUPLICATE = "duplicate"
TOO_MANY = "beyond the first n"
UNSUPPORTED = "sentence of a description that the passage does not support"


class PassageWords:
    """The words of one passage, to check whether names occur in it."""

    def __init__(self, text: str) -> None:
        self._raw, self._text = unicodedata.normalize("NFKC", text), caseless(text)
        words = _WORD.findall(self._text)
        self._words = {*words, *map(without_plural, words)}
        self._small = stop_words_of(words)
        self._flat = " ".join(words)

    def has(self, name: str) -> bool:
        """Return whether all words of a name but articles and the like occur; their endings may differ.

        A name of such words alone has to stand there with its capitals, as «US» or «The Who».

        >>> words = PassageWords("The Great Lakes of Africa")
        >>> words.has("great lake"), words.has("Lakes of Asia"), PassageWords("столица Кении").has("Кения")
        (True, False, True)
        """
        words = [word for word in _WORD.findall(caseless(name)) if word not in self._small]
        return all(self._has_word(word) for word in words) if words else self._has_capitals(name)

    def _has_capitals(self, name: str) -> bool:
        """Return whether a name of function words occurs as it is, with a capital that marks a name.

        A capital at the beginning of a sentence does not tell «May» from «may», or a name from a pronoun.
        """
        words = unicodedata.normalize("NFKC", name).split()
        written = " ".join(words)
        if len(written) < _SHORTEST_CAPITALS or not written[0].isupper():
            return False
        before = r"(?<!\w)" if any(map(str.isupper, written[1:])) else r"(?<=[\w,;] )"
        return re.search(before + r"\s+".join(map(re.escape, words)) + r"(?!\w)", self._raw) is not None

    def quotes(self, quote: str) -> bool:
        """Return whether the passage has these words in order, whatever white space, case and marks."""
        words = " ".join(_WORD.findall(caseless(quote)))
        return bool(words) and words in self._flat

    def supports(self, sentence: str) -> bool:
        """Return whether a sentence has no other numbers and at least a quarter of its words here.

        >>> words = PassageWords("Salmon Beach Wind Farm in Australia operated from 1987.")
        >>> words.supports("A wind farm of 1987."), words.supports("A wind farm of 1988.")
        (True, False)
        >>> words.supports("Australia is known for its landscapes and the Great Barrier Reef.")
        False
        """
        words = [word for word in _WORD.findall(caseless(sentence)) if word not in self._small]
        if any(word.isdigit() and word not in self._words for word in words):
            return False
        return len(words) < _FEW_WORDS or sum(map(self._has_word, words)) >= _SUPPORTED * len(words)

    def _has_word(self, word: str) -> bool:
        # Where words are joined or not separated (German, Chinese), a part of a word is enough.
        if word in self._words or without_plural(word) in self._words or (not word.isascii() and word in self._text):
            return True
        if len(word) < _SHORTEST_STEM or any(map(str.isdigit, word)):
            return False
        stem = word[: max(_SHORTEST_STEM, -(-3 * len(word) // 4))]
        return any(one.startswith(stem) and abs(len(one) - len(word)) <= _LONGEST_ENDING for one in self._words)


def name_of(value: object) -> str:
    """Return a name of a row as it is kept; empty if it is none, or longer than 100 characters."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return ""
    name = one_line(str(value)).strip(_QUOTES)
    if len(name) > _LONGEST_NAME or name.casefold() in _NOTHING:
        return ""
    return name


def entity_name(value: object) -> str:
    """Return the name of an entity; empty if it has no letter or digit of a name."""
    name = name_of(value)
    return name if fold_name(name) else ""


def text_of(value: object) -> str:
    """Return a text of a row on one line, cut after 1,000 characters; empty if it is none."""
    text = one_line(value) if isinstance(value, str) else ""
    return "" if text.casefold() in _NOTHING else text[:_LONGEST_TEXT]


def supported(text: str, words: PassageWords | None, dropped: Counter[str]) -> str:
    """Return the sentences of a description that a passage supports (all for None); count others."""
    if words is None or not text:
        return text
    sentences_kept = []
    for start, end in sentences(text):
        if words.supports(text[start:end]):
            sentences_kept.append(text[start:end].strip())
        else:
            dropped[UNSUPPORTED] += 1
    return " ".join(sentences_kept)


def iso_date(value: object) -> str:
    """Return a date, month or year in ISO format; empty if it is none.

    >>> iso_date("1907-05-30T00:00:00"), iso_date("1907"), iso_date("May 1907"), iso_date("1907-13")
    ('1907-05-30', '1907', '', '')
    """
    match = _DATE.match(value.strip()) if isinstance(value, str) else None
    if match is None:
        return ""
    try:
        date.fromisoformat(f"{match[0]}-01-01"[:10])
    except ValueError:
        return ""
    return match[0]


def cells(row: object, *names: Sequence[str]) -> list[object]:
    """Return the cells of a row: a list in their order, or an object with one of their names.

    In an object with as many cells, one whose name is not known, as in another language, counts by its place.

    >>> cells({"subject": "a", "predicate": "b", "object": "c"}, ("head", "subject"), ("relation",), ("tail", "object"))
    ['a', 'b', 'c']
    """
    if isinstance(row, Mapping):
        known = {name for same in names for name in same}
        by_name = [next((row[name] for name in same if name in row), None) for same in names]
        if len(row) != len(names):
            return by_name
        return [
            value if cell is None and name not in known else cell
            for cell, (name, value) in zip(by_name, row.items(), strict=True)
        ]
    if isinstance(row, Sequence) and not isinstance(row, str):
        return [*row, *[None] * (len(names) - len(row))] if len(row) <= len(names) else [None] * len(names)
    return [row, *[None] * (len(names) - 1)]


def rows_of(value: object, *names: str) -> list[object] | None:
    """Return the list of an object under one of some names, in any case; None if it has none."""
    if not isinstance(value, Mapping):
        return None
    by_name = {str(name).casefold(): one for name, one in value.items()}
    return next((by_name[name] for name in names if isinstance(by_name.get(name), list)), None)


def first_rows(rows: list[object] | None, n: int, dropped: Counter[str]) -> list[object]:
    """Return the first ``n`` rows of a list, none for None; count the others."""
    listed = rows or []
    dropped[TOO_MANY] += max(len(listed) - n, 0)
    return listed[:n]


def distinct(rows: Iterable[T | None], dropped: Counter[str], cells: int = 3) -> list[T]:
    """Return the rows whose first cells are not those of an earlier row, but for case; count the others.

    Args:
        rows: Rows that begin with texts; None is left out.
        dropped: Numbers of rows left out, by reason; added to.
        cells: How many cells are compared.
    """
    by_key: dict[tuple[str, ...], T] = {}
    for row in rows:
        if row is not None:
            key = tuple(caseless(str(cell)) for cell in row[:cells])
            dropped[DUPLICATE] += key in by_key
            by_key.setdefault(key, row)
    return list(by_key.values())
