"""Counting many numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from graphbrick.text.extract import tally
from graphbrick.text.extract.tally import Tally


@pytest.mark.parametrize("buffer", [1, 7, 1000])
def test_counts_equal_those_of_a_counter(monkeypatch: pytest.MonkeyPatch, buffer: int) -> None:
    monkeypatch.setattr(tally, "_BUFFER", buffer)
    rng = np.random.default_rng(0)
    expected: Counter[int] = Counter()
    counted = Tally()
    for _ in range(60):
        values = [*(rng.zipf(1.5, 10) % 50 - 20).tolist(), 2**63 - 1, -(2**63)]
        expected.update(values)
        counted.add(values)
    counted.close()
    assert dict(zip(counted.values.tolist(), counted.counts.tolist(), strict=True)) == expected
    assert counted.values.tolist() == sorted(expected)
    assert [counted.count(value) for value in (-21, 1, 2**63 - 1, -(2**63))] == [0, expected[1], 60, 60]


def test_nothing() -> None:
    empty = Tally()
    empty.close()
    assert (len(empty.values), empty.count(5)) == (0, 0)
