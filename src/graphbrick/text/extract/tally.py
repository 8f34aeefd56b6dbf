"""Counting many numbers in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_BUFFER = 1 << 20  # numbers before they are sorted and counted
_SHARE = 0.5  # of what is counted already, that is sorted in at once


class Tally:
    """A counter of 64-bit integers, at 12 bytes for each distinct one. Call `close` before reading.

    >>> tally = Tally()
    >>> tally.add([7, 5, 7])
    >>> tally.close()
    >>> tally.values, tally.counts, tally.count(7), tally.count(6)
    (array([5, 7]), array([1, 2], dtype=int32), 2, 0)
    """

    def __init__(self) -> None:
        self._buffer = array("q")
        self._values: list[Ints] = [np.zeros(0, dtype=np.int64)]
        self._counts: list[npt.NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]

    def add(self, values: Iterable[int]) -> None:
        """Count each of some integers once."""
        self._buffer.extend(values)
        if len(self._buffer) >= _BUFFER:
            self._sort_in()
            if sum(map(len, self._values[1:])) > _SHARE * len(self._values[0]):
                self._merge()

    def close(self) -> None:
        """Sort in what was added last."""
        self._sort_in()
        self._merge()

    @property
    def values(self) -> Ints:
        """The distinct integers, ascending, int64."""
        return self._values[0]

    @property
    def counts(self) -> npt.NDArray[np.int32]:
        """The count of each distinct integer, int32."""
        return self._counts[0]

    def count(self, value: int) -> int:
        """Return how often an integer was added."""
        place = int(self.values.searchsorted(value))
        return int(self.counts[place]) if place < len(self.values) and self.values[place] == value else 0

    def _sort_in(self) -> None:
        values, counts = np.unique(np.frombuffer(self._buffer, dtype=np.int64), return_counts=True)
        self._values.append(values)
        self._counts.append(counts.astype(np.int32))
        self._buffer = array("q")

    def _merge(self) -> None:
        """Make one run of all runs."""
        values, counts = np.concatenate(self._values), np.concatenate(self._counts)
        self._values, self._counts = [], []
        order = np.argsort(values, kind="stable")  # the runs are sorted already, which this kind of sort makes use of
        values, counts = values[order], counts[order]
        del order
        first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])) if len(values) else values
        self._values = [values[first]]
        self._counts = [np.add.reduceat(counts, first).astype(np.int32) if len(first) else counts]
