from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.hashing import slot_of
from graphbrick.kernels.pagerank.random_walk import below, step_all  # noqa: F401  (compiled before: keeps deadlines out of examples)
from graphbrick.kernels.pagerank.touched import (
    add_estimates,
    best_touched,
    forward_push,
    nothing_touched,
    start_at,
    touch,
    with_capacity,
)

WAYS = [(True, True), (True, False), (False, True)]
# Parallel triples, a self loop, a triple each way, a node (4) without outgoing triples, one (6) that is isolated.
MIXED = [(0, 1, 0), (0, 1, 1), (0, 2, 0), (1, 0, 0), (1, 3, 0), (2, 2, 0), (2, 3, 0), (3, 4, 0), (3, 0, 0), (5, 1, 0)]


def mixed() -> Csr:
    return from_sorted(7, *(np.ascontiguousarray(column) for column in np.array(sorted(MIXED), dtype=np.int32).T))


def larger(seed: int, n: int = 300, m: int = 1200) -> Csr:
    """Heavy-tailed, so that rows are longer than what is read ahead."""
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((m, 2)) ** 3).astype(np.int32)
    rows = np.unique(np.column_stack([ends, rng.integers(0, 5, m)]), axis=0).astype(np.int32)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def steps(csr: Csr, out: bool, into: bool) -> npt.NDArray[np.float64]:
    """Row u: where a walker at u is after one step; nowhere where it cannot go on."""
    counts = np.zeros((csr.n_nodes, csr.n_nodes))
    heads = np.repeat(np.arange(csr.n_nodes), csr.out_degrees())
    if out:
        np.add.at(counts, (heads, csr.tail), 1)
    if into:
        np.add.at(counts, (csr.tail, heads), 1)
    degree = counts.sum(axis=1, keepdims=True)
    return np.where(degree > 0, counts / np.maximum(degree, 1), 0)


def endless(csr: Csr, restart: float, out: bool, into: bool) -> npt.NDArray[np.float64]:
    """Row s: the scores of walks from s, where what cannot go on is dropped."""
    n = csr.n_nodes
    return restart * np.linalg.inv(np.eye(n) - (1 - restart) * steps(csr, out, into))


def start(csr: Csr, seeds: list[int], out: bool, into: bool) -> Any:
    ids = np.array(seeds, dtype=np.int32)
    return start_at(csr.rows, ids, out, into)


def dense(near: Any, values: npt.NDArray[np.float64], n: int) -> npt.NDArray[np.float64]:
    result = np.zeros(n)
    result[near.node[: near.used[0]]] = values[: near.used[0]]
    return result


@pytest.mark.whole
@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("csr", [mixed(), larger(0), larger(1)], ids=["mixed", "larger", "other"])
def test_a_push_loses_nothing(csr: Csr, way: tuple[bool, bool], restart: float) -> None:
    n = csr.n_nodes
    walks = endless(csr, restart, *way)
    for seeds in ([0], [3, 5, 0], [6, 6, 2]):
        near = start(csr, seeds, *way)
        exact = np.mean([walks[s] for s in seeds], axis=0)
        for r_max in (0.1, 0.01, 1e-5, 1e-12):  # goes on from where it was
            near, edges = forward_push(csr.rows, near, restart, *way, r_max)
            settled, residual = dense(near, near.score, n), dense(near, near.residual, n)
            np.testing.assert_allclose(settled + residual @ walks, exact, rtol=0, atol=1e-12)
            degrees = (steps(csr, *way) > 0).any(axis=1) * near_degrees(csr, *way)
            assert (residual <= r_max * degrees + 1e-18).all()
            assert dense(near, near.degree.astype(float), n)[near.node[: near.used[0]]].tolist() == [
                degrees[u] for u in near.node[: near.used[0]]
            ]
        assert edges > 0 or (residual == 0).all()
        assert not near.queued[: near.used[0]].any()
        assert len(set(near.node[: near.used[0]].tolist())) == near.used[0]


def near_degrees(csr: Csr, out: bool, into: bool) -> npt.NDArray[np.int64]:
    return out * (csr.out_end - csr.out_begin).astype(np.int64) + into * (csr.in_end - csr.in_begin).astype(np.int64)


@given(st.lists(st.integers(0, 60) | st.integers(0, 2**31 - 1), max_size=300), st.integers(1, 40))
def test_slots_are_a_dictionary(nodes: list[int], room: int) -> None:
    near = nothing_touched(room)
    twin: dict[int, int] = {}
    for v in nodes:
        near = with_capacity(near, 1)
        assert slot_of(near.table, v) == twin.get(v, -1)
        assert touch(near, v) == twin.setdefault(v, len(twin))
    assert near.node[: near.used[0]].tolist() == list(twin)
    near = with_capacity(near, len(nodes))
    add_estimates(near, np.array([*nodes, -1], dtype=np.int32), 0.5)
    for v, i in twin.items():
        assert near.estimate[i] == 0.5 * nodes.count(v)


@pytest.mark.parametrize("way", WAYS)
def test_walks_end_where_the_dense_solution_says(way: tuple[bool, bool]) -> None:
    csr, restart, many = mixed(), 0.3, 40_000
    walks = endless(csr, restart, *way)
    for source in (0, 2, 3):
        at = np.full(many, source, dtype=np.int32)
        walking, entry = np.arange(many, dtype=np.int32), np.empty(many, dtype=np.int64)
        state, n = np.uint64(source), many
        while n:
            state, n = step_all(csr.rows, restart, *way, np.uint64(state), at, walking, entry, n)
        ended = np.bincount(at[at >= 0], minlength=csr.n_nodes) / many
        np.testing.assert_allclose(ended, walks[source], rtol=0, atol=5 * np.sqrt(0.25 / many))
        assert (ended[walks[source] == 0] == 0).all()
        # What is missing was lost where walks cannot go on.
        assert np.count_nonzero(at < 0) == many - np.count_nonzero(at >= 0)


def test_a_first_step_is_certain_with_no_restart() -> None:
    csr = mixed()
    at, walking = np.array([5, 5, 4, 6], dtype=np.int32), np.arange(4, dtype=np.int32)
    _, n = step_all(csr.rows, 0.0, True, False, np.uint64(9), at, walking, np.empty(4, dtype=np.int64), 4)
    assert at.tolist() == [1, 1, -1, -1]
    assert walking[:n].tolist() == [0, 1]


def test_best_are_ordered_with_ties_by_id() -> None:
    near = nothing_touched(8)
    for v in (9, 4, 7, 2, 5):
        touch(near, v)
    scores = np.array([0.5, 0.25, 0.25, 0.25, 0.0])
    nodes, shares = best_touched(near, scores, 3, 1.25)
    assert nodes.tolist() == [9, 2, 4]
    assert shares.tolist() == [0.4, 0.2, 0.2]
    assert best_touched(near, scores, 10, 1.25)[0].tolist() == [9, 2, 4, 7]  # nothing without a score
