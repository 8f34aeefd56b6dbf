"""Adjacency inside some partitions of a graph, in local ids, and the readable reference version."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import grow
from graphbrick.kernels.jit import jit


@jit
def inside_rows(
    rows: Rows,
    label: npt.NDArray[np.int32],
    place: npt.NDArray[np.int32],
    parts: npt.NDArray[np.int32],
    offset: npt.NDArray[np.int32],
    members: npt.NDArray[np.int32],
    follow_out: bool,
    follow_in: bool,
    loops: bool,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
    """Return the neighbours of all nodes of some partitions that are in these partitions too.

    A neighbour is listed once for each triple; tails of outgoing triples come before heads of incoming ones. A self
    loop that is walked both ways is listed twice.

    Args:
        label: int32 [nodes], the partition of each node of the graph.
        place: int32 [nodes], the index of each node among the members of its partition.
        parts: int32, the partitions; few, as they are searched linearly.
        offset: int32 [parts], the local id of the first member of each.
        members: int32, all nodes of the partitions in order of local id.
        loops: Whether to list self loops.

    Returns:
        uint32 [members + 1], row pointers, the last one being the end of the last row; int32, local ids of neighbours.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    pointers = np.zeros(len(members) + 1, dtype=np.uint32)
    neighbours = np.empty(max(1024, 4 * len(members)), dtype=np.int32)
    count = 0
    for i in range(len(members)):
        u = members[i]
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
                if v == u and not loops:
                    continue
                for j in range(len(parts)):
                    if label[v] == parts[j]:
                        if count == len(neighbours):
                            neighbours = grow(neighbours, 2 * count)
                        neighbours[count] = offset[j] + place[v]
                        count += 1
                        break
        pointers[i + 1] = count
    return pointers, neighbours[:count]


def inside_rows_python(csr: Csr, members: list[int], follow_out: bool, follow_in: bool, loops: bool) -> list[list[int]]:
    """Return the same neighbours as `inside_rows`, one list per member."""
    local = {node: i for i, node in enumerate(members)}
    rows = []
    for u in members:
        tails = csr.tail[csr.row(u, True)].tolist() if follow_out else []
        heads = csr.in_head[csr.row(u, False)].tolist() if follow_in else []
        rows.append([local[v] for v in (*tails, *heads) if v in local and (loops or v != u)])
    return rows
