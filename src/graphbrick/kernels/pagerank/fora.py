"""FORA: forward push, then random walks from the residuals; a published baseline for our push.

Wang et al., "FORA: Simple and Effective Approximate Single-Source Personalized PageRank" (KDD 2017), with two
later additions of its authors (ACM TODS 44(4), 2019): the first step of a walk is always taken, and the push continues
as long as the walks would take longer than the push has taken.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Rows
from graphbrick.kernels.degrees import walk_degree
from graphbrick.kernels.hashing import GOLDEN
from graphbrick.kernels.jit import jit
from graphbrick.kernels.pagerank.random_walk import mix, mix_python, step_all
from graphbrick.kernels.pagerank.touched import (
    Touched,
    add_estimates,
    best_touched,
    forward_push,
    start_at,
    with_capacity,
)
from graphbrick.kernels.slices import SLICE

_STEP = 0.5  # cost of one step of a walk, in pushed edges
_AT_ONCE = 4096  # walks per batch
_COARSE = 1e-3  # first threshold of the push
_FIRST_WALK = -1

Result = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], int]


def walks_needed(epsilon: float, delta: float, failure: float) -> float:
    """Return the number of walks needed per unit of residual mass (Theorem 1 of the paper).

    Every score above ``delta`` then has a relative error of at most ``epsilon``, with probability 1 - ``failure``.
    """
    return (2.0 * epsilon / 3.0 + 2.0) * math.log(2.0 / failure) / (epsilon * epsilon * delta)


def first_state(seed: int) -> np.uint64:
    """Return the first state of the random number generator for a seed."""
    return np.uint64(mix_python((seed + 1) * int(GOLDEN) & (2**64 - 1)))


def fora_top_k(
    rows: Rows,
    seeds: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    k: int,
    epsilon: float,
    failure: float,
    seed: int,
) -> Result:
    """Return the ``k`` best nodes, with a relative error of the scores of at most ``epsilon``.

    The number of walks depends on a lower bound ``delta`` of the k-th score, at first 1 / k. The search ends when the
    k-th estimate is at least (1 + ``epsilon``) ``delta``, or ``delta`` is 1 / nodes. Otherwise it divides ``delta`` by
    four, as the authors' program does, continues the push and takes new walks. The error is that of the scores before
    they are divided by their sum; the sum is 1 if no walk meets a dead end.

    Args:
        rows: The rows of the graph.
        seeds: int32, at least one; each starts an equal share of the walks.
        restart: Probability of going back to the seeds.
        follow_out: Walk along the triples.
        follow_in: Walk against the triples.
        k: Number of nodes.
        epsilon: Allowed relative error.
        failure: Probability that the error of a node is larger.
        seed: The seed of the random numbers; the same one gives the same result.

    Returns:
        int32 and float64 [at most k], highest score first, ties to the lower id; the number of edges read, where a
        step of a walk counts as one.
    """
    near = start_at(rows, seeds, follow_out, follow_in)
    least, delta = 1.0 / len(rows.out_begin), 1.0 / k
    r_max, edges, steps, state = _COARSE, 0, 0, first_state(seed)
    while True:
        delta = max(delta, least)
        walks, enough = walks_needed(epsilon, delta, failure), epsilon * delta
        # Push with falling thresholds until the walks cost no more than the push; a walk takes 1 / restart steps.
        while (left := near.residual[: near.used[0]].sum()) > enough and (
            edges < _STEP * (1.0 - restart) * left * walks / restart
        ):
            near, more = forward_push(rows, near, restart, follow_out, follow_in, r_max)
            edges, r_max = edges + more, r_max / 2.0
        near, state, more = _estimate(rows, near, restart, follow_out, follow_in, walks, enough, state)
        steps += more
        estimate = near.estimate[: near.used[0]]
        is_enough = len(estimate) >= k and np.partition(estimate, len(estimate) - k)[-k] >= (1.0 + epsilon) * delta
        if delta == least or is_enough:
            return *best_touched(near, near.estimate, k, estimate.sum()), edges + steps
        delta /= 4.0


def _estimate(
    rows: Rows,
    near: Touched,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    walks: float,
    enough: float,
    state: np.uint64,
) -> tuple[Touched, np.uint64, int]:
    """Fill in the estimates: the settled mass plus the end points of walks from the residuals.

    If all residuals together are at most ``enough``, they are within the allowed error and no walk starts.

    Returns:
        The nodes touched, the next state of the random numbers, and the number of steps.
    """
    count = near.used[0]
    near.estimate[:count] = near.score[:count] + restart * near.residual[:count]
    if near.residual[:count].sum() <= enough:
        return near, state, 0
    source, due, total = _FIRST_WALK, 0, 0
    while source < count:
        check_limits()
        near, state, source, due, steps = _walk_on(
            rows, near, int(count), restart, follow_out, follow_in, walks, np.uint64(state), source, due, SLICE
        )
        total += steps
    return near, state, total


@jit
def _walk_on(
    rows: Rows,
    near: Touched,
    sources: int,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    walks: float,
    state: np.uint64,
    source: int,
    due: int,
    most_steps: int,
) -> tuple[Touched, np.uint64, int, int, int]:
    """Walk from the residuals until about ``most_steps`` steps are taken.

    A residual r starts r * ``walks`` walks, rounded randomly so that the number is unbiased. The paper rounds up and
    weights each walk instead, which costs at least one walk for every node touched.

    Args:
        source: Slot of the node where walks start, below ``sources``; -1 before the first.
        due: Number of walks that are still to start there.

    Returns:
        The nodes touched, the next state of the random numbers, the next ``source`` (``sources`` at the end), the next
        ``due``, and the number of steps.
    """
    steps = 0
    at = np.empty(_AT_ONCE, dtype=np.int32)
    walking = np.empty(_AT_ONCE, dtype=np.int32)
    entry = np.empty(_AT_ONCE, dtype=np.int64)
    while steps < most_steps and source < sources:
        filled = 0
        while filled < _AT_ONCE:
            if due == 0:
                source += 1
                if source == sources:
                    break
                wanted = (1.0 - restart) * near.residual[source] * walks
                if wanted > 0.0:
                    state += GOLDEN
                    due = int(wanted + np.float64(mix(state) >> np.uint64(11)) * 2.0**-53)
            more = min(_AT_ONCE - filled, due)
            at[filled : filled + more] = near.node[source]
            filled += more
            due -= more
        for number in range(filled):
            walking[number] = number
        n_walking, chance = filled, 0.0  # the first step is always taken: the restart share is settled already
        while n_walking:
            state, n_walking = step_all(
                rows, chance, follow_out, follow_in, state, at, walking, entry, n_walking
            )  # fmt: skip
            steps += n_walking
            chance = restart
        near = with_capacity(near, filled)
        before = near.used[0]
        add_estimates(near, at[:filled], 1.0 / walks)
        for i in range(before, near.used[0]):  # first touched by a walk
            near.degree[i] = walk_degree(rows, near.node[i], follow_out, follow_in)
    return near, state, source, due, steps
