from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.pagerank.fora import _estimate, first_state, fora_top_k, walks_needed
from graphbrick.kernels.pagerank.ppr import ppr_push, ppr_python
from graphbrick.kernels.pagerank.random_walk import mix_python
from graphbrick.kernels.pagerank.touched import start_at

WAYS = [(True, True), (True, False), (False, True)]
Found = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], int]


def heavy_tailed(seed: int, n: int, m: int) -> Csr:
    """A multigraph with hubs, self loops, parallel, dangling and isolated nodes."""
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((m, 2)) ** 3).astype(np.int32)
    rows = np.unique(np.column_stack([ends, rng.integers(0, 5, m)]), axis=0).astype(np.int32)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def ids(*seeds: int) -> npt.NDArray[np.int32]:
    return np.array(seeds, dtype=np.int32)


def test_the_formula_of_the_paper() -> None:
    epsilon, delta, failure = 0.5, 1e-4, 1e-6
    unit = (2 * 0.5 / 3 + 2) * np.log(2 / 1e-6)
    assert walks_needed(epsilon, delta, failure) == pytest.approx(unit / (0.25 * 1e-4))


@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("way", WAYS)
def test_errors_are_within_the_guarantee(way: tuple[bool, bool], restart: float) -> None:
    epsilon, n, failure = 0.2, 200, 0.01
    missed = checked = 0
    for number in range(6):
        csr = heavy_tailed(number, n, 600)
        for seeds in (ids(1), ids(0, 9, 9)):
            exact = ppr_python(csr, seeds, restart, *way, iterations=300)
            nodes, scores, edges = fora_top_k(csr.rows, seeds, restart, *way, n, epsilon, failure, number)
            found = np.zeros(csr.n_nodes)
            found[nodes] = scores
            large = exact > 2 / n  # the bound is for scores of 1 / n before the division by their sum
            missed += np.count_nonzero(np.abs(found - exact)[large] > epsilon * exact[large])
            checked += np.count_nonzero(large)
            assert (exact[nodes] > 0).all()
            assert scores.sum() == pytest.approx(1)
            assert edges >= 0
    assert checked > 30
    # Chernoff's bound is far from tight: twice the failure that is allowed would already be a wrong formula.
    assert missed <= 2 * failure * checked + 1


@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("way", WAYS)
def test_the_best_of_a_larger_graph(way: tuple[bool, bool], restart: float) -> None:
    csr, k, epsilon = heavy_tailed(7, 3000, 12_000), 50, 0.1
    for seeds in (ids(40), ids(300, 2)):
        exact = ppr_push(csr.rows, seeds, restart, *way, 1e-12)[0]
        nodes, scores, _ = fora_top_k(csr.rows, seeds, restart, *way, k, epsilon, 1e-4, 3)
        assert len(nodes) == min(k, np.count_nonzero(exact))
        assert (np.diff(scores) <= 0).all()
        cut = np.sort(exact)[-k]
        assert (exact[nodes] >= cut * (1 - epsilon) / (1 + epsilon)).all()
        np.testing.assert_allclose(scores, exact[nodes], rtol=epsilon)


def test_the_same_seed_gives_the_same_result() -> None:
    csr = heavy_tailed(1, 500, 2000)

    def once(seed: int) -> Found:
        return fora_top_k(csr.rows, ids(3), 0.2, True, True, 20, 0.5, 0.01, seed)

    first, again, other = once(1), once(1), once(2)
    assert first[0].tolist() == again[0].tolist()
    assert first[1].tolist() == again[1].tolist()
    assert first[1].tolist() != other[1].tolist()
    assert first[0].dtype == np.int32


def test_an_isolated_seed_and_one_that_cannot_be_left() -> None:
    csr = from_sorted(4, ids(0, 1), ids(1, 2), ids(0, 0))
    for seed in (3, 2):
        nodes, scores, edges = fora_top_k(csr.rows, ids(seed), 0.2, True, False, 5, 0.5, 0.01, 0)
        assert (nodes.tolist(), scores.tolist(), edges) == ([seed], [1.0], 0)
    nodes, scores, _ = fora_top_k(csr.rows, ids(3, 0), 0.5, True, False, 9, 0.1, 0.01, 0)
    np.testing.assert_allclose(scores, ppr_python(csr, ids(3, 0), 0.5, True, False)[nodes], rtol=0.1)


@pytest.mark.parametrize(
    ("seeds", "restart", "way", "k", "epsilon", "failure", "seed", "best", "scores", "edges"),
    [
        ([3], 0.2, (True, True), 20, 0.5, 0.01, 1, [3, 0, 1, 4], [0.2246, 0.0805, 0.024], 29207),
        ([300, 2], 0.5, (True, False), 5, 0.2, 0.1, 7, [2, 300, 3, 18, 119], [0.2577, 0.2526, 0.0443], 2808),
        ([40], 0.2, (False, True), 50, 0.5, 0.01, 0, [40, 0, 33, 25], [0.2212, 0.0491, 0.0396], 15507),
    ],
)
def test_the_same_on_every_machine(
    seeds: list[int], restart: float, way: tuple[bool, bool], k: int, epsilon: float, failure: float, seed: int,
    best: list[int], scores: list[float], edges: int,
) -> None:  # fmt: skip
    # Written down once: other numbers mean another balance of push and walks, or other random numbers.
    csr = heavy_tailed(1, 500, 2000)
    found = fora_top_k(csr.rows, ids(*seeds), restart, *way, k, epsilon, failure, seed)
    assert (found[0][: len(best)].tolist(), len(found[0]), found[2]) == (best, k, edges)
    np.testing.assert_allclose(found[1][: len(scores)], scores, atol=5e-5)


def test_the_first_state_of_the_random_numbers() -> None:
    golden = 0x9E3779B97F4A7C15
    for seed in (0, 1, 2**31):
        assert int(first_state(seed)) == mix_python((seed + 1) * golden % 2**64)


def test_no_walk_starts_if_all_residuals_are_within_the_error() -> None:
    rows, state = heavy_tailed(1, 50, 200).rows, np.uint64(7)
    for enough, walks in ((1.0, False), (0.999, True)):
        near = start_at(rows, ids(3), True, True)
        _, after, steps = _estimate(rows, near, 0.2, True, True, 100.0, enough, state)
        assert (steps > 0, after != state) == (walks, walks)
        assert near.estimate[0] >= 0.2  # the share that stays
