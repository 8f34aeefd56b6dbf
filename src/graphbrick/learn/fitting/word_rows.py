"""Which step a word speaks of: a softmax over steps, fitted to the features of tokens.

Most features of a token are the vector of its word, twice: by itself and in its place. Few words are in many tokens, so
products with these features are made once for each word and place, not for each token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, silent
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.patterns.alignment.alignment import PLACES, VECTOR_WEIGHT, Token, n_token_features, token_features

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

_DECAY = 1.0
_RATE, _MEMORY = 0.1, 0.98  # of Adam
PASSES = 120
_BATCH_CELLS = 5_000_000  # tokens times steps; above it, a pass goes over a sample of the tokens


class WordRows(NamedTuple):
    """The features of tokens (`token_features`), ordered by the place and the word of the token.

    Attributes:
        vectors: float32 [words, dimensions], the vectors of the words as they are in the features.
        pair: int64 [tokens], place * words + word, ascending.
        rest: float32 [tokens, features], the features after those of the vectors.
    """

    vectors: Floats
    pair: Ints
    rest: Floats

    @property
    def n_features(self) -> int:
        """Number of features of a token."""
        return n_token_features(self.vectors.shape[1])

    def of(self, rows: Ints) -> WordRows:
        """Return some of the tokens, in ascending order."""
        return WordRows(self.vectors, self.pair[rows], self.rest[rows])

    def times(self, weights: Floats) -> Floats:
        """Return the product of the features and of weights, float32 [tokens, classes].

        Args:
            weights: float32 [classes, features].
        """
        n, d = self.vectors.shape
        bounds = np.searchsorted(self.pair, n * np.arange(PLACES + 1))
        product: Floats = self.rest @ weights[:, (1 + PLACES) * d :].T
        for place in range(PLACES):
            rows = slice(bounds[place], bounds[place + 1])
            words, inverse = np.unique(self.pair[rows] - place * n, return_inverse=True)
            both = weights[:, :d] + weights[:, (1 + place) * d : (2 + place) * d]
            product[rows] += (self.vectors[words] @ both.T)[inverse]
        return product

    def turned_times(self, table: Floats) -> Floats:
        """Return the product of the transposed table and the features, float32 [classes, features].

        Args:
            table: float32 [tokens, classes].
        """
        n, d = self.vectors.shape
        product = np.zeros((table.shape[1], self.n_features), dtype=np.float32)
        product[:, (1 + PLACES) * d :] = table.T @ self.rest
        first = np.flatnonzero(np.diff(self.pair, prepend=-1))
        sums = np.add.reduceat(table, first, axis=0)
        place, word = np.divmod(self.pair[first], n)
        for number in range(PLACES):
            rows = place == number
            placed = product[:, (1 + number) * d : (2 + number) * d]
            placed[:] = sums[rows].T @ self.vectors[word[rows]]
            product[:, :d] += placed
        return product


def word_rows(tokens: Sequence[Token], vectors: Floats, word: Ints) -> tuple[WordRows, Ints]:
    """Return the features of tokens, and the index of the token of each row.

    Args:
        tokens: At least one.
        vectors: float32 [words, dimensions].
        word: int64 [tokens], the vector of each.
    """
    none = np.zeros(0, dtype=np.float32)
    pair = np.array([token.place for token in tokens], dtype=np.int64) * len(vectors) + word
    order = np.argsort(pair, kind="stable")
    rest = np.stack([token_features(token, none) for token in tokens])
    return WordRows(VECTOR_WEIGHT * vectors, pair[order], rest[order]), order


def softmax_regression(
    features: WordRows, kinds: Ints, weight: Floats, n_classes: int, *, seed: int, progress: Progress = silent
) -> Floats:
    """Return weights, float32 [classes, features], of a softmax regression with L2 penalty, by Adam.

    Args:
        features: The features of tokens.
        kinds: int64 [tokens], the class of each.
        weight: float32 [tokens].
        n_classes: Classes.
        seed: Of the samples that are drawn where tokens times classes are many.
        progress: Told the passes done.
    """
    rng, n = np.random.default_rng([seed, 4]), len(kinds)
    values = np.zeros((n_classes, features.n_features), dtype=np.float32)
    adam = Adam({"emission": values}, {"emission": _RATE}, memory=_MEMORY)
    size = min(n, max(256, _BATCH_CELLS // n_classes))
    total = float(weight.sum())
    x, y, w = features, kinds, weight
    for turn in range(1, PASSES + 1):
        if size < n:
            rows = np.sort(rng.choice(n, size, replace=False))
            x, y, w = features.of(rows), kinds[rows], weight[rows]
        logits = x.times(values)
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=1, keepdims=True)
        logits[np.arange(len(y)), y] -= 1
        logits *= (w / w.sum())[:, None]
        gradient = x.turned_times(logits)
        gradient += (_DECAY / total) * values
        adam.step({"emission": gradient}, scale=min(1.0, 2.0 * (1 - turn / (PASSES + 1))))
        progress("", turn, None)
    return values
