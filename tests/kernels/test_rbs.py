from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.ppr import ppr_push, ppr_python
from graphbrick.kernels.rbs import by_degree, randomized_forward, rbs_both_ways, rbs_to_target

WAYS = [(True, True), (True, False), (False, True)]


def heavy_tailed(seed: int, n: int, m: int) -> Csr:
    """A multigraph with hubs, self loops, parallel, dangling and isolated nodes."""
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((m, 2)) ** 3).astype(np.int32)
    rows = np.unique(np.column_stack([ends, rng.integers(0, 5, m)]), axis=0).astype(np.int32)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def ids(*seeds: int) -> npt.NDArray[np.int32]:
    return np.array(seeds, dtype=np.int32)


def degrees_of(csr: Csr, out: bool, into: bool) -> npt.NDArray[np.int64]:
    return out * (csr.out_end - csr.out_begin).astype(np.int64) + into * (csr.in_end - csr.in_begin).astype(np.int64)


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


@pytest.mark.parametrize("way", WAYS)
def test_rows_by_degree_are_the_rows(way: tuple[bool, bool]) -> None:
    csr = heavy_tailed(0, 50, 300)
    index, degrees = by_degree(csr, *way), degrees_of(csr, *way)
    for walked, begin, end, ids_, given, sorted_, sorted_degrees in (
        (way[0], csr.in_begin, csr.in_end, csr.in_head, index.entering, index.entering, index.entering_degree),
        (way[1], csr.out_begin, csr.out_end, csr.tail, index.leaving, index.leaving, index.leaving_degree),
    ):
        assert bool(len(given)) == walked
        for u in range(csr.n_nodes if walked else 0):
            row = slice(int(begin[u]), int(end[u]))
            assert sorted(sorted_[row].tolist()) == sorted(ids_[row].tolist())
            assert sorted_degrees[row].tolist() == sorted(degrees[ids_[row]].tolist())
            assert (degrees[sorted_[row]] == sorted_degrees[row]).all()


@pytest.mark.parametrize("way", WAYS)
def test_scores_to_a_target_are_right_on_average(way: tuple[bool, bool]) -> None:
    csr, restart, rounds = heavy_tailed(3, 40, 150), 0.2, 3000
    index, walks = by_degree(csr, *way), endless(csr, restart, *way)
    for target in (0, 7, 35):
        total, squares = np.zeros(40), np.zeros(40)
        for seed in range(rounds):
            nodes, scores, _ = rbs_to_target(csr.rows, index, target, restart, 0.02, seed)
            total[nodes] += scores
            squares[nodes] += scores**2
        mean = total / rounds
        spread = np.sqrt(np.maximum(squares / rounds - mean**2, 0) / rounds)
        # Six standard errors: one false alarm in 10^8 numbers; and something was left to chance at all.
        assert (np.abs(mean - walks[:, target]) <= 6 * spread + 1e-9).all()
        assert spread.max() > 0 or np.count_nonzero(walks[:, target]) <= 1


@pytest.mark.parametrize("way", WAYS)
def test_scores_from_the_seeds_are_right_on_average(way: tuple[bool, bool]) -> None:
    csr, restart, rounds = heavy_tailed(4, 40, 150), 0.2, 3000
    exact = ppr_python(csr, ids(1, 20), restart, *way)
    kernels = [lambda seed: randomized_forward(csr.rows, ids(1, 20), restart, *way, 40, 0.002, seed)]
    if all(way):
        index = by_degree(csr, True, True)
        kernels.append(lambda seed: rbs_both_ways(csr.rows, index, ids(1, 20), restart, 40, 0.02, seed))
    for kernel in kernels:
        total, squares = np.zeros(40), np.zeros(40)
        for seed in range(rounds):
            nodes, scores, _ = kernel(seed)
            total[nodes] += scores
            squares[nodes] += scores**2
        mean = total / rounds
        spread = np.sqrt(np.maximum(squares / rounds - mean**2, 0) / rounds)
        # The forward form divides by a sum that is itself left to chance, which adds a little.
        assert (np.abs(mean - exact) <= 6 * spread + 0.02 * exact).all()


@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("way", WAYS)
def test_small_thresholds_are_exact(way: tuple[bool, bool], restart: float) -> None:
    csr, k = heavy_tailed(5, 2000, 8000), 100
    index = by_degree(csr, *way)
    for seeds in (ids(3), ids(700, 700, 4), ids(1999, 50)):
        exact = ppr_push(csr.rows, seeds, restart, *way, 1e-12)[0]
        results = [randomized_forward(csr.rows, seeds, restart, *way, k, 1e-8, 1)]
        if all(way):
            results.append(rbs_both_ways(csr.rows, index, seeds, restart, k, 1e-8, 1))
        for nodes, scores, edges in results:
            assert len(nodes) == min(k, np.count_nonzero(exact))
            assert (np.diff(scores) <= 0).all()
            np.testing.assert_allclose(scores, exact[nodes], rtol=0, atol=1e-4)
            assert exact[nodes].sum() >= 0.999 * np.sort(exact)[-k:].sum()
            assert edges > 0 or len(nodes) == len(set(seeds.tolist()))


def test_larger_thresholds_look_at_fewer_edges_and_the_same_seed_gives_the_same() -> None:
    csr = heavy_tailed(6, 5000, 30_000)
    index = by_degree(csr, True, True)
    seen = []
    for theta in (1e-3, 1e-4, 1e-5):
        found = [rbs_both_ways(csr.rows, index, ids(9), 0.2, 10, theta, seed) for seed in (1, 1, 2)]
        assert found[0][0].tolist() == found[1][0].tolist()
        assert found[0][1].tolist() == found[1][1].tolist() != found[2][1].tolist()
        seen.append(found[0][2])
        forward = [randomized_forward(csr.rows, ids(9), 0.2, True, True, 10, theta, seed) for seed in (1, 1)]
        assert forward[0][1].tolist() == forward[1][1].tolist()
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]


def test_an_isolated_seed_and_one_that_cannot_be_left() -> None:
    csr = from_sorted(4, ids(0, 1), ids(1, 2), ids(0, 0))
    both = by_degree(csr, True, True)
    nodes, scores, _ = rbs_both_ways(csr.rows, both, ids(3), 0.2, 5, 1e-3, 0)
    assert (nodes.tolist(), scores.tolist()) == ([3], [pytest.approx(1)])
    for seed in (3, 2):
        nodes, scores, _ = randomized_forward(csr.rows, ids(seed), 0.2, True, False, 5, 1e-3, 0)
        assert (nodes.tolist(), scores.tolist()) == ([seed], [1.0])
