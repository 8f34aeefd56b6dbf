"""Refinement of a push: completion and one pull, which improve the best nodes more than a longer push.

*Completion* spreads the remaining residual over all nodes in proportion to the triples that lead to them, which is
where long walks tend to end. A *pull* then recomputes the scores near the cut from the nodes that lead there.
"""

from __future__ import annotations

import numpy as np

from graphbrick.core.csr import Rows
from graphbrick.kernels.degrees import walk_degree
from graphbrick.kernels.hashing import slot_of
from graphbrick.kernels.jit import jit
from graphbrick.kernels.pagerank.local_ppr import DEGREE, Floats, Ids, Longs, estimates, residual_mass
from graphbrick.kernels.selection import kth_largest

_NEAR = 2.0  # scores within this factor of the cut are recomputed
_LONG = 5_000  # nodes with more triples leading to them are not recomputed
_CANDIDATES = 3  # times k


@jit
def _led_from(
    rows: Rows, ends: Ids, first: np.int64, last: np.int64, table: Longs, state: Floats, base: Floats, walk: float,
    follow_out: bool, follow_in: bool,
) -> float:  # fmt: skip
    """Return the sum over the nodes of a row of their score per triple that a walk can take from them."""
    total = 0.0
    for e in range(first, last):
        u = ends[e]
        total += walk
        s = slot_of(table, u)
        if s >= 0:
            degree = state[s, DEGREE]
            if degree < 0.0:
                degree = np.float64(walk_degree(rows, u, follow_out, follow_in))
                state[s, DEGREE] = degree
            total += base[s] / degree
    return total


@jit
def _score_of(node: int, table: Longs, base: Floats) -> float:
    s = slot_of(table, node)
    return float(base[s]) if s >= 0 else 0.0


@jit
def _any_scored(ends: Ids, first: np.int64, last: np.int64, table: Longs, base: Floats) -> bool:
    """Tell whether one of the first nodes of a row has a score."""
    e, end = first, min(last, first + np.int64(_LONG))
    while e < end and _score_of(ends[e], table, base) == 0.0:
        e += 1
    return bool(e < end)


@jit
def _candidates(base: Floats, nodes: Ids, table: Longs, hubs: Ids, wanted: int) -> tuple[Ids, int, Longs]:
    """Return the ``wanted`` nodes with the highest scores (with ties), then the hubs that are not among them.

    Returns:
        The nodes; the number of nodes before the added hubs; the index of each added hub in ``hubs``.
    """
    count = len(nodes)
    fewer = min(count, wanted)
    least = kth_largest(base.copy(), fewer)
    chosen = np.empty(count + len(hubs), dtype=np.int32)
    n = 0
    for s in range(count):
        if base[s] >= least and base[s] > 0.0:
            chosen[n] = nodes[s]
            n += 1
    n_touched = n
    further = np.empty(len(hubs), dtype=np.int64)
    for i in range(len(hubs)):
        s = slot_of(table, hubs[i])
        if s < 0 or base[s] < least or base[s] == 0.0:
            chosen[n] = hubs[i]
            further[n - n_touched] = i
            n += 1
    return chosen[:n].copy(), n_touched, further[: n - n_touched].copy()


@jit
def refine(
    rows: Rows,
    seeds: Ids, restart: float, follow_out: bool, follow_in: bool, k: int,
    nodes: Ids, state: Floats, table: Longs, hubs: Ids, hub_degrees: Ids,
) -> tuple[Ids, Floats, float, np.int64]:  # fmt: skip
    """Return refined scores of the nodes that may be among the best ``k``.

    Args:
        rows: The rows of the graph.
        seeds: Where walks start, int32.
        restart: Probability of going back to the seeds.
        follow_out: Walk along the triples.
        follow_in: Walk against the triples.
        k: Number of nodes wanted.
        nodes: int32, the nodes touched by a push.
        state: float64 [touched, 4], the state of the push; degrees that are looked up here are filled in.
        table: int64, the map from nodes to slots, for `slot_of`.
        hubs: int32, the nodes of the graph with the most triples leading to them.
        hub_degrees: int32, the number of triples that lead to each hub.

    Returns:
        int32 [candidates], at least ``k`` if as many were touched; float64, their scores, not yet divided by the mass
        that was not dropped; the residual mass; the number of edges read.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    left = residual_mass(state, len(state))
    ends = np.float64(len(tail)) * (np.float64(follow_out) + np.float64(follow_in))
    walk = (1.0 - restart) * left / max(ends, 1.0)  # mass that completion brings along one triple
    base = estimates(state, len(state), restart)
    chosen, n_touched, from_hub = _candidates(base, nodes, table, hubs, _CANDIDATES * k)
    n = len(chosen)
    score, leading = np.empty(n), np.empty(n, dtype=np.int64)
    for i in range(n_touched, n):
        leading[i] = hub_degrees[from_hub[i - n_touched]]
    for i in range(n_touched):
        # The triples that lead to a node are those that a backward walk can take from it.
        leading[i] = walk_degree(rows, chosen[i], follow_in, follow_out)
    for i in range(n):
        score[i] = walk * leading[i] + _score_of(chosen[i], table, base)
    cut = kth_largest(score.copy(), k) if n > k else 0.0
    edges = np.int64(0)
    fine = score.copy()
    for i in range(n):
        v = chosen[i]
        unseen = _score_of(v, table, base) == 0.0
        if score[i] * _NEAR < cut or cut == 0.0:
            if unseen:
                fine[i] = 0.0
            continue
        entering = (np.int64(in_begin[v]), np.int64(in_end[v])) if follow_out else (np.int64(0), np.int64(0))
        leaving = (np.int64(out_begin[v]), np.int64(out_end[v])) if follow_in else (np.int64(0), np.int64(0))
        if unseen and not (
            _any_scored(in_head, entering[0], entering[1], table, base)
            or _any_scored(tail, leaving[0], leaving[1], table, base)
        ):
            fine[i] = 0.0  # no node with a score leads to this hub; it may be in another component
        elif score[i] <= _NEAR * cut and leading[i] <= _LONG:
            edges += leading[i]
            came = _led_from(
                rows, in_head, entering[0], entering[1], table, state, base, walk, follow_out, follow_in
            ) + _led_from(
                rows, tail, leaving[0], leaving[1], table, state, base, walk, follow_out, follow_in
            )  # fmt: skip
            fine[i] = (1.0 - restart) * came
            for seed in seeds:
                if seed == v:
                    fine[i] += restart / len(seeds)
    return chosen, fine, left, edges
