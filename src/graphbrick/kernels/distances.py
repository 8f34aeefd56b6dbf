"""Hop distances from the nearest of several nodes, walking triples both ways."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.csr import Csr
from graphbrick.kernels.jit import jit


@jit
def hop_distances(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]:
    """Triples on the shortest way to the nearest seed, int32 [nodes]; -1 where no seed is reached."""
    n = len(out_begin)
    distance = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    count = 0
    for s in seeds:
        if distance[s] == -1:
            distance[s] = 0
            queue[count] = s
            count += 1
    at = 0
    while at < count:
        u = queue[at]
        at += 1
        for e in range(np.int64(out_begin[u]), np.int64(out_end[u])):
            v = tail[e]
            if distance[v] == -1:
                distance[v] = distance[u] + 1
                queue[count] = v
                count += 1
        for e in range(np.int64(in_begin[u]), np.int64(in_end[u])):
            v = in_head[e]
            if distance[v] == -1:
                distance[v] = distance[u] + 1
                queue[count] = v
                count += 1
    return distance


def hop_distances_python(csr: Csr, seeds: list[int]) -> list[int]:
    """The same distances, one node at a time."""
    neighbours: list[set[int]] = [set() for _ in range(csr.n_nodes)]
    for u in range(csr.n_nodes):
        for e in range(int(csr.out_begin[u]), int(csr.out_end[u])):
            neighbours[u].add(int(csr.tail[e]))
            neighbours[int(csr.tail[e])].add(u)
    distance = [-1] * csr.n_nodes
    queue = deque(seeds)
    for seed in seeds:
        distance[seed] = 0
    while queue:
        u = queue.popleft()
        for v in neighbours[u]:
            if distance[v] == -1:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance
