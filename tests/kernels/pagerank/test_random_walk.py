from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import igraph
import numpy as np
import numpy.typing as npt
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.compute import limited_by
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.pagerank import random_walk
from graphbrick.kernels.pagerank.random_walk import (
    below,
    below_python,
    mix,
    mix_python,
    walk,
    walk_python,
    walked_nodes,
)

Triple = tuple[int, int, int]
Kernel = Callable[[Csr, int, int, int, float, bool, bool, int], list[int]]

WAYS = [(True, True), (True, False), (False, True)]
# Parallel triples, a self loop, a triple each way, a node (4) without outgoing triples, one (6) that is isolated.
MIXED: list[Triple] = [
    (0, 0, 1), (0, 1, 1), (0, 0, 2), (1, 0, 0), (1, 0, 3), (2, 0, 2), (2, 0, 3), (3, 0, 4), (3, 0, 0), (5, 0, 1)
]  # fmt: skip
SIZE = 7


def csr_of(n: int, triples: list[Triple]) -> Csr:
    """Rows of (head, relation, tail) triples."""
    rows = np.array(sorted({(h, t, r) for h, r, t in triples}), dtype=np.int32).reshape(-1, 3)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


@st.composite
def graphs(draw: st.DrawFn) -> Csr:
    n = draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    return csr_of(n, draw(st.lists(st.tuples(node, st.integers(0, 2), node), max_size=24)))


def fast(csr: Csr, start: int, number: int, length: int, restart: float, out: bool, into: bool, seed: int) -> list[int]:
    stations = np.full(length + 1, -1, dtype=np.int32)
    walk(csr.rows, start, number, restart, out, into, seed, stations)
    return stations.tolist()


def visited(
    csr: Csr, seeds: list[int], walks: int, length: int, restart: float, way: tuple[bool, bool], seed: int = 0
) -> list[int]:
    starts = np.array(seeds, dtype=np.int32)
    nodes = walked_nodes(
        csr.rows, starts, walks, length, restart, *way, seed
    )  # fmt: skip
    assert nodes.dtype == np.int32
    return nodes.tolist()


def transitions(csr: Csr, start: int, restart: float, out: bool, into: bool) -> npt.NDArray[np.float64]:
    """Row u: where a walker at u is after one step."""
    n = csr.n_nodes
    step = np.zeros((n, n))
    for u in range(n):
        for v in csr.tail[int(csr.out_begin[u]) : int(csr.out_end[u])].tolist():
            step[u, v] += out
            step[v, u] += into
    back = np.zeros((n, n))
    back[:, start] = 1
    degree = step.sum(axis=1, keepdims=True)
    return restart * back + (1 - restart) * np.where(degree > 0, step / np.maximum(degree, 1), back)


def p_value(counts: npt.NDArray[np.int64], chances: npt.NDArray[np.float64]) -> float:
    """Of a chi-square test; nothing may be where the chance is 0."""
    possible = chances > 1e-12
    assert counts[~possible].sum() == 0
    return float(
        scipy.stats.chisquare(counts[possible], counts.sum() * chances[possible] / chances[possible].sum()).pvalue
    )


both_kernels = pytest.mark.parametrize("kernel", [fast, walk_python])


# The random numbers


def test_the_numbers_are_those_of_splitmix64() -> None:
    # The first numbers of the reference implementation (Vigna) from the states 0 and 1234567.
    golden = 0x9E3779B97F4A7C15
    assert mix_python(golden) == 0xE220A8397B1DCDAF
    expected = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    states = [(1234567 + i * golden) % 2**64 for i in range(1, 6)]
    assert [mix_python(state) for state in states] == expected
    assert [int(mix(np.uint64(state))) for state in states] == expected


@given(state=st.integers(0, 2**64 - 1), size=st.integers(1, 2**63) | st.integers(1, 20))
def test_both_draw_the_same_number_below(state: int, size: int) -> None:
    expected = below_python(state, size)
    assert tuple(map(int, below(np.uint64(state), np.uint64(size)))) == expected
    assert 0 <= expected[1] < size


def test_numbers_are_drawn_anew_where_a_remainder_would_favour_some() -> None:
    # Of 2^64 numbers, 2^64 mod (2^63 + 1) = 2^63 - 1 are refused: nearly every second one.
    size, state, refused = 2**63 + 1, 0, 0
    for _ in range(2000):
        following, drawn = below_python(state, size)
        assert tuple(map(int, below(np.uint64(state), np.uint64(size)))) == (following, drawn)
        refused += (state + 0x9E3779B97F4A7C15) % 2**64 != following
        state = following
    assert 900 < refused < 1100


def test_small_numbers_are_equally_likely() -> None:
    for size in (2, 3, 7, 10):
        state, counts = 12345, np.zeros(size, dtype=np.int64)
        for _ in range(20_000):
            state, drawn = below_python(state, size)
            counts[drawn] += 1
        assert p_value(counts, np.full(size, 1 / size)) > 1e-3


# Walks


@given(
    csr=graphs(),
    data=st.data(),
    way=st.sampled_from(WAYS),
    restart=st.sampled_from([0.0, 0.15, 0.9]),
    length=st.integers(1, 12),
    seed=st.sampled_from([0, 1, 2**31 - 1]) | st.integers(0, 2**31 - 1),
)
def test_both_kernels_walk_the_same_way(
    csr: Csr, data: st.DataObject, way: tuple[bool, bool], restart: float, length: int, seed: int
) -> None:
    seeds = data.draw(st.lists(st.integers(0, csr.n_nodes - 1), max_size=3, unique=True))
    expected: set[int] = set()
    for start in seeds:
        for number in range(5):
            stations = walk_python(csr, start, number, length, restart, *way, seed)
            assert fast(csr, start, number, length, restart, *way, seed) == stations
            expected.update(stations)
    assert visited(csr, seeds, 5, length, restart, way, seed) == sorted(expected)
    assert visited(csr, seeds[::-1], 5, length, restart, way, seed) == sorted(expected)
    each = [visited(csr, [start], 5, length, restart, way, seed) for start in seeds]
    assert sorted(set().union(*each)) == sorted(expected)


@both_kernels
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("restart", [0.0, 0.3])
def test_every_step_follows_a_triple_or_goes_back(kernel: Kernel, way: tuple[bool, bool], restart: float) -> None:
    csr = csr_of(SIZE, MIXED)
    for start in range(SIZE):
        possible = transitions(csr, start, restart, *way) > 0
        for number in range(20):
            stations = kernel(csr, start, number, 10, restart, *way, 7)
            assert stations[0] == start
            assert len(stations) == 11
            assert all(possible[u, v] for u, v in pairwise(stations))


@pytest.mark.whole
@both_kernels
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("restart", [0.0, 0.2, 0.7])
@pytest.mark.parametrize("start", [0, 3])
def test_positions_are_distributed_as_powers_of_the_transitions(
    kernel: Kernel, way: tuple[bool, bool], restart: float, start: int
) -> None:
    csr, walks, length = csr_of(SIZE, MIXED), 4000, 4
    stations = np.array([kernel(csr, start, number, length, restart, *way, 1) for number in range(walks)])
    chances = np.eye(SIZE)[start]
    step = transitions(csr, start, restart, *way)
    for hop in range(1, length + 1):
        chances = chances @ step
        assert p_value(np.bincount(stations[:, hop], minlength=SIZE), chances) > 1e-3


@both_kernels
def test_steps_are_independent_of_those_before(kernel: Kernel) -> None:
    # On a triangle every step is a fair choice of two; all 2^6 sequences of choices are equally likely.
    csr = csr_of(3, [(u, 0, v) for u in range(3) for v in range(3) if u != v])
    walks = 6400
    turns = np.zeros(64, dtype=np.int64)
    for number in range(walks):
        stations = np.array(kernel(csr, 1, number, 6, 0.0, True, False, 3))
        turns[int((((np.diff(stations) % 3) - 1) * 2 ** np.arange(6)).sum())] += 1
    assert p_value(turns, np.full(64, 1 / 64)) > 1e-3


def test_walks_are_as_those_of_igraph() -> None:
    csr, walks, length = csr_of(SIZE, MIXED), 4000, 5
    edges = [(h, t) for h, _, t in MIXED]
    graph = igraph.Graph(n=SIZE, edges=edges, directed=False)
    igraph.set_random_number_generator(random.Random(5))
    try:
        theirs = np.array([graph.random_walk(0, length, mode="all") for _ in range(walks)])
    finally:
        igraph.set_random_number_generator(random)
    ours = np.array([fast(csr, 0, number, length, 0.0, True, True, 0) for number in range(walks)])
    for hop in range(1, length + 1):
        table = np.array([np.bincount(sample[:, hop], minlength=SIZE) for sample in (ours, theirs)])
        table = table[:, table.sum(axis=0) > 0]
        assert table.shape[1] > 1
        assert scipy.stats.chi2_contingency(table).pvalue > 1e-3


@both_kernels
def test_a_restart_uses_up_a_step(kernel: Kernel) -> None:
    # On a long line the place says how many steps there were since the last restart: geometric, cut at the length.
    length, restart, walks = 8, 0.25, 4000
    csr = csr_of(20, [(i, 0, i + 1) for i in range(19)])
    ends = [kernel(csr, 0, number, length, restart, True, False, 9)[-1] for number in range(walks)]
    chances = np.array([restart * (1 - restart) ** i for i in range(length)] + [(1 - restart) ** length])
    assert p_value(np.bincount(ends, minlength=length + 1), chances) > 1e-3


@both_kernels
@pytest.mark.parametrize("way", WAYS)
def test_a_walk_that_cannot_go_on_goes_back(kernel: Kernel, way: tuple[bool, bool]) -> None:
    csr = csr_of(3, [(0, 0, 1)])
    assert kernel(csr, 2, 0, 3, 0.0, *way, 0) == [2, 2, 2, 2]
    assert kernel(csr, 0, 0, 4, 0.0, True, False, 0) == [0, 1, 0, 1, 0]
    assert kernel(csr, 1, 0, 2, 0.0, False, True, 0) == [1, 0, 1]
    assert kernel(csr, 1, 0, 2, 0.0, True, False, 0) == [1, 1, 1]


@both_kernels
def test_walks_differ_by_seed_by_entity_and_by_number(kernel: Kernel) -> None:
    csr = csr_of(10, [(u, 0, v) for u in range(10) for v in range(10) if u != v])
    turns = Counter(
        tuple((v - start) % 10 for v in kernel(csr, start, number, 12, 0.0, True, False, seed))
        for start in range(5)
        for number in range(5)
        for seed in range(5)
    )
    assert len(turns) == 125


@pytest.mark.parametrize("way", WAYS)
def test_more_walks_hold_those_of_fewer(way: tuple[bool, bool]) -> None:
    csr = csr_of(SIZE, MIXED)
    found = [set(visited(csr, [0, 5], walks, 3, 0.1, way, 4)) for walks in range(1, 12)]
    assert all(fewer <= more for fewer, more in pairwise(found))
    assert len(found[0]) < len(found[-1])


def test_no_seed() -> None:
    assert visited(csr_of(2, [(0, 0, 1)]), [], 5, 5, 0.0, (True, True)) == []


def test_the_same_on_every_machine() -> None:
    # Written down once: a change of these numbers changes every subgraph that was published with a seed.
    csr = csr_of(10, [(u, 0, v) for u in range(10) for v in range(10) if u != v])
    assert [fast(csr, 0, number, 6, 0.0, True, True, 42) for number in range(2)] == [
        [0, 4, 9, 3, 4, 8, 6],
        [0, 8, 7, 9, 5, 0, 5],
    ]
    assert fast(csr, 0, 0, 6, 0.5, True, True, 42) == [0, 9, 0, 8, 4, 1, 9]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("slice_", "checks"), [(1, 14), (3, 14), (7, 8), (9, 6), (100, 2)])
def test_slices_of_walks_hold_the_nodes_of_every_walk(
    slice_: int, checks: int, way: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    csr, checked = csr_of(SIZE, MIXED), list[None]()
    monkeypatch.setattr(random_walk, "SLICE", slice_)
    with limited_by(lambda: checked.append(None)):
        nodes = visited(csr, [5, 2], 7, 3, 0.3, way, 11)
    walks = [walk_python(csr, start, number, 3, 0.3, *way, 11) for start in (5, 2) for number in range(7)]
    assert nodes == sorted({node for stations in walks for node in stations})
    assert len(checked) == checks


def test_more_nodes_than_the_graph_has_are_never_held() -> None:
    csr = csr_of(2, [(0, 0, 1), (1, 0, 0)])
    assert visited(csr, [0, 1, 0, 1], 50, 9, 0.0, (True, True)) == [0, 1]
    assert visited(csr, [1], 1, 1, 0.0, (True, True)) == [0, 1]
