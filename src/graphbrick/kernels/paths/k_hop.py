"""Nodes within some hops of the seeds, by breadth-first search, and the readable reference version."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import FREE, grow, larger_set, node_set, place_of
from graphbrick.kernels.jit import jit
from graphbrick.kernels.slices import SLICE

_COUNT, _NEXT, _END, _HOP = range(4)
_RUNNING, _COMPLETE, _FULL = 0, 1, 2


def k_hop(
    rows: Rows, seeds: npt.NDArray[np.int32], follow_out: bool, follow_in: bool, max_hops: int, cap: int
) -> tuple[npt.NDArray[np.int32], int, bool]:
    """Return the nodes within ``max_hops`` triples of a seed, at most ``cap``.

    Nearer nodes are kept first; if a hop does not fit as a whole, those with the lower ids. The seeds are always kept,
    even if there are more than ``cap``. The search can be stopped between two slices.

    Returns:
        int32 [nodes], ascending; the number of hops that are complete; whether the cap left nodes out.
    """
    nodes = seeds.copy() if len(seeds) == 1 else np.unique(seeds)
    limit = max(cap, len(nodes))
    seen, cursor = node_set(nodes), np.array([len(nodes), 0, len(nodes), 1])
    state = _RUNNING
    while state == _RUNNING:
        check_limits()
        nodes, seen, state = _search(rows, nodes, seen, cursor, follow_out, follow_in, max_hops, limit, SLICE)
    count, _, end, hop = cursor.tolist()
    if state == _COMPLETE:
        return np.sort(nodes[:count]), max_hops, False
    return np.sort(np.concatenate([nodes[:end], np.sort(nodes[end:count])[: limit - end]])), hop - 1, True


@jit
def _search(
    rows: Rows,
    nodes: npt.NDArray[np.int32],
    seen: npt.NDArray[np.int32],
    cursor: npt.NDArray[np.int64],
    follow_out: bool,
    follow_in: bool,
    max_hops: int,
    limit: int,
    most_edges: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], int]:
    """Continue the search until about ``most_edges`` edges are read.

    Args:
        nodes: int32, the nodes reached, in order of discovery, with spare capacity.
        seen: The set of these nodes.
        cursor: int64 [4]: the number of nodes, the next node to expand, the end of the nodes of its hop, and the hop of
            the nodes found now; changed in place.
        limit: Most nodes. The hop that exceeds the limit is searched to its end, unless the limit was already reached
            when it began.

    Returns:
        Nodes and set, enlarged if needed, and whether the search is running, complete, or has met the limit.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    count, p, end, hop = cursor[_COUNT], cursor[_NEXT], cursor[_END], cursor[_HOP]
    edges, state = np.int64(0), _RUNNING
    while edges < most_edges and state == _RUNNING:
        if p == end:
            if count > limit:
                state = _FULL
                break
            if p == count or hop == max_hops:
                state = _COMPLETE
                break
            hop, end = hop + 1, count
        u = nodes[p]
        for direction in range(2):
            if not (follow_out if direction == 0 else follow_in):
                continue
            if direction == 0:
                first, last = np.int64(out_begin[u]), np.int64(out_end[u])
            else:
                first, last = np.int64(in_begin[u]), np.int64(in_end[u])
            edges += last - first
            for e in range(first, last):
                v = tail[e] if direction == 0 else in_head[e]
                at = place_of(seen, v)
                if seen[at] != FREE:
                    continue
                if end == limit:  # none of this hop fits
                    state = _FULL
                    break
                if count == len(nodes):
                    nodes = grow(nodes, max(1024, 2 * count))
                seen[at] = v
                nodes[count] = v
                count += 1
                if 2 * count > len(seen):
                    seen = larger_set(nodes, count)
            if state == _FULL:
                break
        p += 1
    cursor[_COUNT], cursor[_NEXT], cursor[_END], cursor[_HOP] = count, p, end, hop
    return nodes, seen, state


def k_hop_python(
    csr: Csr, seeds: list[int], follow_out: bool, follow_in: bool, max_hops: int, cap: int
) -> tuple[list[int], int, bool]:
    """Return the same as `k_hop`, computed hop by hop with sets."""
    reached, frontier = set(seeds), set(seeds)
    limit = max(cap, len(reached))
    for hop in range(1, max_hops + 1):
        following: set[int] = set()
        for u in frontier:
            if follow_out:
                following.update(csr.tail[int(csr.out_begin[u]) : int(csr.out_end[u])].tolist())
            if follow_in:
                following.update(csr.in_head[int(csr.in_begin[u]) : int(csr.in_end[u])].tolist())
        frontier = following - reached
        if len(reached) + len(frontier) > limit:
            return sorted(reached | set(sorted(frontier)[: limit - len(reached)])), hop - 1, True
        reached |= frontier
    return sorted(reached), max_hops, False
