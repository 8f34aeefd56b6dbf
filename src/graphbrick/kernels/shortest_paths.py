"""All shortest paths from each seed, as a tree of steps, and the readable version it is tested against."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.csr import Csr
from graphbrick.kernels.jit import jit

T = TypeVar("T", bound=np.generic)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class PathTree(NamedTuple):
    """Paths that share their beginnings. Path i is path ``parent[i]`` and one step more; seeds have parent -1.

    Attributes:
        parent: int32 [paths].
        node: int32 [paths], where the path ends.
        triple: int32 [paths], the last triple; -1 for a seed.
        forward: bool [paths], whether the last triple is followed from head to tail.
        capped: Whether the cap ended the search.
    """

    parent: npt.NDArray[np.int32]
    node: npt.NDArray[np.int32]
    triple: npt.NDArray[np.int32]
    forward: npt.NDArray[np.bool_]
    capped: bool


@jit
def grow(array: npt.NDArray[T], size: int) -> npt.NDArray[T]:
    """The array with room for ``size`` entries."""
    larger = np.empty(size, dtype=array.dtype)
    larger[: len(array)] = array
    return larger


@jit
def _place(keys: npt.NDArray[np.int64], key: int) -> np.int64:
    """Where a key is in a table (a power of two of places, -1 where free), or the free place where it belongs."""
    mask = np.uint64(len(keys) - 1)
    at = (np.uint64(key) * _MULTIPLIER >> np.uint64(32)) & mask
    while keys[at] != key and keys[at] != -1:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@jit
def _roomier(
    keys: npt.NDArray[np.int64], hops: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]:
    """The table with twice the places."""
    larger, moved = np.full(2 * len(keys), -1, dtype=np.int64), np.empty(2 * len(keys), dtype=np.int8)
    for i in range(len(keys)):
        if keys[i] != -1:
            at = _place(larger, keys[i])
            larger[at], moved[at] = keys[i], hops[i]
    return larger, moved


@jit
def shortest_path_tree(
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
    one: bool = False,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.bool_], bool]:
    """All shortest paths of at most ``max_hops`` (100 or fewer) triples from each seed to every node it reaches.

    Every beginning of a shortest path is a shortest path, so the paths of one length are those of the length before,
    each carried on to the nodes that are reached for the first time now. Order: by length, then by seed, then in the
    order of the path carried on, its outgoing triples before its incoming ones, each by id. With ``one``, only the
    first of these paths from a seed to each node; every beginning of a first path is a first path.

    Returns:
        The fields of `PathTree`; the seeds come first and do not count towards ``cap``.
    """
    n = np.int64(len(out_begin))
    n_seeds = len(seeds)
    size = max(1024, 2 * n_seeds)
    parent = np.empty(size, dtype=np.int32)
    node = np.empty(size, dtype=np.int32)
    triple = np.empty(size, dtype=np.int32)
    forward = np.empty(size, dtype=np.bool_)
    origin = np.empty(size, dtype=np.int32)
    # The distance of a node from a seed, where it was reached; keys are seed * n + node.
    keys, hops, reached = np.full(4096, -1, dtype=np.int64), np.empty(4096, dtype=np.int8), 0
    count = 0
    for i in range(n_seeds):
        parent[i], node[i], triple[i], forward[i], origin[i] = -1, seeds[i], -1, True, i
        count += 1
        at = _place(keys, i * n + seeds[i])
        keys[at], hops[at] = i * n + seeds[i], 0
        reached += 1
        if 2 * reached > len(keys):
            keys, hops = _roomier(keys, hops)
    begin, end = 0, count
    for hop in range(1, max_hops + 1):
        for p in range(begin, end):
            u, s = node[p], origin[p]
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
                    at = _place(keys, s * n + v)
                    if keys[at] != -1 and (one or hops[at] != hop):
                        continue
                    if count - n_seeds >= cap:
                        return parent[:count], node[:count], triple[:count], forward[:count], True
                    if count == size:
                        size *= 2
                        parent, node, triple = grow(parent, size), grow(node, size), grow(triple, size)
                        forward, origin = grow(forward, size), grow(origin, size)
                    parent[count], node[count], triple[count] = p, v, t
                    forward[count], origin[count] = direction == 0, s
                    count += 1
                    if keys[at] == -1:
                        keys[at], hops[at] = s * n + v, hop
                        reached += 1
                        if 2 * reached > len(keys):
                            keys, hops = _roomier(keys, hops)
        begin, end = end, count
    return parent[:count], node[:count], triple[:count], forward[:count], False


Step = tuple[int, bool]


def steps_of(csr: Csr, follow_out: bool, follow_in: bool) -> list[list[tuple[int, int, bool]]]:
    """The steps from each node, as (node, triple, forward): outgoing triples before incoming ones, each by id."""
    steps: list[list[tuple[int, int, bool]]] = [[] for _ in range(csr.n_nodes)]
    for u in range(csr.n_nodes):
        if follow_out:
            steps[u] += [(int(csr.tail[e]), e, True) for e in range(int(csr.out_begin[u]), int(csr.out_end[u]))]
        if follow_in:
            entries = range(int(csr.in_begin[u]), int(csr.in_end[u]))
            steps[u] += [(int(csr.in_head[e]), int(csr.in_triple[e]), False) for e in entries]
    return steps


def shortest_paths_python(
    csr: Csr, seeds: list[int], follow_out: bool, follow_in: bool, max_hops: int, one: bool = False
) -> list[tuple[int, tuple[Step, ...]]]:
    """The same paths, in the same order, one seed and one length at a time: (seed, ((triple, forward), ...))."""
    steps = steps_of(csr, follow_out, follow_in)
    found: list[tuple[int, int, tuple[Step, ...]]] = []
    for order, seed in enumerate(seeds):
        distance = {seed: 0}
        layer: list[tuple[int, tuple[Step, ...]]] = [(seed, ())]
        for hop in range(1, max_hops + 1):
            following = []
            for u, path in layer:
                for v, triple, forward in steps[u]:
                    is_new = v not in distance
                    if is_new or (distance[v] == hop and not one):
                        distance[v] = hop
                        following.append((v, (*path, (triple, forward))))
            found += [(hop, order, path) for _, path in following]
            layer = following
    found.sort(key=lambda entry: (entry[0], entry[1]))  # stable: within a length and seed the order stays
    return [(seeds[order], path) for _, order, path in found]
