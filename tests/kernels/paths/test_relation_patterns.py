from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.bricks.retrieve.patterns import pattern_layers
from graphbrick.bricks.retrieve.patterns.pattern_layers import Layer, ways_to
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.paths.pattern_ends import ascending
from graphbrick.kernels.paths.relation_patterns import (
    carry_on,
    carry_on_python,
    step_back,
    step_back_python,
    walk_back,
)
from graphbrick.kernels.paths.relation_patterns_numpy import (
    Carried,
    Ends,
    carry_on_numpy,
    empty_pattern,
    step_back_numpy,
    walk_back_numpy,
)

Triple = tuple[int, int, int]
WAYS = [(True, True), (True, False), (False, True)]
NO_CAP = 1_000_000


def csr_of(n: int, triples: list[Triple]) -> Csr:
    """Rows of (head, relation, tail) triples."""
    rows = np.array(sorted({(h, t, r) for h, r, t in triples}), dtype=np.int32).reshape(-1, 3)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def flat(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    begin = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return np.array([node for row in rows for node in row], dtype=np.int32), begin


def carried(
    csr: Csr, seed: int, ends: list[list[int]], out: bool, into: bool, cap: int,
    back: list[list[int]] | None = None, last: list[int] | None = None, left: list[list[int]] | None = None,
    *, numpy: bool = False, marks: bool = False,
) -> Carried:  # fmt: skip
    none: list[list[int]] = [[] for _ in ends]
    steps = np.array(last or [-1] * len(ends), dtype=np.int64)
    departures = np.array(left or none, dtype=np.int64).reshape(len(ends), -1 if left and left[0] else 0)
    no = np.zeros(len(ends), dtype=np.bool_)
    parent, chosen = np.zeros(len(ends), dtype=np.int64), np.arange(len(ends))
    before = Carried(parent, steps, *flat(ends), *flat(back or none), departures, no, no, 0)
    if numpy:
        return carry_on_numpy(csr.rows, seed, before, chosen, Ends.of(before, chosen), out, into, cap)
    incoming = (csr.in_relation, csr.n_relations) if marks else (csr.in_relation[:0], 0)
    return carry_on(csr.rows, seed, before, chosen, out, into, cap, *incoming)


def listed(found: Carried) -> tuple[list[tuple[int, int, list[int], list[int]]], int]:
    return [
        (
            int(found.parent[i]),
            int(found.step[i]),
            found.end[found.begin[i] : found.begin[i + 1]].tolist(),
            found.back_end[found.back_begin[i] : found.back_begin[i + 1]].tolist(),
        )
        for i in range(len(found.parent))
    ], found.cut


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Csr, int, list[list[int]]]:
    n, apart = draw(st.integers(1, 7)), draw(st.sampled_from([1, 40]))  # words of bits hold 64 nodes
    node = st.integers(0, n - 1).map(lambda number: number * apart)
    triples = draw(st.lists(st.tuples(node, st.integers(0, 3), node), max_size=40))
    ends = draw(st.lists(st.lists(node, unique=True, min_size=1).map(sorted), max_size=4))
    return csr_of(n * apart, triples), draw(node), ends


@pytest.mark.whole
@pytest.mark.parametrize(("out", "into"), WAYS)
@given(world=worlds(), cap=st.sampled_from([1, 2, 3, 5, NO_CAP]), data=st.data())
def test_the_kernel_and_numpy_do_what_the_readable_version_does(
    out: bool, into: bool, world: tuple[Csr, int, list[list[int]]], cap: int, data: st.DataObject
) -> None:
    csr, seed, ends = world
    nodes = st.lists(st.integers(0, csr.n_nodes - 1), unique=True).map(sorted)
    step = st.integers(-1, 7)
    back = [data.draw(nodes) for _ in ends]
    last = [data.draw(step) for _ in ends]
    left = [[data.draw(step), data.draw(step)] for _ in ends]
    expected = carry_on_python(csr, seed, ends, back, last, left, follow_out=out, follow_in=into, cap=cap)
    assert listed(carried(csr, seed, ends, out, into, cap, back, last, left)) == expected
    assert listed(carried(csr, seed, ends, out, into, cap, back, last, left, marks=True)) == expected
    assert listed(carried(csr, seed, ends, out, into, cap, back, last, left, numpy=True)) == expected


def test_both_versions_give_arrays_of_the_same_types() -> None:
    csr = csr_of(5, [(0, 0, 1), (0, 0, 2), (0, 1, 3), (4, 0, 1)])
    compiled = carried(csr, 0, [[0]], True, True, NO_CAP)
    for array, other in zip(compiled, carried(csr, 0, [[0]], True, True, NO_CAP, numpy=True), strict=True):
        assert np.asarray(array).dtype == np.asarray(other).dtype


def test_known_patterns_around_a_film() -> None:
    # film 0 -> actor 1, actor 2 (relation 0), year 3 (relation 1); film 4 -> actor 1
    csr = csr_of(5, [(0, 0, 1), (0, 0, 2), (0, 1, 3), (4, 0, 1)])
    first = carried(csr, 0, [[0]], True, True, NO_CAP)
    assert listed(first) == ([(0, 1, [1, 2], []), (0, 3, [3], [])], 0)
    # From the actors back to films: not to the seed, which would undo the first step.
    second = carried(csr, 0, [[1, 2], [3]], True, True, NO_CAP, last=[1, 3], left=[[1], [3]])
    assert listed(second) == ([(0, 0, [4], [])], 0)


def test_a_step_of_another_kind_comes_back_to_the_seed() -> None:
    # Xa 0 -> child (0) -> Zoe 1 -> parent (1) -> Xa 0, Yan 2; Xa -> gender (2) -> 3
    csr = csr_of(4, [(0, 0, 1), (1, 1, 0), (1, 1, 2), (0, 2, 3)])
    second = carried(csr, 0, [[1]], True, True, NO_CAP, last=[1], left=[[1]])
    assert listed(second) == ([(0, 3, [2], [0])], 0)
    # From Xa again: to the gender, but not back to Zoe by undoing the last step.
    third = carried(csr, 0, [[2]], True, True, NO_CAP, back=[[0]], last=[3], left=[[1, -1]])
    assert listed(third) == ([(0, 1, [], [1]), (0, 2, [1], []), (0, 5, [], [3])], 0)


def test_a_hub_is_looked_at_up_to_the_cap_and_the_next_pattern_from_its_beginning() -> None:
    csr = csr_of(12, [(0, 0, leaf) for leaf in range(1, 11)] + [(11, 1, 1)])
    found, cut = listed(carried(csr, 11, [[0], [1]], True, True, 3))
    assert found == [(0, 1, [1, 2, 3], []), (1, 0, [0], []), (1, 2, [], [11])]
    assert cut == 1


@pytest.mark.parametrize("marks", [False, True])
def test_many_ends_make_the_arrays_grow(marks: bool) -> None:
    n = 5_000
    triples = [(0, node % 300, node) for node in range(1, n)]
    found, cut = listed(carried(csr_of(n, triples), 0, [[0]], True, True, NO_CAP, marks=marks))
    assert cut == 0
    assert len(found) == 300
    assert sorted(node for _, _, ends, _ in found for node in ends) == list(range(1, n))


@pytest.mark.whole
@pytest.mark.parametrize("forward", [True, False])
@given(world=worlds(), data=st.data())
def test_the_way_back_is_that_of_the_readable_version(
    forward: bool, world: tuple[Csr, int, list[list[int]]], data: st.DataObject
) -> None:
    csr, node, _ = world
    nodes = st.lists(st.integers(0, csr.n_nodes - 1), unique=True)
    allowed, met = sorted(data.draw(nodes)), data.draw(nodes)
    wanted = data.draw(st.integers(0, 3))
    excluded = data.draw(st.integers(-1, csr.n_nodes - 1))
    ids = np.array(allowed, dtype=np.int32), np.array(met, dtype=np.int64)
    allowed = [node for node in allowed if node != excluded]
    expected = step_back_python(csr, node, wanted, forward, allowed, met)
    step = 2 * wanted + forward
    assert tuple(map(int, step_back(csr.rows, node, step, *ids, excluded))) == expected
    assert step_back_numpy(csr.rows, node, step, *ids, excluded) == expected


@pytest.mark.whole
@given(world=worlds(), hops=st.integers(1, 3))
def test_every_end_of_every_pattern_has_a_walk_that_both_versions_find(
    world: tuple[Csr, int, list[list[int]]], hops: int
) -> None:
    csr, seed, _ = world
    layers = [empty_pattern(seed)]
    for _ in range(hops):
        chosen = np.arange(len(layers[-1].parent))
        incoming = csr.in_relation, csr.n_relations
        layers.append(carry_on(csr.rows, seed, layers[-1], chosen, True, True, NO_CAP, *incoming))
        again = carry_on_numpy(csr.rows, seed, layers[-2], chosen, Ends.of(layers[-2], chosen), True, True, NO_CAP)
        for array, other in zip(layers[-1], again, strict=True):
            assert np.array_equal(array, other)
    wanted = [
        (hop, pattern, back, int(end))
        for hop, layer in enumerate(layers)
        for pattern in range(len(layer.parent))
        for back in (False, True)
        for end in Layer(layer).ends(pattern, back=back)
        if hop
    ][:200]
    if not wanted:
        return
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for kernel in (walk_back, walk_back_numpy):
            patch.setattr(pattern_layers, "numba_is_loaded", lambda kernel=kernel: kernel is walk_back)
            patch.setattr(pattern_layers, "worth_loading", lambda _: False)
            found.append(ways_to(csr, [Layer(layer) for layer in layers], wanted))
    assert found[0] == found[1]
    for (hop, _, back, end), (nodes, triples, forward) in zip(wanted, found[0], strict=True):
        assert (nodes[0], nodes[-1], len(triples)) == (seed, end, hop)
        assert back == (seed in nodes[1:])
        heads, tails = csr.heads(np.array(triples)).tolist(), csr.tail[triples].tolist()
        for i, way in enumerate(forward):
            assert (nodes[i], nodes[i + 1]) == ((heads[i], tails[i]) if way else (tails[i], heads[i]))


@given(
    st.integers(0, 62).flatmap(lambda bits: st.lists(st.integers(0, 2**bits), max_size=100)), st.sampled_from([1, 400])
)
def test_few_and_many_keys_are_sorted(numbers: list[int], times: int) -> None:
    keys = np.array(numbers * times, dtype=np.int64)
    assert ascending(keys.copy()).tolist() == sorted(keys.tolist())


def test_relations_of_incoming_entries_are_kept_only_for_graphs_that_are_not_huge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    csr = csr_of(4, [(0, 2, 3), (1, 0, 3), (2, 1, 0)])
    assert csr.in_relation.tolist() == csr.relation[csr.in_triple].tolist()
    assert csr.n_relations == 3
    monkeypatch.setattr("graphbrick.core.csr._MOST_COPIED", 2)
    huge = csr_of(4, [(0, 2, 3), (1, 0, 3), (2, 1, 0)])
    assert (len(huge.in_relation), huge.n_relations) == (0, 0)
