"""Aligning the words of a question with the hops of a relation pattern, in order from the seed outwards.

«Who is the child of X's spouse?» and «Who is the spouse of X's child?» have the same words; what tells them apart is
that words nearer to the seed speak of earlier hops. Each content word speaks of one hop or of none; every hop should be
spoken of, and words should not be left over. The best alignment of a pattern is found by dynamic programming.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.cached import cached_property
from graphbrick.embedders.embedder import Embedder
from graphbrick.patterns.text import PLACEHOLDER, Steps, canonical, without_marks, words_of
from graphbrick.patterns.word_vectors import REMEMBERED, word_vectors

Floats = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Phrases = Mapping[str, Sequence[tuple[str, ...]]]

FUNCTION_WORDS = (
    "'s",
    *"a about also an and another are as at be been by can co did do does each find for from give had has have".split(),
    *"he in is it its know list many me name of on one or other same she share shares some tell that the their".split(),
    *"there these they this to was were what which whose with you".split(),
)  # fmt: skip
"""Words that connect; they speak of no hop themselves. «Who», «whom», «when» and «where» do: of what is asked for."""
_NUMBER = {word: number for number, word in enumerate(FUNCTION_WORDS)}
_OWNED_BY = ("of", "for", "in")
_PLACES = 3  # of a word; see `Token.place`
_LONGEST = 8  # content words on either side of the seed that are aligned
_VECTOR_WEIGHT = 4.0
_IMPOSSIBLE = -1e9
_UNALIGNED = -60.0  # the score of a pattern that no alignment fits

EMISSION, TRANSITION, MISSING, MISSING_BACK, LEFT_OVER = range(5)
N_FEATURES = 5  # and one a hop count


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
        """Where the word stands: 0 as what X has («the son of X»), 1 left of X («whose son is X»), 2 right of X.

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
    merged = _merged(list(zip(words, hops or [None] * len(words), strict=True)), phrases or {})
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
    return (1 + _PLACES) * dimensions + 2 * len(FUNCTION_WORDS) + 6


def token_features(token: Token, vector: Floats) -> Floats:
    """Return the features of a token: its word vector, the same in its place, the words beside it, where it stands."""
    d, n = len(vector), len(FUNCTION_WORDS)
    features = np.zeros(n_token_features(d), dtype=np.float32)
    features[:d] = _VECTOR_WEIGHT * vector
    placed, beside = (1 + token.place) * d, (1 + _PLACES) * d
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
    """How often a word speaks of the next hop rather than of the one before it, by what connects them.

    Attributes:
        counts: (new hop, all) by (is_left, is_first, direction of the hop before, connectors); connectors are None for
            the counts over all of them. The direction is 0 backwards, 1 forwards, 2 before the first hop.
    """

    counts: Mapping[tuple[bool, bool, int, tuple[str, ...] | None], tuple[int, int]] = field(default_factory=dict)

    def log_new(self, token: Token) -> tuple[Scores, Scores]:
        """Return the log probabilities of a new hop and of the same hop, float64 [3] each, by direction before."""
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
            vectors = self.word_vectors([token.word for token in fresh.values()])
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

    def features(self, tokens: tuple[list[Token], list[Token]], patterns: Sequence[Steps]) -> Scores:
        """Return what the best alignment of each pattern is made of, float64 [patterns, 5 + max_hops].

        The columns are those of ``weights``, so that the score is their product.
        """
        return self.features_of(tokens, [self.steps(pattern) for pattern in patterns])

    def features_of(self, tokens: tuple[list[Token], list[Token]], patterns: Sequence[list[int] | None]) -> Scores:
        """Like `features`, of patterns as `steps` returns them."""
        features = np.zeros((len(patterns), len(self.weights)))
        features[:, EMISSION] = _UNALIGNED
        numbered = [(place, steps) for place, steps in enumerate(patterns) if steps]
        if numbered:
            table = _Table(self, tokens, [steps for _, steps in numbered])
            features[[place for place, _ in numbered]] = table.best()
        return features


class _Table:
    """Dynamic programming over (words used on the left, words used on the right, hops used), for many patterns."""

    def __init__(self, model: Alignment, tokens: tuple[list[Token], list[Token]], patterns: list[list[int]]) -> None:
        self.left, self.right = tokens
        n, most = len(patterns), model.max_hops
        self.weights, self.none = model.weights, len(model.emission) - 1
        self.length = np.array([len(steps) for steps in patterns])
        self.step: Ints = np.full((n, most + 1), self.none, dtype=np.int64)
        self.step[:, 1:][np.arange(most) < self.length[:, None]] = np.fromiter(chain.from_iterable(patterns), np.int64)
        self.absent = self.step == self.none
        self.absent[:, 0] = False
        self.is_back = np.zeros_like(self.absent)  # a step that takes back the one before it
        self.is_back[:, 2:] = (model.turned[self.step[:, 2:]] == self.step[:, 1:-1]) & ~self.absent[:, 2:]
        self.direction = np.where(self.absent | (np.arange(most + 1) == 0), 2, self.step & 1)
        self.emitted = [model.emitted(self.left), model.emitted(self.right)]
        self.moves = [[model.transitions.log_new(token) for token in side] for side in tokens]

    def best(self) -> Scores:
        """Return the features of the best alignment of each pattern."""
        cells: dict[tuple[int, int], tuple[Scores, Scores]] = {}
        start = np.full(self.step.shape, _IMPOSSIBLE)
        start[:, 0] = 0
        cells[0, 0] = self._without_words(start, np.zeros((*self.step.shape, N_FEATURES)))
        for a in range(len(self.left) + 1):
            for b in range(len(self.right) + 1):
                if a or b:
                    cells[a, b] = self._cell(cells, a, b)
        value, features = cells[len(self.left), len(self.right)]
        rows = np.arange(len(self.length))
        found = np.zeros((len(rows), len(self.weights)))
        found[:, :N_FEATURES] = features[rows, self.length]
        found[rows, N_FEATURES - 1 + self.length] = 1
        impossible = value[rows, self.length] < _IMPOSSIBLE / 2
        found[impossible, EMISSION] = _UNALIGNED
        return found

    def _cell(self, cells: dict[tuple[int, int], tuple[Scores, Scores]], a: int, b: int) -> tuple[Scores, Scores]:
        """Return the best way to have used so many words of each side."""
        ways = []
        if b:
            ways.append(self._use(*cells[a, b - 1], 1, b - 1))
        # «X's spouse»: what follows the possessive is used before anything on the left.
        pending = b < len(self.right) and self.right[b].connectors == ("'s",)
        if a and not pending:
            ways.append(self._use(*cells[a - 1, b], 0, a - 1))
        if not ways:
            return np.full(self.step.shape, _IMPOSSIBLE), np.zeros((*self.step.shape, N_FEATURES))
        value, features = ways[0]
        if len(ways) == 2:
            better = ways[1][0] > value
            value, features = np.where(better, ways[1][0], value), np.where(better[..., None], ways[1][1], features)
        return self._without_words(value, features)

    def _use(self, value: Scores, features: Scores, side: int, place: int) -> tuple[Scores, Scores]:
        """Use one more word: for the next hop, for the same hop, or for none."""
        emitted, (log_new, log_same) = self.emitted[side][place], self.moves[side][place]
        weights = self.weights
        spoken = emitted[self.step]
        new, same = log_new[self.direction], log_same[self.direction]
        begins = np.full_like(value, _IMPOSSIBLE)
        begins[:, 1:] = value[:, :-1] + weights[EMISSION] * spoken[:, 1:] + weights[TRANSITION] * new[:, :-1]
        stays = value + weights[EMISSION] * spoken + weights[TRANSITION] * same
        stays[:, 0] = _IMPOSSIBLE
        begins[self.absent] = stays[self.absent] = _IMPOSSIBLE
        skips = value + weights[EMISSION] * emitted[self.none] + weights[LEFT_OVER]
        ways = np.stack([begins, stays, skips])
        way = ways.argmax(axis=0)
        after = features.copy()
        after[:, 1:] = np.where((way == 0)[:, 1:, None], features[:, :-1], features[:, 1:])
        before = np.zeros_like(value)
        before[:, 1:] = new[:, :-1]
        after[..., EMISSION] += np.where(way == 2, emitted[self.none], spoken)
        after[..., TRANSITION] += np.where(way == 0, before, np.where(way == 1, same, 0))
        after[..., LEFT_OVER] += way == 2
        return ways.max(axis=0), after

    def _without_words(self, value: Scores, features: Scores) -> tuple[Scores, Scores]:
        """Let hops go by that no word speaks of."""
        for hop in range(1, value.shape[1]):
            back = self.is_back[:, hop]
            through = value[:, hop - 1] + np.where(back, self.weights[MISSING_BACK], self.weights[MISSING])
            through[self.absent[:, hop]] = _IMPOSSIBLE
            better = through > value[:, hop]
            if better.any():
                value[better, hop] = through[better]
                features[better, hop] = features[better, hop - 1]
                features[better, hop, MISSING] += ~back[better]
                features[better, hop, MISSING_BACK] += back[better]
        return value, features
