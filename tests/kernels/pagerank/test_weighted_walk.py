"""The kernels of walks over weighted edges, compared with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.kernels.pagerank.weighted_walk import chebyshev_step, strongest


@pytest.mark.parametrize("seed", range(3))
def test_a_step_equals_numpy(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.uniform(0.1, 2, (9, 9)) * (random.uniform(0, 1, (9, 9)) < 0.4)
    begin, other = _rows(weights)
    start, score, share, before = random.uniform(0, 1, (4, 9))
    walked = start + 0.6 * weights @ share
    expected = 1.3 * (walked - before) + before
    moved = chebyshev_step(begin, other, weights[weights > 0], start, score, share, before, 0.6, 1.3)
    np.testing.assert_allclose(before, expected)
    assert moved == pytest.approx(np.abs(walked - score).sum())


def test_the_strongest_edge_of_some_nodes() -> None:
    strength = np.array([[0.0, 0.5, 0.0], [0.3, 0.2, 0.0], [0.0, 0.9, 0.9]])
    begin, other = _rows(strength)
    best = strongest(begin, other, strength[strength > 0], np.array([0, 1], dtype=np.uint32), 3)
    assert best.tolist() == [0.3, 0.5, 0.0]
    assert not strongest(begin, other, strength[strength > 0], np.zeros(0, dtype=np.uint32), 3).any()


def _rows(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    counts = (weights > 0).sum(axis=1)
    begin = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
    return begin, np.nonzero(weights)[1].astype(np.uint32)
