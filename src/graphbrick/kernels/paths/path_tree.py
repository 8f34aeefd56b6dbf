"""Simple or shortest paths from seeds as a tree of steps, and the readable reference versions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import grow, place_of
from graphbrick.kernels.jit import inlined, jit
from graphbrick.kernels.slices import SLICE

_SIMPLE, _SHORTEST, _ONE_SHORTEST = 0, 1, 2
_COUNT, _NEXT, _END, _HOP, _REACHED = range(5)


class PathTree(NamedTuple):
    """Paths that share prefixes. Path i is path ``parent[i]`` plus one step; seeds have parent -1.

    Attributes:
        parent: int32 [paths].
        node: int32 [paths], the last node of the path.
        triple: int32 [paths], the last triple; -1 for a seed.
        forward: bool [paths], whether the last triple is followed from head to tail.
        capped: Whether the cap ended the search.
    """

    parent: npt.NDArray[np.int32]
    node: npt.NDArray[np.int32]
    triple: npt.NDArray[np.int32]
    forward: npt.NDArray[np.bool_]
    capped: bool


class _Search(NamedTuple):
    """State of a search between two slices: the tree so far, with spare capacity, and the cursor.

    Attributes:
        origin: int32, the index of the seed that each path starts from; not kept for simple paths.
        keys: int64, a set of seed index * nodes + node: the nodes reached from each seed.
        hops: int8, the hop distance of each key, at the same index.
        cursor: int64 [5]: number of paths, the next path to extend, the end of the paths of its length, the length of
            the extended paths, and the number of keys.
    """

    parent: npt.NDArray[np.int32]
    node: npt.NDArray[np.int32]
    triple: npt.NDArray[np.int32]
    forward: npt.NDArray[np.bool_]
    origin: npt.NDArray[np.int32]
    keys: npt.NDArray[np.int64]
    hops: npt.NDArray[np.int8]
    cursor: npt.NDArray[np.int64]


def shortest_path_tree(
    rows: Rows,
    seeds: npt.NDArray[np.int32],
    follow_out: bool,
    follow_in: bool,
    max_hops: int,
    cap: int,
    one: bool = False,
) -> PathTree:
    """Return all shortest paths of at most ``max_hops`` (100 or fewer) triples from each seed to every node it reaches.

    Every prefix of a shortest path is a shortest path. So the paths of one length are those of the length before,
    extended to the nodes that are reached for the first time. Order: by length, then by seed, then in the order of the
    extended path, its outgoing triples before its incoming ones, each by id. With ``one``, only the first of these
    paths from a seed to each node is kept; every prefix of a first path is a first path.

    Returns:
        The tree; the seeds come first and do not count towards ``cap``.
    """
    return _search(rows, seeds, _ONE_SHORTEST if one else _SHORTEST, follow_out, follow_in, max_hops, cap)


def simple_path_tree(
    rows: Rows, seeds: npt.NDArray[np.int32], follow_out: bool, follow_in: bool, max_hops: int, cap: int
) -> PathTree:
    """Return all paths of at most ``max_hops`` triples from each seed that visit no node twice.

    Every prefix of a simple path is a simple path. So the paths of one length are those of the length before, extended
    to the nodes that are not on the path; every stored path is part of the result. The order is that of
    `shortest_path_tree`.

    Returns:
        The tree; the seeds come first and do not count towards ``cap``.
    """
    return _search(rows, seeds, _SIMPLE, follow_out, follow_in, max_hops, cap)


def _search(
    rows: Rows,
    seeds: npt.NDArray[np.int32],
    kind: int,
    follow_out: bool,
    follow_in: bool,
    max_hops: int,
    cap: int,
) -> PathTree:
    """Run a search in slices, so that it can be stopped between two of them."""
    search = _start(seeds, len(rows.out_begin))
    done = capped = False
    while not done:
        check_limits()
        arguments = (rows, search, len(seeds), follow_out, follow_in, max_hops, cap, SLICE)
        search, done, capped = _carry_on_simple(*arguments) if kind == _SIMPLE else _carry_on_shortest(kind, *arguments)
    count = search.cursor[_COUNT]
    parent, node, triple, forward = (array[:count] for array in search[:4])
    return PathTree(parent, node, triple, forward, capped)


@jit
def _start(seeds: npt.NDArray[np.int32], n: int) -> _Search:
    """Return the start of a search: a path without steps for every seed."""
    size, places = max(1024, 2 * len(seeds)), 4096
    while places < 4 * len(seeds):
        places *= 2
    search = _Search(
        np.full(size, -1, dtype=np.int32),
        np.empty(size, dtype=np.int32),
        np.full(size, -1, dtype=np.int32),
        np.ones(size, dtype=np.bool_),
        np.empty(size, dtype=np.int32),
        np.full(places, -1, dtype=np.int64),
        np.empty(places, dtype=np.int8),
        np.array([len(seeds), 0, len(seeds), 1, len(seeds)]),
    )
    for i in range(len(seeds)):
        search.node[i], search.origin[i] = seeds[i], i
        key = np.int64(i) * n + seeds[i]
        at = place_of(search.keys, key)
        search.keys[at], search.hops[at] = key, 0
    return search


@jit
def _double(
    keys: npt.NDArray[np.int64], hops: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]:
    """Return the table with twice the capacity."""
    larger, moved = np.full(2 * len(keys), -1, dtype=np.int64), np.empty(2 * len(keys), dtype=np.int8)
    for i in range(len(keys)):
        if keys[i] != -1:
            at = place_of(larger, keys[i])
            larger[at], moved[at] = keys[i], hops[i]
    return larger, moved


@jit
def _carry_on_simple(
    rows: Rows, search: _Search, n_seeds: int, follow_out: bool, follow_in: bool, max_hops: int, cap: int, most: int
) -> tuple[_Search, bool, bool]:
    """Extend simple paths; see `_carry_on`."""
    return _carry_on(_SIMPLE, rows, search, n_seeds, follow_out, follow_in, max_hops, cap, most)


@jit
def _carry_on_shortest(
    kind: int,
    rows: Rows,
    search: _Search,
    n_seeds: int,
    follow_out: bool,
    follow_in: bool,
    max_hops: int,
    cap: int,
    most: int,
) -> tuple[_Search, bool, bool]:
    """Extend shortest paths; see `_carry_on`."""
    return _carry_on(kind, rows, search, n_seeds, follow_out, follow_in, max_hops, cap, most)


@inlined
def _has_node(parent: npt.NDArray[np.int32], node: npt.NDArray[np.int32], p: int, v: int) -> bool:
    """Return whether a path has a node."""
    q = p
    while q >= 0 and node[q] != v:
        q = np.int64(parent[q])
    return q >= 0


@inlined
def _carry_on(
    kind: int,
    rows: Rows,
    search: _Search,
    n_seeds: int,
    follow_out: bool,
    follow_in: bool,
    max_hops: int,
    cap: int,
    most_edges: int,
) -> tuple[_Search, bool, bool]:
    """Extend paths until about ``most_edges`` edges are read; return whether the search is done, and capped."""
    out_begin, out_end, tail, _, in_begin, in_end, in_head, in_triple = rows  # `row_bounds` costs 5 % here
    parent, node, triple, forward, origin, keys, hops, cursor = search
    n, edges, done, capped = np.int64(len(out_begin)), np.int64(0), False, False
    count, p, end, hop, reached = cursor[_COUNT], cursor[_NEXT], cursor[_END], cursor[_HOP], cursor[_REACHED]
    while edges < most_edges and not done:
        if p == end:
            hop, end = hop + 1, count
            if p == count or hop > max_hops:
                done = True
                break
        u, s = node[p], np.int64(0 if kind == _SIMPLE else origin[p])
        for direction in range(2):
            if done or not (follow_out if direction == 0 else follow_in):
                continue
            if direction == 0:
                first, last = np.int64(out_begin[u]), np.int64(out_end[u])
            else:
                first, last = np.int64(in_begin[u]), np.int64(in_end[u])
            edges += last - first
            for e in range(first, last):
                if direction == 0:
                    v, t = tail[e], np.int32(e)
                else:
                    v, t = in_head[e], in_triple[e]
                at = np.int64(-1)
                if kind == _SIMPLE:
                    if _has_node(parent, node, p, v):
                        continue
                else:
                    at = place_of(keys, s * n + v)
                    if keys[at] != -1 and (kind == _ONE_SHORTEST or hops[at] != hop):
                        continue
                if count - n_seeds >= cap:
                    done = capped = True
                    break
                if count == len(parent):
                    size = 2 * count
                    parent, node, triple = grow(parent, size), grow(node, size), grow(triple, size)
                    forward = grow(forward, size)
                    if kind != _SIMPLE:
                        origin = grow(origin, size)
                parent[count], node[count], triple[count], forward[count] = p, v, t, direction == 0
                if kind != _SIMPLE:
                    origin[count] = s
                    if keys[at] == -1:
                        keys[at], hops[at] = s * n + v, hop
                        reached += 1
                        if 2 * reached > len(keys):
                            keys, hops = _double(keys, hops)
                count += 1
        p += 1
    cursor[_COUNT], cursor[_NEXT], cursor[_END], cursor[_HOP], cursor[_REACHED] = count, p, end, hop, reached
    return _Search(parent, node, triple, forward, origin, keys, hops, cursor), done, capped


Step = tuple[int, bool]


def steps_of(csr: Csr, follow_out: bool, follow_in: bool) -> list[list[tuple[int, int, bool]]]:
    """Return the steps from each node, as (node, triple, forward): outgoing triples first, each by id."""
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
    """Return the paths of `shortest_path_tree` in its order, one seed and length at a time.

    Returns:
        (seed, ((triple, forward), ...)) for every path.
    """
    steps = steps_of(csr, follow_out, follow_in)
    paths: list[tuple[int, int, tuple[Step, ...]]] = []
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
            paths += [(hop, order, path) for _, path in following]
            layer = following
    paths.sort(key=lambda entry: (entry[0], entry[1]))  # stable: within a length and seed the order stays
    return [(seeds[order], path) for _, order, path in paths]


def simple_paths_python(
    csr: Csr, seeds: list[int], follow_out: bool, follow_in: bool, max_hops: int
) -> list[tuple[int, tuple[Step, ...]]]:
    """Return the paths of `simple_path_tree` in its order, one length at a time; see `shortest_paths_python`."""
    steps = steps_of(csr, follow_out, follow_in)
    paths: list[tuple[int, tuple[Step, ...]]] = []
    layer: list[tuple[list[int], tuple[Step, ...]]] = [([seed], ()) for seed in seeds]
    for _ in range(max_hops):
        layer = [
            ([*nodes, v], (*path, (triple, forward)))
            for nodes, path in layer
            for v, triple, forward in steps[nodes[-1]]
            if v not in nodes
        ]
        paths += [(nodes[0], path) for nodes, path in layer]
    return paths
