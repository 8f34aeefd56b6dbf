"""Execution accuracy and Jaccard, with known answers."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from graphbrick.evaluate.metrics.execution import jaccard, same_rows


def test_bags_of_rows_under_a_permutation_of_columns() -> None:
    assert same_rows([(1, "a"), (2, "b")], [("b", 2), ("a", 1)])
    assert not same_rows([(1, "a"), (2, "b")], [("a", 2), ("b", 1)])
    assert not same_rows([(1,), (1,)], [(1,)])
    assert not same_rows([(1,), (1,), (2,)], [(1,), (2,), (2,)])
    assert not same_rows([(1,)], [(1, 1)])
    assert same_rows([], [])
    assert same_rows([([1, 2], 1 / 3)], [([2, 1], 0.33333333)])
    assert not same_rows([("1",)], [(1,)])
    assert not same_rows([(True,)], [(None,)])


def test_order_counts_where_the_gold_orders() -> None:
    assert same_rows([(1, 9), (2, 8)], [(9, 1), (8, 2)], ordered=True)
    assert not same_rows([(1,), (2,)], [(2,), (1,)], ordered=True)


_ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), max_size=4)


@given(_ROWS, _ROWS)
def test_equals_the_definition(gold: list[tuple[int, ...]], found: list[tuple[int, ...]]) -> None:
    plain = any(
        Counter(tuple(row[i] for i in order) for row in found) == Counter(gold)
        for order in itertools.permutations(range(3))
    )
    assert same_rows(gold, found) == plain


def test_jaccard() -> None:
    assert (jaccard([1, 1, 2], [2]), jaccard([], []), jaccard([1], [])) == (0.5, 1.0, 0.0)
