"""How many edges the kernels read on one graph, written down once: other numbers mean more work, or other results."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.pagerank import local_ppr
from graphbrick.kernels.pagerank.agp import randomized_forward
from graphbrick.kernels.pagerank.ppr import ppr_push

BOTH, OUT, INTO = (True, True), (True, False), (False, True)
NO_BUDGET = 1 << 40


def ids(*seeds: int) -> npt.NDArray[np.int32]:
    return np.array(seeds, dtype=np.int32)


@pytest.fixture(scope="module")
def csr() -> Csr:
    """A multigraph with hubs, self loops, parallel, dangling and isolated nodes."""
    rng = np.random.default_rng(1)
    ends = (500 * rng.random((2000, 2)) ** 3).astype(np.int32)
    rows = np.unique(np.column_stack([ends, rng.integers(0, 5, 2000)]), axis=0).astype(np.int32)
    return from_sorted(500, *(np.ascontiguousarray(column) for column in rows.T))


@pytest.mark.parametrize(
    ("seeds", "restart", "way", "tolerance", "bound", "edges"),
    [
        ((3,), 0.2, BOTH, 0.05, 0.03300, 32499),
        ((3, 300), 0.5, OUT, 1e-4, 4.187e-05, 11609),
        ((3,), 0.2, INTO, 10.0, 0.9150, 636),  # one sweep is always made
    ],
)
def test_push_in_sweeps(
    csr: Csr, seeds: tuple[int, ...], restart: float, way: tuple[bool, bool], tolerance: float, bound: float, edges: int
) -> None:
    scores, error, read = ppr_push(csr.rows, ids(*seeds), restart, *way, tolerance)
    assert (int(read), error) == (edges, pytest.approx(bound, rel=1e-3))
    assert scores.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("seeds", "restart", "way", "tolerance", "budget", "edges", "spent", "dropped"),
    [
        ((3,), 0.2, BOTH, 1e-2, NO_BUDGET, 12478, False, 0.0),
        ((3, 300), 0.5, OUT, 1e-3, NO_BUDGET, 7709, False, 0.01373),
        ((3,), 0.2, BOTH, 1e-9, 5000, 5363, True, 0.0),
        ((3,), 0.2, BOTH, 1e-9, 5363, 9161, True, 0.0),  # a budget that is met exactly is not exceeded
    ],
)
def test_local_sweeps(
    csr: Csr, seeds: tuple[int, ...], restart: float, way: tuple[bool, bool], tolerance: float, budget: int,
    edges: int, spent: bool, dropped: float,
) -> None:  # fmt: skip
    done = local_ppr.sweep(csr.rows, ids(*seeds), restart, *way, 20, tolerance, budget)
    assert (done.edges, done.spent) == (edges, spent)
    assert done.dropped == pytest.approx(dropped, rel=1e-3)
    assert done.state.shape == (500, 4)
    assert done.nodes.tolist() == list(range(500))


@pytest.mark.parametrize(
    ("seeds", "restart", "way", "k", "theta", "seed", "best", "scores", "edges"),
    [
        ((3,), 0.2, BOTH, 20, 1e-3, 1, [3, 0, 1, 4, 9], [0.2356, 0.0804, 0.0227], 2902),
        ((3, 300), 0.5, OUT, 10, 1e-2, 2, [3, 300, 0, 18, 119], [0.3007, 0.2451, 0.0441], 82),
    ],
)
def test_randomized_propagation(
    csr: Csr, seeds: tuple[int, ...], restart: float, way: tuple[bool, bool], k: int, theta: float, seed: int,
    best: list[int], scores: list[float], edges: int,
) -> None:  # fmt: skip
    nodes, found, read = randomized_forward(csr.rows, ids(*seeds), restart, *way, k, theta, seed)
    assert (nodes[:5].tolist(), read) == (best, edges)
    assert found[:3] == pytest.approx(scores, abs=5e-5)


@pytest.mark.parametrize("kernel", ["push", "sweep"])
def test_a_budget_that_is_met_exactly_is_not_spent(csr: Csr, kernel: str) -> None:
    def run(budget: int) -> local_ppr.Pushed:
        arguments = (csr.rows, ids(3), 0.2, *BOTH, 20, 1e-2)
        return local_ppr.push(*arguments, 0, budget) if kernel == "push" else local_ppr.sweep(*arguments, budget)

    whole = run(NO_BUDGET)
    assert not whole.spent
    exact, less = run(whole.edges), run(whole.edges - 1)
    assert (exact.edges, exact.spent) == (whole.edges, False)
    assert less.spent
