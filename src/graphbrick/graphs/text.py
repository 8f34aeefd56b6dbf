"""Folding of names for linking: case, accents and punctuation do not count, word order does.

A name is folded into *tokens*. Scripts that write no spaces between words (Han, kana, Hangul, Thai, Lao, Khmer,
Myanmar) give one token a character, so that a label is found inside a sentence in any of them; their marks are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.hash_constants import LAST, LENGTH, START, STEP

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_ONE_UNSPACED = re.compile(f"[{_UNSPACED}]")
# Accents and vowel signs that Unicode has no ready-made letter for; they do not end a word.
_MARKS = "".join(
    c for c in map(chr, range(0x300, 0x2100)) if unicodedata.category(c)[0] == "M" and not _ONE_UNSPACED.match(c)
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_][{_MARKS}]*)+")
# Letters that people write without their stroke or as two, but that Unicode does not decompose.
_STROKES = str.maketrans({"ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ı": "i", "æ": "ae", "Æ": "ae"})
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")

_MULTIPLIER = np.uint64(STEP)
_64 = 0xFFFFFFFFFFFFFFFF


class Token(NamedTuple):
    """One folded word and where it stands in the text (NFC), as character offsets."""

    text: str
    start: int
    end: int


def nfc(text: str) -> str:
    """The text in Unicode form NFC, to which token offsets refer."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_token(token: str) -> str:
    """One word without case and accents; empty where it has no letter or digit of its own.

    >>> fold_token("Élodie"), fold_token("Straße"), fold_token("Tromsø")
    ('elodie', 'strasse', 'tromso')
    """
    if token.isascii():
        return token.lower()
    if _ONE_UNSPACED.fullmatch(token):
        return unicodedata.normalize("NFKC", token)
    bare = "".join(c for c in unicodedata.normalize("NFKD", token) if not unicodedata.combining(c)).translate(_STROKES)
    # Some single characters stand for several words.
    return "".join(unicodedata.normalize("NFC", bare.casefold()).split())


def tokens(text: str) -> list[Token]:
    """The folded words of an NFC text in order, with their offsets.

    >>> [t.text for t in tokens("Kenya's capital, São Tomé: 内罗毕")]
    ['kenya', 's', 'capital', 'sao', 'tome', '内', '罗', '毕']
    """
    folded = ((fold_token(m.group()), m) for m in _TOKEN.finditer(text))
    return [Token(word, m.start(), m.end()) for word, m in folded if word]


def fold(text: str) -> str:
    """The folded words of a text joined by single spaces; empty where it has no letter or digit.

    >>> fold("  The  Sound—of MUSIC! ")
    'the sound of music'
    """
    if text.isascii():
        return " ".join(_ASCII_TOKEN.findall(text.lower()))
    return " ".join(filter(None, map(fold_token, _TOKEN.findall(nfc(text)))))


def name_form(name: str) -> str:
    """The form under which a name is found: folded, or as it is where nothing is left of it.

    >>> name_form("São Tomé!"), name_form(" !!! ")
    ('sao tome', '!!!')
    """
    return fold(name) or " ".join(nfc(name).split())


def hash_bytes(data: bytes) -> int:
    """A 64-bit hash that is the same in every process and on every machine; whoever chooses the bytes can break it.

    Eight bytes at a time, little-endian, the last filled up with zeros; kernels have it as `hash_span`.
    """
    value = START ^ ((len(data) * LENGTH) & _64)
    for at in range(0, len(data), 8):
        value = ((value ^ int.from_bytes(data[at : at + 8], "little")) * STEP) & _64
        value ^= value >> 32
    value = (value * LAST) & _64
    return value ^ (value >> 32)


def hash64(text: str) -> int:
    """The hash of a text, by its UTF-8 bytes."""
    return hash_bytes(text.encode("utf-8", "surrogatepass"))


def token_hashes(words: list[str]) -> npt.NDArray[np.uint64]:
    """One hash a word."""
    return np.fromiter((hash64(w) for w in words), dtype=np.uint64, count=len(words))


def extend_span(span: npt.NDArray[np.uint64], token: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The hash of a span made one word longer, element by element; spans start from zeros."""
    with np.errstate(over="ignore"):
        return (span + token) * _MULTIPLIER


def span_hash(folded: str) -> int:
    """The hash of a whole folded name, as `extend_span` gives it word by word."""
    value = 0
    for word in folded.split():
        value = ((value + hash64(word)) * STEP) & _64
    return value


def trigrams(folded: str) -> set[int]:
    """The character trigrams of a folded name between two spaces, each packed into 63 bits.

    >>> len(trigrams("peru"))
    4
    """
    padded = f" {folded} "
    points = [ord(c) for c in padded]
    return {(a << 42) | (b << 21) | c for a, b, c in zip(points, points[1:], points[2:], strict=False)}


def gram_hashes(grams: Collection[int]) -> npt.NDArray[np.uint64]:
    """Trigrams as they are stored, ascending: times an odd number, so that they spread evenly and stay distinct."""
    packed = np.fromiter(grams, dtype=np.uint64, count=len(grams))
    return np.sort(packed * _MULTIPLIER)
