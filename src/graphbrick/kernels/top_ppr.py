"""TopPPR: forward push, random walks, and backward pushes for nodes near the cut; a published baseline.

Wei et al., "TopPPR: Top-k Personalized PageRank Queries with Precision Guarantees on Large Graphs" (SIGMOD 2018). As
in the authors' program, every node visited by a walk counts, not only its end. There are three differences. The starts
of walks are spaced evenly over the residuals instead of drawn from an alias table. The push continues from its last
state. The time for walks is measured in edges instead of seconds, so that the same seed gives the same result.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Rows
from graphbrick.core.limits import check_limits
from graphbrick.kernels.degrees import walk_degree
from graphbrick.kernels.fora import Result, first_state
from graphbrick.kernels.hashing import GOLDEN, slot_for, slot_of
from graphbrick.kernels.jit import jit
from graphbrick.kernels.random_walk import mix
from graphbrick.kernels.slices import SLICE
from graphbrick.kernels.touched import (
    Touched,
    add_estimates,
    best_touched,
    forget,
    forward_push,
    nothing_touched,
    start_at,
    step_all,
    with_room,
)

_STEP = 0.5  # cost of one step of a walk, in pushed edges
_AT_ONCE = 4096  # walks per batch
_LEAST_WALKS = 1000
_COARSE = 1e-3  # first threshold of the push
_NOTHING = 1e-9  # residual mass too small for walks
_FEW = 500  # up to this many candidates (or k), each gets a backward push
_FINEST = 1e-3  # residual at which a backward push ends
_LONG = 5000  # a node with more neighbours keeps the estimate of the walks
_UNBOUNDED = 2**62
_IN, _OPEN, _OUT = 1, 0, -1

Floats = npt.NDArray[np.float64]
Sides = npt.NDArray[np.int8]


def top_ppr(
    rows: Rows,
    seeds: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    k: int,
    precision: float,
    gap: float,
    failure: float,
    seed: int,
) -> Result:
    """Return the ``k`` best nodes; a share ``precision`` of them is certain, up to ties within ``gap``.

    The bounds come from Bernstein's inequality with the empirical variance. As in the authors' program, they treat the
    nodes of a walk as independent. Push and walks continue until the decision is made, or so few nodes are undecided
    that each can get a backward push. Nodes that are still undecided at the end are ranked by their estimates.

    Args:
        rows: The rows of the graph.
        seeds: int32, at least one; each starts an equal share of the walks.
        restart: Probability of going back to the seeds.
        follow_out: Walk along the triples.
        follow_in: Walk against the triples.
        k: Number of nodes.
        precision: Share of the k nodes that must be certain, in (0, 1).
        gap: Scores that differ by less than this times the k-th score count as tied. The paper has no such parameter,
            and its time grows as the gap at the cut shrinks; in a knowledge graph there are always ties at the cut.
        failure: Probability that a bound does not hold.
        seed: The seed of the random numbers; the same one gives the same result.

    Returns:
        The same as `graphbrick.kernels.fora.fora_top_k`.
    """
    near = start_at(rows, seeds, follow_out, follow_in)
    state, r_max, edges, walked, allowed = first_state(seed), _COARSE, 0, 0, (1.0 - precision) * k
    while True:
        near, more = forward_push(rows, near, restart, follow_out, follow_in, r_max)
        edges += more
        left = float(near.residual[: near.used[0]].sum())
        walks = int(max(_LEAST_WALKS, edges * restart / _STEP))
        near, state, steps = _walk(rows, near, restart, follow_out, follow_in, left, walks, state)
        walked += steps
        count = near.used[0]
        amount, certainty = restart * (1.0 - restart) * left / walks, float(np.log(3.0 * count / failure))
        estimate = near.estimate[:count].copy()
        chance = np.maximum(estimate - near.score[:count] - restart * near.residual[:count], 0.0)
        width = np.sqrt(2.0 * amount * certainty * chance) + 3.0 * amount * certainty
        side, n_in, n_open = _split(estimate, width, 3.0 * amount * certainty, k, gap)
        # Stop if enough nodes are in, or few enough are open, or the remaining residual cannot change the order.
        kth = np.partition(estimate, count - k)[count - k] if count >= k else 0.0
        decided = k - n_in <= allowed or n_open - (k - n_in) <= allowed or left <= max(0.5 * gap * kth, _NOTHING)
        if decided or n_open <= max(_FEW, k):
            break
        r_max /= 2.0
    r_back = 0.5
    while not decided and r_back >= _FINEST:
        following, back = 0, nothing_touched(1024)
        while following < count:
            check_limits()
            back, following, more = _refine(
                rows, near, back, side, estimate, width, restart, follow_out, follow_in, r_back, amount, certainty,
                following, SLICE,
            )  # fmt: skip
            edges += more
        side, n_in, n_open = _split(estimate, width, 3.0 * amount * certainty, k, gap)
        decided = k - n_in <= allowed or n_open - (k - n_in) <= allowed
        r_back /= 8.0
    return *best_touched(near, estimate, k, estimate.sum()), edges + walked


def _split(estimate: Floats, width: Floats, least_width: float, k: int, gap: float) -> tuple[Sides, int, int]:
    """Decide which nodes are certainly among the k best and which are not; differences below ``gap`` are ties.

    Args:
        estimate: float64 [slots].
        width: float64 [slots], error bound of each estimate.
        least_width: Error bound for a node that no walk visited.
        k: Number of best nodes.
        gap: Relative to the k-th estimate.

    Returns:
        int8 [slots], 1 for in, -1 for out, 0 for open; the number of nodes in; the number open. The last is
        `_UNBOUNDED` if an unvisited node may be among the best, because then nearly all of the graph is open.
    """
    count = len(estimate)
    lower, upper = np.zeros(count + k + 1), np.full(count + k + 1, least_width)  # plus k + 1 nodes that no walk visited
    lower[:count], upper[:count] = estimate - width, estimate + width
    kth = np.partition(lower, len(lower) - k)[len(lower) - k]
    next_one = np.partition(upper, len(upper) - k - 1)[len(upper) - k - 1]
    tie = gap * (np.partition(estimate, count - k)[count - k] if count >= k else 0.0)
    side = np.where(upper[:count] < kth + tie, _OUT, _OPEN).astype(np.int8)
    certain = np.flatnonzero(lower[:count] > next_one - tie)[:k]
    side[certain] = _IN
    n_in, n_open = len(certain), int(np.count_nonzero(side == _OPEN))
    if n_in < k and least_width > 0.0 and least_width >= kth + tie:
        n_open = _UNBOUNDED
    return side, n_in, n_open


def _walk(
    rows: Rows, near: Touched, restart: float, follow_out: bool, follow_in: bool, left: float, walks: int,
    state: np.uint64,
) -> tuple[Touched, np.uint64, int]:  # fmt: skip
    """Fill in the estimates: the settled mass plus a fixed amount for every node visited by every walk.

    Returns:
        The nodes touched, the next state of the random numbers, and the number of steps.
    """
    sources = int(near.used[0])
    near.estimate[:sources] = near.score[:sources] + restart * near.residual[:sources]
    if left <= 0.0:
        return near, state, 0
    # Walk i starts at the node whose interval of the cumulated residuals contains (i + random offset) * apart.
    apart, ends = left / walks, np.cumsum(near.residual[:sources])
    state, total, begin = np.uint64((int(state) + int(GOLDEN)) & (2**64 - 1)), 0, 0
    marks = (np.float64(int(mix(state)) >> 11) * 2.0**-53 + np.arange(walks)) * apart
    starts = near.node[np.minimum(np.searchsorted(ends, marks, side="right"), sources - 1)]
    while begin < walks:
        check_limits()
        near, state, begin, steps = _walk_on(
            rows, near, starts, restart, follow_out, follow_in, apart, np.uint64(state), begin, SLICE
        )
        total += steps
    return near, state, total


@jit
def _walk_on(
    rows: Rows,
    near: Touched,
    starts: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    apart: float,
    state: np.uint64,
    begin: int,
    most_steps: int,
) -> tuple[Touched, np.uint64, int, int]:
    """Take walks from number ``begin`` on for about ``most_steps`` steps; return the next walk number."""
    steps = 0
    stations = np.empty(_AT_ONCE, dtype=np.int32)
    walking = np.empty(_AT_ONCE, dtype=np.int32)
    entry = np.empty(_AT_ONCE, dtype=np.int64)
    while begin < len(starts) and steps < most_steps:
        at = starts[begin : begin + _AT_ONCE].copy()
        begin += len(at)
        walking[: len(at)] = np.arange(len(at))
        n_walking, chance = len(at), 0.0  # the first step is always taken: the start is settled already
        while n_walking:
            state, n_walking = step_all(rows, chance, follow_out, follow_in, state, at, walking, entry, n_walking)
            for position in range(n_walking):
                stations[position] = at[walking[position]]
            near = with_room(near, n_walking)
            before = near.used[0]
            add_estimates(near, stations[:n_walking], restart * (1.0 - restart) * apart)
            for i in range(before, near.used[0]):  # first touched by a walk
                near.degree[i] = walk_degree(rows, near.node[i], follow_out, follow_in)
            steps += n_walking
            chance = restart
    return near, state, begin, steps


@jit
def _backward(
    rows: Rows,
    back: Touched,
    target: int,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    r_max: float,
) -> tuple[Touched, np.int64]:
    """Push from a target against the steps until no residual is above ``r_max`` (Andersen et al., WAW 2007).

    Every push keeps this invariant: the score of the target for walks from u is the mass settled at u, plus the sum
    over all v of residual(v) times the score of v for walks from u.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    forget(back)
    table, counter, node, degrees, score, residual, estimate, queued, queue, following = back
    count, edges, ready = 1, np.int64(0), 1
    first = slot_for(table, target, 0)
    node[first] = target
    queue[0], residual[first], score[first], queued[first] = first, 1.0, 0.0, True
    degrees[first] = walk_degree(rows, target, follow_out, follow_in)
    while ready:
        waiting = 0
        for position in range(ready):
            i = queue[position]
            r, u = residual[i], node[i]
            residual[i] = 0.0
            queued[i] = False
            score[i] += restart * r
            o0, o1 = np.int64(out_begin[u]), np.int64(out_end[u])
            i0, i1 = np.int64(in_begin[u]), np.int64(in_end[u])
            more = (i1 - i0 if follow_out else 0) + (o1 - o0 if follow_in else 0)
            edges += more
            if count + more > len(node):
                counter[0] = count
                back = Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following)
                back = with_room(back, int(more))
                table, counter, node, degrees, score, residual, estimate, queued, queue, following = back
            n_in = i1 - i0 if follow_out else np.int64(0)
            for e in range(more):
                v = in_head[i0 + e] if e < n_in else tail[o0 + e - n_in]
                j = slot_for(table, v, count)
                if j == count:
                    count += 1
                    node[j] = v
                    residual[j] = score[j] = 0.0
                    queued[j] = False
                    degrees[j] = walk_degree(rows, v, follow_out, follow_in)
                residual[j] += (1.0 - restart) * r / degrees[j]
                if residual[j] > r_max and not queued[j]:
                    queued[j] = True
                    following[waiting] = j
                    waiting += 1
        queue[:waiting] = following[:waiting]
        ready = waiting
    counter[0] = count
    return Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following), edges


@jit
def _refine(
    rows: Rows,
    near: Touched,
    back: Touched,
    side: Sides,
    estimate: Floats,
    width: Floats,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    r_max: float,
    amount: float,
    certainty: float,
    following: int,
    most_edges: int,
) -> tuple[Touched, int, np.int64]:
    """Re-estimate the undecided nodes with one backward push each, until about ``most_edges`` edges are read.

    score(t) = settled(t) + sum over v of residual(v) back_settled(v) + (walk estimate of v) back_residual(v).

    Args:
        estimate: float64 [slots]; changed in place, like ``width``.
        following: The next slot.

    Returns:
        Arrays for reuse, the next slot, and the number of edges read.
    """
    edges = np.int64(0)
    while following < len(side) and edges < most_edges:
        i = following
        following += 1
        if side[i] != _OPEN or near.degree[i] > _LONG:
            continue
        back, more = _backward(rows, back, near.node[i], restart, follow_out, follow_in, r_max)
        edges += more
        value, variance, widest = near.score[i], 0.0, 0.0
        for b in range(back.used[0]):
            j = slot_of(near.table, back.node[b])
            widest = max(widest, back.residual[b])
            if j >= 0:
                walked = near.estimate[j] - near.score[j]
                value += near.residual[j] * back.score[b] + walked * back.residual[b]
                variance += amount * (walked - restart * near.residual[j]) * back.residual[b] ** 2
        estimate[i] = value
        width[i] = np.sqrt(2.0 * max(variance, 0.0) * certainty) + 3.0 * widest * amount * certainty
    return back, following, edges
