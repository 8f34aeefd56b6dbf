"""Personalized PageRank to the last digit, for many sets of seeds at once: what every faster kernel is measured by."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
import numpy.typing as npt

from graphbrick.graphs.csr import Csr


def exact_ppr(
    csr: Csr,
    seeds: Sequence[npt.NDArray[np.int32]],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    *,
    error: float = 1e-9,
) -> npt.NDArray[np.float64]:
    """Scores by iteration over the whole graph in double precision, on all cores.

    What a walker at a node without a way on holds is dropped and given back by the final division, which equals a
    restart at the seeds. Along the triples, or against them, it is the power iteration. Both ways the walk is
    reversible, its eigenvalues are real, and Chebyshev's iteration (Golub and Varga, 1961) needs a third of the steps.

    Args:
        csr: The rows of the graph; they are read once a step, whatever the number of sets of seeds.
        seeds: Sets of seeds, int32 each; memory is 24 bytes a node and set.
        restart: Probability of going back to the seeds.
        follow_out: Walk along the triples.
        follow_in: Walk against the triples.
        error: Bound on the sum of absolute errors of the scores of a set.

    Returns:
        float64 [nodes, sets], each column summing to 1.
    """
    n, go_on = csr.n_nodes, 1 - restart
    start = np.zeros((n, len(seeds)))
    for column, nodes in enumerate(seeds):
        np.add.at(start[:, column], nodes, restart / len(nodes))
    before, score = np.zeros_like(start), start.copy()
    omega, reversible = 1.0, follow_out and follow_in
    gap = np.inf
    while gap > error * restart:
        # before <- start + one step of the walk from score, mixed with what was before.
        omega = 1 / (1 - go_on**2 * omega / (2 if omega == 1.0 else 4)) if reversible else 1.0
        gap = _step(csr, score, before, start, go_on, omega, follow_out, follow_in)
        before, score = score, before
    return np.asarray(score / score.sum(axis=0))


def _step(
    csr: Csr,
    score: npt.NDArray[np.float64],
    before: npt.NDArray[np.float64],
    start: npt.NDArray[np.float64],
    go_on: float,
    omega: float,
    follow_out: bool,
    follow_in: bool,
) -> float:
    """Put ``omega * (start + go_on * walk(score) - before) + before`` into ``before``; returns how far a step moves.

    That is the largest sum, over a set, of absolute differences between a plain step from ``score`` and ``score``.
    """
    moved = np.zeros((numba.get_num_threads(), score.shape[1]))
    _scale(*csr.rows, score, follow_out, follow_in, True)
    _walk(*csr.rows, score, before, start, go_on, omega, follow_out, follow_in, moved)
    _scale(*csr.rows, score, follow_out, follow_in, False)
    return float(moved.sum(axis=0).max()) if len(moved[0]) else 0.0


@numba.njit(nogil=True, cache=True)
def _degree(out_begin, out_end, in_begin, in_end, u, follow_out, follow_in):  # type: ignore[no-untyped-def]
    degree = 0.0
    if follow_out:
        degree += np.float64(np.int64(out_end[u]) - np.int64(out_begin[u]))
    if follow_in:
        degree += np.float64(np.int64(in_end[u]) - np.int64(in_begin[u]))
    return degree


@numba.njit(parallel=True, nogil=True, cache=True)
def _scale(out_begin, out_end, tail, in_begin, in_end, in_head, score, follow_out, follow_in, down):  # type: ignore[no-untyped-def]
    """Divide each score by the node's degree (``down``), or multiply it again; a node without a way on keeps it."""
    for u in numba.prange(len(out_begin)):
        degree = _degree(out_begin, out_end, in_begin, in_end, u, follow_out, follow_in)
        if degree > 0.0:
            for j in range(score.shape[1]):
                score[u, j] = score[u, j] / degree if down else score[u, j] * degree


@numba.njit(parallel=True, nogil=True, cache=True)
def _walk(  # type: ignore[no-untyped-def]
    out_begin,
    out_end,
    tail,
    in_begin,
    in_end,
    in_head,
    share,
    before,
    start,
    go_on,
    omega,
    follow_out,
    follow_in,
    moved,
):
    """The step itself: every node gathers the shares of the nodes that lead to it, on threads of their own."""
    n, threads = len(out_begin), len(moved)
    for thread in numba.prange(threads):
        came = np.zeros(share.shape[1])
        for v in range(n * thread // threads, n * (thread + 1) // threads):
            came[:] = 0.0
            if follow_out:
                for e in range(np.int64(in_begin[v]), np.int64(in_end[v])):
                    for j in range(len(came)):
                        came[j] += share[in_head[e], j]
            if follow_in:
                for e in range(np.int64(out_begin[v]), np.int64(out_end[v])):
                    for j in range(len(came)):
                        came[j] += share[tail[e], j]
            degree = max(1.0, _degree(out_begin, out_end, in_begin, in_end, v, follow_out, follow_in))
            for j in range(len(came)):
                walked = start[v, j] + go_on * came[j]
                moved[thread, j] += abs(walked - share[v, j] * degree)
                before[v, j] = omega * (walked - before[v, j]) + before[v, j]
