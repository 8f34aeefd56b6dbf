from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.kernels.positions import (
    NOWHERE,
    mark_positions,
    note_first,
    number_ends,
    ranks,
    ranks_before,
    ranks_python,
    rows_by_tail,
    rows_by_tail_python,
)

POSITIONS = st.lists(st.integers(0, 300), min_size=1, max_size=40)


@given(marked=POSITIONS, asked=POSITIONS)
def test_ranks_are_those_of_python(marked: list[int], asked: list[int]) -> None:
    bits = np.zeros(300 // 64 + 1, dtype=np.uint64)
    mark_positions(bits, np.array([*marked, NOWHERE], dtype=np.uint32))
    before = ranks_before(bits)
    assert ranks(bits, before, np.array(asked, dtype=np.uint32)).tolist() == ranks_python(marked, asked)
    pairs = np.array([(50 + i, position) for i, position in enumerate(asked)], dtype=np.uint32)
    ids = np.full(len(asked), -1, dtype=np.int32)
    number_ends(pairs[::-1].copy(), 50, bits, before, ids)
    assert ids.tolist() == ranks_python(marked, asked)


def test_the_first_position_counts_that_makes_an_entity() -> None:
    first = np.full(4, NOWHERE, dtype=np.uint32)
    keys = np.array([1, 0, 1, 2, 2], dtype=np.int32)
    makes = np.array([True, True, True, False, True])
    note_first(keys, np.array([3, 5, 7, 8, 9], dtype=np.uint32), makes, first)
    assert first.tolist() == [5, 3, 9, int(NOWHERE)]


@given(rows=st.lists(st.tuples(st.integers(10, 14), st.integers(0, 99), st.integers(0, 99)), max_size=30))
def test_rows_by_tail_are_those_of_python(rows: list[tuple[int, int, int]]) -> None:
    array = np.array(rows, dtype=np.uint32).reshape(-1, 3)
    counts = np.bincount([tail - 10 for tail, _, _ in rows], minlength=5).astype(np.int64)
    head, triple = rows_by_tail(array, 10, np.cumsum(counts) - counts)
    expected = rows_by_tail_python(rows)
    assert (head.tolist(), triple.tolist()) == ([h for _, h, _ in expected], [t for _, _, t in expected])
