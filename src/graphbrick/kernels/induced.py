"""The triples among some nodes, without reading a hub's whole row, and the readable version it is tested against."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.csr import Csr
from graphbrick.kernels.hashing import node_set, slot_of
from graphbrick.kernels.jit import jit
from graphbrick.kernels.shortest_paths import grow

# A row of more entries than this many times the number of nodes is searched for each of them instead of read.
_LONG = 8


@jit
def lower_bound(row: npt.NDArray[np.int32], begin: np.int64, end: np.int64, value: int) -> np.int64:
    """The first entry of an ascending part of an array that is not below a value."""
    low, high = np.int64(begin), np.int64(end)
    while low < high:
        middle = (low + high) // 2
        if row[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def induced_triples(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    in_triple: npt.NDArray[np.int32],
    nodes: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]:
    """The ids of all triples with both ends among ``nodes`` (int32, ascending): int32, ascending.

    The row of a node that many triples leave is not read: each of the nodes is searched in it, or it in the incoming
    row of that node, whichever is shorter. Time grows with the nodes and their ordinary rows, not with the hubs.
    """
    table = node_set(nodes)
    found = np.empty(1024, dtype=np.int32)
    count = 0
    for u in nodes:
        first, last = np.int64(out_begin[u]), np.int64(out_end[u])
        if last - first <= _LONG * len(nodes):
            for e in range(first, last):
                if table[slot_of(table, tail[e])] == tail[e]:
                    if count == len(found):
                        found = grow(found, 2 * count)
                    found[count] = e
                    count += 1
            continue
        for v in nodes:
            begin, end = np.int64(in_begin[v]), np.int64(in_end[v])
            short = end - begin < last - first
            at = lower_bound(in_head, begin, end, u) if short else lower_bound(tail, first, last, v)
            while (at < end and in_head[at] == u) if short else (at < last and tail[at] == v):
                if count == len(found):
                    found = grow(found, 2 * count)
                found[count] = in_triple[at] if short else at
                count += 1
                at += 1
    return np.sort(found[:count])


def induced_triples_python(csr: Csr, nodes: list[int]) -> list[int]:
    """The same triples, by reading all rows of the nodes."""
    inside = set(nodes)
    rows = (range(int(csr.out_begin[u]), int(csr.out_end[u])) for u in nodes)
    return sorted(e for row in rows for e in row if int(csr.tail[e]) in inside)
