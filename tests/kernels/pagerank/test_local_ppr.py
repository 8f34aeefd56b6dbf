"""Local PPR: push, sweep, completion and pull against the exact scores, on random graphs and real ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.demo.graph import world_graph
from graphbrick.kernels.pagerank import local_ppr, refine_ppr
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr
from graphbrick.kernels.pagerank.local_ppr import DEGREE, RESIDUAL, SETTLED, Pushed
from graphbrick.kernels.pagerank.ppr import ppr_python

WAYS = [(True, True), (True, False), (False, True)]
NO_BUDGET = 1 << 40


def rows_of(n: int, triples: set[tuple[int, int, int]]) -> Csr:
    columns = np.array(sorted(triples), dtype=np.int32).reshape(-1, 3).T
    return from_sorted(n, *(np.ascontiguousarray(column) for column in columns))


def ids(*nodes: int) -> npt.NDArray[np.int32]:
    return np.array(nodes, dtype=np.int32)


def skewed(n: int, m: int, seed: int) -> Csr:
    """A graph with hubs: ends are drawn so that low numbers are frequent; a tenth of the nodes lead nowhere."""
    rng = np.random.default_rng(seed)
    head = (n * rng.random(m) ** 1.5).astype(int)
    tail = (n * rng.random(m) ** 4).astype(int)
    head[head % 10 == 3] = 0
    return rows_of(n, set(zip(head.tolist(), tail.tolist(), rng.integers(0, 3, m).tolist(), strict=True)))


def run(kernel: str, csr: Csr, seeds: Any, restart: float, way: tuple[bool, bool], k: int, tolerance: float) -> Pushed:
    if kernel == "push":
        return local_ppr.push(csr.rows, seeds, restart, *way, k, tolerance, 0, NO_BUDGET)
    return local_ppr.sweep(csr.rows, seeds, restart, *way, k, tolerance, NO_BUDGET)


def refined(csr: Csr, found: Pushed, seeds: Any, restart: float, way: tuple[bool, bool], k: int, hubs: Any) -> Any:
    leading = csr.degrees() if all(way) else ((csr.in_end - csr.in_begin) if way[0] else csr.out_degrees())
    degrees = leading[hubs].astype(np.int32)
    for array in (hubs, degrees):
        array.flags.writeable = False  # as the memory-mapped ones of a graph, so that the kernel is compiled once
    return refine_ppr.refine(
        csr.rows, seeds, restart, *way, k, found.nodes, found.state.copy(), found.table, hubs, degrees
    )


triples = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=40)
starts = st.sets(st.integers(0, 9), min_size=1, max_size=3).map(sorted)


@pytest.mark.whole
@given(triples, starts, st.sampled_from(WAYS), st.sampled_from([0.1, 0.2, 0.8]), st.sampled_from(["push", "sweep"]))
def test_all_mass_is_accounted_for_and_in_the_end_settled(
    given_triples: set[tuple[int, int, int]], seeds: list[int], way: tuple[bool, bool], restart: float, kernel: str
) -> None:
    csr = rows_of(10, given_triples)
    exact = ppr_python(csr, ids(*seeds), restart, *way)
    for k, tolerance in [(3, 0.5), (100, 0.5)]:
        found = run(kernel, csr, ids(*seeds), restart, way, k, tolerance)
        settled, left = found.state[:, SETTLED], found.state[:, RESIDUAL]
        # What is settled is less than the score, by no more than what is left.
        score = exact * (1 - found.dropped - left.sum())
        scores = np.zeros(10)
        scores[found.nodes] = settled
        assert settled.sum() + left.sum() + found.dropped == pytest.approx(1)
        assert np.abs(scores + 0 - score).sum() <= 2 * left.sum() + found.dropped + 1e-9
        degrees = csr.out_degrees() * way[0] + (csr.in_end - csr.in_begin) * way[1]
        known = found.state[:, DEGREE] >= 0
        assert found.state[known, DEGREE].tolist() == degrees[found.nodes[known]].tolist()
    # With more nodes wanted than there are it goes on until nothing is left.
    assert left.sum() < 1e-11
    assert np.abs(scores / scores.sum() - exact).sum() < 1e-9
    assert not found.spent


@pytest.mark.whole
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("restart", [0.2, 0.8])
@pytest.mark.parametrize("kernel", ["push", "sweep"])
def test_a_small_tolerance_gives_the_exact_scores(kernel: str, restart: float, way: tuple[bool, bool]) -> None:
    csr = skewed(2000, 12_000, 1)
    for seeds in (ids(5), ids(700, 1999), ids(0, 1, 2)):
        exact = exact_ppr(csr, [seeds], restart, *way, error=1e-13)[:, 0]
        found = run(kernel, csr, seeds, restart, way, 200, 1e-7)
        nodes, scores, left, _ = refined(csr, found, seeds, restart, way, 200, ids())
        assert len(nodes) == len(set(nodes.tolist()))
        assert np.abs(scores / (1 - found.dropped) - exact[nodes]).max() <= 1e-4 * np.sort(exact)[-200]
        assert left < 0.01


@pytest.mark.whole
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("restart", [0.2, 0.8])
def test_the_best_are_found_long_before(restart: float, way: tuple[bool, bool]) -> None:
    csr = skewed(10_000, 50_000, 2)
    leading = csr.degrees() if all(way) else (csr.in_end - csr.in_begin if way[0] else csr.out_degrees())
    hubs = np.sort(np.argsort(-leading.astype(np.int64), kind="stable")[:170]).astype(np.int32)
    rng = np.random.default_rng(3)
    chosen = rng.choice(np.flatnonzero(csr.out_degrees() > 1), 4)
    every = exact_ppr(csr, [ids(int(seed)) for seed in chosen], restart, *way)
    for column, seed in enumerate(chosen):
        seeds, exact = ids(int(seed)), every[:, column]
        k = min(300, np.count_nonzero(exact > 1e-12))
        found = local_ppr.push(csr.rows, seeds, restart, *way, k, 0.01, 20_000, NO_BUDGET)
        nodes, scores, _, _ = refined(csr, found, seeds, restart, way, k, hubs)
        top = nodes[np.lexsort((nodes, -scores))[:k]]
        assert np.mean(exact[top] >= 0.99 * np.sort(exact)[-k]) >= 0.97
        # Without completion and pull it is worse, or as good.
        plain = found.nodes[np.argsort(-(found.state[:, SETTLED] + restart * found.state[:, RESIDUAL]))[:k]]
        assert exact[top].sum() >= exact[plain].sum() * (1 - 1e-6)


def test_a_hub_of_another_part_of_the_graph_is_left_out() -> None:
    part = {(u, (u * 7 + 1) % 50, 0) for u in range(50)} | {(u, (u + 1) % 50, 0) for u in range(50)}
    other = {(100 + u, 99, 0) for u in range(400)}
    csr = rows_of(500, part | other)
    seeds = ids(3)
    found = local_ppr.push(csr.rows, seeds, 0.2, True, True, 10, 0.9, 0, NO_BUDGET)
    nodes, scores, left, _ = refined(csr, found, seeds, 0.2, (True, True), 10, ids(99))
    assert left > 0.01
    assert scores[nodes.tolist().index(99)] == 0


def test_the_budget_ends_the_search() -> None:
    csr = skewed(5000, 40_000, 4)
    for found in (
        local_ppr.push(csr.rows, ids(9), 0.2, True, True, 100, 1e-6, 0, 1000),
        local_ppr.sweep(csr.rows, ids(9), 0.2, True, True, 100, 1e-6, 1000),
    ):
        assert found.spent
        assert found.edges > 1000


def test_tables_and_queues_grow() -> None:
    # The second node leads to more nodes than there is room for at first, while others wait.
    n = 60_000
    csr = rows_of(n, {(0, v, 0) for v in range(1, 20)} | {(u, v, 0) for u in (3, 7) for v in range(20 + u, n, 2)})
    found = local_ppr.push(csr.rows, ids(0), 0.2, True, False, 50_000, 1e-3, 0, NO_BUDGET)
    scores = np.zeros(n)
    scores[found.nodes] = found.state[:, SETTLED] + 0.2 * found.state[:, RESIDUAL]
    exact = exact_ppr(csr, [ids(0)], 0.2, True, False)[:, 0]
    assert len(set(found.nodes.tolist())) == len(found.nodes) == np.count_nonzero(exact)
    assert np.abs(scores / (1 - found.dropped - found.state[:, RESIDUAL].sum()) - exact).max() < 1e-6


@settings(max_examples=8, deadline=None)
@given(triples, starts, starts, st.sampled_from(WAYS), st.sampled_from([0.1, 0.8]))
def test_exact_scores_of_several_sets_at_once(
    given_triples: set[tuple[int, int, int]], one: list[int], two: list[int], way: tuple[bool, bool], restart: float
) -> None:
    csr = rows_of(10, given_triples)
    scores = exact_ppr(csr, [ids(*one), ids(*two)], restart, *way, error=1e-12)
    assert np.abs(scores[:, 0] - ppr_python(csr, ids(*one), restart, *way)).sum() < 1e-10
    assert np.abs(scores[:, 1] - ppr_python(csr, ids(*two), restart, *way)).sum() < 1e-10


@pytest.mark.usefixtures("world_cache")
@pytest.mark.parametrize("way", WAYS)
def test_on_a_real_graph(way: tuple[bool, bool]) -> None:
    csr = world_graph().csr
    for seeds in (ids(11), ids(4000, 9000)):
        exact = exact_ppr(csr, [seeds], 0.2, *way, error=1e-10)[:, 0]
        found = local_ppr.sweep(csr.rows, seeds, 0.2, *way, 1000, 1e-3, NO_BUDGET)
        nodes, scores, _, _ = refined(csr, found, seeds, 0.2, way, 1000, ids())
        top = nodes[np.lexsort((nodes, -scores))[:1000]]
        assert np.mean(exact[top] >= 0.99 * np.sort(exact)[-1000]) >= 0.98


@pytest.mark.whole
@given(triples, starts, st.sampled_from(WAYS), st.sampled_from(["push", "sweep"]), st.sampled_from([1e-3, 0.9]))
def test_what_no_walk_reaches_has_no_score(
    given_triples: set[tuple[int, int, int]], seeds: list[int], way: tuple[bool, bool], kernel: str, tolerance: float
) -> None:
    csr = rows_of(10, given_triples)
    exact = ppr_python(csr, ids(*seeds), 0.2, *way)
    for k in (2, 20):
        found = run(kernel, csr, ids(*seeds), 0.2, way, k, tolerance)
        nodes, scores, _, _ = refined(csr, found, ids(*seeds), 0.2, way, k, np.arange(10, dtype=np.int32))
        assert (exact[nodes[scores > 0]] > 0).all()
