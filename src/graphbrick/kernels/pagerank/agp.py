"""AGP: randomized forward propagation of personalized PageRank; a published alternative to our push.

Wang et al., "Approximate Graph Propagation" (KDD 2021): if the share that a node passes on is large, all successors get
it; otherwise a few successors drawn at random get a fixed small amount. The result is unbiased.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Rows
from graphbrick.kernels.hashing import GOLDEN, slot_for
from graphbrick.kernels.jit import inlined, jit
from graphbrick.kernels.pagerank.fora import Result, first_state
from graphbrick.kernels.pagerank.random_walk import mix
from graphbrick.kernels.pagerank.touched import (
    Touched,
    best_touched,
    read_rows_ahead,
    start_at,
    with_capacity,
)
from graphbrick.kernels.slices import SLICE

_BLOCK = 32  # rows that are read ahead at once, so that the reads overlap
_READY, _POSITION, _WAITING = range(3)

Ids = npt.NDArray[np.int32]


def randomized_forward(
    rows: Rows,
    seeds: Ids,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    k: int,
    theta: float,
    seed: int,
) -> Result:
    """Return the ``k`` best nodes by forward propagation; small shares go to a few random neighbours.

    Args:
        rows: The rows of the graph.
        seeds: int32, at least one.
        restart: Probability of going back to the seeds.
        follow_out: Walk along the triples.
        follow_in: Walk against the triples.
        k: How many nodes.
        theta: A share below ``theta`` is passed on as ``theta``, with the probability that makes it unbiased.
        seed: The seed of the random numbers; the same one gives the same result.

    Returns:
        int32 and float64 [at most k], highest score first, ties to the lower id; the number of edges read.
    """
    near = start_at(rows, seeds, follow_out, follow_in)
    near.queue[: near.used[0]] = np.arange(near.used[0])
    cursor, state, edges = np.array([near.used[0], 0, 0]), first_state(seed), 0
    while cursor[_READY]:
        check_limits()
        near, state, read = _forward_on(
            rows, near, cursor, restart, follow_out, follow_in, theta, np.uint64(state), SLICE
        )
        edges += read
    estimate = near.estimate
    return *best_touched(near, estimate, k, estimate[: near.used[0]].sum()), edges


@jit
def _forward_on(
    rows: Rows,
    near: Touched,
    cursor: npt.NDArray[np.int64],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    theta: float,
    state: np.uint64,
    most_edges: int,
) -> tuple[Touched, np.uint64, np.int64]:
    """Continue the forward propagation for about ``most_edges`` edges; return the number of edges read.

    Args:
        cursor: int64 [3]: queue length, next queue position, and length of the next queue; changed in place.
    """
    tail, in_head = rows.tail, rows.in_head
    table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
    count, edges = counter[0], np.int64(0)
    ready, position, waiting = cursor[_READY], cursor[_POSITION], cursor[_WAITING]
    while ready and edges < most_edges:
        if position == 0:
            _begin_level(queue[:ready], restart, score, residual, estimate)
            waiting = np.int64(0)
        read = np.int64(0)
        while position < ready and edges < most_edges:
            if position % _BLOCK == 0:
                read |= read_rows_ahead(rows, follow_out, follow_in, node, queue, position, ready)
            i = queue[position]
            position += 1
            u = node[i]
            o0, n_out, i0, degree = _joined_rows(rows, u, follow_out, follow_in)
            if degree == 0:
                continue
            share = (1.0 - restart) * score[i] / degree
            # Small shares: draw the gap to the next chosen neighbour (geometric), instead of a number per neighbour.
            skip = 0.0 if share >= theta else 1.0 / np.log1p(-share / theta)
            share = max(share, theta)
            state, e = _next_chosen(state, np.int64(-1), skip, degree)
            while e < degree:
                v = tail[o0 + e] if e < n_out else in_head[i0 + e]
                edges += 1
                if count == len(node):
                    counter[0] = count
                    near = Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following)
                    near = with_capacity(near, np.int64(1))
                    table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
                j = slot_for(table, v, count)
                if j == count:
                    count += 1
                    node[j] = v
                    residual[j] = estimate[j] = 0.0
                if residual[j] == 0.0:
                    following[waiting] = j
                    waiting += 1
                residual[j] += share
                state, e = _next_chosen(state, e, skip, degree)
        if read < 0:  # never, as ids are at least 0; but without a use the reads ahead would be left out
            edges += 1
        if position == ready:
            for i in range(waiting):
                queue[i] = following[i]
            ready, position = waiting, np.int64(0)
    counter[0] = count
    cursor[_READY], cursor[_POSITION], cursor[_WAITING] = ready, position, waiting
    return Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following), state, edges


@jit
def _begin_level(
    level: Ids,
    restart: float,
    score: npt.NDArray[np.float64],
    residual: npt.NDArray[np.float64],
    estimate: npt.NDArray[np.float64],
) -> None:
    """Settle a share of each residual of a level; the residual becomes the score that is passed on."""
    for i in level:
        estimate[i] += restart * residual[i]
        score[i] = residual[i]
        residual[i] = 0.0


@inlined
def _joined_rows(rows: Rows, u: int, follow_out: bool, follow_in: bool) -> tuple[np.int64, ...]:
    """Return how the neighbours of a node are counted through: outgoing entries first, then incoming ones.

    Returns:
        Where neighbour 0 is among the outgoing entries; how many of these there are; where neighbour 0 would be among
        the incoming entries; and the number of neighbours.
    """
    o0, i0 = np.int64(rows.out_begin[u]), np.int64(rows.in_begin[u])
    n_out = np.int64(rows.out_end[u]) - o0 if follow_out else np.int64(0)
    degree = n_out + (np.int64(rows.in_end[u]) - i0 if follow_in else np.int64(0))
    return o0, n_out, i0 - n_out, degree


@inlined
def _next_chosen(state: np.uint64, e: np.int64, skip: float, degree: np.int64) -> tuple[np.uint64, np.int64]:
    """Return the next state of the random numbers, and the neighbour after ``e`` that gets a share."""
    e += 1
    if skip < 0.0:
        state += GOLDEN
        drawn = np.float64((mix(state) >> np.uint64(11)) + np.uint64(1)) * 2.0**-53
        e += np.int64(min(np.log(drawn) * skip, np.float64(degree)))
    return state, e
