"""Signs that tell names apart: «C», «C++» and «C#» are three names, and fold to the same words.

Signs beside and between the words of a name are compared with those of a text in which the words stand. Quotation
marks, brackets, commas and the like belong to the sentence; so does a hyphen between words, and a full stop at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.language.folding import Token, nfc, plain_signs, tokens

_CLOSING = frozenset("'\"`()[]{}")  # beyond them signs belong to the sentence
_OF_SENTENCE = _CLOSING | frozenset(",;:?\u00bf\u00a1\u2026/\\_|")
_BETWEEN = _OF_SENTENCE | frozenset("-.")  # between two words of a name they are often left out
_READ = 24  # characters of the text beside a name


class Fit(NamedTuple):
    """How well the signs of a name agree with a text in which its words stand.

    Attributes:
        missing: Number of signs of the name that the text does not have.
        extra: Number of signs at the words in the text that the name does not have.
        start: Start of the name in the text, with its signs.
        end: End of the name in the text, with its signs.
        is_marked: Whether signs such as those of «C++», which sentences do not have, stand in the text too.
        surplus: The signs behind the words that the name does not have, if they are those of a name: «+» and «#».
    """

    missing: int
    extra: int
    start: int
    end: int
    is_marked: bool = False
    surplus: str = ""


class _Edge(NamedTuple):
    """Agreement of the signs on one side of a name."""

    missing: int
    extra: int
    size: int
    is_marked: bool
    surplus: str


def has_signs(name: str) -> bool:
    """Return whether a name has characters other than letters, digits and spaces.

    >>> has_signs("C++"), has_signs("New York")
    (True, False)
    """
    return not name.isalnum() and not name.replace(" ", "").isalnum()


def fit(text: str, words: Sequence[Token], name: str) -> Fit:
    """Return how well the signs of a name agree with a text.

    Args:
        text: The text in Unicode form NFC.
        words: Where the folded words of the name stand in the text, in order.
        name: The name as it is written.

    >>> text = "Who designed C++?"
    >>> [fit(text, tokens(text)[2:], name)[:4] for name in ("C", "C++", "C#")]
    [(0, 2, 13, 14), (0, 0, 13, 16), (1, 2, 13, 14)]
    """
    own = nfc(name)
    own_words = tokens(own)
    start, end = words[0].start, words[-1].end
    if len(own_words) != len(words):
        return Fit(0, 0, start, end)
    missing = extra = 0
    for i in range(len(words) - 1):
        wanted = _without(own[own_words[i].end : own_words[i + 1].start], _BETWEEN)
        present = _without(text[words[i].end : words[i + 1].start], _BETWEEN)
        if wanted != present:
            missing, extra = missing + len(wanted), extra + len(present)
    before = _edge(text[max(0, start - _READ) : start][::-1], own[: own_words[0].start][::-1], in_front=True)
    after = _edge(text[end : end + _READ], own[own_words[-1].end :], in_front=False)
    return Fit(
        missing + before.missing + after.missing,
        extra + before.extra + after.extra,
        start - before.size,
        end + after.size,
        before.is_marked or after.is_marked,
        after.surplus,
    )


def _edge(text: str, signs: str, *, in_front: bool) -> _Edge:
    """Compare the signs at one end of a name with the text beside its words; those in front are read backwards."""
    text, signs = plain_signs(text), plain_signs(signs)
    own = _own(signs, in_front=in_front)
    size = _size(text, signs)
    extra, alone = _extra(text[size:], in_front=in_front), _extra(text, in_front=in_front)
    taken = size if own or alone > extra else 0
    rest = "" if in_front else text[taken:]
    surplus = rest[: len(rest) - len(rest.lstrip("+#"))]
    return _Edge(0 if size else len(own), extra, taken, bool(size and own.strip("!")), surplus)


def _own(signs: str, *, in_front: bool) -> str:
    """Return the signs at one end of a name that a sentence would not have there; a single point counts in front."""
    own = "".join(sign for sign in signs if sign not in _OF_SENTENCE and not sign.isspace())
    return own if in_front and own.count(".") == 1 and signs[0] == "." else own.replace(".", "")


def _size(text: str, signs: str) -> int:
    """Return how much of a text the signs take up; 0 if it does not begin with them, or goes on with a word."""
    if not signs[:1].isspace() and text[:1].isspace():
        return 0
    at = 0
    for sign in signs.split():
        for letter in sign:
            at += len(text[at:]) - len(text[at:].lstrip()) if at or signs[:1].isspace() else 0
            if text[at : at + 1] != letter:
                return 0
            at += 1
    return 0 if text[at : at + 1].isalnum() else at


def _extra(text: str, *, in_front: bool) -> int:
    """Return how many of the signs with which a text begins look like a part of a name rather than of the sentence."""
    run = _run(text)
    return sum(_is_of_name(sign, run, text[len(run) :], in_front=in_front) for sign in run)


def _run(text: str) -> str:
    """Return the signs with which a text begins, up to a mark that closes a quotation or a bracket."""
    for at, letter in enumerate(text):
        if letter.isspace() or letter.isalnum() or letter in _CLOSING:
            return text[:at]
    return text


def _is_of_name(sign: str, run: str, beyond: str, *, in_front: bool) -> bool:
    if sign in _OF_SENTENCE:
        return sign == "?" and beyond[:1] in ("'", '"')  # «"Doc?"»
    if sign in "-." and beyond[:1].isalnum():
        return False  # a hyphen, or a point inside of a name: «ASP.NET»
    if sign == ".":
        return run.count(".") == 1 if in_front else beyond.lstrip()[:1].islower()
    return True


def _without(signs: str, left_out: frozenset[str]) -> str:
    return "".join(sign for sign in plain_signs(signs) if sign not in left_out and not sign.isspace())
