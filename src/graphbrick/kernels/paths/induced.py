"""Induced triples of a set of nodes without reading whole hub rows, and the readable reference version."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import grow, node_set, place_of
from graphbrick.kernels.jit import jit
from graphbrick.kernels.slices import SLICE

# A row with more than this many entries per selected node is searched by bisection instead of read.
_LONG = 8


def induced_triples(rows: Rows, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the ids of all triples with both ends among ``nodes`` (int32, ascending): int32, ascending.

    The long outgoing row of a hub is not read. Instead, each selected node is searched in it by bisection, or the hub
    is searched in the incoming row of that node, whichever row is shorter. Time grows with the number of nodes and
    their ordinary rows, not with the hubs. The work can be stopped between two slices.
    """
    table, triples, count, following = node_set(nodes), np.empty(1024, dtype=np.int32), 0, 0
    while following < len(nodes):
        check_limits()
        triples, count, following = _search(rows, nodes, table, triples, count, following, SLICE)
    return np.sort(triples[:count])


@jit
def lower_bound(row: npt.NDArray[np.int32], begin: np.int64, end: np.int64, value: int) -> np.int64:
    """Return the first position in an ascending part of an array whose entry is not below a value."""
    low, high = np.int64(begin), np.int64(end)
    while low < high:
        middle = (low + high) // 2
        if row[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def _search(
    rows: Rows,
    nodes: npt.NDArray[np.int32],
    table: npt.NDArray[np.int32],
    triples: npt.NDArray[np.int32],
    count: int,
    following: int,
    most_edges: int,
) -> tuple[npt.NDArray[np.int32], int, int]:
    """Search triples, starting at node index ``following``, until about ``most_edges`` edges are read.

    Returns:
        The triples, in an array with spare capacity; their number; the index of the next node.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, in_triple = rows
    edges = np.int64(0)
    while following < len(nodes) and edges < most_edges:
        u = nodes[following]
        following += 1
        first, last = np.int64(out_begin[u]), np.int64(out_end[u])
        edges += min(last - first, np.int64(_LONG * len(nodes)))
        if last - first <= _LONG * len(nodes):
            for e in range(first, last):
                if table[place_of(table, tail[e])] == tail[e]:
                    if count == len(triples):
                        triples = grow(triples, 2 * count)
                    triples[count] = e
                    count += 1
            continue
        for v in nodes:
            begin, end = np.int64(in_begin[v]), np.int64(in_end[v])
            short = end - begin < last - first
            at = lower_bound(in_head, begin, end, u) if short else lower_bound(tail, first, last, v)
            while (at < end and in_head[at] == u) if short else (at < last and tail[at] == v):
                if count == len(triples):
                    triples = grow(triples, 2 * count)
                triples[count] = in_triple[at] if short else at
                count += 1
                at += 1
    return triples, count, following


def induced_triples_python(csr: Csr, nodes: list[int]) -> list[int]:
    """Return the same triples, by reading all rows of the nodes."""
    inside = set(nodes)
    rows = (range(int(csr.out_begin[u]), int(csr.out_end[u])) for u in nodes)
    return sorted(e for row in rows for e in row if int(csr.tail[e]) in inside)
