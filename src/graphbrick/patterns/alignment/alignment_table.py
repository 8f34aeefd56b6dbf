"""The best alignments of many patterns with the words of one question, by dynamic programming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.loading import numba_is_loaded, worth_loading

Scores = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

EMISSION, TRANSITION, MISSING, MISSING_BACK, LEFT_OVER = range(5)
N_FEATURES = 5  # and one a hop count
UNALIGNED = -60.0
"""The emission of a pattern that no alignment fits."""
_IMPOSSIBLE = -1e9
_OTHERWISE = -20.0
"""The log probability that a word for the way back speaks of another step, or of none."""
_SECONDS = 7e-4  # of a question without the compiled kernels, which take a twentieth
_LOADING = 0.1  # seconds that it takes to load them
# What the last move of the best way to a cell is. Each of the first three is 3 higher for a word left of the seed.
_BEGINS, _STAYS, _SKIPS, _LEFT, _WITHOUT_WORD, _START = 0, 1, 2, 3, 6, 7


class Spoken(NamedTuple):
    """Scores of the words of a question, for any pattern: words left of the seed, then right of it.

    Attributes:
        n_left: Number of words left of the seed.
        emitted: float64 [words, steps + 1], the log probability that a word speaks of each step, or of none.
        new: float64 [words, 3], the log probability that a word begins a hop, by the direction of the hop before.
        same: float64 [words, 3], the same for a word that speaks of the hop before.
        first: bool [words], whether the word is used before any on the left: «X's spouse».
        alike: bool [words], whether the word speaks of a way back along the step before: «the same», «share».
    """

    n_left: int
    emitted: Scores
    new: Scores
    same: Scores
    first: Flags
    alike: Flags

    def of(self, word: Ints, step: Ints, is_back: Flags) -> Scores:
        """Return the log probabilities that words speak of steps; the arrays are broadcast against each other."""
        said: Scores = self.emitted[word, step]
        return np.where(self.alike[word], np.where(is_back, 0.0, _OTHERWISE), said) if self.alike.any() else said


@dataclass(frozen=True, slots=True)
class _Level:
    """Beginnings of patterns of one length, each with a table by the words used on the left and the right.

    Attributes:
        parent: int64 [beginnings], index of each without its last step in the level before.
        step: int64 [beginnings], the last step.
        direction: int64 [beginnings], 0 backwards, 1 forwards, 2 before the first hop.
        is_back: bool [beginnings], whether the last step takes back the one before it.
        joins: bool [beginnings], whether it does, or joins what is alike by itself.
        value: float64 [left + 1, right + 1, beginnings], the best score.
        move: int8, like ``value``: the last move of the best way.
    """

    parent: Ints
    step: Ints
    direction: Ints
    is_back: Flags
    joins: Flags
    value: Scores
    move: npt.NDArray[np.int8]


class Beginnings(NamedTuple):
    """The beginnings that patterns share, by length; the same for every question about these patterns.

    Attributes:
        n: Number of patterns.
        rows: int64, the patterns that have a step.
        levels: Of each length, the parents and the last steps of the beginnings; see `_Level`.
        distinct: int64, the beginnings that are whole patterns, counted through all levels.
        inverse: int64 [rows], the place of each pattern among them.
        length: int64 [rows], the hops of each pattern.
    """

    n: int
    rows: Ints
    levels: list[tuple[Ints, Ints]]
    distinct: Ints
    inverse: Ints
    length: Ints

    @classmethod
    def of(cls, patterns: Ints, n_steps: int) -> Beginnings:
        """Return the beginnings of patterns.

        Args:
            patterns: int64 [patterns, hops], the steps of each; -1 after the last.
            n_steps: Number of steps, and of none.
        """
        found = np.flatnonzero(patterns[:, 0] >= 0)
        steps = patterns[found]
        length = (steps >= 0).sum(axis=1)
        levels = list[tuple[Ints, Ints]]()
        place, offsets = np.zeros(len(found), dtype=np.int64), np.zeros(len(found), dtype=np.int64)
        offset = 1
        for hop in range(int(length.max(initial=0))):
            rows = np.flatnonzero(length > hop)
            beginnings, inverse = np.unique(place[rows] * n_steps + steps[rows, hop], return_inverse=True)
            levels.append((beginnings // n_steps, beginnings % n_steps))
            place[rows], offsets[rows] = inverse, offset
            offset += len(beginnings)
        distinct, inverse = np.unique(offsets + place, return_inverse=True)
        return cls(len(patterns), found, levels, distinct, inverse, length)


def best_alignments(spoken: Spoken, patterns: Beginnings, weights: Scores, turned: Ints, mutual: Flags) -> Scores:
    """Return the features of the best alignment of each pattern, float64 [patterns, 5 + max_hops].

    Patterns with a common beginning share its cells, so that each beginning is computed once. One without a step has
    the emission `UNALIGNED`.

    Args:
        spoken: What the words say.
        patterns: The patterns.
        weights: float64 [5 + max_hops].
        turned: int64 [steps + 1], the number of each step in the other direction.
        mutual: bool [steps + 1], whether each joins what is alike by itself, such as «borders».
    """
    features = np.zeros((patterns.n, len(weights)))
    features[:, EMISSION] = UNALIGNED
    if len(patterns.rows):
        aligned = _compiled if _Spent.is_worth_loading() else _in_numpy
        features[patterns.rows, :N_FEATURES] = aligned(spoken, patterns, weights, turned, mutual)[patterns.inverse]
        features[patterns.rows, N_FEATURES - 1 + patterns.length] = 1
    return features


def expect(questions: int) -> None:
    """Count questions to come, so that the compiled kernels are used from the first one if they are many."""
    _Spent.seconds += questions * _SECONDS


class _Spent:
    """The time that this process took for alignments without the compiled kernels, or would take for those to come.

    Attributes:
        seconds: An estimate, so that it is the same in every run.
    """

    seconds = 0.0

    @classmethod
    def is_worth_loading(cls) -> bool:
        """Count a question; return whether the compiled kernels should be used for it."""
        if not numba_is_loaded() and not worth_loading(_SECONDS):
            return False
        cls.seconds += _SECONDS
        return cls.seconds > _LOADING


def _in_numpy(spoken: Spoken, patterns: Beginnings, weights: Scores, turned: Ints, mutual: Flags) -> Scores:
    """Return the features of the distinct patterns, float64 [distinct, 5]; see `best_alignments`."""
    table = _Table(spoken, weights, turned, mutual)
    for parent, step in patterns.levels:
        table.extend(parent, step)
    return table.features(patterns.distinct)


def _compiled(spoken: Spoken, patterns: Beginnings, weights: Scores, turned: Ints, mutual: Flags) -> Scores:
    """Return what `_in_numpy` does, to the last bit."""
    from graphbrick.kernels.alignments import fill_alignments, read_alignments

    none = np.array([len(turned) - 1], dtype=np.int64)
    parents, offset, n = [np.zeros(1, dtype=np.int64)], 0, 1
    for parent, _ in patterns.levels:
        parents.append(parent + offset)
        offset, n = n, n + len(parent)
    parent, step = np.concatenate(parents), np.concatenate([none, *(step for _, step in patterns.levels)])
    is_back = (turned[step] == step[parent]) & (step[parent] != none)
    steps = parent, step, is_back, is_back | mutual[step]
    left = spoken.n_left
    table = n, left + 1, len(spoken.emitted) - left + 1
    value, move = np.empty(table), np.empty(table, dtype=np.int8)
    emitted, new, same = map(np.ascontiguousarray, (spoken.emitted, spoken.new, spoken.same))
    said = left, emitted, new, same
    fill_alignments(*said, spoken.first, spoken.alike, weights[:N_FEATURES].copy(), *steps, value, move)
    features = np.zeros((len(patterns.distinct), N_FEATURES))
    read_alignments(*said, spoken.alike, *steps, move, patterns.distinct, features)
    features[value[patterns.distinct, -1, -1] < _IMPOSSIBLE / 2, EMISSION] = UNALIGNED
    return features


class _Table:
    """Dynamic programming over (words used on the left, words used on the right, hops used)."""

    def __init__(self, spoken: Spoken, weights: Scores, turned: Ints, mutual: Flags) -> None:
        self.spoken, self.weights, self.turned, self.mutual = spoken, weights, turned, mutual
        self.left, self.none = spoken.n_left, len(turned) - 1
        self.right = len(spoken.emitted) - self.left
        words = np.arange(len(spoken.emitted))
        self.skipping = (weights[EMISSION] * spoken.of(words, np.array(self.none), np.array(False))).tolist()
        # Whether nothing on the left may be used yet, by the words used on the right.
        self.pending = [*spoken.first[self.left :].tolist(), False]
        self.levels = [self._start()]

    def _start(self) -> _Level:
        """Return the level without hops, where every word is skipped."""
        cells = self.left + 1, self.right + 1, 1
        value, move = np.full(cells, _IMPOSSIBLE), np.full(cells, _START, dtype=np.int8)
        value[0, 0] = 0
        cost = float(self.weights[LEFT_OVER])
        for a in range(self.left + 1):
            for b in range(self.right + 1):
                ways = []
                if b:
                    ways.append((float(value[a, b - 1, 0]) + self.skipping[self.left + b - 1] + cost, _SKIPS))
                if a and not self.pending[b]:
                    ways.append((float(value[a - 1, b, 0]) + self.skipping[a - 1] + cost, _SKIPS + _LEFT))
                if ways:  # of equal ones the first
                    value[a, b], move[a, b] = max(ways, key=lambda way: way[0])
        none = np.zeros(1, dtype=np.int64)
        no = np.zeros(1, dtype=np.bool_)
        return _Level(none, none + self.none, none + 2, no, no, value, move)

    def extend(self, parent: Ints, step: Ints) -> None:
        """Add the next level: beginnings of the last one with a step more each."""
        before, weights, spoken, left = self.levels[-1], self.weights, self.spoken, self.left
        direction = step & 1
        is_back = (self.turned[step] == before.step[parent]) & (before.step[parent] != self.none)
        words, joins = np.arange(len(spoken.emitted))[:, None], is_back | self.mutual[step]
        emitted = weights[EMISSION] * spoken.of(words, step, is_back)
        staying = weights[EMISSION] * spoken.of(words, step, joins) if spoken.alike.any() else emitted
        new = weights[TRANSITION] * spoken.new[:, before.direction[parent]]
        same = weights[TRANSITION] * spoken.same[:, direction]
        earlier = before.value[:, :, parent]
        without = earlier + np.where(is_back, weights[MISSING_BACK], weights[MISSING])
        begins_left = earlier[:-1] + emitted[:left, None] + new[:left, None]
        begins_right = earlier[:, :-1] + emitted[left:] + new[left:]
        value = np.full(earlier.shape, _IMPOSSIBLE)
        move = np.full(earlier.shape, _WITHOUT_WORD, dtype=np.int8)
        cost = weights[LEFT_OVER]
        for a in range(self.left + 1):
            for b in range(self.right + 1):
                ways: list[tuple[int, Scores]] = []
                for side, is_possible in ((0, b > 0), (_LEFT, a > 0 and not self.pending[b])):
                    if is_possible:
                        word = a - 1 if side else left + b - 1
                        at = value[a - 1, b] if side else value[a, b - 1]
                        ways += [
                            (side + _BEGINS, begins_left[a - 1, b] if side else begins_right[a, b - 1]),
                            (side + _STAYS, at + staying[word] + same[word]),
                            (side + _SKIPS, at + self.skipping[word] + cost),
                        ]
                if not ways and (a or b):
                    continue
                ways.append((_WITHOUT_WORD, without[a, b]))
                best, chosen = value[a, b], move[a, b]
                for kind, way in ways:  # of equal ones the first
                    np.copyto(chosen, kind, where=way > best)
                    np.maximum(best, way, out=best)
        self.levels.append(_Level(parent, step, direction, is_back, joins, value, move))

    def features(self, ends: Ints) -> Scores:
        """Return the features of the best alignment of some beginnings, which are counted through all levels.

        They are added in the order of the words, as the alignment uses them.
        """
        levels, spoken = self.levels, self.spoken
        firsts = np.cumsum([0, *(len(level.step) for level in levels)])
        offsets = [0, *firsts[:-1].tolist()]
        parent = np.concatenate([level.parent + offset for level, offset in zip(levels, offsets, strict=False)])
        step = np.concatenate([level.step for level in levels])
        direction = np.concatenate([level.direction for level in levels])
        is_back = np.concatenate([level.is_back for level in levels])
        joins = np.concatenate([level.joins for level in levels])
        move = np.concatenate([level.move for level in levels], axis=2)
        value = np.concatenate([level.value[-1, -1] for level in levels])
        a, b, node = np.full(len(ends), self.left), np.full(len(ends), self.right), ends.copy()
        features, added = np.zeros((len(ends), N_FEATURES)), []
        while True:
            moves = move[a, b, node]
            if (moves == _START).all():
                break
            goes_on, without = moves == _START, moves == _WITHOUT_WORD
            is_left, kind = (moves >= _LEFT) & ~without & ~goes_on, moves % _LEFT
            uses = ~(without | goes_on)
            begins, skips = uses & (kind == _BEGINS), uses & (kind == _SKIPS)
            word = np.where(is_left, a - 1, self.left + b - 1)
            if len(spoken.emitted):
                alike = np.where(begins, is_back[node], joins[node]) & ~skips
                said = spoken.of(word, np.where(skips, self.none, step[node]), alike)
                emission = np.where(uses, said, 0)
                moved = np.where(begins, spoken.new[word, direction[parent[node]]], spoken.same[word, direction[node]])
                added.append((emission, np.where(uses & ~skips, moved, 0)))
            features[:, MISSING] += without & ~is_back[node]
            features[:, MISSING_BACK] += without & is_back[node]
            features[:, LEFT_OVER] += skips
            a -= is_left
            b -= uses & ~is_left
            node = np.where(begins | without, parent[node], node)
        for emission, transition in reversed(added):
            features[:, EMISSION] += emission
            features[:, TRANSITION] += transition
        features[value[ends] < _IMPOSSIBLE / 2, EMISSION] = UNALIGNED
        return features
