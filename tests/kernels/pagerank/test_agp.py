from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.pagerank.agp import randomized_forward
from graphbrick.kernels.pagerank.ppr import ppr_push, ppr_python

WAYS = [(True, True), (True, False), (False, True)]


def heavy_tailed(seed: int, n: int, m: int) -> Csr:
    """A multigraph with hubs, self loops, parallel, dangling and isolated nodes."""
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((m, 2)) ** 3).astype(np.int32)
    rows = np.unique(np.column_stack([ends, rng.integers(0, 5, m)]), axis=0).astype(np.int32)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def ids(*seeds: int) -> npt.NDArray[np.int32]:
    return np.array(seeds, dtype=np.int32)


@pytest.mark.whole
@pytest.mark.parametrize("way", WAYS)
def test_scores_from_the_seeds_are_right_on_average(way: tuple[bool, bool]) -> None:
    csr, restart, rounds = heavy_tailed(4, 40, 150), 0.2, 3000
    exact = ppr_python(csr, ids(1, 20), restart, *way)
    total, squares = np.zeros(40), np.zeros(40)
    for seed in range(rounds):
        nodes, scores, _ = randomized_forward(csr.rows, ids(1, 20), restart, *way, 40, 0.002, seed)
        total[nodes] += scores
        squares[nodes] += scores**2
    mean = total / rounds
    spread = np.sqrt(np.maximum(squares / rounds - mean**2, 0) / rounds)
    # Six standard errors, and a little more because scores are divided by a sum that is itself left to chance.
    assert (np.abs(mean - exact) <= 6 * spread + 0.02 * exact).all()


@pytest.mark.whole
@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("way", WAYS)
def test_small_thresholds_are_exact(way: tuple[bool, bool], restart: float) -> None:
    csr, k = heavy_tailed(5, 2000, 8000), 100
    for seeds in (ids(3), ids(700, 700, 4), ids(1999, 50)):
        exact = ppr_push(csr.rows, seeds, restart, *way, 1e-12)[0]
        nodes, scores, edges = randomized_forward(csr.rows, seeds, restart, *way, k, 1e-8, 1)
        assert len(nodes) == min(k, np.count_nonzero(exact))
        assert (np.diff(scores) <= 0).all()
        np.testing.assert_allclose(scores, exact[nodes], rtol=0, atol=1e-4)
        assert exact[nodes].sum() >= 0.999 * np.sort(exact)[-k:].sum()
        assert edges > 0 or len(nodes) == len(set(seeds.tolist()))


@pytest.mark.whole
def test_larger_thresholds_look_at_fewer_edges_and_the_same_seed_gives_the_same() -> None:
    csr = heavy_tailed(6, 5000, 30_000)
    seen = []
    for theta in (1e-3, 1e-4, 1e-5):
        first, again, other = (
            randomized_forward(csr.rows, ids(9), 0.2, True, True, 10, theta, seed) for seed in (1, 1, 2)
        )
        assert first[0].tolist() == again[0].tolist()
        assert first[1].tolist() == again[1].tolist() != other[1].tolist()
        seen.append(first[2])
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]


def test_an_isolated_seed_and_one_that_cannot_be_left() -> None:
    csr = from_sorted(4, ids(0, 1), ids(1, 2), ids(0, 0))
    for seed in (3, 2):
        nodes, scores, _ = randomized_forward(csr.rows, ids(seed), 0.2, True, False, 5, 1e-3, 0)
        assert (nodes.tolist(), scores.tolist()) == ([seed], [1.0])
