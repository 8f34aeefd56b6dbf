"""Distinct whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.kernels.distinct import distinct


@pytest.mark.parametrize("numbers", [[], [7], [3, -1, 3, 2, -1], [2**31 - 1, -(2**31), 0, 0], list(range(9, 0, -1))])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_it_gives_what_numpy_gives(numbers: list[int], kind: type[np.int64]) -> None:
    given = np.array(numbers, dtype=kind)
    found = distinct(given)
    assert found.dtype == kind
    assert found.tolist() == np.unique(given).tolist()
    assert given.tolist() == numbers
