"""Hashes of texts, names and trigrams, stored on disk: fixed within a format of graphs.

`graphbrick.kernels.strings.spans.hash_span` is the compiled version of `hash_bytes`.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

START, LENGTH, STEP, LAST = 0x243F6A8885A308D3, 0xC2B2AE3D27D4EB4F, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93

_MULTIPLIER = np.uint64(STEP)
_64 = 0xFFFFFFFFFFFFFFFF


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
