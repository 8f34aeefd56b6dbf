"""Features of a question for `PatternScorer`: its embedding and its hashed words.

An embedding says what a question is about, but hardly whether it asks for a person or for a film: «who appeared in the
same movie with X» lies beside «which movies did X appear in». Its words tell the two apart.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from graphbrick.language.folding import tokens
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.text import simplified

Floats = npt.NDArray[np.float32]

WORDS = 512
"""Dimensions that words and pairs of words are hashed into."""
WORD_WEIGHT = 0.5
"""Weight of the words beside the embedding, whose length is 1."""


def features(embedder: Embedder, question: str) -> Floats:
    """Return the embedding of a question, then its hashed words; float32 [dimensions + WORDS]."""
    row: Floats = many_features(embedder, [question])[0]
    return row


def many_features(embedder: Embedder, questions: Sequence[str], *, keep: bool = False) -> Floats:
    """Return features of simplified questions, float32 [questions, dimensions + WORDS].

    Args:
        embedder: Embeds the questions.
        questions: The questions.
        keep: Keep the vectors where the current store keeps those of other texts: for questions that come again.
    """
    questions = [simplified(question) for question in questions]
    if type(embedder).encode_query is Embedder.encode_query:  # questions are embedded like other texts
        embeddings = (embedder.embed(questions) if keep else embedder.encode(questions)).astype(np.float32)
    else:
        embeddings = np.stack([np.asarray(embedder.encode_query(text), dtype=np.float32) for text in questions])
    hashed = np.stack([hashed_words(text) for text in questions])
    return np.hstack([embeddings, np.float32(WORD_WEIGHT) * hashed])


def hashed_words(text: str) -> Floats:
    """Return hashed words, pairs of neighbours and first word, each at its place and with its sign.

    The vector has length 1, or 0 without any word (Weinberger et al., Feature Hashing for Large Scale Multitask
    Learning, ICML 2009). Case and accents do not count.

    >>> np.flatnonzero(hashed_words("Who?")).size, np.flatnonzero(hashed_words("?!")).size
    (2, 0)
    """
    vector = np.zeros(WORDS, dtype=np.float32)
    words = [token.text for token in tokens(text)]
    for feature in (*words, *(f"{first} {second}" for first, second in pairwise(words)), *(f"^{w}" for w in words[:1])):
        hashed = zlib.crc32(feature.encode("utf-8", "replace"))
        vector[hashed % WORDS] += 1.0 if hashed >> 31 else -1.0
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector
