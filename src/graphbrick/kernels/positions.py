"""Entity ids as ranks of first positions in a bit set, and rows of triples grouped by tail."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.uint32]
NOWHERE = np.uint32(0xFFFFFFFF)
"""First position of a key that is not an entity."""

_ONE, _SIX, _LOW = np.uint64(1), np.uint64(6), np.uint64(63)


@jit
def note_first(keys: npt.NDArray[np.int32], positions: Numbers, makes: npt.NDArray[np.bool_], first: Numbers) -> None:
    """Write the first position of every key (positions ascend); entries whose ``makes`` is false do not count."""
    for i in range(len(keys)):
        if makes[i] and first[keys[i]] == NOWHERE:
            first[keys[i]] = positions[i]


@jit
def mark_positions(bits: Words, first: Numbers) -> None:
    """Set the bit of every position in ``first``."""
    for position in first:
        if position != NOWHERE:
            bits[position >> _SIX] |= _ONE << (np.uint64(position) & _LOW)


def ranks_before(bits: Words) -> Numbers:
    """Return the number of bits set before each word, uint32 [words]."""
    before: Numbers = np.zeros(len(bits), dtype=np.uint32)
    np.cumsum(np.bitwise_count(bits)[:-1], out=before[1:])
    return before


@jit
def rank(bits: Words, before: Numbers, position: int) -> np.int64:
    """Return the number of bits set before a position."""
    place = np.uint64(position)
    word = bits[place >> _SIX] & ((_ONE << (place & _LOW)) - _ONE)
    word -= (word >> _ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(before[place >> _SIX]) + np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@jit
def ranks(bits: Words, before: Numbers, positions: Numbers) -> npt.NDArray[np.int32]:
    """Return the rank of every position, int32 [positions]."""
    out = np.empty(len(positions), dtype=np.int32)
    for i in range(len(positions)):
        out[i] = rank(bits, before, positions[i])
    return out


@jit
def number_ends(pairs: Numbers, start: int, bits: Words, before: Numbers, ends: npt.NDArray[np.int32]) -> None:
    """Write entity ids: for each pair (position, first position of its key) to ``ends[position - start]``."""
    for i in range(len(pairs)):
        ends[pairs[i, 0] - start] = rank(bits, before, pairs[i, 1])


@jit
def rows_by_tail(
    rows: Numbers, start: int, pointers: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the heads and ids of triples (tail, head, id), grouped by tail, in their order within a tail.

    Args:
        rows: uint32 [triples, 3], by id within each tail.
        start: The first tail.
        pointers: int64; the begin of the entries of each tail from ``start`` on; changed in place.
    """
    head = np.empty(len(rows), dtype=np.int32)
    triple = np.empty(len(rows), dtype=np.int32)
    for i in range(len(rows)):
        tail = rows[i, 0] - start
        at = pointers[tail]
        pointers[tail] = at + 1
        head[at] = rows[i, 1]
        triple[at] = rows[i, 2]
    return head, triple


def ranks_python(marked: Sequence[int], positions: Sequence[int]) -> list[int]:
    """Return the same ranks as `ranks`, by counting."""
    return [sum(other < position for other in set(marked)) for position in positions]


def rows_by_tail_python(rows: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return the triples in the order of `rows_by_tail`; Python's sort is stable."""
    return sorted(rows, key=lambda row: row[0])
