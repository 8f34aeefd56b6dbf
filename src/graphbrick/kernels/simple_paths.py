"""All simple paths from each seed, as a tree of steps, and the readable version it is tested against."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.csr import Csr
from graphbrick.kernels.jit import jit
from graphbrick.kernels.shortest_paths import Step, grow, steps_of


@jit
def simple_path_tree(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    in_triple: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.int32],
    follow_out: bool,
    follow_in: bool,
    max_hops: int,
    cap: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.bool_], bool]:
    """All paths of at most ``max_hops`` triples from each seed that are nowhere twice.

    Every beginning of a simple path is a simple path, so the paths of one length are those of the length before, each
    carried on to the nodes that are not on it; nothing is stored that is not a path of the result. Order: by length,
    then by seed, then in the order of the path carried on, its outgoing triples before its incoming ones, each by id.

    Returns:
        The fields of `PathTree`; the seeds come first and do not count towards ``cap``.
    """
    n_seeds = len(seeds)
    size = max(1024, 2 * n_seeds)
    parent = np.empty(size, dtype=np.int32)
    node = np.empty(size, dtype=np.int32)
    triple = np.empty(size, dtype=np.int32)
    forward = np.empty(size, dtype=np.bool_)
    for i in range(n_seeds):
        parent[i], node[i], triple[i], forward[i] = -1, seeds[i], -1, True
    count = n_seeds
    begin, end = 0, count
    for _ in range(max_hops):
        for p in range(begin, end):
            u = node[p]
            for direction in range(2):
                if direction == 0:
                    if not follow_out:
                        continue
                    first, last = np.int64(out_begin[u]), np.int64(out_end[u])
                else:
                    if not follow_in:
                        continue
                    first, last = np.int64(in_begin[u]), np.int64(in_end[u])
                for e in range(first, last):
                    if direction == 0:
                        v, t = tail[e], np.int32(e)
                    else:
                        v, t = in_head[e], in_triple[e]
                    q = np.int64(p)
                    while q >= 0 and node[q] != v:
                        q = np.int64(parent[q])
                    if q >= 0:
                        continue
                    if count - n_seeds >= cap:
                        return parent[:count], node[:count], triple[:count], forward[:count], True
                    if count == size:
                        size *= 2
                        parent, node, triple = grow(parent, size), grow(node, size), grow(triple, size)
                        forward = grow(forward, size)
                    parent[count], node[count], triple[count], forward[count] = p, v, t, direction == 0
                    count += 1
        begin, end = end, count
    return parent[:count], node[:count], triple[:count], forward[:count], False


def simple_paths_python(
    csr: Csr, seeds: list[int], follow_out: bool, follow_in: bool, max_hops: int
) -> list[tuple[int, tuple[Step, ...]]]:
    """The same paths, in the same order, one length at a time: (seed, ((triple, forward), ...))."""
    steps = steps_of(csr, follow_out, follow_in)
    found: list[tuple[int, tuple[Step, ...]]] = []
    layer: list[tuple[list[int], tuple[Step, ...]]] = [([seed], ()) for seed in seeds]
    for _ in range(max_hops):
        layer = [
            ([*nodes, v], (*path, (triple, forward)))
            for nodes, path in layer
            for v, triple, forward in steps[nodes[-1]]
            if v not in nodes
        ]
        found += [(nodes[0], path) for nodes, path in layer]
    return found
