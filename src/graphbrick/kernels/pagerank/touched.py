"""State of a local algorithm (the touched nodes), with its two steps: forward push and random walks.

Memory grows with the number of touched nodes and not with the graph: scores and residuals are in growing arrays, and a
hash table maps node ids to them. Forward push settles residual mass and passes the rest on; random walks start from the
residuals that are left. Both go along the triples (``follow_out``), against them (``follow_in``), or both ways, and
count parallel triples separately. Mass at a dead end is dropped. Dividing by the sum of the scores turns that into a
restart at the seeds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Rows
from graphbrick.kernels.degrees import row_bounds, walk_degree
from graphbrick.kernels.hashing import GOLDEN, grow, slot_for, slot_table, slots_of
from graphbrick.kernels.jit import inlined, jit
from graphbrick.kernels.slices import SLICE

_HALF = np.uint64(32)
_UNKNOWN = np.int64(2**62)
_BLOCK = 32  # rows that are prefetched at once, so that the reads overlap
_AHEAD = 64  # entries prefetched per row


class Touched(NamedTuple):
    """The nodes touched so far. Node ``node[i]`` has slot i; slots are in the order of first touch.

    Attributes:
        table: int64 [a power of two], the map from nodes to slots; see `graphbrick.kernels.hashing`.
        used: int64 [1], the number of slots in use.
        node: int32 [capacity].
        degree: int64 [capacity], the number of triples that a walk can take from the node.
        score: float64 [capacity], mass that is settled.
        residual: float64 [capacity], mass that is still to be settled or passed on.
        estimate: float64 [capacity], for the caller.
        queued: bool [capacity], whether the node is to be pushed.
        queue: int32 [capacity], slots to be pushed in this round.
        following: int32 [capacity], slots to be pushed in the next round.
    """

    table: npt.NDArray[np.int64]
    used: npt.NDArray[np.int64]
    node: npt.NDArray[np.int32]
    degree: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]
    residual: npt.NDArray[np.float64]
    estimate: npt.NDArray[np.float64]
    queued: npt.NDArray[np.bool_]
    queue: npt.NDArray[np.int32]
    following: npt.NDArray[np.int32]


@jit
def nothing_touched(capacity: int) -> Touched:
    """Return arrays for ``capacity`` nodes, none of which is touched yet."""
    return Touched(
        slot_table(capacity),
        np.zeros(1, dtype=np.int64),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity, dtype=np.bool_),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
    )


@jit
def touch(near: Touched, node: int) -> np.int64:
    """Return the slot of a node, a new one if it was not touched before; call `with_capacity` first.

    The degree of a new slot is left for the caller to fill in.
    """
    new = near.used[0]
    i = slot_for(near.table, node, new)
    if i == new:
        near.used[0] = new + 1
        near.node[i] = node
        near.score[i] = near.residual[i] = near.estimate[i] = 0.0
        near.queued[i] = False
    return i


@jit
def add_estimates(near: Touched, nodes: npt.NDArray[np.int32], amount: float) -> None:
    """Add ``amount`` to the estimate of each node, once per occurrence; nodes below 0 are skipped.

    The degree of a new slot is left for the caller to fill in. Call `with_capacity` for all nodes first.
    """
    # Unpack the arrays: passing the tuple of ten to a function costs reference counting on every call.
    table, node, score, residual = near.table, near.node, near.score, near.residual
    estimate, queued, count = near.estimate, near.queued, near.used[0]
    for v in nodes:
        if v < 0:
            continue
        i = slot_for(table, v, count)
        if i == count:
            node[i] = v
            score[i] = residual[i] = estimate[i] = 0.0
            queued[i] = False
            count += 1
        estimate[i] += amount
    near.used[0] = count


@jit
def with_capacity(near: Touched, more: int) -> Touched:
    """Return the same nodes, with room for ``more`` further ones."""
    count = near.used[0]
    if count + more <= len(near.node):
        return near
    capacity = 2 * (count + more)
    table = near.table
    if len(table) < 2 * capacity:
        table = slots_of(near.node, count, capacity)
    return Touched(
        table,
        near.used,
        grow(near.node, capacity),
        grow(near.degree, capacity),
        grow(near.score, capacity),
        grow(near.residual, capacity),
        grow(near.estimate, capacity),
        grow(near.queued, capacity),
        grow(near.queue, capacity),
        grow(near.following, capacity),
    )


@jit
def start_at(rows: Rows, seeds: npt.NDArray[np.int32], follow_out: bool, follow_in: bool) -> Touched:
    """Return the seeds, each with its share of the mass as residual; a seed given twice has twice the share."""
    near = nothing_touched(max(1024, len(seeds)))
    for s in seeds:
        i = touch(near, s)
        near.residual[i] += 1.0 / len(seeds)
        near.degree[i] = walk_degree(rows, s, follow_out, follow_in)
    return near


def forward_push(
    rows: Rows, near: Touched, restart: float, follow_out: bool, follow_in: bool, r_max: float
) -> tuple[Touched, int]:
    """Push until no residual is above ``r_max`` times the degree of its node, in rounds (Andersen et al., FOCS 2006).

    Every push keeps this invariant: the exact score of a node is its settled score plus the sum over all residuals of
    the residual times the score of the node for walks from there. The work can be stopped between two slices.

    Returns:
        The nodes touched so far, and the number of edges read.
    """
    edges, done = 0, False
    while not done:
        check_limits()
        near, read, done = _push(rows, near, restart, follow_out, follow_in, r_max, SLICE)
        edges += read
    return near, edges


@jit
def _push(
    rows: Rows, near: Touched, restart: float, follow_out: bool, follow_in: bool, r_max: float, most_edges: int
) -> tuple[Touched, np.int64, bool]:
    """Push until no residual is too large or about ``most_edges`` edges are read; return whether it is done."""
    # Separate arrays: a call per edge that passes arrays would take as long as the edge itself.
    tail, in_head = rows.tail, rows.in_head
    table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
    count, edges = counter[0], np.int64(0)
    ready = _queue_large(0, count, r_max, degrees, residual, queued, queue, 0)
    while ready and edges < most_edges:
        waiting = 0
        read, seen = np.int32(0), np.int64(0)
        for position in range(ready):
            if edges >= most_edges:
                break
            if position % _BLOCK == 0:
                read |= read_rows_ahead(rows, follow_out, follow_in, node, queue, position, ready)
                seen |= _read_slots_ahead(rows, follow_out, follow_in, node, table, queue, position, ready)
            i = queue[position]
            r, degree = residual[i], degrees[i]
            queued[i] = False
            residual[i] = 0.0
            score[i] += restart * r
            if degree == 0:
                continue
            u = node[i]
            edges += degree
            if count + degree > len(node):
                counter[0] = count
                near = Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following)
                near = with_capacity(near, degree)
                table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
            before = count
            share = (1.0 - restart) * r / degree
            for direction in range(2):
                if not (follow_out if direction == 0 else follow_in):
                    continue
                begin, end = row_bounds(rows, u, direction)
                for e in range(begin, end):
                    v = tail[e] if direction == 0 else in_head[e]
                    j = slot_for(table, v, count)
                    if j == count:
                        count += 1
                        node[j] = v
                        score[j] = estimate[j] = 0.0
                        residual[j] = share
                        degrees[j] = _UNKNOWN
                        queued[j] = False
                        continue
                    residual[j] += share
                    if residual[j] > r_max * degrees[j] and not queued[j]:
                        queued[j] = True
                        following[waiting] = j
                        waiting += 1
            for new in range(before, count):
                degrees[new] = walk_degree(rows, node[new], follow_out, follow_in)
            waiting = _queue_large(before, count, r_max, degrees, residual, queued, following, waiting)
        if read < 0:  # never true, as ids are >= 0; using both keeps the compiler from dropping the prefetches
            edges += seen & np.int64(1)
        for i in range(waiting):
            queue[i] = following[i]
        ready = waiting
    counter[0] = count
    near = Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following)
    return near, edges, edges < most_edges


@inlined
def _queue_large(
    first: int,
    last: int,
    r_max: float,
    degrees: npt.NDArray[np.int64],
    residual: npt.NDArray[np.float64],
    queued: npt.NDArray[np.bool_],
    queue: npt.NDArray[np.int32],
    length: int,
) -> int:
    """Append the slots [first, last) whose residual is too large to a queue; return its new length."""
    for i in range(first, last):
        if residual[i] > r_max * degrees[i]:
            queued[i] = True
            queue[length] = i
            length += 1
    return length


@inlined
def read_rows_ahead(
    rows: Rows,
    follow_out: bool,
    follow_in: bool,
    node: npt.NDArray[np.int32],
    queue: npt.NDArray[np.int32],
    position: int,
    ready: int,
) -> np.int32:
    """Read the first entry of the rows of the next queued nodes, so that they are in the cache when needed.

    Returns:
        At least 0. The caller must use it, or the compiler drops the reads.
    """
    read = np.int32(0)
    for ahead in range(position, min(position + _BLOCK, ready)):
        u = node[queue[ahead]]
        if follow_out and rows.out_begin[u] < rows.out_end[u]:
            read |= rows.tail[rows.out_begin[u]]
        if follow_in and rows.in_begin[u] < rows.in_end[u]:
            read |= rows.in_head[rows.in_begin[u]]
    return read


@inlined
def _read_slots_ahead(
    rows: Rows,
    follow_out: bool,
    follow_in: bool,
    node: npt.NDArray[np.int32],
    table: npt.NDArray[np.int64],
    queue: npt.NDArray[np.int32],
    position: int,
    ready: int,
) -> np.int64:
    """Read the table entries of the first neighbours of the next queued nodes; the caller must use the result."""
    mask, seen = np.uint64(len(table) - 1), np.int64(0)
    for ahead in range(position, min(position + _BLOCK, ready)):
        u = node[queue[ahead]]
        if follow_out:
            begin = np.int64(rows.out_begin[u])
            for e in range(begin, min(begin + _AHEAD, np.int64(rows.out_end[u]))):
                seen |= table[(np.uint64(rows.tail[e]) * GOLDEN >> _HALF) & mask]
        if follow_in:
            begin = np.int64(rows.in_begin[u])
            for e in range(begin, min(begin + _AHEAD, np.int64(rows.in_end[u]))):
                seen |= table[(np.uint64(rows.in_head[e]) * GOLDEN >> _HALF) & mask]
    return seen


def best_touched(
    near: Touched, scores: npt.NDArray[np.float64], k: int, total: float
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return the ``k`` nodes with the highest scores above 0, ties to the lower id, and their shares of the total.

    Args:
        near: The nodes touched.
        scores: float64 [slots].
        k: Number of nodes.
        total: Divisor of all scores.

    Returns:
        int32 and float64, highest score first.
    """
    count = int(near.used[0])
    scores = scores[:count]
    cut = np.partition(scores, count - k)[count - k] if count > k else 0.0
    slots = np.flatnonzero((scores >= cut) & (scores > 0.0))
    slots = slots[np.lexsort((near.node[slots], -scores[slots]))][:k]
    return near.node[slots], scores[slots] / total
