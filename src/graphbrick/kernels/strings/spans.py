"""Texts as spans of one byte array: their 64-bit hashes, and a table that numbers distinct texts.

The hash is part of files on disk. Its readable version is `graphbrick.language.hashing.hash_bytes`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit
from graphbrick.language.hashing import LAST, LENGTH, START, STEP

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

_START, _LENGTH, _STEP, _LAST = np.uint64(START), np.uint64(LENGTH), np.uint64(STEP), np.uint64(LAST)
_HALF = np.uint64(32)
NONE = np.int32(-1)


@jit
def hash_span(data: Bytes, start: int, end: int) -> np.uint64:
    """Return the hash of a span, the same as `graphbrick.language.hashing.hash_bytes`."""
    value = _START ^ (np.uint64(end - start) * _LENGTH)
    at = start
    while at + 8 <= end:
        word = (
            np.uint64(data[at])
            | np.uint64(data[at + 1]) << np.uint64(8)
            | np.uint64(data[at + 2]) << np.uint64(16)
            | np.uint64(data[at + 3]) << np.uint64(24)
            | np.uint64(data[at + 4]) << np.uint64(32)
            | np.uint64(data[at + 5]) << np.uint64(40)
            | np.uint64(data[at + 6]) << np.uint64(48)
            | np.uint64(data[at + 7]) << np.uint64(56)
        )
        value = (value ^ word) * _STEP
        value ^= value >> _HALF
        at += 8
    if at < end:
        word = np.uint64(0)
        shift = np.uint64(0)
        while at < end:
            word |= np.uint64(data[at]) << shift
            shift += np.uint64(8)
            at += 1
        value = (value ^ word) * _STEP
        value ^= value >> _HALF
    value *= _LAST
    return value ^ (value >> _HALF)


@jit
def hash_spans(data: Bytes, starts: Offsets, ends: Offsets) -> Hashes:
    """Return the hash of every span, uint64 [spans]."""
    hashes = np.empty(len(starts), dtype=np.uint64)
    for i in range(len(starts)):
        hashes[i] = hash_span(data, starts[i], ends[i])
    return hashes


@jit
def same_bytes(one: Bytes, start: int, end: int, other: Bytes, begin: int) -> bool:
    """Tell whether a span equals the bytes at position ``begin`` of another array."""
    for i in range(end - start):  # noqa: SIM110  # numba compiles this to faster code
        if one[start + i] != other[begin + i]:
            return False
    return True


@jit
def copy_spans(data: Bytes, starts: Offsets, ends: Offsets) -> Bytes:
    """Return the bytes of all spans, concatenated."""
    total = 0
    for i in range(len(starts)):
        total += ends[i] - starts[i]
    out = np.empty(total, dtype=np.uint8)
    at = 0
    for i in range(len(starts)):
        for j in range(starts[i], ends[i]):
            out[at] = data[j]
            at += 1
    return out


@jit
def number_spans(
    data: Bytes,
    starts: Offsets,
    ends: Offsets,
    hashes: Hashes,
    begin: int,
    out: npt.NDArray[np.int32],
    table: npt.NDArray[np.int32],
    text_hash: Hashes,
    text_end: Offsets,
    text: Bytes,
    count: int,
) -> tuple[int, int]:
    """Number spans by first appearance, from span ``begin`` on; spans with equal hashes are compared by bytes.

    Stops when the arrays of known texts are full or more than half of the table would be used.

    Returns:
        The number of spans numbered in ``out``, and the number of distinct texts known.
    """
    mask = np.uint64(len(table) - 1)
    for i in range(begin, len(starts)):
        at = hashes[i] & mask
        size = ends[i] - starts[i]
        number = table[at]
        while number != NONE:
            first = text_end[number - 1] if number > 0 else 0
            if (
                text_hash[number] == hashes[i]
                and text_end[number] - first == size
                and same_bytes(data, starts[i], ends[i], text, first)
            ):
                break
            at = (at + np.uint64(1)) & mask
            number = table[at]
        if number == NONE:
            first = text_end[count - 1] if count > 0 else 0
            if 2 * (count + 1) > len(table) or count == len(text_hash) or first + size > len(text):
                return i, count
            for j in range(size):
                text[first + j] = data[starts[i] + j]
            text_hash[count] = hashes[i]
            text_end[count] = first + size
            table[at] = count
            number = count
            count += 1
        out[i] = number
    return len(starts), count


@jit
def find_spans(
    data: Bytes,
    starts: Offsets,
    ends: Offsets,
    hashes: Hashes,
    table: npt.NDArray[np.int32],
    text_hash: Hashes,
    text_end: Offsets,
    text: Bytes,
) -> npt.NDArray[np.int32]:
    """Return the number that `number_spans` gave to each span, -1 for unknown ones: int32 [spans]."""
    mask = np.uint64(len(table) - 1)
    out = np.empty(len(starts), dtype=np.int32)
    for i in range(len(starts)):
        at = hashes[i] & mask
        number = table[at]
        while number != NONE:
            first = text_end[number - 1] if number > 0 else 0
            if (
                text_hash[number] == hashes[i]
                and text_end[number] - first == ends[i] - starts[i]
                and same_bytes(data, starts[i], ends[i], text, first)
            ):
                break
            at = (at + np.uint64(1)) & mask
            number = table[at]
        out[i] = number
    return out


@jit
def fill_table(table: npt.NDArray[np.int32], text_hash: Hashes, count: int) -> None:
    """Enter the first ``count`` texts, which are distinct, into an empty table."""
    mask = np.uint64(len(table) - 1)
    for number in range(count):
        at = text_hash[number] & mask
        while table[at] != NONE:
            at = (at + np.uint64(1)) & mask
        table[at] = number


def number_spans_python(texts: Iterable[bytes]) -> list[int]:
    """Return the same numbers as `number_spans`, for a sequence of texts."""
    numbers: dict[bytes, int] = {}
    return [numbers.setdefault(text, len(numbers)) for text in texts]


@jit
def strip_spans(data: Bytes, starts: Offsets, ends: Offsets, prefix: Bytes) -> None:
    """Remove a prefix from the spans that have it; ``<prefix...>`` loses its brackets too."""
    size = len(prefix)
    for i in range(len(starts)):
        start, end = starts[i], ends[i]
        if end - start > size and same_bytes(prefix, 0, size, data, start):
            starts[i] = start + size
        elif (
            end - start > size + 2
            and data[start] == 60
            and data[end - 1] == 62
            and same_bytes(prefix, 0, size, data, start + 1)
        ):
            starts[i] = start + 1 + size
            ends[i] = end - 1


@jit
def same_spans(
    data: Bytes, starts: Offsets, ends: Offsets, other: Bytes, other_starts: Offsets, other_ends: Offsets
) -> npt.NDArray[np.bool_]:
    """Return which spans equal the span with the same index in another array, bool [spans]."""
    same = np.zeros(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        if ends[i] - starts[i] == other_ends[i] - other_starts[i]:
            same[i] = same_bytes(data, starts[i], ends[i], other, other_starts[i])
    return same
