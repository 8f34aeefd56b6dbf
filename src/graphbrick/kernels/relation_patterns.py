"""Relation patterns around a seed: extend patterns by one hop, and the readable reference version."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import grow
from graphbrick.kernels.jit import jit


@jit
def carry_on(
    rows: Rows,
    seed: int,
    ends: npt.NDArray[np.int32],
    begin: npt.NDArray[np.int64],
    back_ends: npt.NDArray[np.int32],
    back_begin: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    left: npt.NDArray[np.int64],
    follow_out: bool,
    follow_in: bool,
    cap: int,
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    int,
]:
    """Extend patterns by every relation that leaves or enters their ends.

    A walk may return to the seed only by a step that does not undo a step that left the seed. After returning, it must
    not leave by undoing the step that returned. Otherwise every walk there and back would count.

    For each pattern and kind of ends, at most ``cap`` triples are read: those of its first ends, outgoing before
    incoming ones. Memory grows with these triples and the ends found.

    Args:
        rows: The rows of the graph.
        seed: The node where the patterns start.
        ends: int32; the ends of pattern p that stay away are ``ends[begin[p] : begin[p + 1]]``.
        begin: int64 [patterns + 1].
        back_ends, back_begin: The same for walks that have returned to the seed.
        last: int64 [patterns], the last step of each; -1 for the empty pattern.
        left: int64 [patterns, any], the steps of each that left the seed; -1 for none.
        follow_out, follow_in: Whether triples are followed forwards, and backwards.
        cap: At least 1.

    Returns:
        The fields of `Carried`.
    """
    out_begin, out_end, tail, relation, in_begin, in_end, in_head, in_triple = rows
    n = np.int64(len(out_begin))
    parent, step = np.empty(64, dtype=np.int32), np.empty(64, dtype=np.int64)
    first, back_first = np.empty(65, dtype=np.int64), np.empty(65, dtype=np.int64)
    found, back_found = np.empty(1024, dtype=np.int32), np.empty(64, dtype=np.int32)
    keys = np.empty(1024, dtype=np.int64)  # (2 * step + back) * n + node
    first[0] = back_first[0] = 0
    count, held, back_held, cut = 0, 0, 0, 0
    for p in range(len(begin) - 1):
        size = 0
        is_cut = False
        for back in range(2):
            looked, exceeded = 0, False
            nodes, start, stop = ends, begin[p], begin[p + 1]
            if back == 1:
                nodes, start, stop = back_ends, back_begin[p], back_begin[p + 1]
            for i in range(start, stop):
                u = nodes[i]
                for direction in range(2):
                    if direction == 0:
                        if not follow_out:
                            continue
                        at, end = np.int64(out_begin[u]), np.int64(out_end[u])
                    else:
                        if not follow_in:
                            continue
                        at, end = np.int64(in_begin[u]), np.int64(in_end[u])
                    if end - at > cap - looked:
                        end = at + cap - looked
                        exceeded = True
                    looked += end - at
                    if size + end - at > len(keys):
                        keys = grow(keys, max(2 * len(keys), size + end - at))
                    for e in range(at, end):
                        if direction == 0:
                            v, s = tail[e], 2 * np.int64(relation[e]) + 1
                        else:
                            v, s = in_head[e], 2 * np.int64(relation[in_triple[e]])
                        kind = back
                        if v == seed:
                            kind = 1
                            undoes = False
                            for j in range(left.shape[1]):
                                undoes |= left[p, j] == s ^ 1
                            if undoes:
                                continue
                        if back == 1 and u == seed and s == last[p] ^ 1:
                            continue
                        keys[size] = (2 * s + kind) * n + v
                        size += 1
                if exceeded:
                    break
            is_cut |= exceeded
        cut += is_cut
        ordered = np.sort(keys[:size])
        before, last_step = np.int64(-1), np.int64(-1)
        for key in ordered:
            if key == before:
                continue
            before, kind_and_step = key, key // n
            s = kind_and_step >> 1
            if s != last_step:
                last_step = s
                if count == len(parent):
                    parent, step = grow(parent, 2 * count), grow(step, 2 * count)
                    first, back_first = grow(first, 2 * count + 1), grow(back_first, 2 * count + 1)
                parent[count], step[count] = p, s
                count += 1
            if kind_and_step & 1:
                if back_held == len(back_found):
                    back_found = grow(back_found, 2 * back_held)
                back_found[back_held] = key - kind_and_step * n
                back_held += 1
            else:
                if held == len(found):
                    found = grow(found, 2 * held)
                found[held] = key - kind_and_step * n
                held += 1
            first[count], back_first[count] = held, back_held
    return (
        parent[:count].copy(), step[:count].copy(), found[:held].copy(), first[: count + 1].copy(),
        back_found[:back_held].copy(), back_first[: count + 1].copy(), cut,
    )  # fmt: skip


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
    """Return the first triple of a relation in the row of a node that leads to an allowed node.

    Args:
        begin, end, other: Rows of one direction.
        triple: The triple of each entry; empty where an entry is its own triple.
        relation: int32 [triples].
        node: The node whose row is searched.
        wanted: The relation.
        allowed: int32, ascending.
        met: Nodes that are chosen only if there is no other.

    Returns:
        (triple, node it leads to); (-1, -1) if there is none.
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
    """Return the same as `step_back`, for a triple that was followed to the node, forwards or backwards."""
    row = csr.row(node, not forward)
    entries = range(row.start, row.stop)
    ways = [(int(csr.in_triple[e]), int(csr.in_head[e])) if forward else (e, int(csr.tail[e])) for e in entries]
    fits = [(t, v) for t, v in ways if csr.relation[t] == wanted and v in allowed]
    return next((way for way in fits if way[1] not in met), fits[0] if fits else (-1, -1))


def carry_on_python(
    csr: Csr,
    seed: int,
    ends: list[list[int]],
    back_ends: list[list[int]],
    last: list[int],
    left: list[list[int]],
    *,
    follow_out: bool,
    follow_in: bool,
    cap: int,
) -> tuple[list[tuple[int, int, list[int], list[int]]], int]:
    """Return (parent, step, ends, ends of returning walks) per pattern, and the number of cut patterns."""
    found: list[tuple[int, int, list[int], list[int]]] = []
    cut = 0
    for p in range(len(ends)):
        reached: dict[int, tuple[set[int], set[int]]] = {}
        is_cut = False
        for nodes, has_been_back in ((ends[p], False), (back_ends[p], True)):
            steps: list[tuple[int, int, int]] = []
            for u in nodes:
                if follow_out:
                    row = csr.row(u, True)
                    steps += [(u, 2 * int(csr.relation[e]) + 1, int(csr.tail[e])) for e in range(row.start, row.stop)]
                if follow_in:
                    row = csr.row(u, False)
                    steps += [
                        (u, 2 * int(csr.relation[csr.in_triple[e]]), int(csr.in_head[e]))
                        for e in range(row.start, row.stop)
                    ]
            is_cut |= len(steps) > cap
            for u, step, v in steps[:cap]:
                undoes_leaving = v == seed and step ^ 1 in left[p]
                undoes_return = has_been_back and u == seed and step == last[p] ^ 1
                if not undoes_leaving and not undoes_return:
                    reached.setdefault(step, (set(), set()))[has_been_back or v == seed].add(v)
        cut += is_cut
        found += [(p, step, *map(sorted, reached[step])) for step in sorted(reached)]  # type: ignore[misc]
    return found, cut
