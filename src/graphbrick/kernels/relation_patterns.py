"""Relation patterns around a seed: one hop more for each of some patterns, and the readable version beside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.kernels.hashing import grow
from graphbrick.kernels.jit import jit


class Carried(NamedTuple):
    """Patterns that are one hop longer than those given. Pattern i is pattern ``parent[i]`` and the step ``step[i]``.

    Attributes:
        parent: int32 [patterns], ascending.
        step: int64 [patterns], ascending for a parent: twice the relation, and one more where it is followed forwards.
        end: int32; the distinct nodes at the end of pattern i are ``end[begin[i] : begin[i + 1]]``, ascending.
        begin: int64 [patterns + 1].
        cut: How many of the patterns given were carried on from some of their ends only, as the cap said.
    """

    parent: npt.NDArray[np.int32]
    step: npt.NDArray[np.int64]
    end: npt.NDArray[np.int32]
    begin: npt.NDArray[np.int64]
    cut: int


@jit
def carry_on(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    tail: npt.NDArray[np.int32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    in_head: npt.NDArray[np.int32],
    in_triple: npt.NDArray[np.int32],
    relation: npt.NDArray[np.int32],
    seed: int,
    ends: npt.NDArray[np.int32],
    begin: npt.NDArray[np.int64],
    follow_out: bool,
    follow_in: bool,
    cap: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64], int]:
    """Every relation that leaves or enters the ends of patterns, and where it leads; never back to the seed.

    Of one pattern at most ``cap`` triples are looked at: those of its first ends, outgoing before incoming ones. Memory
    is that of these triples and of the ends found.

    Args:
        out_begin, out_end, tail, in_begin, in_end, in_head, in_triple, relation: The rows of a graph.
        seed: The node where the patterns start.
        ends: int32; the nodes at the end of pattern p are ``ends[begin[p] : begin[p + 1]]``.
        begin: int64 [patterns + 1].
        follow_out, follow_in: Whether triples are followed forwards, and backwards.
        cap: At least 1.

    Returns:
        The fields of `Carried`.
    """
    n = np.int64(len(out_begin))
    parent, step = np.empty(64, dtype=np.int32), np.empty(64, dtype=np.int64)
    first = np.empty(65, dtype=np.int64)
    found = np.empty(1024, dtype=np.int32)
    keys = np.empty(1024, dtype=np.int64)  # step * n + node
    first[0] = 0
    count, held, cut = 0, 0, 0
    for p in range(len(begin) - 1):
        looked, size = 0, 0
        is_cut = False
        for i in range(begin[p], begin[p + 1]):
            u = ends[i]
            for direction in range(2):
                if direction == 0:
                    if not follow_out:
                        continue
                    at, last = np.int64(out_begin[u]), np.int64(out_end[u])
                else:
                    if not follow_in:
                        continue
                    at, last = np.int64(in_begin[u]), np.int64(in_end[u])
                if last - at > cap - looked:
                    last = at + cap - looked
                    is_cut = True
                looked += last - at
                if size + last - at > len(keys):
                    keys = grow(keys, max(2 * len(keys), size + last - at))
                for e in range(at, last):
                    if direction == 0:
                        v, s = tail[e], 2 * np.int64(relation[e]) + 1
                    else:
                        v, s = in_head[e], 2 * np.int64(relation[in_triple[e]])
                    if v != seed:
                        keys[size] = s * n + v
                        size += 1
            if is_cut:
                break
        cut += is_cut
        ordered = np.sort(keys[:size])
        before, last_step = np.int64(-1), np.int64(-1)
        for key in ordered:
            if key == before:
                continue
            before, s = key, key // n
            if s != last_step:
                last_step = s
                if count == len(parent):
                    parent, step = grow(parent, 2 * count), grow(step, 2 * count)
                    first = grow(first, 2 * count + 1)
                parent[count], step[count] = p, s
                count += 1
            if held == len(found):
                found = grow(found, 2 * held)
            found[held] = key - s * n
            held += 1
            first[count] = held
    return parent[:count].copy(), step[:count].copy(), found[:held].copy(), first[: count + 1].copy(), cut


@jit
def step_back(
    begin: npt.NDArray[np.uint32],
    end: npt.NDArray[np.uint32],
    other: npt.NDArray[np.int32],
    triple: npt.NDArray[np.int32],
    relation: npt.NDArray[np.int32],
    node: int,
    wanted: int,
    allowed: npt.NDArray[np.int32],
    met: npt.NDArray[np.int32],
) -> tuple[np.int64, np.int64]:
    """The first triple of a relation in the row of a node that leads to one of the nodes allowed.

    Args:
        begin, end, other: Rows of one direction.
        triple: The triple of each entry; empty where an entry is its own triple.
        relation: int32 [triples].
        node: Whose row.
        wanted: The relation.
        allowed: int32, ascending.
        met: Nodes that are taken only where there is no other.

    Returns:
        (triple, node there); -1 and -1 where there is none.
    """
    found, there = np.int64(-1), np.int64(-1)
    for e in range(np.int64(begin[node]), np.int64(end[node])):
        t = np.int64(triple[e]) if len(triple) else np.int64(e)
        if relation[t] != wanted:
            continue
        v = other[e]
        at = np.searchsorted(allowed, v)
        if at == len(allowed) or allowed[at] != v:
            continue
        is_met = False
        for u in met:
            is_met |= u == v
        if not is_met:
            return t, np.int64(v)
        if found < 0:
            found, there = t, np.int64(v)
    return found, there


def step_back_python(
    csr: Csr, node: int, wanted: int, forward: bool, allowed: list[int], met: list[int]
) -> tuple[int, int]:
    """The same, for a triple that was followed to the node, forwards or backwards."""
    row = csr.row(node, not forward)
    entries = range(row.start, row.stop)
    ways = [(int(csr.in_triple[e]), int(csr.in_head[e])) if forward else (e, int(csr.tail[e])) for e in entries]
    fits = [(t, v) for t, v in ways if csr.relation[t] == wanted and v in allowed]
    return next((way for way in fits if way[1] not in met), fits[0] if fits else (-1, -1))


def carry_on_python(
    csr: Csr, seed: int, ends: list[list[int]], *, follow_out: bool, follow_in: bool, cap: int
) -> tuple[list[tuple[int, int, list[int]]], int]:
    """The same as (parent, step, ends) a pattern, and how many patterns were cut."""
    found: list[tuple[int, int, list[int]]] = []
    cut = 0
    for p, nodes in enumerate(ends):
        steps: list[tuple[int, int]] = []
        for u in nodes:
            if follow_out:
                row = csr.row(u, True)
                steps += [(2 * int(csr.relation[e]) + 1, int(csr.tail[e])) for e in range(row.start, row.stop)]
            if follow_in:
                entries = range(csr.row(u, False).start, csr.row(u, False).stop)
                steps += [(2 * int(csr.relation[csr.in_triple[e]]), int(csr.in_head[e])) for e in entries]
        cut += len(steps) > cap
        reached: dict[int, set[int]] = {}
        for step, v in steps[:cap]:
            if v != seed:
                reached.setdefault(step, set()).add(v)
        found += [(p, step, sorted(reached[step])) for step in sorted(reached)]
    return found, cut
