from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.paths.path_tree import PathTree, Step, simple_path_tree, simple_paths_python

Triple = tuple[int, int, int]
Found = tuple[int, tuple[Step, ...]]
Kernel = Callable[[Csr, list[int], bool, bool, int], list[Found]]

NO_CAP = 1_000_000
WAYS = [(True, True), (True, False), (False, True)]


def csr_of(n: int, triples: list[Triple]) -> Csr:
    """Rows of (head, relation, tail) triples."""
    rows = np.array(sorted({(h, t, r) for h, r, t in triples}), dtype=np.int32).reshape(-1, 3)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def complete(n: int) -> Csr:
    return csr_of(n, [(u, 0, v) for u in range(n) for v in range(n)])


def tree(csr: Csr, seeds: list[int], out: bool, into: bool, max_hops: int, cap: int = NO_CAP) -> PathTree:
    return simple_path_tree(
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
    network = nx.MultiDiGraph()
    network.add_nodes_from(range(csr.n_nodes))
    head = np.repeat(np.arange(csr.n_nodes), csr.out_degrees()).tolist()
    for triple, (u, v) in enumerate(zip(head, csr.tail.tolist(), strict=True)):
        if out and u != v:
            network.add_edge(u, v, key=(triple, True))
        if into and u != v:
            network.add_edge(v, u, key=(triple, False))
    others = set(network) - {seed}
    if not others:
        return set()
    paths = nx.all_simple_edge_paths(network, seed, others, cutoff=max_hops)
    return {(seed, tuple(key for _, _, key in path)) for path in paths}


@st.composite
def graphs(draw: st.DrawFn) -> Csr:
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    return csr_of(n, draw(st.lists(st.tuples(node, st.integers(0, 1), node), max_size=12)))


both_kernels = pytest.mark.parametrize("kernel", [fast, simple_paths_python])


@both_kernels
@given(csr=graphs(), data=st.data(), way=st.sampled_from(WAYS), max_hops=st.integers(1, 5))
def test_all_simple_paths_as_networkx_has_them(
    kernel: Kernel, csr: Csr, data: st.DataObject, way: tuple[bool, bool], max_hops: int
) -> None:
    seeds = data.draw(st.lists(st.integers(0, csr.n_nodes - 1), min_size=1, max_size=2, unique=True))
    found = kernel(csr, seeds, *way, max_hops)
    assert len(set(found)) == len(found)
    assert set(found) == set().union(*(by_networkx(csr, seed, *way, max_hops) for seed in seeds))


@given(csr=graphs(), data=st.data(), way=st.sampled_from(WAYS), max_hops=st.integers(1, 5))
def test_both_give_the_same_order(csr: Csr, data: st.DataObject, way: tuple[bool, bool], max_hops: int) -> None:
    seeds = data.draw(st.lists(st.integers(0, csr.n_nodes - 1), max_size=3))
    found = fast(csr, seeds, *way, max_hops)
    assert found == simple_paths_python(csr, seeds, *way, max_hops)
    hops = [len(steps) for _, steps in found]
    assert hops == sorted(hops)


@given(csr=graphs(), data=st.data(), way=st.sampled_from(WAYS))
def test_the_cap_keeps_the_first(csr: Csr, data: st.DataObject, way: tuple[bool, bool]) -> None:
    seeds = data.draw(st.lists(st.integers(0, csr.n_nodes - 1), min_size=1, max_size=3))
    everything = simple_paths_python(csr, seeds, *way, 4)
    cap = data.draw(st.integers(1, len(everything) + 1))
    found = tree(csr, seeds, *way, 4, cap)
    assert paths_of(found, len(seeds)) == everything[:cap]
    assert found.capped == (cap < len(everything))


@both_kernels
def test_the_order_by_hand(kernel: Kernel) -> None:
    # Triples by id: 0: 0 -r-> 1, 1: 0 -s-> 1, 2: 1 -> 2, 3: 2 -> 0, 4: 2 -> 2.
    csr = csr_of(3, [(0, 0, 1), (0, 1, 1), (1, 0, 2), (2, 0, 0), (2, 0, 2)])
    assert kernel(csr, [1, 0], True, True, 2) == [
        (1, ((2, True),)),
        (1, ((0, False),)),
        (1, ((1, False),)),
        (0, ((0, True),)),
        (0, ((1, True),)),
        (0, ((3, False),)),
        (1, ((2, True), (3, True))),
        (1, ((0, False), (3, False))),
        (1, ((1, False), (3, False))),
        (0, ((0, True), (2, True))),
        (0, ((1, True), (2, True))),
        (0, ((3, False), (2, False))),
    ]


@both_kernels
@pytest.mark.parametrize("way", WAYS)
def test_nothing_to_walk(kernel: Kernel, way: tuple[bool, bool]) -> None:
    csr = csr_of(3, [(1, 0, 1), (1, 0, 2)])
    assert kernel(csr, [0], *way, 4) == []
    assert kernel(csr, [], *way, 4) == []
    assert kernel(csr_of(1, [(0, 0, 0), (0, 1, 0)]), [0], *way, 4) == []


def test_more_paths_than_the_first_arrays_hold() -> None:
    n = 7
    found = fast(complete(n), [0], True, False, n)
    # A simple path from 0 is an arrangement of some of the others.
    expected = sum(1 for hops in range(1, n) for _ in permutations(range(1, n), hops))
    assert len(found) == expected > 1024
    assert found == simple_paths_python(complete(n), [0], True, False, n)
    for cap in (1023, 1024, 1025):
        capped = tree(complete(n), [0], True, False, n, cap)
        assert (paths_of(capped, 1), capped.capped) == (found[:cap], True)


def test_more_seeds_than_the_first_arrays_hold() -> None:
    csr = csr_of(2, [(0, 0, 1)])
    assert fast(csr, [0] * 1500, True, False, 2) == [(0, ((0, True),))] * 1500


def test_the_cap_bounds_what_could_never_be_finished() -> None:
    found = tree(complete(60), [0], True, True, 100, cap=2000)
    assert (len(found.parent), found.capped) == (2001, True)
