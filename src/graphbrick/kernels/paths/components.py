"""Weakly connected components, and the shortest link from one to the others."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import FREE, grow, larger_set, node_set, place_of, table_for
from graphbrick.kernels.jit import jit


@jit
def _root(parent: npt.NDArray[np.int32], node: int) -> np.int32:
    """Return the root of a node in the union-find forest, halving the path to it."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return np.int32(node)


@jit
def components(rows: Rows) -> npt.NDArray[np.int32]:
    """Return the lowest node of the weakly connected component of each node, int32 [nodes]."""
    out_begin, out_end, tail = rows.out_begin, rows.out_end, rows.tail
    n = len(out_begin)
    parent = np.arange(n).astype(np.int32)
    for u in range(n):
        for e in range(np.int64(out_begin[u]), np.int64(out_end[u])):
            a, b = _root(parent, u), _root(parent, np.int64(tail[e]))
            if a < b:
                parent[b] = a
            else:
                parent[a] = b
    for u in range(n):
        parent[u] = _root(parent, u)
    return parent


def components_python(csr: Csr) -> list[int]:
    """Return the same as `components`, by graph search from each node in order of id."""
    lowest = [-1] * csr.n_nodes
    for start in range(csr.n_nodes):
        stack = [start]
        while stack:
            u = stack.pop()
            if lowest[u] == -1:
                lowest[u] = start
                stack += csr.tail[csr.row(u, True)].tolist() + csr.in_head[csr.row(u, False)].tolist()
    return lowest


@jit
def shortest_link(
    rows: Rows,
    sources: npt.NDArray[np.int32],
    others: npt.NDArray[np.int32],
    budget: int,
) -> tuple[npt.NDArray[np.int32], np.int64]:
    """Return the nodes of a shortest path from any of ``sources`` to any of ``others``, ignoring direction.

    Ties go to the path that breadth-first search finds first: sources in the given order, outgoing triples before
    incoming ones, each by id. Memory grows with the number of nodes visited, not with the graph.

    Args:
        sources: int32, distinct.
        others: int32, none of them among the sources.
        budget: Most triples read.

    Returns:
        int32, the path with both ends, from the other to the source; empty if no path is found within the budget. Then
        the number of triples read.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    wanted = node_set(others)
    table = table_for(2 * len(sources))
    queue = np.empty(max(1024, len(sources)), dtype=np.int32)
    before = np.empty(len(queue), dtype=np.int32)
    count = 0
    for s in sources:
        table[place_of(table, s)] = s
        queue[count], before[count] = s, -1
        count += 1
    looked = np.int64(0)
    p = 0
    while p < count:
        u = queue[p]
        for direction in range(2):
            if direction == 0:
                first, last = np.int64(out_begin[u]), np.int64(out_end[u])
            else:
                first, last = np.int64(in_begin[u]), np.int64(in_end[u])
            for e in range(first, last):
                if looked == budget:
                    return np.empty(0, dtype=np.int32), looked
                looked += 1
                v = tail[e] if direction == 0 else in_head[e]
                at = place_of(table, v)
                if table[at] != FREE:
                    continue
                if wanted[place_of(wanted, v)] == v:
                    link = [v, u]
                    i = before[p]
                    while i != -1:
                        link.append(queue[i])
                        i = before[i]
                    return np.array(link, dtype=np.int32), looked
                if count == len(queue):
                    queue, before = grow(queue, 2 * count), grow(before, 2 * count)
                table[at] = v
                queue[count], before[count] = v, p
                count += 1
                if 2 * count > len(table):
                    table = larger_set(queue, count)
        p += 1
    return np.empty(0, dtype=np.int32), looked


def shortest_link_python(csr: Csr, sources: list[int], others: Collection[int]) -> list[int]:
    """Return the same nodes as `shortest_link`, without a budget."""
    before: dict[int, int] = dict.fromkeys(sources, -1)
    queue = list(sources)
    for u in queue:
        for v in csr.tail[csr.row(u, True)].tolist() + csr.in_head[csr.row(u, False)].tolist():
            if v in before:
                continue
            before[v] = u
            if v in others:
                link = [v]
                while before[link[-1]] != -1:
                    link.append(before[link[-1]])
                return link
            queue.append(v)
    return []
