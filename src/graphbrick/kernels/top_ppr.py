"""After TopPPR: forward push, random walks, and backward push for who is near the cut; a rival we are compared with.

Wei et al., "TopPPR: Top-k Personalized PageRank Queries with Precision Guarantees on Large Graphs" (SIGMOD 2018). As
in the authors' program every station of a walk counts and not its end alone. What differs from it: walks start at the
residuals in even steps instead of by an alias table, the push goes on from where it was, and the time for walks is
counted in edges instead of seconds, so that the same seed gives the same result.
"""

from __future__ import annotations

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
    enter,
    forget,
    forward_push,
    nothing_touched,
    slot,
    start_at,
    step_all,
    with_room,
)

_STEP = 0.5  # one step of a walk takes as long as pushing along so many edges
_AT_ONCE = 4096  # walks
_LEAST_WALKS = 1000
_COARSE = 1e-3  # the threshold that the push begins with
_NOTHING = 1e-9  # residual mass that is not worth a walk
_FEW = 500  # so many candidates, or k, are worth a backward push each
_FINEST = 1e-3  # residual at which a backward push ends
_LONG = 5000  # who has more neighbours than this is left as the walks found it
_UNBOUNDED = np.int64(2**62)
_IN, _OPEN, _OUT = np.int8(1), np.int8(0), np.int8(-1)


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
    left: float,
    walks: int,
    state: np.uint64,
) -> tuple[Touched, np.uint64, np.int64]:
    """Fill in the estimates: what is settled, and a fixed amount for every station of every walk.

    Returns:
        What is touched, the next state of the random numbers, and the number of steps.
    """
    steps = np.int64(0)
    sources = near.used[0]
    near.estimate[:sources] = near.score[:sources] + restart * near.residual[:sources]
    at = np.empty(_AT_ONCE, dtype=np.int32)
    stations = np.empty(_AT_ONCE, dtype=np.int32)
    walking = np.empty(_AT_ONCE, dtype=np.int32)
    entry = np.empty(_AT_ONCE, dtype=np.int64)
    apart = left / walks
    state += GOLDEN
    # Walk number i starts where the residuals, laid end to end, are at (i + chance) * apart.
    mark = np.float64(mix(state) >> np.uint64(11)) * 2.0**-53 * apart
    source, passed = np.int64(-1), 0.0
    for begin in range(0, walks, _AT_ONCE):
        filled = min(_AT_ONCE, walks - begin)
        for number in range(filled):
            while passed <= mark and source + 1 < sources:
                source += 1
                passed += near.residual[source]
            at[number] = near.node[source]
            walking[number] = number
            mark += apart
        n_walking, chance = filled, 0.0  # the first step is taken for certain: the start was settled above
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
            for position in range(n_walking):
                stations[position] = at[walking[position]]
            near = with_room(near, n_walking)
            add_estimates(near, stations[:n_walking], restart * (1.0 - restart) * apart)
            steps += n_walking
            chance = restart
    for i in range(sources, near.used[0]):  # touched by a walk alone
        near.degree[i] = walk_degree(out_begin, out_end, in_begin, in_end, near.node[i], follow_out, follow_in)
    return near, state, steps


@jit
def _split(
    estimate: npt.NDArray[np.float64], width: npt.NDArray[np.float64], least_width: float, k: int, gap: float
) -> tuple[npt.NDArray[np.int8], np.int64, np.int64]:
    """Which nodes are among the k best for certain, or certainly not; what is closer than ``gap`` counts as a tie.

    Args:
        estimate: float64 [slots].
        width: float64 [slots], how far off the estimate may be.
        least_width: The same for a node that no walk met.
        k: How many.
        gap: Relative to the k-th estimate.

    Returns:
        int8 [slots], 1 in, -1 out, 0 open; how many are in, and how many open. Where one that no walk met may be among
        the best, nearly all of the graph is open, and so many are said to be.
    """
    count = len(estimate)
    lower, upper = np.zeros(count + k + 1), np.full(count + k + 1, least_width)  # with k + 1 that no walk met
    lower[:count] = estimate - width
    upper[:count] = estimate + width
    size = len(lower)
    kth = np.partition(lower, size - k)[size - k]
    next_one = np.partition(upper, size - k - 1)[size - k - 1]
    tie = gap * (np.partition(estimate, count - k)[count - k] if count >= k else 0.0)
    side = np.empty(count, dtype=np.int8)
    n_in, n_open = np.int64(0), np.int64(0)
    for i in range(count):
        if lower[i] > next_one - tie and n_in < k:
            side[i] = _IN
            n_in += 1
        elif upper[i] < kth + tie:
            side[i] = _OUT
        else:
            side[i] = _OPEN
            n_open += 1
    if n_in < k and least_width > 0.0 and least_width >= kth + tie:
        n_open = _UNBOUNDED
    return side, np.int64(n_in), np.int64(n_open)


@jit
def _backward(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    back: Touched,
    target: int,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    r_max: float,
) -> tuple[Touched, np.int64]:
    """Push from a target against the steps until no residual is above ``r_max`` (Andersen et al., WAW 2007).

    What every push leaves true: the score of the target from a node is what is settled at that node, and what each
    residual is worth by the score of its node from that node.
    """
    forget(back)
    table, counter, node, degrees, score, residual, estimate, queued, queue, following = back
    mask, count, edges, ready = np.uint64(len(table) - 1), 1, np.int64(0), 1
    first = enter(table, mask, node, target, 0)
    queue[0], residual[first], score[first], queued[first] = first, 1.0, 0.0, True
    degrees[first] = walk_degree(out_begin, out_end, in_begin, in_end, target, follow_out, follow_in)
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
                mask = np.uint64(len(table) - 1)
            n_in = i1 - i0 if follow_out else np.int64(0)
            for e in range(more):
                v = in_head[i0 + e] if e < n_in else tail[o0 + e - n_in]
                j = enter(table, mask, node, v, count)
                if j == count:
                    count += 1
                    residual[j] = score[j] = 0.0
                    queued[j] = False
                    degrees[j] = 0
                    if follow_out:
                        degrees[j] += np.int64(out_end[v]) - np.int64(out_begin[v])
                    if follow_in:
                        degrees[j] += np.int64(in_end[v]) - np.int64(in_begin[v])
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
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    near: Touched,
    side: npt.NDArray[np.int8],
    estimate: npt.NDArray[np.float64],
    width: npt.NDArray[np.float64],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    r_max: float,
    amount: float,
    certainty: float,
) -> np.int64:
    """Estimate who is open anew, with a backward push each; ``estimate`` and ``width`` are changed.

    score(t) = settled(t) + sum over v of residual(v) back_settled(v) + (what walks found at v) back_residual(v).
    """
    back = nothing_touched(1024)
    edges = np.int64(0)
    for i in range(len(side)):
        if side[i] != _OPEN or near.degree[i] > _LONG:
            continue
        back, more = _backward(
            out_begin,
            out_end,
            tail,
            in_begin,
            in_end,
            in_head,
            back,
            near.node[i],
            restart,
            follow_out,
            follow_in,
            r_max,
        )
        edges += more
        value, variance, widest = near.score[i], 0.0, 0.0
        for b in range(back.used[0]):
            j = slot(near, back.node[b])
            widest = max(widest, back.residual[b])
            if j >= 0:
                walked = near.estimate[j] - near.score[j]
                value += near.residual[j] * back.score[b] + walked * back.residual[b]
                variance += amount * (walked - restart * near.residual[j]) * back.residual[b] ** 2
        estimate[i] = value
        width[i] = np.sqrt(2.0 * max(variance, 0.0) * certainty) + 3.0 * widest * amount * certainty
    return edges


@jit
def top_ppr(
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
    precision: float,
    gap: float,
    failure: float,
    seed: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], np.int64]:
    """The ``k`` best nodes, of which a share of ``precision`` is right where scores are not closer than ``gap``.

    The bounds are those of Bernstein's inequality with the variance that was found; as in the authors' program they
    take the stations of a walk as independent. Push and walks go on until few enough nodes are open, or no more than
    a backward push each can decide; what is then still open is ranked by its estimate.

    Args:
        precision: Share of the k nodes that are to be certain, in (0, 1).
        gap: Scores that differ by less than this times the k-th score count as tied. The paper has no such number and
            takes the longer the smaller the gap at the cut; in a knowledge graph there are always ties there.
        failure: Probability that a bound does not hold.
        seed: Of the random numbers; the same seed gives the same result.

    Returns:
        int32 and float64 [at most k], highest score first, ties to the lower id; the number of edges looked at, which
        counts a step of a walk as one.
    """
    near = start_at(out_begin, out_end, in_begin, in_end, seeds, follow_out, follow_in)
    state = mix(np.uint64(seed + 1) * GOLDEN)
    r_max, edges, walked, allowed = _COARSE, np.int64(0), np.int64(0), (1.0 - precision) * k
    while True:
        near, more = forward_push(
            out_begin, out_end, tail, in_begin, in_end, in_head, near, restart, follow_out, follow_in, r_max
        )
        edges += more
        left = near.residual[: near.used[0]].sum()
        walks = int(max(_LEAST_WALKS, edges * restart / _STEP))
        if left > 0.0:
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
                left,
                walks,
                state,
            )
            walked += steps
        else:
            near.estimate[: near.used[0]] = near.score[: near.used[0]]
        count = near.used[0]
        amount, certainty = restart * (1.0 - restart) * left / walks, np.log(3.0 * count / failure)
        estimate = near.estimate[:count].copy()
        chance = np.maximum(estimate - near.score[:count] - restart * near.residual[:count], 0.0)
        width = np.sqrt(2.0 * amount * certainty * chance) + 3.0 * amount * certainty
        side, n_in, n_open = _split(estimate, width, 3.0 * amount * certainty, k, gap)
        # Enough are in; or so few are open that nothing can go wrong; or what is left could not change the order.
        kth = np.partition(estimate, count - k)[count - k] if count >= k else 0.0
        decided = k - n_in <= allowed or n_open - (k - n_in) <= allowed or left <= max(0.5 * gap * kth, _NOTHING)
        if decided or n_open <= max(_FEW, k):
            break
        r_max /= 2.0
    r_back = 0.5
    while not decided and r_back >= _FINEST:
        edges += _refine(
            out_begin,
            out_end,
            tail,
            in_begin,
            in_end,
            in_head,
            near,
            side,
            estimate,
            width,
            restart,
            follow_out,
            follow_in,
            r_back,
            amount,
            certainty,
        )
        side, n_in, n_open = _split(estimate, width, 3.0 * amount * certainty, k, gap)
        decided = k - n_in <= allowed or n_open - (k - n_in) <= allowed
        r_back /= 8.0
    nodes, scores = best_touched(near, estimate, k, estimate.sum())
    return nodes, scores, edges + walked
