from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest

from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Query, Subgraph
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.paths.path_tree import PathTree, Step, shortest_path_tree, shortest_paths_python
from graphbrick.testing import tiny_graph

Found = tuple[int, tuple[Step, ...]]
Kernel = Callable[[Csr, list[int], bool, bool, int], list[Found]]

NO_CAP = 1_000_000
WAYS = [(True, True), (True, False), (False, True)]


def csr_of(n: int, triples: list[tuple[int, int, int]]) -> Csr:
    """Rows of (head, relation, tail) triples."""
    rows = np.array(sorted({(h, t, r) for h, r, t in triples}), dtype=np.int32).reshape(-1, 3)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def random_csr(seed: int) -> tuple[Csr, np.random.Generator]:
    """A multigraph with parallel edges, self loops and isolated nodes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    ends = rng.integers(0, n, (int(rng.integers(1, 3 * n)), 2)).tolist()
    return csr_of(n + 1, [(h, int(rng.integers(2)), t) for h, t in ends]), rng


def layers(width: int, depth: int) -> Csr:
    """A seed, and ``depth`` layers of ``width`` nodes, each joined to all of the next: width ** depth paths."""
    rows = [[0], *([1 + width * d + i for i in range(width)] for d in range(depth))]
    edges = [edge for here, there in pairwise(rows) for edge in product(here, there)]
    return csr_of(1 + width * depth, [(u, 0, v) for u, v in edges])


def tree(csr: Csr, seeds: list[int], out: bool, into: bool, max_hops: int, cap: int = NO_CAP) -> PathTree:
    return shortest_path_tree(
            csr.rows,
            np.array(seeds, dtype=np.int32), out, into, max_hops, cap,
        )  # fmt: skip


def paths_of(found: PathTree, n_seeds: int) -> list[Found]:
    """The paths of a tree, in its order."""
    paths: list[Found] = []
    for i, parent in enumerate(found.parent.tolist()):
        if parent < 0:
            paths.append((int(found.node[i]), ()))
        else:
            seed, steps = paths[parent]
            paths.append((seed, (*steps, (int(found.triple[i]), bool(found.forward[i])))))
    return paths[n_seeds:]


def fast(csr: Csr, seeds: list[int], out: bool, into: bool, max_hops: int) -> list[Found]:
    return paths_of(tree(csr, seeds, out, into, max_hops), len(seeds))


def by_networkx(csr: Csr, seed: int, out: bool, into: bool, max_hops: int) -> set[Found]:
    steps: dict[tuple[int, int], list[Step]] = defaultdict(list)
    head = np.repeat(np.arange(csr.n_nodes), csr.out_degrees()).tolist()
    for triple, (u, v) in enumerate(zip(head, csr.tail.tolist(), strict=True)):
        if out:
            steps[u, v].append((triple, True))
        if into:
            steps[v, u].append((triple, False))
    graph = nx.DiGraph(list(steps))
    graph.add_nodes_from(range(csr.n_nodes))
    found: set[Found] = set()
    for target, distance in nx.single_source_shortest_path_length(graph, seed).items():
        if 0 < distance <= max_hops:
            for nodes in nx.all_shortest_paths(graph, seed, target):
                found.update((seed, choice) for choice in product(*(steps[pair] for pair in pairwise(nodes))))
    return found


both_kernels = pytest.mark.parametrize("kernel", [fast, shortest_paths_python])


@both_kernels
@pytest.mark.parametrize("way", WAYS)
def test_all_shortest_paths_as_networkx_has_them(kernel: Kernel, way: tuple[bool, bool]) -> None:
    seen = 0
    for number in range(40):
        csr, rng = random_csr(number)
        seeds = rng.permutation(csr.n_nodes)[:2].tolist()
        for max_hops in (1, 2, 4):
            found = kernel(csr, seeds, *way, max_hops)
            assert len(set(found)) == len(found)
            for seed in seeds:
                assert {path for path in found if path[0] == seed} == by_networkx(csr, seed, *way, max_hops)
            seen += len(found)
    assert seen > 400


@pytest.mark.parametrize("way", WAYS)
def test_both_give_the_same_order(way: tuple[bool, bool]) -> None:
    for number in range(40):
        csr, rng = random_csr(number)
        seeds = rng.integers(0, csr.n_nodes, 3).tolist()
        assert fast(csr, seeds, *way, 4) == shortest_paths_python(csr, seeds, *way, 4)


@both_kernels
def test_the_order_by_hand(kernel: Kernel) -> None:
    # Triples by id: 0: 0 -r-> 1, 1: 0 -s-> 1, 2: 1 -> 2, 3: 2 -> 0, 4: 2 -> 3.
    csr = csr_of(4, [(0, 0, 1), (0, 1, 1), (1, 0, 2), (2, 0, 0), (2, 0, 3)])
    assert kernel(csr, [2, 0], True, True, 2) == [
        (2, ((3, True),)),
        (2, ((4, True),)),
        (2, ((2, False),)),
        (0, ((0, True),)),
        (0, ((1, True),)),
        (0, ((3, False),)),
        # 2 hops: from 2 there is nothing new; from 0 only node 3.
        (0, ((3, False), (4, True))),
    ]


@both_kernels
def test_a_triple_each_way_is_a_path_each(kernel: Kernel) -> None:
    csr = csr_of(2, [(0, 0, 1), (1, 0, 0), (0, 0, 0)])
    assert kernel(csr, [0], True, True, 3) == [(0, ((1, True),)), (0, ((2, False),))]


@both_kernels
@pytest.mark.parametrize("way", WAYS)
def test_seeds_that_are_repeated_or_isolated(kernel: Kernel, way: tuple[bool, bool]) -> None:
    csr = csr_of(4, [(0, 0, 1), (1, 0, 2)])
    alone = kernel(csr, [1], *way, 3)
    assert alone
    assert kernel(csr, [3], *way, 3) == []
    assert kernel(csr, [3, 1], *way, 3) == alone
    assert sorted(kernel(csr, [1, 1], *way, 3)) == sorted(alone + alone)


def test_no_seed() -> None:
    assert fast(csr_of(2, [(0, 0, 1)]), [], True, True, 3) == []


@pytest.mark.parametrize("way", WAYS)
def test_the_cap_keeps_the_first(way: tuple[bool, bool]) -> None:
    for number in (2, 5, 11):
        csr, _ = random_csr(number)
        seeds = [0, 1, 0]
        everything = shortest_paths_python(csr, seeds, *way, 4)
        for cap in range(1, len(everything) + 2):
            found = tree(csr, seeds, *way, 4, cap)
            assert paths_of(found, 3) == everything[:cap]
            assert found.capped == (cap < len(everything))


def test_more_paths_than_the_first_arrays_hold() -> None:
    csr = layers(width=9, depth=4)
    total = 9 + 9**2 + 9**3 + 9**4
    found = tree(csr, [0], True, False, 4)
    assert (len(found.parent) - 1, found.capped) == (total, False)
    assert paths_of(found, 1) == shortest_paths_python(csr, [0], True, False, 4)
    assert len(found.parent) == len(found.node) == len(found.triple) == len(found.forward)
    for cap in (1023, 1024, 1025, 2047, 2048, 5000):
        capped = tree(csr, [0], True, False, 4, cap)
        assert capped.capped
        assert paths_of(capped, 1) == paths_of(found, 1)[:cap]


def test_more_seeds_than_the_first_arrays_hold() -> None:
    csr = csr_of(2, [(0, 0, 1)])
    assert fast(csr, [0] * 1500, True, False, 2) == [(0, ((0, True),))] * 1500


# Through the brick


def test_paths_of_a_subgraph_have_the_ids_of_the_graph() -> None:
    graph = tiny_graph()
    nairobi, kenya, uganda = (graph.entity(key) for key in ("Nairobi", "Kenya", "Uganda"))
    nodes = np.array(sorted([nairobi, kenya, uganda]), dtype=np.int32)
    inside = [t for t in range(graph.n_triples) if {graph.head(t), int(graph.csr.tail[t])} <= set(nodes.tolist())]
    subgraph = Subgraph(graph, nodes, np.array(inside, dtype=np.int32))
    query = Query("?", seeds=(nairobi, graph.entity("Kigali"), nairobi))
    found = ShortestPaths(max_hops=3).retrieve(query, subgraph).items
    assert [path.text for path in found] == [
        "Nairobi <- capital <- Kenya",
        "Nairobi <- capital <- Kenya -> borders -> Uganda",
        "Nairobi <- capital <- Kenya <- borders <- Uganda",
    ]
    assert found[1].nodes == (nairobi, kenya, uganda)
    assert ShortestPaths().retrieve(Query("?", seeds=(graph.entity("Kigali"),)), subgraph).items == ()
