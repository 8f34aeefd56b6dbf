"""Fold names for linking: ignore case, accents and punctuation, but keep word order.

A name is folded into *tokens*. In scripts without spaces between words (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar)
every character is a token, so that a label can be found inside a sentence; their marks are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.language.hash_constants import LAST, LENGTH, START, STEP

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_ONE_UNSPACED = re.compile(f"[{_UNSPACED}]")
# Combining accents and vowel signs without a precomposed letter; they do not end a word.
_MARKS = "".join(
    c for c in map(chr, range(0x300, 0x2100)) if unicodedata.category(c)[0] == "M" and not _ONE_UNSPACED.match(c)
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_][{_MARKS}]*)+")
# Letters that people write without the stroke or as two letters, but that Unicode does not decompose.
_STROKES = {"ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ı": "i", "æ": "ae", "Æ": "ae"}
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")

_MULTIPLIER = np.uint64(STEP)
_64 = 0xFFFFFFFFFFFFFFFF


class _Bare(dict[int, int | str | None]):
    """Table for `str.translate` that drops combining characters and replaces letters with a stroke."""

    def __missing__(self, code: int) -> int | None:
        result = self[code] = None if unicodedata.combining(chr(code)) else code
        return result


_BARE = _Bare({ord(letter): plain for letter, plain in _STROKES.items()})


class Token(NamedTuple):
    """A folded word and its character offsets [start, end) in the NFC text."""

    text: str
    start: int
    end: int


def nfc(text: str) -> str:
    """Return the text in Unicode form NFC, which token offsets refer to."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_token(token: str) -> str:
    """Return a word without case and accents; empty if it has no letter or digit.

    >>> fold_token("Élodie"), fold_token("Straße"), fold_token("Tromsø")
    ('elodie', 'strasse', 'tromso')
    """
    if token.isascii():
        return token.lower()
    if _ONE_UNSPACED.fullmatch(token):
        return unicodedata.normalize("NFKC", token)
    bare = unicodedata.normalize("NFKD", token).translate(_BARE)
    # Some single characters decompose into several words.
    return "".join(unicodedata.normalize("NFC", bare.casefold()).split())


def tokens(text: str) -> list[Token]:
    """Return the folded words of an NFC text in order, with their offsets.

    >>> [t.text for t in tokens("Kenya's capital, São Tomé: 内罗毕")]
    ['kenya', 's', 'capital', 'sao', 'tome', '内', '罗', '毕']
    """
    folded = ((fold_token(m.group()), m) for m in _TOKEN.finditer(text))
    return [Token(word, m.start(), m.end()) for word, m in folded if word]


def fold(text: str) -> str:
    """Return the folded words of a text joined by single spaces; empty if it has no letter or digit.

    >>> fold("  The  Sound—of MUSIC! ")
    'the sound of music'
    """
    if text.isascii():
        return " ".join(_ASCII_TOKEN.findall(text.lower()))
    return " ".join(filter(None, map(fold_token, _TOKEN.findall(nfc(text)))))


def name_form(name: str) -> str:
    """Return the form under which a name is indexed: folded, or unfolded if folding leaves nothing.

    >>> name_form("São Tomé!"), name_form(" !!! ")
    ('sao tome', '!!!')
    """
    return fold(name) or " ".join(nfc(name).split())


def hash_bytes(data: bytes) -> int:
    """Return a 64-bit hash that is the same in every process and on every machine; not cryptographic.

    It reads eight bytes at a time, little-endian, and pads the last word with zeros. The kernels implement the same
    hash as `hash_span`.
    """
    value = START ^ ((len(data) * LENGTH) & _64)
    for at in range(0, len(data), 8):
        value = ((value ^ int.from_bytes(data[at : at + 8], "little")) * STEP) & _64
        value ^= value >> 32
    value = (value * LAST) & _64
    return value ^ (value >> 32)


def hash64(text: str) -> int:
    """Return the hash of the UTF-8 bytes of a text."""
    return hash_bytes(text.encode("utf-8", "surrogatepass"))


def token_hashes(words: list[str]) -> npt.NDArray[np.uint64]:
    """Return the hash of each word, uint64 [words]."""
    return np.fromiter((hash64(w) for w in words), dtype=np.uint64, count=len(words))


def extend_span(span: npt.NDArray[np.uint64], token: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the hashes of spans extended by one word each; the hash of an empty span is 0."""
    with np.errstate(over="ignore"):
        return (span + token) * _MULTIPLIER


def span_hash(folded: str) -> int:
    """Return the hash of a whole folded name; equals calling `extend_span` word by word."""
    value = 0
    for word in folded.split():
        value = ((value + hash64(word)) * STEP) & _64
    return value


def trigrams(folded: str) -> set[int]:
    """Return the character trigrams of a folded name padded with one space on each side.

    Each trigram is packed into 63 bits.

    >>> len(trigrams("peru"))
    4
    """
    padded = f" {folded} "
    points = [ord(c) for c in padded]
    return {(a << 42) | (b << 21) | c for a, b, c in zip(points, points[1:], points[2:], strict=False)}


def gram_hashes(grams: Collection[int]) -> npt.NDArray[np.uint64]:
    """Return trigrams in their stored form, uint64, ascending.

    Multiplying by an odd number spreads them evenly and keeps them distinct.
    """
    packed = np.fromiter(grams, dtype=np.uint64, count=len(grams))
    return np.sort(packed * _MULTIPLIER)


EDIT_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789 "
"""Characters that a typing error puts into a folded name; a space splits a word."""


def one_edits(folded: str) -> list[str]:
    """Return every text that is one typing error away from a folded name.

    First those with one character inserted, then with one replaced, with one left out, and with two neighbours swapped
    (Damerau, A technique for computer detection and correction of spelling errors, CACM 1964).

    >>> "kenya" in one_edits("kneya"), "spider man" in one_edits("spiderman"), "peru" in one_edits("preu")
    (True, True, True)
    """
    places = range(len(folded))
    texts = [folded[:i] + letter + folded[i:] for i in range(len(folded) + 1) for letter in EDIT_LETTERS]
    texts += [folded[:i] + letter + folded[i + 1 :] for i in places for letter in EDIT_LETTERS]
    texts += [folded[:i] + folded[i + 1 :] for i in places]
    texts += [folded[:i] + folded[i + 1] + folded[i] + folded[i + 2 :] for i in places[:-1]]
    return [" ".join(text.split()) for text in texts]
