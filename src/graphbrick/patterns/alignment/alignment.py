"""Aligning the words of a question with the hops of a pattern, from the seed outwards.

«Who is the child of X's spouse?» and «Who is the spouse of X's child?» have the same words; what tells them apart is
that words nearer to the seed speak of earlier hops. Each content word speaks of one hop or of none; every hop should be
spoken of, and words should not be left over. The best alignment of a pattern is found by dynamic programming.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.deferred import cached_property
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.alignment.alignment_table import (
    N_FEATURES,
    Beginnings,
    Spoken,
    best_alignments,
)
from graphbrick.patterns.alignment.word_vectors import REMEMBERED, word_vectors
from graphbrick.patterns.several_steps import ALIKE, says_alike, with_way_back
from graphbrick.patterns.text import PLACEHOLDER, Steps, canonical, readable, without_marks, words_of

Floats = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Phrases = Mapping[str, Sequence[tuple[str, ...]]]

_NUMBER = {word: number for number, word in enumerate(FUNCTION_WORDS)}
_OWNED_BY = ("of", "for", "in")
PLACES = 3  # of a word; see `Token.place`
_LONGEST = 8  # content words on either side of the seed that are aligned
VECTOR_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class Token:
    """A content word of a question.

    Attributes:
        word: The word, or a phrase of several words that a relation goes by.
        hop: The hop it speaks of, known in questions written for training; -1 for the seed, None if unknown.
        connectors: The function words between it and the content word, or seed, nearer to the seed.
        is_left: Whether it stands left of the seed.
        is_first: Whether no content word stands between it and the seed.
        before: The word before it in the question; "^" at the beginning.
        after: The word after it; "$" at the end.
    """

    word: str
    hop: int | None
    connectors: tuple[str, ...]
    is_left: bool
    is_first: bool
    before: str
    after: str

    @property
    def key(self) -> tuple[str, bool, bool, str, str, int]:
        """Everything that the features of the token depend on."""
        before, after = (word if word in _NUMBER or word == PLACEHOLDER else "" for word in (self.before, self.after))
        return self.word, self.is_left, self.is_first, before, after, self.place

    @property
    def place(self) -> int:
        """Place of the word: 0 as X's («the son of X»), 1 left of X («whose son is X»), 2 right of X.

        The same word may speak of a relation in either direction, and its place tells which. A passive turns 1 and 2
        around: «raised by X» is read like «X raised».
        """
        if self.connectors and (self.connectors[-1] in _OWNED_BY if self.is_left else self.connectors[0] == "'s"):
            return 0
        passive = "by" in self.connectors if self.is_left else self.after == "by"
        return 1 if self.is_left != passive else 2


def content(
    words: Sequence[str],
    hops: Sequence[int | None] | None = None,
    phrases: Phrases | None = None,
) -> tuple[list[Token], list[Token]]:
    """Return the content words left of the seed, inside out, and right of it.

    A question without the placeholder is read as if it ended in «of X».

    Args:
        words: The words, see `words_of`.
        hops: The hop that each word speaks of.
        phrases: Phrases of several words by their first word, longest first; each becomes one token.
    """
    tagged = with_way_back(list(zip(words, hops or [None] * len(words), strict=True)))
    merged = _merged(tagged, phrases or {})
    texts = [word for word, _ in merged]
    if PLACEHOLDER not in texts:
        merged += [("of", None), (PLACEHOLDER, None)]
        texts += ["of", PLACEHOLDER]
    seed = texts.index(PLACEHOLDER)
    left = _side(merged, range(seed - 1, -1, -1), is_left=True)
    right = _side(merged, range(seed + 1, len(merged)), is_left=False)
    return left[:_LONGEST], right[:_LONGEST]


def _merged(tagged: list[tuple[str, int | None]], phrases: Phrases) -> list[tuple[str, int | None]]:
    merged: list[tuple[str, int | None]] = []
    at = 0
    while at < len(tagged):
        word, hop = tagged[at]
        for phrase in phrases.get(word, ()):
            if tuple(text for text, _ in tagged[at : at + len(phrase)]) == phrase:
                merged.append((" ".join(phrase), hop))
                at += len(phrase)
                break
        else:
            merged.append((word, hop))
            at += 1
    return merged


def _side(merged: list[tuple[str, int | None]], places: range, *, is_left: bool) -> list[Token]:
    tokens: list[Token] = []
    connectors: list[str] = []
    for at in places:
        word, hop = merged[at]
        if word in _NUMBER or word == PLACEHOLDER:
            connectors.append(word)
            continue
        before = merged[at - 1][0] if at else "^"
        after = merged[at + 1][0] if at + 1 < len(merged) else "$"
        tokens.append(Token(word, hop, tuple(connectors), is_left, not tokens, before, after))
        connectors = []
    return tokens


def n_token_features(dimensions: int) -> int:
    """Return the number of features of a token over an embedder of so many dimensions."""
    return (1 + PLACES) * dimensions + 2 * len(FUNCTION_WORDS) + 6


def token_features(token: Token, vector: Floats) -> Floats:
    """Return the features of a token: its vector, the vector in its place, the words beside it, its place."""
    d, n = len(vector), len(FUNCTION_WORDS)
    features = np.zeros(n_token_features(d), dtype=np.float32)
    features[:d] = VECTOR_WEIGHT * vector
    placed, beside = (1 + token.place) * d, (1 + PLACES) * d
    features[placed : placed + d] = features[:d]
    for side, word in enumerate((token.before, token.after)):
        if word in _NUMBER:
            features[beside + side * n + _NUMBER[word]] = 1
    features[-6:] = (
        token.is_left, not token.is_left, token.is_first, token.before == PLACEHOLDER, token.after == PLACEHOLDER, 1,
    )  # fmt: skip
    return features


@dataclass(frozen=True)
class Transitions:
    """Counts of words that speak of the next hop rather than the one before, by their connectors.

    Attributes:
        counts: (new hop, all) by (is_left, is_first, direction of the hop before, connectors); connectors are None for
            the counts over all of them. The direction is 0 backwards, 1 forwards, 2 before the first hop.
    """

    counts: Mapping[tuple[bool, bool, int, tuple[str, ...] | None], tuple[int, int]] = field(default_factory=dict)

    def log_new(self, token: Token) -> tuple[Scores, Scores]:
        """Return log probabilities of a new hop and of the same hop, float64 [3] each, by direction."""
        new = np.empty(3)
        for direction in range(3):
            fresh, times = self.counts.get((token.is_left, token.is_first, direction, None), (0, 0))
            usual = (fresh + 1) / (times + 2)
            fresh, times = self.counts.get((token.is_left, token.is_first, direction, token.connectors), (0, 0))
            new[direction] = (fresh + 2 * usual) / (times + 2)
        new = new.clip(0.005, 0.995)
        return np.log(new), np.log1p(-new)


@dataclass(frozen=True, eq=False)
class Alignment:
    """A score for every pattern: how well the words of a question can be aligned with its hops.

    Attributes:
        embedder: Makes vectors of words.
        relations: The relations it was trained with, by label.
        emission: float32 [2 * relations + 1, token features]: which (relation, direction) a word speaks of; the last
            row is for words that speak of none.
        transitions: When the next hop begins.
        weights: float64 [5 + max_hops]: of emission, transition, a hop without words, a way back without words, a word
            left over, then of each hop count.
        names: What relations are called, such as «writer», «writers» and «line of work».
        symmetric: Relations whose two directions mean the same; they are read forwards.
        vectors: The vectors made so far, float16 [dimensions] by word; copies made with `replace` share them.
    """

    embedder: Embedder
    relations: tuple[str, ...]
    emission: Floats
    transitions: Transitions
    weights: Scores
    names: tuple[str, ...]
    symmetric: frozenset[str] = frozenset()
    vectors: dict[str, npt.NDArray[np.float16]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[str, ...]]]:
        by_first: dict[str, list[tuple[str, ...]]] = {}
        phrases = [tuple(name.split()) for name in self.names if " " in name]
        for phrase in sorted(phrases, key=lambda phrase: -len(phrase)):
            by_first.setdefault(phrase[0], []).append(phrase)
        return by_first

    @cached_property
    def _heads(self) -> frozenset[str]:
        return frozenset(name for name in self.names if " " not in name)

    @cached_property
    def numbers(self) -> dict[tuple[str, bool], int]:
        """The number of each step: 2 * relation + forward; symmetric relations are always forward."""
        number = {label: 2 * row for row, label in enumerate(self.relations)}
        steps = [(label, forward) for label in self.relations for forward in (False, True)]
        return {
            step: number[label] + forward for step in steps for label, forward in canonical((step,), self.symmetric)
        }

    @cached_property
    def turned(self) -> Ints:
        """The number of each step in the other direction, int64 [steps + 1]; -1 for no step."""
        turned = [self.numbers[label, not forward] for label in self.relations for forward in (False, True)]
        return np.array([*turned, -1], dtype=np.int64)

    @cached_property
    def mutual(self) -> npt.NDArray[np.bool_]:
        """Whether each step joins what is alike by itself, such as «borders» and «shares border with»; bool [steps]."""
        is_mutual = [says_alike(readable(label)) for label in self.relations]
        return np.array([*np.repeat(np.array(is_mutual, dtype=np.bool_), 2), False], dtype=np.bool_)

    @cached_property
    def _emitted(self) -> dict[Any, Scores]:
        return {}

    @property
    def max_hops(self) -> int:
        """Number of hops of the longest pattern that can be scored."""
        return len(self.weights) - N_FEATURES

    def score(self, question: str, patterns: Sequence[Steps]) -> Scores:
        """Return the score of each pattern for a masked question, float64 [patterns].

        Patterns with a relation that was not trained, of no step, or of too many, get the lowest score.
        """
        return self.features(self.read(words_of(question)), patterns) @ self.weights

    def read(self, words: Sequence[str], hops: Sequence[int | None] | None = None) -> tuple[list[Token], list[Token]]:
        """Return the content words left and right of the seed; see `content`."""
        return content(words, hops, self._by_first)

    def steps(self, pattern: Steps) -> list[int] | None:
        """Return a pattern as numbers, see `numbers`; None where it cannot be scored."""
        if not 0 < len(pattern) <= self.max_hops:
            return None
        # A step back to the seed reads like any other step of its relation.
        steps = [self.numbers.get(step, -1) for step in without_marks(pattern)]
        return None if -1 in steps else steps

    def word_vectors(self, words: Sequence[str]) -> Floats:
        """Return the vectors of at least one word, float32 [words, dimensions]; see `word_vectors`."""
        return word_vectors(words, self.embedder, self._heads, self.vectors)

    def emitted(self, tokens: Sequence[Token]) -> Scores:
        """Return the log probability that each token speaks of each step, float64 [tokens, steps + 1]."""
        known = self._emitted
        # Each key is read once, because another thread may clear the cache.
        rows = {token.key: row for token in tokens if (row := known.get(token.key)) is not None}
        fresh = {token.key: token for token in tokens if token.key not in rows}
        if fresh:
            vectors = self.word_vectors([token.word.strip("\0") for token in fresh.values()])
            made = [token_features(token, vector) for token, vector in zip(fresh.values(), vectors, strict=True)]
            logits = (np.stack(made) @ self.emission.T).astype(np.float64)
            logits -= logits.max(axis=1, keepdims=True)
            logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
            made_rows = dict(zip(fresh, logits, strict=True))
            if len(known) > REMEMBERED:
                known.clear()
            known.update(made_rows)
            rows |= made_rows
        return np.stack([rows[token.key] for token in tokens]) if tokens else np.zeros((0, len(self.emission)))

    def spoken(self, tokens: tuple[Sequence[Token], Sequence[Token]]) -> Spoken:
        """Return the scores of the content words left and right of the seed, see `read`."""
        left, right = tokens
        both = [*left, *right]
        moves = np.array([self.transitions.log_new(token) for token in both]).reshape(-1, 2, 3)
        emitted = np.concatenate([self.emitted(left), self.emitted(right)])
        first = np.array([not token.is_left and token.connectors == ("'s",) for token in both], dtype=np.bool_)
        alike = np.array([token.word == ALIKE for token in both], dtype=np.bool_)
        moves[alike] = 0
        return Spoken(len(left), emitted, moves[:, 0], moves[:, 1], first, alike)

    def features(self, tokens: tuple[list[Token], list[Token]], patterns: Sequence[Steps]) -> Scores:
        """Return the features of the best alignment of each pattern, float64 [patterns, 5 + max_hops].

        The columns are those of ``weights``, so that the score is their product.
        """
        return self.features_of(self.spoken(tokens), self.beginnings(self.numbered(patterns)))

    def numbered(self, patterns: Sequence[Steps]) -> Ints:
        """Return the `steps` of patterns, int64 [patterns, max_hops]; -1 after the last."""
        numbered: Ints = np.full((len(patterns), self.max_hops), -1, dtype=np.int64)
        for row, pattern in enumerate(patterns):
            steps = self.steps(pattern) or ()
            numbered[row, : len(steps)] = steps
        return numbered

    def beginnings(self, patterns: Ints) -> Beginnings:
        """Return patterns as `features_of` takes them.

        Args:
            patterns: int64 [patterns, max_hops], their `steps`, filled up with -1; one without steps cannot be scored.
        """
        return Beginnings.of(patterns, len(self.turned))

    def features_of(self, spoken: Spoken, patterns: Beginnings) -> Scores:
        """Return `features` for what the words of a question say."""
        return best_alignments(spoken, patterns, self.weights, self.turned, self.mutual)
