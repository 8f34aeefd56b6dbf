"""Personalized PageRank: forward push in sweeps, and the dense power iteration it is tested against.

Both walk in one of three directions: along the triples (``follow_out``), against them (``follow_in``), or both ways.
Parallel triples count each; a self loop walked both ways counts twice, as in igraph. A walker at an entity where it
cannot go on starts again at the seeds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.csr import Csr
from graphbrick.kernels.jit import jit


@jit
def ppr_push(
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
    tolerance: float,
) -> tuple[npt.NDArray[np.float64], float, np.int64]:
    """Scores by forward push: residual mass is settled where it lies and passed on, until little is left.

    A sweep goes through all nodes in order of id and pushes those whose residual is above ``epsilon`` times their
    degree; ``epsilon`` falls by ten until the error bound is at most ``tolerance``. This is the power iteration with
    forward push of Wu et al., "Unifying the Global and Local Approaches" (SIGMOD 2021), without its queue.

    The bound: of the residual mass ``left``, the part ``restart`` is settled at the end and ``(1 - restart) * left``
    at most is missing; dividing by the sum of the scores puts as much again where it does not belong.

    Returns:
        float64 [nodes], summing to 1; the bound on the sum of absolute errors; the number of edges looked at.
    """
    n = len(out_begin)
    score = np.zeros(n)
    residual = np.zeros(n)
    for s in seeds:
        residual[s] += 1.0 / len(seeds)
    left, settled = 1.0, 0.0
    edges = np.int64(0)
    ends = 0.0
    if follow_out:
        ends += len(tail)
    if follow_in:
        ends += len(tail)
    epsilon = 0.1 / max(ends, 1.0)
    first = True  # even a coarse tolerance is to see the neighbours of the seeds
    while first or 2.0 * (1.0 - restart) * left > tolerance * (settled + left):
        pushed, first = False, False
        for u in range(n):
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
                # What would walk on is dropped here and given back by the final division: that equals a restart.
                left -= (1.0 - restart) * r
                continue
            edges += degree
            share = (1.0 - restart) * r / degree
            if follow_out:
                for e in range(o0, o1):
                    residual[tail[e]] += share
            if follow_in:
                for e in range(i0, i1):
                    residual[in_head[e]] += share
        if not pushed:
            epsilon *= 0.1
            left = residual.sum()  # summed anew, so that rounding does not pile up
    total = 0.0
    for u in range(n):
        score[u] += restart * residual[u]
        total += score[u]
    return score / total, 2.0 * (1.0 - restart) * max(left, 0.0) / (settled + max(left, 0.0)), edges


def ppr_python(
    csr: Csr,
    seeds: npt.NDArray[np.int32],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    *,
    iterations: int = 2000,
) -> npt.NDArray[np.float64]:
    """The same scores by plain power iteration over a dense matrix; for small graphs and for tests.

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
