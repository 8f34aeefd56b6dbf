"""Hash tables of node ids, so that a kernel needs no array entry for every node of a large graph.

There are two, both with open addressing and at most half full: a set of keys, and a map from nodes to slots, which are
numbered in the order in which nodes are entered.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit

T = TypeVar("T", bound=np.generic)

FREE = np.int32(-1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@jit
def grow(array: npt.NDArray[T], size: int) -> npt.NDArray[T]:
    """Return a copy of the array with room for ``size`` entries."""
    larger = np.empty(size, dtype=array.dtype)
    for i in range(len(array)):  # a slice would make numba compile how to format the error about its shape
        larger[i] = array[i]
    return larger


@jit
def place_of(keys: npt.NDArray[T], key: int) -> np.int64:
    """Return the index of a key in a set, or the free index where it belongs.

    Args:
        keys: int32 or int64; its length is a power of two; at least one entry is -1, which means free.
        key: At least 0.
    """
    mask = np.uint64(len(keys) - 1)
    at = (np.uint64(key) * GOLDEN >> _HALF) & mask
    while keys[at] != key and keys[at] != -1:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@jit
def table_for(entries: int) -> npt.NDArray[np.int32]:
    """Return an empty set for ``entries`` node ids, which fill less than half of it."""
    size = 16
    while size < 2 * entries + 2:
        size *= 2
    return np.full(size, FREE, dtype=np.int32)


@jit
def larger_set(nodes: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    """Return the set of the first ``count`` nodes, with room for as many again."""
    table = table_for(2 * count)
    for i in range(count):
        table[place_of(table, nodes[i])] = nodes[i]
    return table


@jit
def node_set(nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the set of some nodes, for `place_of`."""
    table = table_for(len(nodes))
    for u in nodes:
        table[place_of(table, u)] = u
    return table


@jit
def slot_table(capacity: int) -> npt.NDArray[np.int64]:
    """Return an empty map from nodes to slots with room for ``capacity`` nodes; an entry is node << 32 | slot."""
    places = 16
    while places < 2 * capacity:
        places *= 2
    return np.full(places, -1, dtype=np.int64)


@jit
def slot_of(table: npt.NDArray[np.int64], node: int) -> np.int64:
    """Return the slot of a node, or -1; with an empty table every node is its own slot."""
    if len(table) == 0:
        return np.int64(node)
    mask = np.uint64(len(table) - 1)
    at = (np.uint64(node) * GOLDEN >> _HALF) & mask
    while table[at] != -1:
        if table[at] >> 32 == node:
            return np.int64(table[at] & 0xFFFFFFFF)
        at = (at + np.uint64(1)) & mask
    return np.int64(-1)


@jit
def slot_for(table: npt.NDArray[np.int64], node: int, new: int) -> np.int64:
    """Return the slot of a node; a node that has none gets the slot ``new``."""
    mask = np.uint64(len(table) - 1)
    at = (np.uint64(node) * GOLDEN >> _HALF) & mask
    while table[at] != -1:
        if table[at] >> 32 == node:
            return np.int64(table[at] & 0xFFFFFFFF)
        at = (at + np.uint64(1)) & mask
    table[at] = np.int64(node) << 32 | new
    return np.int64(new)


@jit
def slots_of(nodes: npt.NDArray[np.int32], count: int, capacity: int) -> npt.NDArray[np.int64]:
    """Return a map with room for ``capacity`` nodes that gives the first ``count`` nodes their index as slot."""
    table = slot_table(capacity)
    for slot in range(count):
        slot_for(table, nodes[slot], slot)
    return table
