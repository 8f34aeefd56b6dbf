"""FORA: forward push, then random walks from what it left; a published rival that ours is compared with.

Wang et al., "FORA: Simple and Effective Approximate Single-Source Personalized PageRank" (KDD 2017), with what its
authors added later (ACM TODS 44(4), 2019): walks that take their first step for certain, and a push that goes on as
long as the walks would take longer than it did.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.degrees import walk_degree
from graphbrick.kernels.jit import jit
from graphbrick.kernels.random_walk import mix
from graphbrick.kernels.touched import (
    GOLDEN,
    Touched,
    add_estimates,
    best_touched,
    forward_push,
    start_at,
    step_all,
    with_room,
)

_STEP = 0.5  # one step of a walk takes as long as pushing along so many edges
_AT_ONCE = 4096  # walks
_COARSE = 1e-3  # the threshold that the push begins with


@jit
def walks_needed(epsilon: float, delta: float, failure: float) -> float:
    """How many walks a unit of residual mass needs (Theorem 1 of the paper).

    With them, every score above ``delta`` is off by at most ``epsilon`` times itself with probability 1 - ``failure``.
    """
    return (2.0 * epsilon / 3.0 + 2.0) * math.log(2.0 / failure) / (epsilon * epsilon * delta)


@jit
def published_threshold(epsilon: float, delta: float, failure: float, edges: int) -> float:
    """Where the push of the first paper ends: both parts take equally long if all edges of the graph are touched."""
    return epsilon / math.sqrt(edges) * math.sqrt(delta / ((2.0 * epsilon / 3.0 + 2.0) * math.log(2.0 / failure)))


@jit
def _push_while_cheaper(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    near: Touched,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    r_max: float,
    edges: np.int64,
    walks: float,
    enough: float,
) -> tuple[Touched, float, np.int64, float]:
    """Halve the threshold until the walks would take no longer than the push did, or ``enough`` residual is left.

    Returns:
        What is touched, the threshold that comes next, all edges looked at, and the residual mass.
    """
    while True:
        left = 0.0
        for i in range(near.used[0]):
            left += near.residual[i]
        # A walk takes 1 / restart steps.
        if left <= enough or edges >= _STEP * (1.0 - restart) * left * walks / restart:
            return near, r_max, edges, left
        near, more = forward_push(
            out_begin, out_end, tail, in_begin, in_end, in_head, near, restart, follow_out, follow_in, r_max
        )
        edges += more
        r_max /= 2.0


@jit
def _walk_on(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    near: Touched,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    walks: float,
    state: np.uint64,
) -> tuple[Touched, np.uint64, np.int64]:
    """Fill in the estimates: what is settled, and where walks from the residuals end.

    A residual r starts r * ``walks`` walks, rounded up or down by chance so that it is right on average. The paper
    rounds up and gives each walk a weight of its own, which costs a walk for every node touched.

    Returns:
        What is touched, the next state of the random numbers, and the number of steps.
    """
    steps = np.int64(0)
    sources = near.used[0]
    for i in range(sources):
        near.estimate[i] = near.score[i] + restart * near.residual[i]
    at = np.empty(_AT_ONCE, dtype=np.int32)
    walking = np.empty(_AT_ONCE, dtype=np.int32)
    entry = np.empty(_AT_ONCE, dtype=np.int64)
    filled = 0
    source, due = -1, np.int64(0)
    while True:
        while due == 0 and source + 1 < sources:
            source += 1
            wanted = (1.0 - restart) * near.residual[source] * walks
            if wanted > 0.0:
                state += GOLDEN
                due = np.int64(wanted + np.float64(mix(state) >> np.uint64(11)) * 2.0**-53)
        if due > 0:
            more = _AT_ONCE - filled
            if due < more:
                more = int(due)
            at[filled : filled + more] = near.node[source]
            filled += more
            due -= more
        if due == 0 and source + 1 < sources and filled < _AT_ONCE:
            continue
        if filled == 0:
            for i in range(sources, near.used[0]):  # touched by a walk alone
                near.degree[i] = walk_degree(out_begin, out_end, in_begin, in_end, near.node[i], follow_out, follow_in)
            return near, state, steps
        for number in range(filled):
            walking[number] = number
        n_walking, chance = filled, 0.0  # the first step is taken for certain: its share was settled above
        while n_walking:
            state, n_walking = step_all(
                out_begin,
                out_end,
                tail,
                in_begin,
                in_end,
                in_head,
                chance,
                follow_out,
                follow_in,
                state,
                at,
                walking,
                entry,
                n_walking,
            )
            steps += n_walking
            chance = restart
        near = with_room(near, filled)
        add_estimates(near, at[:filled], 1.0 / walks)
        filled = 0


@jit
def fora(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    k: int,
    epsilon: float,
    delta: float,
    failure: float,
    r_max: float,
    seed: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], np.int64]:
    """The ``k`` best nodes, where every score above ``delta`` is off by at most ``epsilon`` times itself.

    That holds for a node with probability 1 - ``failure``, and for the scores before they are divided by their sum,
    which is 1 where no walk meets a node that it cannot leave.

    Args:
        seeds: int32, at least one; each starts an equal share of the walks.
        r_max: Where the push ends, for example `published_threshold`; 0 for as soon as the walks are cheaper.
        seed: Of the random numbers; the same seed gives the same result.

    Returns:
        int32 and float64 [at most k], highest score first, ties to the lower id; the number of edges looked at, which
        counts a step of a walk as one.
    """
    near = start_at(out_begin, out_end, in_begin, in_end, seeds, follow_out, follow_in)
    walks = walks_needed(epsilon, delta, failure)
    edges, left = np.int64(0), 0.0
    if r_max > 0.0:
        near, edges = forward_push(
            out_begin, out_end, tail, in_begin, in_end, in_head, near, restart, follow_out, follow_in, r_max
        )
        left = near.residual[: near.used[0]].sum()
    else:
        near, _, edges, left = _push_while_cheaper(
            out_begin,
            out_end,
            tail,
            in_begin,
            in_end,
            in_head,
            near,
            restart,
            follow_out,
            follow_in,
            _COARSE,
            edges,
            walks,
            epsilon * delta,
        )
    # Where all that is left is less than the error allowed, no walk is needed.
    state = mix(np.uint64(seed + 1) * GOLDEN)
    near, _, steps = _walk_on(
        out_begin,
        out_end,
        tail,
        in_begin,
        in_end,
        in_head,
        near,
        restart,
        follow_out,
        follow_in,
        walks if left > epsilon * delta else 0.0,
        state,
    )
    nodes, scores = best_touched(near, near.estimate, k, near.estimate[: near.used[0]].sum())
    return nodes, scores, edges + steps


@jit
def fora_top_k(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    k: int,
    epsilon: float,
    failure: float,
    seed: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], np.int64]:
    """The ``k`` best nodes, with scores that are off by at most ``epsilon`` times themselves.

    `fora` needs to know how small the k-th score is. This tries ``delta`` = 1 / k and goes on, with the push where it
    was and new walks, until the k-th estimate is at least (1 + ``epsilon``) ``delta``, or ``delta`` is 1 / nodes. Each
    time ``delta`` falls to a quarter, as the authors' program does.

    Returns:
        As `fora`.
    """
    near = start_at(out_begin, out_end, in_begin, in_end, seeds, follow_out, follow_in)
    least, delta = 1.0 / len(out_begin), 1.0 / k
    r_max, edges, total = _COARSE, np.int64(0), np.int64(0)
    state = mix(np.uint64(seed + 1) * GOLDEN)
    while True:
        delta = max(delta, least)
        walks = walks_needed(epsilon, delta, failure)
        near, r_max, edges, left = _push_while_cheaper(
            out_begin,
            out_end,
            tail,
            in_begin,
            in_end,
            in_head,
            near,
            restart,
            follow_out,
            follow_in,
            r_max,
            edges,
            walks,
            epsilon * delta,
        )
        near, state, steps = _walk_on(
            out_begin,
            out_end,
            tail,
            in_begin,
            in_end,
            in_head,
            near,
            restart,
            follow_out,
            follow_in,
            walks if left > epsilon * delta else 0.0,
            state,
        )
        total += steps
        count = near.used[0]
        if delta == least or (
            count >= k and np.partition(near.estimate[:count], count - k)[count - k] >= (1.0 + epsilon) * delta
        ):
            nodes, scores = best_touched(near, near.estimate, k, near.estimate[: near.used[0]].sum())
            return nodes, scores, edges + total
        delta /= 4.0
