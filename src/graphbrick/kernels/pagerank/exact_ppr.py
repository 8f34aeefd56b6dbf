"""Exact personalized PageRank for many sets of seeds at once: the reference for the faster kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr
from graphbrick.kernels.degrees import walk_degrees


def exact_ppr(
    csr: Csr,
    seeds: Sequence[npt.NDArray[np.int32]],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    *,
    error: float = 1e-9,
) -> npt.NDArray[np.float64]:
    """Return scores by iteration over the whole graph in double precision, on all cores.

    A walker at a dead end is dropped. The final division gives its share back, which equals a restart at the seeds. For
    walks in one direction this is the power iteration. For walks both ways the walk is reversible and its eigenvalues
    are real, so Chebyshev's iteration (Golub and Varga, 1961) needs only a third of the steps. The iteration can be
    stopped between two steps.

    Args:
        csr: The rows of the graph; each step reads them once, for all sets of seeds together.
        seeds: Sets of seeds, int32 each; memory is 48 bytes a node and set.
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
    degree = np.maximum(walk_degrees(csr, follow_out, follow_in), 1)[:, None]
    # A node gathers its incoming mass from its rows of the opposite direction.
    entering = (csr.in_begin, csr.in_end, csr.in_head) if follow_out else None
    leaving = (csr.out_begin, csr.out_end, csr.tail) if follow_in else None
    before, score = np.zeros_like(start), start.copy()
    omega, reversible = 1.0, follow_out and follow_in
    moved = np.full(len(seeds), np.inf)
    while len(seeds) and moved.max() > error * restart:
        check_limits()
        # before <- start + one step of the walk from score, mixed with the previous iterate.
        omega = 1 / (1 - go_on**2 * omega / (2 if omega == 1.0 else 4)) if reversible else 1.0
        score /= degree
        walked = start.copy()
        for rows in (entering, leaving):
            if rows is not None:
                _gather(*rows, score, walked, go_on, numba.get_num_threads())
        score *= degree
        moved = np.abs(walked - score).sum(axis=0)
        before, score = score, omega * (walked - before) + before
    return np.asarray(score / score.sum(axis=0))


@numba.njit(parallel=True, nogil=True, cache=True)
def _gather(begin, end, other, share, walked, go_on, threads):  # type: ignore[no-untyped-def]
    """Add to every node the mass that its neighbours pass on; each thread handles its own range of nodes."""
    n = len(begin)
    for thread in numba.prange(threads):
        for v in range(n * thread // threads, n * (thread + 1) // threads):
            for e in range(np.int64(begin[v]), np.int64(end[v])):
                for j in range(share.shape[1]):
                    walked[v, j] += go_on * share[other[e], j]
