"""Vectors of single words; a compound is read like its last part: «screenwriter» like «writer»."""

from __future__ import annotations

from collections.abc import Collection, MutableMapping, Sequence

import numpy as np
import numpy.typing as npt

from graphbrick.models.embedders.embedder import Embedder

Floats = npt.NDArray[np.float32]
Halves = npt.NDArray[np.float16]

REMEMBERED = 50_000
"""Words that are cached at most."""
_SHORTEST_BEGINNING, _SHORTEST_NAME = 3, 4  # letters of the two parts of a compound


def word_vectors(
    words: Sequence[str], embedder: Embedder, names: Collection[str], known: MutableMapping[str, Halves]
) -> Floats:
    """Return the vectors of at least one word, float32 [words, dimensions]; each word is embedded once.

    A compound that ends in a name has the mean of its own vector and that of the name, because an embedder may put
    «screenwriter» beside «filmmaker» rather than beside «writer».

    Args:
        words: Words and phrases.
        embedder: Makes vectors.
        names: Single words that relations go by.
        known: The vectors made so far; extended, and emptied when there are too many.
    """
    rows = {word: row for word in words if (row := known.get(word)) is not None}
    fresh = [word for word in dict.fromkeys(words) if word not in rows]
    if fresh:
        ends = {word: end for word in fresh if (end := name_at_end(word, names))}
        embedded = list(dict.fromkeys([*fresh, *ends.values()]))
        plain = dict(zip(embedded, embedder.embed(embedded), strict=True))
        made = {word: _between(plain[word], plain[ends[word]]) if word in ends else plain[word] for word in fresh}
        if len(known) > REMEMBERED:
            known.clear()
        known.update(made)
        rows |= made
    return np.stack([rows[word] for word in words]).astype(np.float32)


def name_at_end(word: str, names: Collection[str]) -> str:
    """Return the longest name that a compound ends in; "" for none, for a phrase, and for a name.

    >>> name_at_end("screenwriter", {"writer"}), name_at_end("costar", {"star"}), name_at_end("writer", {"writer"})
    ('writer', '', '')
    """
    if " " in word or word in names:
        return ""
    ends = (word[at:] for at in range(_SHORTEST_BEGINNING, len(word) - _SHORTEST_NAME + 1))
    return next((end for end in ends if end in names), "")


def _between(vector: Halves, other: Halves) -> Halves:
    """Return the direction between two vectors, of length 1."""
    total = vector.astype(np.float32) + other.astype(np.float32)
    return (total / max(float(np.linalg.norm(total)), 1e-6)).astype(np.float16)
