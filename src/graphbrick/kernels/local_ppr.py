"""Personalized PageRank around seeds in a graph of any size: forward push that holds only what it has touched.

The residual of Andersen et al., "Local Graph Partitioning using PageRank Vectors" (FOCS 2006), is pushed until what an
edge may still bring can hardly change which nodes are the best ``k``. What is left of it lies on hubs, too thin for a
push of a million edges to pay; `graphbrick.kernels.refine_ppr` makes up for it. `sweep` does the same over arrays with
one entry a node, which is faster in small graphs.

The state of a node is a row of four numbers, so that a visit costs one read from memory: the residual, what is settled,
the number of triples that a walk can take from there (-1 while unknown), and whether the node waits for a push. Where
the row of a node is, its slot, is looked up in a hash table.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.degrees import walk_degree
from graphbrick.kernels.jit import jit

Pointers: TypeAlias = npt.NDArray[np.uint32]
Ids: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

RESIDUAL, SETTLED, DEGREE, WAITS = 0, 1, 2, 3
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 32  # so many rows are asked for before any is used: the memory answers them at once
_LEAST_CAPACITY = 1 << 16
_GONE = 1e-12  # a residual mass that changes no digit of a score


class Pushed(NamedTuple):
    """Where the residual of walks came to lie.

    Attributes:
        nodes: int32 [touched], in order of discovery.
        state: float64 [touched, 4]; see the module.
        table: int64, for `slot_of`.
        edges: Edges walked.
        dropped: Mass that could not walk on.
        spent: Whether the budget of edges ended the search.
    """

    nodes: Ids
    state: Floats
    table: Longs
    edges: np.int64
    dropped: float
    spent: bool


@jit
def slot_of(table: Longs, node: int) -> np.int64:
    """The slot of a node in a table of (node << 32 | slot), or -1; in a table of no entries a node is its own slot."""
    if len(table) == 0:
        return np.int64(node)
    mask = np.uint64(len(table) - 1)
    at = (np.uint64(node) * _MULTIPLIER >> np.uint64(32)) & mask
    while table[at] != -1:
        if table[at] >> 32 == node:
            return np.int64(table[at] & 0xFFFFFFFF)
        at = (at + np.uint64(1)) & mask
    return np.int64(-1)


@jit
def _slot_for(table: Longs, node: int, new: int) -> np.int64:
    """The slot of a node, which becomes ``new`` where it has none."""
    mask = np.uint64(len(table) - 1)
    at = (np.uint64(node) * _MULTIPLIER >> np.uint64(32)) & mask
    while table[at] != -1:
        if table[at] >> 32 == node:
            return np.int64(table[at] & 0xFFFFFFFF)
        at = (at + np.uint64(1)) & mask
    table[at] = np.int64(node) << 32 | new
    return np.int64(new)


@jit
def _with_room(nodes: Ids, state: Floats, count: int, capacity: int) -> tuple[Ids, Floats, Longs]:
    """Nodes and state with room for ``capacity`` entries (a power of two), and the table of the first ``count``."""
    larger, wider = np.empty(capacity, dtype=np.int32), np.empty((capacity, 4))
    larger[:count], wider[:count] = nodes[:count], state[:count]
    table = np.full(2 * capacity, -1, dtype=np.int64)
    for slot in range(count):
        _slot_for(table, larger[slot], slot)
    return larger, wider, table


@jit
def _read_block(
    out_begin: Pointers, out_end: Pointers, tail: Ids, in_begin: Pointers, in_end: Pointers, in_head: Ids,
    follow_out: bool, follow_in: bool, nodes: Ids, state: Floats, epsilon: float, slots: Longs, rows: Longs, size: int,
) -> tuple[int, np.int64]:  # fmt: skip
    """Read where the rows of ``size`` slots are, and keep those whose residual is to be pushed.

    Nothing here waits for what was read before: first the pointers of all, then the first neighbour of each that is
    kept, which brings it near for the push.

    Returns:
        How many slots are kept, at the front of ``slots`` and ``rows``; a sum that makes the reads happen.
    """
    for b in range(size):
        u = nodes[slots[b]]
        rows[b, 0], rows[b, 1] = np.int64(out_begin[u]), np.int64(out_end[u])
        rows[b, 2], rows[b, 3] = np.int64(in_begin[u]), np.int64(in_end[u])
    kept, touched = 0, np.int64(0)
    for b in range(size):
        degree = np.int64(0)
        if follow_out:
            degree += rows[b, 1] - rows[b, 0]
        if follow_in:
            degree += rows[b, 3] - rows[b, 2]
        s = slots[b]
        state[s, DEGREE] = np.float64(degree)
        if state[s, RESIDUAL] > epsilon * degree:
            slots[kept] = s
            for c in range(4):
                rows[kept, c] = rows[b, c]
            if follow_out and rows[kept, 0] < rows[kept, 1]:
                touched += tail[rows[kept, 0]]
            if follow_in and rows[kept, 2] < rows[kept, 3]:
                touched += in_head[rows[kept, 2]]
            kept += 1
    return kept, touched


@jit
def _give(
    ends: Ids, first: int, last: int, share: float, epsilon: float, nodes: Ids, state: Floats, table: Longs,
    queue: Ids, count: int, back: int,
) -> tuple[int, int]:  # fmt: skip
    """Add a share to the residual of each node in a row; those that may have too much wait for a push."""
    mask = len(queue) - 1
    for e in range(first, last):
        v = ends[e]
        t = _slot_for(table, v, count)
        if t == count:
            nodes[t] = v
            state[t, RESIDUAL], state[t, SETTLED], state[t, DEGREE], state[t, WAITS] = 0.0, 0.0, -1.0, 0.0
            count += 1
        state[t, RESIDUAL] += share
        if state[t, WAITS] == 0.0 and state[t, RESIDUAL] > epsilon * max(1.0, state[t, DEGREE]):
            queue[back & mask] = t
            state[t, WAITS] = 1.0
            back += 1
    return count, back


@jit
def _kth(state: Floats, restart: float, k: int) -> float:
    """The k-th largest score so far; 0 where there are not so many."""
    n = len(state)
    if n <= k:
        return 0.0
    return float(np.partition(state[:, SETTLED] + restart * state[:, RESIDUAL], n - k)[n - k])


@jit
def push(
    out_begin: Pointers, out_end: Pointers, tail: Ids, in_begin: Pointers, in_end: Pointers, in_head: Ids,
    seeds: Ids, restart: float, follow_out: bool, follow_in: bool,
    k: int, tolerance: float, least_edges: int, edge_budget: int,
) -> Pushed:  # fmt: skip
    """Push until ``restart`` times the residual an edge may hold is at most ``tolerance`` times the k-th score.

    ``epsilon`` is what a residual may be for each triple of its node; it falls by four until the rule holds and
    ``least_edges`` were walked (a few hubs at the beginning look like an end), or nothing is left to push, or
    ``edge_budget`` is reached.
    """
    capacity = _LEAST_CAPACITY
    while capacity < 2 * len(seeds):
        capacity *= 2
    nodes, state, table = _with_room(np.empty(0, dtype=np.int32), np.empty((0, 4)), 0, capacity)
    queue = np.empty(capacity, dtype=np.int32)
    slots, rows = np.empty(_BLOCK, dtype=np.int64), np.empty((_BLOCK, 4), dtype=np.int64)
    count, _ = _give(seeds, 0, len(seeds), 1.0 / len(seeds), 2.0, nodes, state, table, queue, 0, 0)
    epsilon, dropped, edges, touched = 1e-3, 0.0, np.int64(0), np.int64(0)
    while True:
        front, back = 0, 0
        for s in range(count):
            state[s, WAITS] = 0.0
            if state[s, RESIDUAL] > epsilon * max(1.0, state[s, DEGREE]):
                queue[back], state[s, WAITS] = s, 1.0
                back += 1
        while front < back and edges <= edge_budget:
            size = min(_BLOCK, back - front)
            for b in range(size):
                slots[b] = queue[(front + b) & (len(queue) - 1)]
                state[slots[b], WAITS] = 0.0
            front += size
            kept, seen = _read_block(
                out_begin, out_end, tail, in_begin, in_end, in_head,
                follow_out, follow_in, nodes, state, epsilon, slots, rows, size,
            )  # fmt: skip
            touched ^= seen
            for b in range(kept):
                s = slots[b]
                r, degree = state[s, RESIDUAL], state[s, DEGREE]
                state[s, RESIDUAL] = 0.0
                state[s, SETTLED] += restart * r
                if degree == 0.0:
                    dropped += (1.0 - restart) * r
                    continue
                edges += np.int64(degree)
                if count + degree > capacity:
                    # The queue keeps its order: it holds each node once at most, so it has room for all of them.
                    waiting = back - front
                    larger = np.empty(waiting, dtype=np.int32)
                    for q in range(waiting):
                        larger[q] = queue[(front + q) & (len(queue) - 1)]
                    while count + degree > capacity:
                        capacity *= 2
                    nodes, state, table = _with_room(nodes, state, count, capacity)
                    queue = np.empty(capacity, dtype=np.int32)
                    queue[:waiting] = larger
                    front, back = 0, waiting
                share = (1.0 - restart) * r / degree
                if follow_out:
                    count, back = _give(
                        tail, rows[b, 0], rows[b, 1], share, epsilon, nodes, state, table, queue, count, back
                    )
                if follow_in:
                    count, back = _give(
                        in_head, rows[b, 2], rows[b, 3], share, epsilon, nodes, state, table, queue, count, back
                    )
        left = state[:count, RESIDUAL].sum()
        near = edges >= least_edges and restart * epsilon <= tolerance * _kth(state[:count], restart, k)
        if near or left < _GONE or edges > edge_budget:
            break
        epsilon *= 0.25
    # ``touched`` is used, so that the compiler keeps the reads that bring rows near.
    spent = bool(edges > edge_budget or touched == -1)
    return Pushed(nodes[:count].copy(), state[:count].copy(), table, edges, dropped, spent)


@jit
def sweep(
    out_begin: Pointers, out_end: Pointers, tail: Ids, in_begin: Pointers, in_end: Pointers, in_head: Ids,
    seeds: Ids, restart: float, follow_out: bool, follow_in: bool, k: int, tolerance: float, edge_budget: int,
) -> Pushed:  # fmt: skip
    """`push` over arrays with one entry a node, in order of id, with the same rule for its end."""
    n = len(out_begin)
    state = np.zeros((n, 4))
    for u in range(n):
        state[u, DEGREE] = walk_degree(out_begin, out_end, in_begin, in_end, u, follow_out, follow_in)
    for s in seeds:
        state[s, RESIDUAL] += 1.0 / len(seeds)
    epsilon, dropped, edges = 1e-4, 0.0, np.int64(0)
    while edges <= edge_budget:
        pushed = False
        for u in range(n):
            r, degree = state[u, RESIDUAL], state[u, DEGREE]
            if r <= epsilon * degree or r == 0.0:
                continue
            pushed = True
            state[u, RESIDUAL] = 0.0
            state[u, SETTLED] += restart * r
            if degree == 0.0:
                dropped += (1.0 - restart) * r
                continue
            edges += np.int64(degree)
            share = (1.0 - restart) * r / degree
            if follow_out:
                for e in range(np.int64(out_begin[u]), np.int64(out_end[u])):
                    state[tail[e], RESIDUAL] += share
            if follow_in:
                for e in range(np.int64(in_begin[u]), np.int64(in_end[u])):
                    state[in_head[e], RESIDUAL] += share
        if not pushed:
            if restart * epsilon <= tolerance * _kth(state, restart, k) or state[:, RESIDUAL].sum() < _GONE:
                break
            epsilon *= 0.1
    no_table = np.empty(0, dtype=np.int64)
    return Pushed(np.arange(n).astype(np.int32), state, no_table, edges, dropped, bool(edges > edge_budget))
