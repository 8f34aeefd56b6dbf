"""A set of node ids in a hash table, so that a kernel need not hold a flag for every node of a large graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit

FREE = np.int32(-1)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@jit
def slot_of(table: npt.NDArray[np.int32], node: int | np.int32) -> np.int64:
    """Where a node is in a table of node ids, or the free place where it belongs.

    The table has a power of two of places, of which at least one is `FREE`.
    """
    mask = np.uint64(len(table) - 1)
    at = (np.uint64(node) * _MULTIPLIER >> np.uint64(32)) & mask
    while table[at] != node and table[at] != FREE:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@jit
def table_for(entries: int) -> npt.NDArray[np.int32]:
    """A table with room for ``entries`` node ids, less than half full then."""
    size = 16
    while size < 2 * entries + 2:
        size *= 2
    return np.full(size, FREE, dtype=np.int32)


@jit
def roomier(nodes: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    """The table of the first ``count`` nodes, with room for as many again."""
    table = table_for(2 * count)
    for i in range(count):
        table[slot_of(table, nodes[i])] = nodes[i]
    return table


@jit
def node_set(nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The table of some nodes, for `slot_of`."""
    table = table_for(len(nodes))
    for u in nodes:
        table[slot_of(table, u)] = u
    return table
