from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.ppr import ppr_push
from graphbrick.kernels.top_ppr import _backward, _split, top_ppr
from graphbrick.kernels.touched import nothing_touched

WAYS = [(True, True), (True, False), (False, True)]


def heavy_tailed(seed: int, n: int, m: int) -> Csr:
    """A multigraph with hubs, self loops, parallel, dangling and isolated nodes."""
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((m, 2)) ** 3).astype(np.int32)
    rows = np.unique(np.column_stack([ends, rng.integers(0, 5, m)]), axis=0).astype(np.int32)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def ids(*seeds: int) -> npt.NDArray[np.int32]:
    return np.array(seeds, dtype=np.int32)


def endless(csr: Csr, restart: float, out: bool, into: bool) -> npt.NDArray[np.float64]:
    """Row s: the scores of walks from s, where what cannot go on is dropped."""
    n = csr.n_nodes
    counts = np.zeros((n, n))
    heads = np.repeat(np.arange(n), csr.out_degrees())
    if out:
        np.add.at(counts, (heads, csr.tail), 1)
    if into:
        np.add.at(counts, (csr.tail, heads), 1)
    step = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return restart * np.linalg.inv(np.eye(n) - (1 - restart) * step)


@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("way", WAYS)
def test_a_backward_push_loses_nothing(way: tuple[bool, bool], restart: float) -> None:
    csr = heavy_tailed(2, 80, 300)
    walks = endless(csr, restart, *way)
    back = nothing_touched(4)
    for target in (0, 3, 40, 79):  # hubs, an ordinary node, one without triples; the room is used again
        for r_max in (0.5, 0.05, 1e-9):
            back, edges = _backward(csr.rows, back, target, restart, *way, r_max)
            count = back.used[0]
            settled, residual = np.zeros(80), np.zeros(80)
            settled[back.node[:count]] = back.score[:count]
            residual[back.node[:count]] = back.residual[:count]
            np.testing.assert_allclose(settled + walks @ residual, walks[:, target], rtol=0, atol=1e-12)
            assert residual.max() <= r_max
            assert edges >= 0


def test_split_by_hand() -> None:
    estimate = np.array([0.5, 0.3, 0.21, 0.2, 0.05])
    side, n_in, n_open = _split(estimate, np.full(5, 0.02), 0.01, 3, 0.0)
    assert side.tolist() == [1, 1, 0, 0, -1]
    assert (n_in, n_open) == (2, 2)
    # What is closer than the gap, .1 * .21, is a tie: both may be returned, and the first is.
    assert _split(estimate, np.full(5, 0.02), 0.01, 3, 0.3)[1] == 3
    # Fewer than k nodes: all are in once what no walk met is known to be smaller.
    assert _split(estimate, np.full(5, 0.01), 0.001, 9, 0.0)[0].tolist() == [1] * 5
    assert _split(estimate, np.full(5, 0.02), 0.04, 9, 0.0)[0].tolist() == [1, 1, 1, 1, 0]


@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("way", WAYS)
def test_the_share_promised_is_right(way: tuple[bool, bool], restart: float) -> None:
    csr, k, gap = heavy_tailed(7, 3000, 12_000), 50, 0.05
    for seeds in (ids(400), ids(1000, 2), ids(2900)):
        exact = ppr_push(csr.rows, seeds, restart, *way, 1e-12)[0]
        nodes, scores, _ = top_ppr(csr.rows, seeds, restart, *way, k, 0.9, gap, 0.01, 3)
        there = min(k, np.count_nonzero(exact))
        assert len(nodes) == there
        assert len(set(nodes.tolist())) == there
        assert (np.diff(scores) <= 0).all()
        assert np.count_nonzero(exact[nodes] >= (1 - gap) * np.sort(exact)[-k]) >= 0.9 * there
        np.testing.assert_allclose(scores, exact[nodes], rtol=0.3)


def test_the_same_seed_gives_the_same_result() -> None:
    csr = heavy_tailed(1, 3000, 12_000)
    first, again, other = (top_ppr(csr.rows, ids(3), 0.2, True, True, 20, 0.9, 0.1, 0.01, seed) for seed in (1, 1, 2))
    assert first[0].tolist() == again[0].tolist()
    assert first[1].tolist() == again[1].tolist()
    assert first[1].tolist() != other[1].tolist()
    assert first[0].dtype == np.int32
    assert first[2] == again[2] > 0


def test_an_isolated_seed_and_one_that_cannot_be_left() -> None:
    csr = from_sorted(4, ids(0, 1), ids(1, 2), ids(0, 0))
    for seed in (3, 2):
        nodes, scores, _ = top_ppr(csr.rows, ids(seed), 0.2, True, False, 5, 0.9, 0.1, 0.01, 0)
        assert (nodes.tolist(), scores.tolist()) == ([seed], [1.0])
