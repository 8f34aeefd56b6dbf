"""Number distinct texts by first appearance; texts with equal hashes are compared."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.strings.spans import (
    NONE,
    Bytes,
    Hashes,
    Offsets,
    fill_table,
    find_spans,
    hash_spans,
    number_spans,
)


class Interner:
    """Hash table of distinct texts, which are stored consecutively in one byte array.

    >>> known = Interner()
    >>> known.number_texts(["capital", "borders", "capital"]).tolist(), len(known), known[1]
    ([0, 1, 0], 2, 'borders')
    """

    def __init__(self) -> None:
        self.count = 0
        self._table: npt.NDArray[np.int32] = np.full(256, NONE, dtype=np.int32)
        self._hash: Hashes = np.empty(128, dtype=np.uint64)
        self._end: Offsets = np.empty(128, dtype=np.int64)
        self._text: Bytes = np.empty(1 << 12, dtype=np.uint8)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> str:
        start = int(self._end[number - 1]) if number else 0
        return text_at(self._text, start, self._end[number])

    def number(
        self, data: Bytes, starts: Offsets, ends: Offsets, hashes: Hashes | None = None
    ) -> npt.NDArray[np.int32]:
        """Return the numbers of texts, int32; new texts get the next numbers in order of appearance."""
        hashes = hash_spans(data, starts, ends) if hashes is None else hashes
        out = np.empty(len(starts), dtype=np.int32)
        done = 0
        while True:
            known = (self._table, self._hash, self._end, self._text, self.count)
            done, self.count = number_spans(data, starts, ends, hashes, done, out, *known)
            if done == len(starts):
                return out
            self._grow(int(ends[done] - starts[done]))

    def number_texts(self, texts: list[str]) -> npt.NDArray[np.int32]:
        """Return the numbers of Python texts, int32."""
        return self.number(*spans_of(texts))

    def find(self, data: Bytes, starts: Offsets, ends: Offsets, hashes: Hashes) -> npt.NDArray[np.int32]:
        """Return the numbers of known texts, int32; -1 for unknown ones."""
        return find_spans(data, starts, ends, hashes, self._table, self._hash, self._end, self._text)

    @property
    def texts(self) -> tuple[Bytes, Offsets, Offsets]:
        """All texts by number, as spans."""
        ends = self._end[: self.count]
        starts = np.zeros(self.count, dtype=np.int64)
        starts[1:] = ends[:-1]
        return self._text, starts, ends.copy()

    def _grow(self, size: int) -> None:
        """Enlarge the arrays for at least one more text of ``size`` bytes."""
        if 2 * (self.count + 1) > len(self._table):
            self._table = np.full(2 * len(self._table), NONE, dtype=np.int32)
            fill_table(self._table, self._hash, self.count)
        if self.count == len(self._hash):
            self._hash = np.concatenate([self._hash, np.empty_like(self._hash)])
            self._end = np.concatenate([self._end, np.empty_like(self._end)])
        used = int(self._end[self.count - 1]) if self.count else 0
        if used + size > len(self._text):
            self._text = np.concatenate([self._text, np.empty(len(self._text) + size, dtype=np.uint8)])


def text_at(data: Bytes, start: int, end: int) -> str:
    """Return the text of a span. Lone surrogates are kept, as a key may not be valid Unicode."""
    return data[start:end].tobytes().decode("utf-8", "surrogatepass")


def spans_of(texts: Iterable[str]) -> tuple[Bytes, Offsets, Offsets]:
    """Concatenate the UTF-8 of texts; return (bytes, starts, ends)."""
    return joined([text.encode("utf-8", "surrogatepass") for text in texts])


def joined(texts: list[bytes]) -> tuple[Bytes, Offsets, Offsets]:
    """Concatenate encoded texts; return (bytes, starts, ends)."""
    ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    starts = np.zeros(len(texts), dtype=np.int64)
    starts[1:] = ends[:-1]
    return as_bytes(b"".join(texts)), starts, ends


def as_bytes(data: bytes) -> Bytes:
    """Copy bytes into a writable array, as the kernels are compiled for writable arrays."""
    return np.array(memoryview(data), dtype=np.uint8)
