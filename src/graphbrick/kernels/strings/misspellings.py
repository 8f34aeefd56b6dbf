"""Hashes of all texts that are one typing error away from a name.

The readable version is `graphbrick.language.folding.one_edits`, which lists the texts in the same order.
"""

from __future__ import annotations

import numpy as np

from graphbrick.kernels.jit import jit
from graphbrick.kernels.strings.spans import Bytes, Hashes, hash_span
from graphbrick.language.hashing import STEP

_MULTIPLIER = np.uint64(STEP)
_SPACE = 32


@jit
def _hash_words(text: Bytes, size: int) -> np.uint64:
    """Return the hash of the words of a text, as `graphbrick.language.hashing.span_hash`."""
    value = np.uint64(0)
    first = np.int64(0)
    for i in range(size + 1):
        if i == size or text[i] == _SPACE:
            if i > first:
                value = (value + hash_span(text, first, i)) * _MULTIPLIER
            first = i + 1
    return value


@jit
def hash_one_edits(folded: Bytes, letters: Bytes) -> Hashes:
    """Return the hash of every text that differs from a folded one by one edit, uint64.

    Args:
        folded: The bytes of the folded text, at least one.
        letters: The bytes that may be inserted or replace another one.
    """
    n, m = len(folded), len(letters)
    hashes = np.empty((n + 1) * m + n * m + n + n - 1, dtype=np.uint64)
    text = np.empty(n + 1, dtype=np.uint8)
    at = 0
    for i in range(n + 1):
        for j in range(n):
            text[j + (j >= i)] = folded[j]
        for j in range(m):
            text[i] = letters[j]
            hashes[at] = _hash_words(text, n + 1)
            at += 1
    for i in range(n):
        for j in range(n):
            text[j] = folded[j]
        for j in range(m):
            text[i] = letters[j]
            hashes[at] = _hash_words(text, n)
            at += 1
    for i in range(n):
        for j in range(n - 1):
            text[j] = folded[j + (j >= i)]
        hashes[at] = _hash_words(text, n - 1)
        at += 1
    for i in range(n - 1):
        for j in range(n):
            text[j] = folded[j]
        text[i], text[i + 1] = folded[i + 1], folded[i]
        hashes[at] = _hash_words(text, n)
        at += 1
    return hashes
