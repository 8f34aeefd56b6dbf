"""How many steps the exact iteration takes, and that its error is within the bound."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.core.compute import limited_by
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr


def cycle(n: int) -> Csr:
    """A ring of n nodes, each with a triple to the next."""
    head = np.arange(n, dtype=np.int32)
    return from_sorted(n, head, (head + 1) % n, np.zeros(n, dtype=np.int32))


def steps(csr: Csr, restart: float, way: tuple[bool, bool], error: float) -> tuple[int, np.ndarray]:
    taken: list[None] = []
    with limited_by(lambda: taken.append(None)):
        scores = exact_ppr(csr, [np.array([0], dtype=np.int32)], restart, *way, error=error)
    return len(taken), scores[:, 0]


@pytest.mark.parametrize("way", [(True, False), (False, True)])
@pytest.mark.parametrize(("error", "expected"), [(2.0**-10 * 1.01, 10), (2.0**-10 * 0.99, 11)])
def test_in_one_direction_each_step_halves_what_is_left(way: tuple[bool, bool], error: float, expected: int) -> None:
    taken, scores = steps(cycle(100), 0.5, way, error)
    assert taken == expected
    distance = np.arange(100) if way[0] else -np.arange(100) % 100
    assert np.abs(scores - 0.5 * 0.5**distance).sum() < 2 * error


def test_both_ways_a_third_of_the_steps_is_enough() -> None:
    csr, restart, error = cycle(60), 0.05, 1e-9
    taken, scores = steps(csr, restart, (True, True), error)
    walk = np.zeros((60, 60))
    for u in range(60):
        walk[(u + 1) % 60, u] = walk[(u - 1) % 60, u] = 0.5
    start = np.zeros(60)
    start[0] = restart
    exact = np.linalg.solve(np.eye(60) - (1 - restart) * walk, start)
    assert np.abs(scores - exact).sum() < error
    assert taken < np.log(error * restart) / np.log(1 - restart) / 3


def test_no_seeds_take_no_step() -> None:
    taken: list[None] = []
    with limited_by(lambda: taken.append(None)):
        scores = exact_ppr(cycle(3), [], 0.2, True, True)
    assert (scores.shape, taken) == ((3, 0), [])


def test_a_seed_that_is_named_twice_starts_two_shares() -> None:
    seeds = [np.array(nodes, dtype=np.int32) for nodes in ([0, 0, 3], [3])]
    scores = exact_ppr(cycle(8), seeds, 0.9, True, False)
    assert scores.sum(axis=0) == pytest.approx(1)
    assert scores[0, 0] / scores[3, 0] == pytest.approx(2, rel=0.02)
    assert scores[3, 1] == pytest.approx(0.9, rel=1e-6)
