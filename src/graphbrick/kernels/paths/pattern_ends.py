"""The ends of a pattern as sorted keys, or as bits that are read in order; used by `relation_patterns`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.hashing import grow
from graphbrick.kernels.jit import jit

_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
# The place of a bit, by the first six bits of its product with the De Bruijn sequence.
_PLACE = np.zeros(64, dtype=np.int64)
_PLACE[[(0x03F79D71B4CB0A89 << place & 0xFFFFFFFFFFFFFFFF) >> 58 for place in range(64)]] = range(64)


@jit
def next_kind(ordered: npt.NDArray[np.int64], at: int, n: int, met: npt.NDArray[np.bool_], first: int) -> np.int64:
    """Return the kind of the key at a place, or clear and return the first kind that was met; -1 for none."""
    if at < len(ordered):
        return np.int64(ordered[at] // n)
    for kind in range(first, len(met)):
        if met[kind]:
            met[kind] = False
            return np.int64(kind)
    return np.int64(-1)


@jit
def with_room(ends: npt.NDArray[np.int32], size: int) -> npt.NDArray[np.int32]:
    """Return an array of at least a size that begins like another."""
    return ends if size <= len(ends) else grow(ends, 2 * size)


@jit
def end_of_run(ordered: npt.NDArray[np.int64], at: int, until: int) -> int:
    """Return the place of the first key from ``at`` that is not below ``until``."""
    while at < len(ordered) and ordered[at] < until:
        at += 1
    return at


@jit
def append_ends(
    ends: npt.NDArray[np.int32],
    size: int,
    bits: npt.NDArray[np.uint64],
    first_word: int,
    last_word: int,
    ordered: npt.NDArray[np.int64],
    at: int,
    until: int,
    base: int,
) -> int:
    """Append distinct ends, ascending; return the size.

    The ends of a pattern are kept in one of two ways, and the range of the other way is empty: as sorted keys from
    ``at`` to ``until``, each the end plus ``base``; or as bits in the words from ``first_word`` to ``last_word``, which
    are cleared.
    """
    one = np.uint64(1)
    for i in range(at, until):
        if i == at or ordered[i] != ordered[i - 1]:
            ends[size] = ordered[i] - base
            size += 1
    for i in range(first_word, last_word):
        word = bits[i]
        if word:
            bits[i] = np.uint64(0)
            while word:
                lowest = word & (~word + one)
                ends[size] = 64 * (i - first_word) + _PLACE[(lowest * _DE_BRUIJN) >> np.uint64(58)]
                size += 1
                word ^= lowest
    return size


@jit
def ascending(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sort keys of at least 0 by insertion, or by their bytes if there are many; may change the array given.

    Keys of a pattern have some 20 to 40 bits, so this takes a third of the time of a sort by comparison.
    """
    if len(keys) <= 32:
        for i in range(1, len(keys)):
            key, j = keys[i], i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return keys
    varying, other, starts = np.int64(0), np.empty_like(keys), np.empty(256, dtype=np.int64)
    for key in keys:
        varying |= key ^ keys[0]
    for shift in range(0, 64, 8):
        if not varying >> shift & 255:
            continue
        starts[:] = 0
        for key in keys:
            starts[key >> shift & 255] += 1
        total = 0
        for digit in range(256):
            starts[digit], total = total, total + starts[digit]
        for key in keys:
            digit = key >> shift & 255
            other[starts[digit]] = key
            starts[digit] += 1
        keys, other = other, keys
    return keys
