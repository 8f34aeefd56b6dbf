"""Local personalized PageRank for graphs of any size: forward push that stores only the touched nodes.

The residual of Andersen et al., "Local Graph Partitioning using PageRank Vectors" (FOCS 2006), is pushed until the mass
that an edge may still bring can hardly change the best ``k`` nodes. The rest lies thinly on hubs, where pushing along a
million edges does not pay; `graphbrick.kernels.pagerank.refine_ppr` corrects for it. `sweep` does the same over
arrays with one entry per node, which is faster in small graphs.

The state of a node is a row of four numbers, so that a visit costs one memory read: the residual, the settled mass, the
number of triples that a walk can take from the node (-1 while unknown), and whether the node waits for a push. A hash
table gives the row number of a node, its slot.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Rows
from graphbrick.kernels.degrees import walk_degrees
from graphbrick.kernels.hashing import slot_for, slots_of
from graphbrick.kernels.jit import jit
from graphbrick.kernels.pagerank import ppr
from graphbrick.kernels.selection import kth_largest
from graphbrick.kernels.slices import SLICE

Ids: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

RESIDUAL, SETTLED, DEGREE, WAITS = 0, 1, 2, 3
_BLOCK = 32  # rows that are requested before any is used, so that the memory reads overlap
_LEAST_CAPACITY = 1 << 16
_GONE = 1e-12  # a residual mass that changes no digit of a score


class Pushed(NamedTuple):
    """Result of a push: settled mass and remaining residuals.

    Attributes:
        nodes: int32 [touched], in order of discovery.
        state: float64 [touched, 4]; see the module.
        table: int64, for `slot_of`.
        edges: Edges walked.
        dropped: Mass lost at dead ends.
        spent: Whether the edge budget ended the search.
    """

    nodes: Ids
    state: Floats
    table: Longs
    edges: int
    dropped: float
    spent: bool


@jit
def _grown(nodes: Ids, state: Floats, count: int, capacity: int) -> tuple[Ids, Floats, Longs]:
    """Return nodes and state with room for ``capacity`` entries, and the slots of the first ``count``."""
    larger, wider = np.empty(capacity, dtype=np.int32), np.empty((capacity, 4))
    for slot in range(count):
        larger[slot] = nodes[slot]
        for column in range(4):
            wider[slot, column] = state[slot, column]
    return larger, wider, slots_of(larger, count, capacity)


@jit
def _read_block(
    rows: Rows, follow_out: bool, follow_in: bool, nodes: Ids, state: Floats, epsilon: float,
    slots: Longs, ends: Longs, size: int,
) -> tuple[int, np.int64]:  # fmt: skip
    """Read the row pointers of ``size`` slots, and keep the slots whose residual is to be pushed.

    No read depends on an earlier one, so they overlap: first the pointers of all slots, then the first neighbour of
    each kept slot. This brings the rows into the cache for the push.

    Returns:
        The number of kept slots, which are at the front of ``slots`` and ``ends``; a sum that keeps the compiler from
        dropping the reads.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    for b in range(size):
        u = nodes[slots[b]]
        ends[b, 0], ends[b, 1] = np.int64(out_begin[u]), np.int64(out_end[u])
        ends[b, 2], ends[b, 3] = np.int64(in_begin[u]), np.int64(in_end[u])
    kept, touched = 0, np.int64(0)
    for b in range(size):
        degree = np.int64(0)
        if follow_out:
            degree += ends[b, 1] - ends[b, 0]
        if follow_in:
            degree += ends[b, 3] - ends[b, 2]
        s = slots[b]
        state[s, DEGREE] = np.float64(degree)
        if state[s, RESIDUAL] > epsilon * degree:
            slots[kept] = s
            for c in range(4):
                ends[kept, c] = ends[b, c]
            if follow_out and ends[kept, 0] < ends[kept, 1]:
                touched += tail[ends[kept, 0]]
            if follow_in and ends[kept, 2] < ends[kept, 3]:
                touched += in_head[ends[kept, 2]]
            kept += 1
    return kept, touched


@jit
def _give(
    ends: Ids, first: int, last: int, share: float, epsilon: float, nodes: Ids, state: Floats, table: Longs,
    queue: Ids, count: int, back: int,
) -> tuple[int, int]:  # fmt: skip
    """Add a share to the residual of each node in a row; queue nodes that may now exceed the threshold."""
    mask = len(queue) - 1
    for e in range(first, last):
        v = ends[e]
        t = slot_for(table, v, count)
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
def estimates(state: Floats, count: int, restart: float) -> Floats:
    """Return the scores of the first ``count`` slots so far: settled mass, and what settles of the residual first."""
    scores = np.empty(count)
    for s in range(count):
        scores[s] = state[s, SETTLED] + restart * state[s, RESIDUAL]
    return scores


@jit
def residual_mass(state: Floats, count: int) -> float:
    """Return the sum of the residuals of the first ``count`` slots."""
    total = 0.0
    for s in range(count):
        total += state[s, RESIDUAL]
    return total


@jit
def _kth(scores: Floats, k: int) -> float:
    """Return the k-th largest score, 0 if there are at most k; changes the order of the scores."""
    return kth_largest(scores, k) if len(scores) > k else 0.0


class _Push(NamedTuple):
    """State of a push between two slices.

    Attributes:
        nodes: int32 [capacity], the nodes touched.
        state: float64 [capacity, 4]; see the module.
        table: int64, for `slot_of`.
        queue: int32 [capacity], a ring of slots to be pushed.
        cursor: int64 [4]: number of nodes, begin and end of the ring, and edges walked.
        mass: float64 [2]: the residual that a node may hold per triple, and the mass lost at dead ends.
    """

    nodes: Ids
    state: Floats
    table: Longs
    queue: Ids
    cursor: Longs
    mass: Floats


_COUNT, _FRONT, _BACK, _EDGES = range(4)
_EPSILON, _DROPPED = range(2)


def push(
    rows: Rows, seeds: Ids, restart: float, follow_out: bool, follow_in: bool,
    k: int, tolerance: float, least_edges: int, edge_budget: int,
) -> Pushed:  # fmt: skip
    """Push until ``restart`` times the residual an edge may hold is at most ``tolerance`` times the k-th score.

    ``epsilon`` is the residual that a node may hold per triple. It is divided by four until the rule holds and at least
    ``least_edges`` edges were walked, or nothing is left to push, or ``edge_budget`` is reached. The minimum is needed
    because with a few hubs at the beginning the rule may hold too early. The work can be stopped between two slices.
    """
    pushing, done = _start(seeds), False
    while not done:
        check_limits()
        pushing, done = _push_on(
            rows, pushing, restart, follow_out, follow_in, k, tolerance, least_edges, edge_budget, SLICE
        )
    count, edges = int(pushing.cursor[_COUNT]), int(pushing.cursor[_EDGES])
    # Copy, because the arrays have spare capacity.
    nodes, state = pushing.nodes[:count].copy(), pushing.state[:count].copy()
    return Pushed(nodes, state, pushing.table, edges, float(pushing.mass[_DROPPED]), edges > edge_budget)


@jit
def _start(seeds: Ids) -> _Push:
    """Return the start of a push: every seed holds its share of the mass as residual, and the queue is filled."""
    capacity = _LEAST_CAPACITY
    while capacity < 2 * len(seeds):
        capacity *= 2
    nodes, state, table = _grown(np.empty(0, dtype=np.int32), np.empty((0, 4)), np.int64(0), capacity)
    queue = np.empty(capacity, dtype=np.int32)
    none = np.int64(0)
    count, _ = _give(seeds, none, len(seeds), 1.0 / len(seeds), 2.0, nodes, state, table, queue, none, none)
    pushing = _Push(nodes, state, table, queue, np.array([count, 0, 0, 0]), np.array([1e-3, 0.0]))
    pushing.cursor[_BACK] = _fill_queue(state, queue, count, 1e-3)
    return pushing


@jit
def _fill_queue(state: Floats, queue: Ids, count: int, epsilon: float) -> int:
    """Queue every slot whose residual exceeds the threshold; return their number."""
    back = 0
    for s in range(count):
        state[s, WAITS] = 0.0
        if state[s, RESIDUAL] > epsilon * max(1.0, state[s, DEGREE]):
            queue[back], state[s, WAITS] = s, 1.0
            back += 1
    return back


@jit
def _unrolled(queue: Ids, front: int, back: int, capacity: int) -> Ids:
    """Return a larger ring with the queued slots at its beginning, in the same order."""
    larger = np.empty(capacity, dtype=np.int32)
    for q in range(back - front):
        larger[q] = queue[(front + q) & (len(queue) - 1)]
    return larger


@jit
def _push_on(
    rows: Rows, pushing: _Push, restart: float, follow_out: bool, follow_in: bool,
    k: int, tolerance: float, least_edges: int, edge_budget: int, most_edges: int,
) -> tuple[_Push, bool]:  # fmt: skip
    """Continue a push until its rule holds or about ``most_edges`` edges are read; return whether it is done."""
    tail, in_head = rows.tail, rows.in_head
    nodes, state, table, queue, cursor, mass = pushing
    count, front, back, edges = cursor[_COUNT], cursor[_FRONT], cursor[_BACK], cursor[_EDGES]
    epsilon, dropped, touched, done = mass[_EPSILON], mass[_DROPPED], np.int64(0), False
    until = min(edges + most_edges, np.int64(edge_budget))
    slots, ends = np.empty(_BLOCK, dtype=np.int64), np.empty((_BLOCK, 4), dtype=np.int64)
    while True:
        while front < back and edges <= until:
            size = min(_BLOCK, back - front)
            for b in range(size):
                slots[b] = queue[(front + b) & (len(queue) - 1)]
                state[slots[b], WAITS] = 0.0
            front += size
            kept, seen = _read_block(rows, follow_out, follow_in, nodes, state, epsilon, slots, ends, size)
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
                if count + degree > len(nodes):
                    capacity = len(nodes)
                    while count + degree > capacity:
                        capacity *= 2
                    # The queue holds each node at most once, so a capacity of one slot per node is enough.
                    queue = _unrolled(queue, front, back, capacity)
                    front, back = np.int64(0), back - front
                    nodes, state, table = _grown(nodes, state, count, capacity)
                share = (1.0 - restart) * r / degree
                if follow_out:
                    count, back = _give(
                        tail, ends[b, 0], ends[b, 1], share, epsilon, nodes, state, table, queue, count, back
                    )
                if follow_in:
                    count, back = _give(
                        in_head, ends[b, 2], ends[b, 3], share, epsilon, nodes, state, table, queue, count, back
                    )
        if front < back and edges <= edge_budget:
            break  # the slice is used up
        left = residual_mass(state, count)
        near = edges >= least_edges and restart * epsilon <= tolerance * _kth(estimates(state, count, restart), k)
        # ``touched`` is never -1; using it keeps the compiler from dropping the prefetching reads.
        done = near or left < _GONE or edges > edge_budget or touched == -1
        if done:
            break
        epsilon *= 0.25
        front, back = np.int64(0), np.int64(_fill_queue(state, queue, count, epsilon))
    cursor[_COUNT], cursor[_FRONT], cursor[_BACK], cursor[_EDGES] = count, front, back, edges
    mass[_EPSILON], mass[_DROPPED] = epsilon, dropped
    return _Push(nodes, state, table, queue, cursor, mass), done


def sweep(
    rows: Rows, seeds: Ids, restart: float, follow_out: bool, follow_in: bool,
    k: int, tolerance: float, edge_budget: int,
) -> Pushed:  # fmt: skip
    """Do the same as `push` in sweeps over arrays with one entry per node, with the same stopping rule."""
    n = len(rows.out_begin)
    score, residual = np.zeros(n), np.zeros(n)
    np.add.at(residual, seeds, 1.0 / len(seeds))
    mass = np.array([1.0, 0.0, 0.0, 1e-4])
    edges = 0
    while True:
        epsilon, node, pushed = mass[ppr.EPSILON], 0, False
        while node < n:
            check_limits()
            node, pushed, read = ppr.sweep(
                rows, score, residual, mass, restart, follow_out, follow_in, node, pushed, SLICE
            )
            edges += int(read)
        if not pushed and (
            mass[ppr.LEFT] < _GONE or restart * epsilon <= tolerance * _kth(score + restart * residual, k)
        ):
            break
        if edges > edge_budget:
            break
    state = np.zeros((n, 4))
    state[:, RESIDUAL], state[:, SETTLED] = residual, score
    state[:, DEGREE] = walk_degrees(rows, follow_out, follow_in)
    no_table = np.empty(0, dtype=np.int64)
    return Pushed(np.arange(n, dtype=np.int32), state, no_table, edges, float(mass[ppr.DROPPED]), edges > edge_budget)
