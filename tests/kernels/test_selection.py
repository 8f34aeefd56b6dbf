from __future__ import annotations

import numpy as np
import pytest

from graphbrick.kernels.selection import kth_largest


@pytest.mark.parametrize("kinds", [1, 3, 1000])
def test_it_is_that_of_a_sort(kinds: int) -> None:
    rng = np.random.default_rng(kinds)
    for size in (1, 2, 3, 10, 257):
        values = rng.integers(0, kinds, size) / 7.0
        for order in (values, np.sort(values), -np.sort(-values), np.concatenate([values, np.full(3, np.inf)])):
            expected = np.sort(order)[::-1]
            for k in {1, 2, len(order) // 2, len(order) - 1, len(order)} - {0} & set(range(len(order) + 1)):
                assert kth_largest(order.copy(), k) == expected[k - 1]


def test_many_equal_values_cost_no_more_than_others() -> None:
    values = np.zeros(1_000_000)
    assert kth_largest(values, 1000) == 0.0  # quadratic time would be ten minutes
