"""Alignments by compiled kernels, against those in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphbrick.patterns.alignment import alignment_table
from graphbrick.patterns.alignment.alignment_table import Beginnings, Spoken, _compiled, _in_numpy, best_alignments

STEPS, HOPS = 6, 3


def drawn(rng: np.random.Generator) -> tuple[Spoken, Beginnings]:
    """Return what the words of a question say, and patterns with common beginnings."""
    left, right = rng.integers(0, 4, 2).tolist()
    words = left + right
    first = (np.arange(words) >= left) & (rng.random(words) < 0.3)
    moves = np.round(rng.normal(size=(words, 2, 3)), 1)  # so that some alignments are as good as others
    emitted = np.round(rng.normal(size=(words, STEPS + 1)), 1)
    spoken = Spoken(left, emitted, moves[:, 0], moves[:, 1], first, rng.random(words) < 0.2)
    patterns = rng.integers(0, STEPS, size=(30, HOPS))
    patterns[np.arange(HOPS) >= rng.integers(0, HOPS + 1, size=(30, 1))] = -1
    return spoken, Beginnings.of(patterns, STEPS + 1)


@pytest.mark.parametrize("seed", range(60))
def test_compiled_alignments_are_equal_to_the_last_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spoken, patterns = drawn(rng)
    weights = np.round(np.concatenate([rng.uniform(0.3, 1.5, 2), -rng.uniform(0.2, 3, 3), rng.normal(size=HOPS)]), 1)
    turned = np.array([1, 0, 3, 2, 4, 5, -1])  # the last two are symmetric
    mutual = np.array([False, False, False, False, True, False, False])
    arguments = spoken, patterns, weights, turned, mutual
    np.testing.assert_array_equal(_compiled(*arguments), _in_numpy(*arguments))


def test_kernels_are_loaded_after_many_questions_where_numba_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []

    def compiled(spoken: Spoken, patterns: Beginnings, *arguments: Any) -> Any:
        used.append(patterns.n)
        return _in_numpy(spoken, patterns, *arguments)

    monkeypatch.setattr(alignment_table, "_compiled", compiled)
    monkeypatch.setattr(alignment_table._Spent, "seconds", 0.0)
    monkeypatch.setattr(alignment_table, "numba_is_loaded", lambda: True)
    spoken, patterns = drawn(np.random.default_rng(0))
    no = np.zeros(STEPS + 1, dtype=np.bool_)
    for _ in range(round(alignment_table._LOADING / alignment_table._SECONDS) + 2):
        best_alignments(spoken, patterns, np.ones(5 + HOPS), np.arange(STEPS + 1), no)
    assert 1 <= len(used) <= 3
