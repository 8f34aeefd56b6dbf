"""The kernels of `relation_patterns` in numpy: slower, but without the half second that loading numba takes.

A process that answers one question over a small graph takes 0.9 s of CPU with them, and 1.35 s with numba.
`graphbrick.kernels.loading` decides when loading it pays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Rows
from graphbrick.kernels.distinct import distinct
from graphbrick.kernels.loading import Spent

Ints = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

TRIPLE_SECONDS = 250e-9
"""Time that it takes to read a triple here; the compiled kernels take a quarter of it."""


class Carried(NamedTuple):
    """Patterns extended by one hop. Pattern i is pattern ``parent[i]`` plus the step ``step[i]``.

    A pattern has ends of two kinds: those of walks that never come back to the seed, and those of walks that do.

    Attributes:
        parent: int64 [patterns], ascending: index into the patterns of the previous length.
        step: int64 [patterns], ascending for a parent: twice the relation, and one more if it is followed forwards.
        end: int32; the distinct ends of the walks of pattern i that stay away from the seed are
            ``end[begin[i] : begin[i + 1]]``, ascending.
        begin: int64 [patterns + 1].
        back_end: int32; the distinct ends of its walks that have been back, the seed itself included.
        back_begin: int64 [patterns + 1].
        left: int64 [patterns, hops], the steps that left the seed; -1 for steps that left another entity.
        returns: bool [patterns], whether the last step may come to the seed.
        has_been_back: bool [patterns], whether all walks that have been back came back before the last step.
        cut: Number of parent patterns that were extended from only some of their ends, because of the cap.
    """

    parent: Ints
    step: Ints
    end: Nodes
    begin: Ints
    back_end: Nodes
    back_begin: Ints
    left: Ints
    returns: Flags
    has_been_back: Flags
    cut: int


def empty_pattern(seed: int) -> Carried:
    """Return the pattern without steps, which ends at the seed."""
    begin, no = np.array([0, 1], dtype=np.int64), np.zeros(1, dtype=np.bool_)
    return Carried(
        np.full(1, -1, dtype=np.int64), np.full(1, -1, dtype=np.int64), np.array([seed], dtype=np.int32), begin,
        np.zeros(0, dtype=np.int32), np.zeros(2, dtype=np.int64), np.zeros((1, 0), dtype=np.int64), no, no, 0,
    )  # fmt: skip


class Grown(NamedTuple):
    """The patterns of all lengths around a seed, shorter ones first; the first is the pattern without steps.

    The fields are those of `Carried`; parents are indices into these arrays, and -1 for the first pattern.
    """

    parent: Ints
    step: Ints
    end: Nodes
    begin: Ints
    back_end: Nodes
    back_begin: Ints


class Ends(NamedTuple):
    """The ends of patterns, by pattern and then by kind.

    Attributes:
        node: int32; the entities.
        pattern: int64, the pattern of each, ascending.
        back: Whether each is the end of walks that have been back to the seed; those come last for a pattern.
    """

    node: Nodes
    pattern: Ints
    back: Flags

    @classmethod
    def of(cls, carried: Carried, chosen: Ints) -> Ends:
        """Return the ends of some patterns, whose numbers are their indices in ``chosen``."""
        ends, begin = rows_of(carried.end, carried.begin, chosen)
        back_ends, back_begin = rows_of(carried.back_end, carried.back_begin, chosen)
        number = np.arange(len(chosen))
        pattern = np.concatenate([np.repeat(number, np.diff(begin)), np.repeat(number, np.diff(back_begin))])
        back = np.arange(len(pattern)) >= len(ends)
        order = np.argsort(pattern, kind="stable")
        return cls(np.concatenate([ends, back_ends])[order], pattern[order], back[order])


def degrees(rows: Rows, nodes: Nodes, follow_out: bool, follow_in: bool) -> Ints:
    """Return how many triples leave and enter each node, int64 [nodes, 2]; 0 for directions not followed."""
    leaving = rows.out_end[nodes].astype(np.int64) - rows.out_begin[nodes]
    entering = rows.in_end[nodes].astype(np.int64) - rows.in_begin[nodes]
    return np.column_stack([leaving * follow_out, entering * follow_in])


def carry_on_numpy(
    rows: Rows, seed: int, before: Carried, chosen: Ints, ends: Ends, follow_out: bool, follow_in: bool, cap: int
) -> Carried:
    """Return the same as `relation_patterns.carry_on`, which explains the arguments; ``ends`` are those chosen."""
    last, left = before.step[chosen], before.left[chosen]
    n = len(rows.out_begin)
    group = 2 * ends.pattern + ends.back
    sizes = degrees(rows, ends.node, follow_out, follow_in)
    # At most ``cap`` triples of a pattern and kind are read: those of its first ends, outgoing before incoming ones.
    until = np.cumsum(sizes) - sizes.ravel()
    first = np.searchsorted(group, group)  # the first end of each pattern and kind
    looked = until.reshape(-1, 2) - until[2 * first][:, None]
    read = np.clip(cap - looked, 0, sizes)
    cut = len(np.unique(ends.pattern[(read < sizes).any(axis=1)]))

    entry = np.repeat(np.arange(sizes.size), read.ravel())  # 2 * end + direction, for each triple
    offset = np.arange(len(entry)) - np.repeat(np.cumsum(read) - read.ravel(), read.ravel())
    end, incoming = entry >> 1, (entry & 1).astype(np.bool_)
    u = ends.node[end]
    at = np.where(incoming, rows.in_begin[u], rows.out_begin[u]).astype(np.int64) + offset
    step, v = np.empty(len(at), dtype=np.int64), np.empty(len(at), dtype=np.int64)
    enters, leaves = at[incoming], at[~incoming]
    step[incoming], v[incoming] = 2 * rows.relation[rows.in_triple[enters]].astype(np.int64), rows.in_head[enters]
    step[~incoming], v[~incoming] = 2 * rows.relation[leaves].astype(np.int64) + 1, rows.tail[leaves]

    pattern, back = ends.pattern[end], ends.back[end]
    undoes_leaving = (v == seed) & (left[pattern] == (step ^ 1)[:, None]).any(axis=1)
    undoes_return = back & (u == seed) & (step == last[pattern] ^ 1)
    stays = ~(undoes_leaving | undoes_return)
    steps = int(step.max(initial=0)) + 1
    kind = back | (v == seed)
    keys = distinct((((pattern * steps + step) * 2 + kind) * n + v)[stays])

    kinds, node = np.divmod(keys, n)
    extended, kind = np.divmod(kinds, 2)
    patterns, number = np.unique(extended, return_inverse=True)
    parent, step, node_of = chosen[patterns // steps], patterns % steps, node.astype(np.int32)
    away, been = ((node_of[kind == one], _begins(number[kind == one], len(patterns))) for one in (0, 1))
    left, returns, has_been_back = _around_seed(rows, seed, before, parent, step, *been)
    return Carried(parent, step, *away, *been, left, returns, has_been_back, cut)


def _around_seed(
    rows: Rows, seed: int, before: Carried, parent: Ints, step: Ints, back_end: Nodes, back_begin: Ints
) -> tuple[Ints, Flags, Flags]:
    """Return `left`, `returns` and `has_been_back` of extended patterns; see `Carried`."""
    leaves = (before.returns | (before.parent < 0))[parent] & (step != before.step[parent] ^ 1)
    left = np.column_stack([before.left[parent], np.where(leaves, step, -1)])
    returns = np.zeros(len(parent), dtype=np.bool_)
    returns[np.repeat(np.arange(len(parent)), np.diff(back_begin))[back_end == seed]] = True
    has_been_back = np.ones(len(parent), dtype=np.bool_)
    for i in np.flatnonzero(returns):
        away = before.end[before.begin[parent[i]] : before.begin[parent[i] + 1]]
        _, node = step_back_numpy(rows, seed, int(step[i]), away, np.zeros(0, dtype=np.int64), -1)
        has_been_back[i] = node < 0
    return left, returns, has_been_back


def step_back_numpy(
    rows: Rows, node: int, step: int, allowed: Nodes, met: npt.NDArray[np.integer], excluded: int
) -> tuple[int, int]:
    """Return the same as `relation_patterns.step_back`, whose docstring explains the arguments."""
    begin, end, other = (rows.in_begin, rows.in_end, rows.in_head) if step & 1 else (
        rows.out_begin, rows.out_end, rows.tail
    )  # fmt: skip
    row = np.arange(int(begin[node]), int(end[node]))
    Spent.seconds += len(row) * TRIPLE_SECONDS
    triples = rows.in_triple[row] if step & 1 else row
    nodes = other[row]
    fits = np.flatnonzero((rows.relation[triples] == step >> 1) & np.isin(nodes, allowed) & (nodes != excluded))
    if not len(fits):
        return -1, -1
    fresh = fits[~np.isin(nodes[fits], met)]
    best = fresh[0] if len(fresh) else fits[0]
    return int(triples[best]), int(nodes[best])


def walk_back_numpy(
    rows: Rows, grown: Grown, pattern: Ints, back: Flags, nodes: Ints, triples: Ints, start: int, most_paths: int
) -> int:
    """Do the same as `relation_patterns.walk_back`, whose docstring explains the arguments."""
    seed, last = int(grown.end[0]), min(len(pattern), start + most_paths)
    for i in range(start, last):
        p, has_been_back, hop = int(pattern[i]), bool(back[i]), 0
        while grown.parent[p] >= 0:
            step, p = int(grown.step[p]), int(grown.parent[p])
            away = grown.end[grown.begin[p] : grown.begin[p + 1]]
            at, met = int(nodes[i, hop]), nodes[i, : hop + 1]
            triple, node = -1, -1
            if not has_been_back or at == seed:
                triple, node = step_back_numpy(rows, at, step, away, met, -1)
                has_been_back &= node < 0
            if node < 0:
                allowed = grown.back_end[grown.back_begin[p] : grown.back_begin[p + 1]]
                undone = seed if step == grown.step[p] ^ 1 else -1
                triple, node = step_back_numpy(rows, at, step, allowed, met, undone)
            hop += 1
            nodes[i, hop], triples[i, hop - 1] = node, triple
    return last


def rows_of(values: Nodes, begin: Ints, chosen: Ints) -> tuple[Nodes, Ints]:
    """Return the values of the selected rows, and where each row begins."""
    sizes = begin[chosen + 1] - begin[chosen]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return values[np.repeat(begin[chosen] - starts[:-1], sizes) + np.arange(starts[-1])], starts


def _begins(number: Ints, n: int) -> Ints:
    """Return where each of n runs of equal numbers begins, and the end of the last, int64 [n + 1]."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(number, minlength=n))])
