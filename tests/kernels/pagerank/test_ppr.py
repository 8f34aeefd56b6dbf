from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import igraph
import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.bricks.extract.ppr import PPR
from graphbrick.core import Query
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.demo.graph import world_graph
from graphbrick.kernels.pagerank.ppr import ppr_push, ppr_python
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.testing import tiny_graph

Scores = npt.NDArray[np.float64]
Kernel = Callable[[Csr, npt.NDArray[np.int32], float, bool, bool], Scores]

WAYS = [(True, True), (True, False), (False, True)]
RESTARTS = [0.2, 0.8]
PATH = [(0, 0, 1), (1, 0, 2)]


def csr_of(n: int, triples: list[tuple[int, int, int]]) -> Csr:
    """Rows of (head, relation, tail) triples."""
    rows = np.array(sorted({(h, t, r) for h, r, t in triples}), dtype=np.int32).reshape(-1, 3)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def random_csr(seed: int) -> tuple[Csr, np.random.Generator]:
    """A multigraph with parallel edges, self loops, dangling and isolated nodes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    ends = rng.integers(0, n, (int(rng.integers(1, 4 * n)), 2))
    ends[rng.random(len(ends)) < 0.1, 1] = ends[0, 0]
    ends[:, 0] //= int(rng.integers(1, 3))  # the upper half may have no outgoing triple
    return csr_of(n + 1, [(int(h), int(rng.integers(3)), int(t)) for h, t in ends]), rng


def heads(csr: Csr) -> npt.NDArray[np.int64]:
    return np.repeat(np.arange(csr.n_nodes), csr.out_degrees())


def push(csr: Csr, seeds: Any, restart: float, out: bool, into: bool, tolerance: float = 1e-9) -> tuple[Scores, float]:
    seeds = np.asarray(seeds, dtype=np.int32)
    scores, error, _ = ppr_push(csr.rows, seeds, restart, out, into, tolerance)
    return scores, error


def fast(csr: Csr, seeds: npt.NDArray[np.int32], restart: float, out: bool, into: bool) -> Scores:
    return push(csr, seeds, restart, out, into)[0]


def dense(csr: Csr, seeds: npt.NDArray[np.int32], restart: float, out: bool, into: bool) -> Scores:
    """The solution of S = restart * start + (1 - restart) * S @ step."""
    n = csr.n_nodes
    walk = np.zeros((n, n))
    if out:
        np.add.at(walk, (heads(csr), csr.tail), 1)
    if into:
        np.add.at(walk, (csr.tail, heads(csr)), 1)
    start = np.zeros(n)
    np.add.at(start, seeds, 1 / len(seeds))
    degree = walk.sum(axis=1)
    step = np.tile(start, (n, 1))  # from where a walker cannot go on
    step[degree > 0] = walk[degree > 0] / degree[degree > 0, None]
    return np.linalg.solve(np.eye(n) - (1 - restart) * step.T, restart * start)


def network(csr: Csr, out: bool, into: bool) -> igraph.Graph:
    ends = np.stack([heads(csr), csr.tail], axis=1)
    return igraph.Graph(n=csr.n_nodes, edges=ends if out else ends[:, ::-1], directed=not (out and into))


def by_igraph(graph: igraph.Graph, seeds: npt.NDArray[np.int32], restart: float) -> Scores:
    weights = np.bincount(seeds, minlength=graph.vcount()).tolist()
    return np.array(graph.personalized_pagerank(damping=1 - restart, reset=weights))


both_kernels = pytest.mark.parametrize("kernel", [fast, ppr_python])


@pytest.mark.whole
@both_kernels
@pytest.mark.parametrize("restart", RESTARTS)
@pytest.mark.parametrize("way", WAYS)
def test_equals_igraph_and_the_dense_solution(kernel: Kernel, restart: float, way: tuple[bool, bool]) -> None:
    for number in range(25):
        csr, rng = random_csr(number)
        seeds = rng.integers(0, csr.n_nodes, int(rng.integers(1, 5))).astype(np.int32)
        scores = kernel(csr, seeds, restart, *way)
        np.testing.assert_allclose(scores, by_igraph(network(csr, *way), seeds, restart), rtol=0, atol=1e-6)
        np.testing.assert_allclose(scores, dense(csr, seeds, restart, *way), rtol=0, atol=1e-9)
        assert scores.sum() == pytest.approx(1, abs=1e-12)
        assert scores.dtype == np.float64


@both_kernels
@pytest.mark.parametrize("way", WAYS)
def test_an_isolated_seed_keeps_everything(kernel: Kernel, way: tuple[bool, bool]) -> None:
    csr = csr_of(4, PATH)
    assert kernel(csr, np.array([3], dtype=np.int32), 0.2, *way).tolist() == pytest.approx([0, 0, 0, 1])
    half = kernel(csr, np.array([0, 3], dtype=np.int32), 0.2, *way)
    np.testing.assert_allclose(half, dense(csr, np.array([0, 3], dtype=np.int32), 0.2, *way), atol=1e-9)
    assert half[3] > 0


@both_kernels
def test_by_hand(kernel: Kernel) -> None:
    csr = csr_of(3, PATH)
    # 0 -> 1 -> 2, and from 2 back to the seed: shares 1, .5, .25 of what the seed has.
    np.testing.assert_allclose(kernel(csr, np.array([0], dtype=np.int32), 0.5, True, False), [4 / 7, 2 / 7, 1 / 7])
    # Two parallel triples to node 1 against one to node 2.
    csr = csr_of(3, [(0, 0, 1), (0, 1, 1), (0, 0, 2)])
    scores = kernel(csr, np.array([0], dtype=np.int32), 0.5, True, False)
    assert scores[1] == pytest.approx(2 * scores[2])


@both_kernels
@pytest.mark.parametrize("way", WAYS)
def test_a_seed_given_twice_starts_twice_the_walks(kernel: Kernel, way: tuple[bool, bool]) -> None:
    # No node is dangling either way, so that scores are linear in the seeds.
    csr = csr_of(5, [(i, 0, (i + 1) % 5) for i in range(5)] + [(0, 1, 3), (2, 0, 2)])
    one, two = (kernel(csr, np.array([seed], dtype=np.int32), 0.8, *way) for seed in (0, 1))
    both = kernel(csr, np.array([0, 1, 0], dtype=np.int32), 0.8, *way)
    np.testing.assert_allclose(both, (2 * one + two) / 3, rtol=0, atol=1e-8)


@pytest.mark.whole
@pytest.mark.parametrize("restart", [0.02, *RESTARTS, 0.98])
@pytest.mark.parametrize("way", WAYS)
def test_the_error_bound_is_honest(restart: float, way: tuple[bool, bool]) -> None:
    for number in range(25):
        csr, rng = random_csr(number)
        seeds = rng.integers(0, csr.n_nodes, int(rng.integers(1, 4))).astype(np.int32)
        true = dense(csr, seeds, restart, *way)
        for tolerance in [10.0**-digits for digits in range(1, 9)]:
            scores, bound = push(csr, seeds, restart, *way, tolerance)
            assert np.abs(scores - true).sum() <= bound + 1e-13
            assert 0 <= bound <= tolerance * (1 + 1e-9)
            assert scores.sum() == pytest.approx(1, abs=1e-12)
            assert scores.min() >= 0


def test_the_error_bound_holds_where_walks_end_soon() -> None:
    # Most walks end in a dangling node, so that little is settled when the residual mass is small.
    csr = csr_of(32, [(0, 0, i) for i in range(1, 31)] + [(1, 0, 31)])
    for seed in (0, 1, 31):
        seeds = np.array([seed], dtype=np.int32)
        for tolerance in (0.5, 0.1, 0.01):
            scores, bound = push(csr, seeds, 0.02, True, False, tolerance)
            assert np.abs(scores - dense(csr, seeds, 0.02, True, False)).sum() <= bound + 1e-13
            assert bound <= tolerance


def test_a_smaller_tolerance_looks_at_more_edges() -> None:
    csr, _ = random_csr(8)
    arguments = (csr.rows, np.array([0], dtype=np.int32), 0.2, True, True)
    edges = [ppr_push(*arguments, 10.0**-digits)[2] for digits in (1, 3, 5, 8)]
    assert edges == sorted(edges)
    assert edges[0] < edges[-1]


# Induced triples


def test_induced_triples() -> None:
    for number in range(30):
        csr, rng = random_csr(number)
        kept = np.flatnonzero(rng.random(csr.n_nodes) < rng.random()).astype(np.int32)
        inside = set(kept.tolist())
        ends = zip(heads(csr).tolist(), csr.tail.tolist(), strict=True)
        expected = [t for t, (head, tail) in enumerate(ends) if head in inside and tail in inside]
        found = induced_triples(csr.rows, kept)
        assert found.tolist() == expected
        assert found.dtype == np.int32


def test_induced_triples_of_nothing_and_of_everything() -> None:
    csr, _ = random_csr(1)
    assert induced_triples(csr.rows, np.array([], dtype=np.int32)).tolist() == []
    everything = np.arange(csr.n_nodes, dtype=np.int32)
    assert induced_triples(csr.rows, everything).tolist() == list(range(csr.n_triples))


# Through the brick


def test_the_seeds_are_kept_and_ties_go_to_the_lower_id() -> None:
    graph = tiny_graph()
    kigali, shilling = graph.entity("Kigali"), graph.entity("Kenyan shilling")
    subgraph = PPR(k=1).extract(graph, Query("?", seeds=(shilling, kigali)))
    assert subgraph.nodes is not None
    assert subgraph.nodes.tolist() == sorted([kigali, shilling])
    uganda = graph.entity("Uganda")
    found = PPR(direction="out").scores(graph, np.array([uganda], dtype=np.int32))
    scores = dict(zip(found.nodes.tolist(), found.values.tolist(), strict=True))
    assert scores[graph.entity("Ugandan shilling")] < scores[graph.entity("Kampala")]  # two parallel relations
    leaves = [graph.entity(key) for key in ("Kenyan shilling", "Nairobi")]
    assert scores[leaves[0]] == scores[leaves[1]]
    nodes = PPR(k=5, direction="out").extract(graph, Query("?", seeds=(uganda,))).nodes
    assert nodes is not None
    assert [leaf in nodes for leaf in leaves] == [leaves[0] < leaves[1], leaves[1] < leaves[0]]


def test_entities_that_no_walk_reaches_are_left_out() -> None:
    graph = tiny_graph()
    subgraph = PPR(direction="out").extract(graph, Query("?", seeds=(graph.entity("Nairobi"),)))
    assert subgraph.nodes is not None
    assert subgraph.nodes.tolist() == [graph.entity("Nairobi")]
    assert subgraph.n_triples == 0


@pytest.mark.whole
@pytest.mark.usefixtures("world_cache")
@pytest.mark.parametrize("direction", ["both", "out", "in"])
def test_the_best_thousand_of_the_world_are_those_of_igraph(direction: str) -> None:
    graph = world_graph()
    world = network(graph.csr, direction != "in", direction != "out")
    for restart, seeds in product(RESTARTS, [(0,), (1234,), (43_000, 7, 7_000)]):
        true = by_igraph(world, np.array(seeds, dtype=np.int32), restart)
        # From some seeds fewer than 1,000 are reached; scores below the floor differ by rounding, here and in igraph.
        thousandth = max(np.sort(true)[-1000], 1e-10)
        for tolerance, share, at_least in [(1e-6, 1 - 1e-6, 1000), (0.1, 0.99, 990)]:
            cut = share * thousandth
            pipeline = PPR(k=1000, restart=restart, direction=direction, tolerance=tolerance)
            nodes = pipeline.extract(graph, Query("?", seeds=seeds)).nodes
            assert nodes is not None
            assert len(nodes) <= 1000
            assert np.count_nonzero(true[nodes] >= cut) >= min(at_least, np.count_nonzero(true >= thousandth))
