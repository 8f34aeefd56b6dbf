from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.paths.k_hop import k_hop, k_hop_python

Triple = tuple[int, int, int]
Found = tuple[list[int], int, bool]
Kernel = Callable[[Csr, list[int], bool, bool, int, int], Found]

NO_CAP = 1_000_000
WAYS = [(True, True), (True, False), (False, True)]


def csr_of(n: int, triples: list[Triple]) -> Csr:
    """Rows of (head, relation, tail) triples."""
    rows = np.array(sorted({(h, t, r) for h, r, t in triples}), dtype=np.int32).reshape(-1, 3)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def fast(csr: Csr, seeds: list[int], out: bool, into: bool, max_hops: int, cap: int) -> Found:
    starts = np.array(seeds, dtype=np.int32)
    nodes, complete, capped = k_hop(
        csr.rows, starts, out, into, max_hops, cap
    )  # fmt: skip
    assert nodes.dtype == np.int32
    return nodes.tolist(), complete, capped


def network_of(n: int, triples: list[Triple], out: bool, into: bool) -> nx.MultiDiGraph:
    network = nx.MultiDiGraph()
    network.add_nodes_from(range(n))
    network.add_edges_from((h, t) for h, _, t in triples if out)
    network.add_edges_from((t, h) for h, _, t in triples if into)
    return network


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[Triple]]:
    n = draw(st.integers(1, 12))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, st.integers(0, 1), node), max_size=24))


both_kernels = pytest.mark.parametrize("kernel", [fast, k_hop_python])
any_way = st.sampled_from(WAYS)


@both_kernels
@given(graph=graphs(), data=st.data(), way=any_way, max_hops=st.integers(1, 5))
def test_the_nodes_are_those_of_the_ego_graphs(
    kernel: Kernel, graph: tuple[int, list[Triple]], data: st.DataObject, way: tuple[bool, bool], max_hops: int
) -> None:
    n, triples = graph
    seeds = data.draw(st.lists(st.integers(0, n - 1), max_size=3))
    network = network_of(n, triples, *way)
    expected = sorted(set().union(*(nx.ego_graph(network, seed, radius=max_hops).nodes for seed in seeds)))
    assert kernel(csr_of(n, triples), seeds, *way, max_hops, NO_CAP) == (expected, max_hops, False)


@both_kernels
@given(graph=graphs(), data=st.data(), way=any_way, max_hops=st.integers(1, 5), cap=st.integers(1, 13))
def test_the_cap_keeps_the_nearest_and_of_these_the_lowest(
    kernel: Kernel,
    graph: tuple[int, list[Triple]],
    data: st.DataObject,
    way: tuple[bool, bool],
    max_hops: int,
    cap: int,
) -> None:
    n, triples = graph
    seeds = data.draw(st.lists(st.integers(0, n - 1), max_size=3, unique=True))
    network = network_of(n, triples, *way)
    hops = nx.multi_source_dijkstra_path_length(network, set(seeds), weight=lambda *_: 1) if seeds else {}
    near = sorted((hop, node) for node, hop in hops.items() if hop <= max_hops)
    room = max(cap, len(seeds))
    nodes, complete, capped = kernel(csr_of(n, triples), seeds, *way, max_hops, cap)
    assert nodes == sorted(node for _, node in near[:room])
    assert capped == (len(near) > room)
    # The hops before that of the first node left out are complete.
    assert complete == (near[room][0] - 1 if capped else max_hops)


@given(graph=graphs(), data=st.data(), way=any_way, max_hops=st.integers(1, 5), cap=st.integers(1, 13))
def test_both_kernels_give_the_same(
    graph: tuple[int, list[Triple]], data: st.DataObject, way: tuple[bool, bool], max_hops: int, cap: int
) -> None:
    n, triples = graph
    seeds = data.draw(st.lists(st.integers(0, n - 1), max_size=3))
    csr = csr_of(n, triples)
    assert fast(csr, seeds, *way, max_hops, cap) == k_hop_python(csr, seeds, *way, max_hops, cap)


@both_kernels
def test_by_hand(kernel: Kernel) -> None:
    # 3 -> 5, 4, 2; 2 -> 1; 0 -> 3.
    csr = csr_of(6, [(3, 0, 5), (3, 0, 4), (3, 0, 2), (2, 0, 1), (0, 0, 3)])
    assert kernel(csr, [3], True, False, 1, 9) == ([2, 3, 4, 5], 1, False)
    assert kernel(csr, [3], False, True, 2, 9) == ([0, 3], 2, False)
    assert kernel(csr, [3], True, True, 2, 3) == ([0, 2, 3], 0, True)
    assert kernel(csr, [3], True, True, 2, 5) == ([0, 2, 3, 4, 5], 1, True)
    assert kernel(csr, [3], True, True, 1, 5) == ([0, 2, 3, 4, 5], 1, False)
    assert kernel(csr, [3, 1], True, True, 2, 1) == ([1, 3], 0, True)
    assert kernel(csr, [], True, True, 2, 1) == ([], 2, False)


@pytest.mark.whole
@both_kernels
def test_a_hub(kernel: Kernel) -> None:
    n = 50_000
    csr = csr_of(n, [(n - 1, 0, i) for i in range(n - 1)])
    assert kernel(csr, [n - 1], True, False, 1, n) == (list(range(n)), 1, False)
    assert kernel(csr, [n - 1], True, False, 3, 1000) == ([*range(999), n - 1], 0, True)
    assert kernel(csr, [7], True, True, 2, 1000) == ([*range(999), n - 1], 1, True)
