"""The best alignments of patterns with the words of a question, compiled; see `patterns.alignment.alignment_table`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit

Scores = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_IMPOSSIBLE = -1e9
_OTHERWISE = -20.0
_BEGINS, _STAYS, _SKIPS, _LEFT, _WITHOUT_WORD, _START = 0, 1, 2, 3, 6, 7


@jit
def _said(emitted: Scores, alike: Flags, word: int, step: int, is_back: bool) -> float:
    """Return the log probability that a word speaks of a step."""
    if alike[word]:
        return 0.0 if is_back else _OTHERWISE
    return float(emitted[word, step])


@jit
def fill_alignments(
    n_left: int,
    emitted: Scores,
    new: Scores,
    same: Scores,
    first: Flags,
    alike: Flags,
    weights: Scores,
    parent: Ints,
    step: Ints,
    is_back: Flags,
    joins: Flags,
    value: Scores,
    move: npt.NDArray[np.int8],
) -> None:
    """Fill in the table of the best scores, and of the last move of each.

    The first beginning has no step; of the others, each comes after its parent. `_Table` says what the arrays mean.

    Args:
        n_left, emitted, new, same, first, alike: See `Spoken`.
        weights: float64 [5], of emission, transition, missing, missing on the way back, and left over.
        parent, step, is_back, joins: Of each beginning; see `_Level`.
        value: float64 [beginnings, left + 1, right + 1], filled.
        move: int8, like ``value``, filled.
    """
    n_right, none = len(emitted) - n_left, emitted.shape[1] - 1
    for node in range(len(parent)):
        before = parent[node]
        way = 2 if before == 0 else step[before] & 1
        for a in range(n_left + 1):
            for b in range(n_right + 1):
                best, chosen, has_ways = _IMPOSSIBLE, _WITHOUT_WORD, False
                if node == 0:
                    chosen = _START
                for side in range(2):
                    if side == 0 and b == 0:
                        continue
                    if side == 1 and (a == 0 or (b < n_right and first[n_left + b])):
                        continue
                    word = a - 1 if side else n_left + b - 1
                    at = value[node, a - side, b - 1 + side]
                    skipped = at + weights[0] * _said(emitted, alike, word, none, False) + weights[4]
                    if node > 0:
                        begun = value[before, a - side, b - 1 + side]
                        begun += weights[0] * _said(emitted, alike, word, step[node], is_back[node])
                        begun += weights[1] * new[word, way]
                        if begun > best:
                            best, chosen = begun, side * _LEFT + _BEGINS
                        stayed = at + weights[0] * _said(emitted, alike, word, step[node], joins[node])
                        stayed += weights[1] * same[word, step[node] & 1]
                        if stayed > best:
                            best, chosen = stayed, side * _LEFT + _STAYS
                    if skipped > best or (node == 0 and not has_ways):
                        best, chosen = skipped, side * _LEFT + _SKIPS
                    has_ways = True
                if node == 0 and a == 0 and b == 0:
                    best = 0.0
                if node > 0 and (has_ways or (a == 0 and b == 0)):
                    without = value[before, a, b] + (weights[3] if is_back[node] else weights[2])
                    if without > best:
                        best, chosen = without, _WITHOUT_WORD
                value[node, a, b], move[node, a, b] = best, chosen


@jit
def read_alignments(
    n_left: int,
    emitted: Scores,
    new: Scores,
    same: Scores,
    alike: Flags,
    parent: Ints,
    step: Ints,
    is_back: Flags,
    joins: Flags,
    move: npt.NDArray[np.int8],
    ends: Ints,
    features: Scores,
) -> None:
    """Add up the features of the best alignments of some beginnings, in the order of the words.

    Args:
        n_left, emitted, new, same, alike, parent, step, is_back, joins, move: See `fill_alignments`.
        ends: int64, the beginnings.
        features: float64 [ends, 5] zeros, filled.
    """
    n_right, none = len(emitted) - n_left, emitted.shape[1] - 1
    said, moved = np.empty(len(emitted)), np.empty(len(emitted))
    for row in range(len(ends)):
        node, a, b, used = ends[row], n_left, n_right, 0
        while move[node, a, b] != _START:
            taken = move[node, a, b]
            if taken == _WITHOUT_WORD:
                features[row, 3 if is_back[node] else 2] += 1
                node = parent[node]
                continue
            side, kind = taken // _LEFT, taken % _LEFT
            word = a - 1 if side else n_left + b - 1
            moved[used] = 0.0
            if kind == _SKIPS:
                features[row, 4] += 1
                said[used] = _said(emitted, alike, word, none, False)
            elif kind == _BEGINS:
                before = parent[node]
                said[used] = _said(emitted, alike, word, step[node], is_back[node])
                moved[used] = new[word, 2 if before == 0 else step[before] & 1]
            else:
                said[used] = _said(emitted, alike, word, step[node], joins[node])
                moved[used] = same[word, step[node] & 1]
            if kind == _BEGINS:
                node = parent[node]
            a, b, used = a - side, b - 1 + side, used + 1
        for place in range(used - 1, -1, -1):
            features[row, 0] += said[place]
            features[row, 1] += moved[place]
