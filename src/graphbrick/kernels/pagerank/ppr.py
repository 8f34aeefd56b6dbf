"""Personalized PageRank: forward push in sweeps, and the dense power iteration it is tested against.

Both walk in one of three directions: along the triples (``follow_out``), against them (``follow_in``), or both ways.
Parallel triples count separately; a self loop walked both ways counts twice, as in igraph. A walker at a dead end
restarts at the seeds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.jit import jit
from graphbrick.kernels.slices import SLICE

LEFT, SETTLED, DROPPED, EPSILON = range(4)
"""Columns of the mass of `sweep`."""


def ppr_push(
    rows: Rows,
    seeds: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    tolerance: float,
) -> tuple[npt.NDArray[np.float64], float, int]:
    """Return scores by forward push: part of the residual is settled, the rest passed on, until little is left.

    A sweep goes through all nodes in order of id and pushes those whose residual is above ``epsilon`` times their
    degree; ``epsilon`` falls by ten until the error bound is at most ``tolerance``. This is the power iteration with
    forward push of Wu et al., "Unifying the Global and Local Approaches" (SIGMOD 2021), without its queue.

    The bound: at the end, the share ``restart`` of the residual mass ``left`` is settled, so at most
    ``(1 - restart) * left`` is missing. Dividing by the sum of the scores puts at most as much in wrong places.

    Returns:
        float64 [nodes], summing to 1; the bound on the sum of absolute errors; the number of edges read.
    """
    n = len(rows.out_begin)
    score, residual = np.zeros(n), np.zeros(n)
    np.add.at(residual, seeds, 1.0 / len(seeds))
    ends = len(rows.tail) * (int(follow_out) + int(follow_in))
    mass = np.array([1.0, 0.0, 0.0, 0.1 / max(ends, 1)])
    node, pushed, edges = 0, False, 0
    while True:
        check_limits()
        # The first sweep is always made: even with a coarse tolerance the neighbours of the seeds get a score.
        node, pushed, read = sweep(rows, score, residual, mass, restart, follow_out, follow_in, node, pushed, SLICE)
        edges += read
        left, settled, _, _ = mass.tolist()
        if node == n:
            if 2.0 * (1.0 - restart) * left <= tolerance * (settled + left):
                break
            node, pushed = 0, False
    score += restart * residual
    left = max(left, 0.0)
    return score / score.sum(), 2.0 * (1.0 - restart) * left / (settled + left), edges


@jit
def sweep(
    rows: Rows,
    score: npt.NDArray[np.float64],
    residual: npt.NDArray[np.float64],
    mass: npt.NDArray[np.float64],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    node: int,
    pushed: bool,
    most_edges: int,
) -> tuple[int, bool, np.int64]:
    """Push the nodes from ``node`` to the end of the sweep, or until about ``most_edges`` edges are read.

    After a whole sweep without a push, ``epsilon`` is divided by ten, and the residual mass is summed again.

    Args:
        mass: float64 [4]: the residual mass, the mass that is settled, the mass that was dropped at dead ends, and
            ``epsilon``, the residual that a node may hold per triple; changed.
        pushed: Whether this sweep has pushed a node before.

    Returns:
        The next node; whether this sweep has pushed any; the edges read.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    left, settled, dropped, epsilon = mass[LEFT], mass[SETTLED], mass[DROPPED], mass[EPSILON]
    edges, n = np.int64(0), len(out_begin)
    first, node = node, np.int64(n)
    # Unsigned, as numba checks signed indices for counting from the end: a tenth of the time.
    for u in range(np.uint64(first), np.uint64(n)):
        r = residual[u]
        if r <= 0.0:
            continue
        o0, o1 = np.int64(out_begin[u]), np.int64(out_end[u])
        i0, i1 = np.int64(in_begin[u]), np.int64(in_end[u])
        degree = np.int64(0)
        if follow_out:
            degree += o1 - o0
        if follow_in:
            degree += i1 - i0
        if r <= epsilon * degree:
            continue
        pushed = True
        residual[u] = 0.0
        score[u] += restart * r
        settled += restart * r
        left -= restart * r
        if degree == 0:
            # The final division gives the mass at a dead end back, which equals a restart.
            left -= (1.0 - restart) * r
            dropped += (1.0 - restart) * r
            continue
        edges += degree
        share = (1.0 - restart) * r / degree
        if follow_out:
            for e in range(o0, o1):
                residual[np.uint32(tail[e])] += share
        if follow_in:
            for e in range(i0, i1):
                residual[np.uint32(in_head[e])] += share
        if edges >= most_edges:
            node = np.int64(u) + 1
            break
    if node == n and not pushed:
        epsilon *= 0.1
        left = residual.sum()  # summed again, so that rounding errors do not pile up
    mass[LEFT], mass[SETTLED], mass[DROPPED], mass[EPSILON] = left, settled, dropped, epsilon
    return node, pushed, edges


def ppr_python(
    csr: Csr,
    seeds: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    *,
    iterations: int = 2000,
) -> npt.NDArray[np.float64]:
    """Return the same scores by plain power iteration over a dense matrix; for small graphs and for tests.

    S(v) = a [v is a seed] / |seeds| + (1 - a) sum over u -> v of S(u) / degree(u)   (Cao et al., VLDB 2025)
    """
    n = csr.n_nodes
    walk = np.zeros((n, n))
    for u in range(n):
        for e in range(int(csr.out_begin[u]), int(csr.out_end[u])):
            v = int(csr.tail[e])
            if follow_out:
                walk[u, v] += 1
            if follow_in:
                walk[v, u] += 1
    start = np.zeros(n)
    np.add.at(start, seeds, 1 / len(seeds))
    degree = walk.sum(axis=1, keepdims=True)
    step = np.where(degree > 0, walk / np.maximum(degree, 1), start)
    score = start.copy()
    for _ in range(iterations):
        score = restart * start + (1 - restart) * score @ step
    return score
