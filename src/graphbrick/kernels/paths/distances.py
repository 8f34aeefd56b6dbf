"""Hop distances from the nearest of several nodes, walking triples both ways."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.jit import jit
from graphbrick.kernels.slices import SLICE


def hop_distances(rows: Rows, seeds: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the hop distance of each node from the nearest seed, int32 [nodes]; -1 if no seed is reached.

    The search can be stopped between two slices.
    """
    n = len(rows.out_begin)
    distance, queue = np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
    distinct = np.unique(seeds)
    distance[distinct], queue[: len(distinct)] = 0, distinct
    following, count = 0, len(distinct)
    while following < count:
        check_limits()
        following, count = _search(rows, distance, queue, following, count, SLICE)
    return distance


@jit
def _search(
    rows: Rows,
    distance: npt.NDArray[np.int32],
    queue: npt.NDArray[np.int32],
    following: int,
    count: int,
    most_edges: int,
) -> tuple[int, int]:
    """Continue the search for about ``most_edges`` edges; return the next queue position and the queue's end."""
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    edges = np.int64(0)
    while following < count and edges < most_edges:
        u = queue[following]
        following += 1
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
        edges += np.int64(out_end[u]) - np.int64(out_begin[u]) + np.int64(in_end[u]) - np.int64(in_begin[u])
    return following, count


def hop_distances_python(csr: Csr, seeds: list[int]) -> list[int]:
    """Return the same distances, one node at a time."""
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
