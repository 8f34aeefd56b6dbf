"""The nodes within some hops of seeds, by breadth-first search, and the readable version it is tested against."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.csr import Csr
from graphbrick.kernels.hashing import FREE, roomier, slot_of, table_for
from graphbrick.kernels.jit import jit
from graphbrick.kernels.shortest_paths import grow


@jit
def k_hop(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.int32],
    follow_out: bool,
    follow_in: bool,
    max_hops: int,
    cap: int,
) -> tuple[npt.NDArray[np.int32], int, bool]:
    """The nodes that a walk of at most ``max_hops`` triples from a seed leads to, ``cap`` at most.

    Nearer nodes are kept first; of the first hop that does not fit as a whole, those of lower id. The seeds are always
    kept, also where there are more than ``cap``.

    Returns:
        int32 [nodes], ascending; the number of hops that are complete; whether the cap left nodes out.
    """
    found = np.empty(max(1024, 2 * len(seeds)), dtype=np.int32)
    seen = table_for(len(found))
    count = 0
    for s in seeds:
        at = slot_of(seen, s)
        if seen[at] == FREE:
            seen[at] = s
            found[count] = s
            count += 1
    room = max(cap, count)
    begin, end = 0, count
    for hop in range(1, max_hops + 1):
        for p in range(begin, end):
            u = found[p]
            for direction in range(2):
                if direction == 0:
                    if not follow_out:
                        continue
                    first, last = np.int64(out_begin[u]), np.int64(out_end[u])
                else:
                    if not follow_in:
                        continue
                    first, last = np.int64(in_begin[u]), np.int64(in_end[u])
                for e in range(first, last):
                    v = tail[e] if direction == 0 else in_head[e]
                    at = slot_of(seen, v)
                    if seen[at] != FREE:
                        continue
                    if end == room:  # none of this hop fits
                        return np.sort(found[:end]), hop - 1, True
                    seen[at] = v
                    found[count] = v
                    count += 1
                    if count == len(found):
                        found = grow(found, 2 * count)
                        seen = roomier(found, count)
        if count > room:
            found[end:count] = np.sort(found[end:count])
            return np.sort(found[:room]), hop - 1, True
        begin, end = end, count
    return np.sort(found[:count]), max_hops, False


def k_hop_python(
    csr: Csr, seeds: list[int], follow_out: bool, follow_in: bool, max_hops: int, cap: int
) -> tuple[list[int], int, bool]:
    """The same nodes, hop by hop as sets."""
    kept, last = set(seeds), set(seeds)
    room = max(cap, len(kept))
    for hop in range(1, max_hops + 1):
        following: set[int] = set()
        for u in last:
            if follow_out:
                following.update(csr.tail[int(csr.out_begin[u]) : int(csr.out_end[u])].tolist())
            if follow_in:
                following.update(csr.in_head[int(csr.in_begin[u]) : int(csr.in_end[u])].tolist())
        last = following - kept
        if len(kept) + len(last) > room:
            return sorted(kept | set(sorted(last)[: room - len(kept)])), hop - 1, True
        kept |= last
    return sorted(kept), max_hops, False
