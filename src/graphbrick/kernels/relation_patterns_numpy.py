"""What `relation_patterns` does, in numpy: slower, but without the half second that loading numba takes.

A process that answers one question and ends is faster without numba, one that answers many is not. `worth_loading`
says when the time has come.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Rows

Ints = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]

ENOUGH = 2_000_000
"""Triples read in numpy that take about as long as loading numba."""
_LARGEST = 1_000_000  # triples of one call, so that it needs little memory


class Carried(NamedTuple):
    """Patterns extended by one hop. Pattern i is pattern ``parent[i]`` plus the step ``step[i]``.

    A pattern has ends of two kinds: those of walks that never come back to the seed, and those of walks that do.

    Attributes:
        parent: int32 [patterns], ascending.
        step: int64 [patterns], ascending for a parent: twice the relation, and one more if it is followed forwards.
        end: int32; the distinct ends of the walks of pattern i that stay away from the seed are
            ``end[begin[i] : begin[i + 1]]``, ascending.
        begin: int64 [patterns + 1].
        back_end: int32; the distinct ends of its walks that have been back, the seed itself included.
        back_begin: int64 [patterns + 1].
        cut: Number of parent patterns that were extended from only some of their ends, because of the cap.
    """

    parent: Nodes
    step: Ints
    end: Nodes
    begin: Ints
    back_end: Nodes
    back_begin: Ints
    cut: int


class Ends(NamedTuple):
    """The ends of patterns, by pattern and then by kind.

    Attributes:
        node: int32; the entities.
        pattern: int64, the pattern of each, ascending.
        back: Whether each is the end of walks that have been back to the seed; those come last for a pattern.
    """

    node: Nodes
    pattern: Ints
    back: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, ends: Nodes, begin: Ints, back_ends: Nodes, back_begin: Ints) -> Ends:
        """Return the ends of patterns from the arguments of `relation_patterns.carry_on`."""
        number = np.arange(len(begin) - 1)
        pattern = np.concatenate([np.repeat(number, np.diff(begin)), np.repeat(number, np.diff(back_begin))])
        back = np.arange(len(pattern)) >= len(ends)
        order = np.argsort(pattern, kind="stable")
        return cls(np.concatenate([ends, back_ends])[order], pattern[order], back[order])


class Counter:
    """The work that this process has done without numba."""

    triples = 0


def numba_is_loaded() -> bool:
    """Return whether numba is loaded, so that its kernels are there at once."""
    return "numba" in sys.modules


def worth_loading(triples: int) -> bool:
    """Count triples that are about to be read; return whether numba should be loaded for them.

    True for a large call, and once loading takes no longer than what was done without it so far.
    """
    Counter.triples += triples
    return triples > _LARGEST or Counter.triples > ENOUGH


def degrees(rows: Rows, nodes: Nodes, follow_out: bool, follow_in: bool) -> Ints:
    """Return how many triples leave and enter each node, int64 [nodes, 2]; 0 for directions not followed."""
    leaving = rows.out_end[nodes].astype(np.int64) - rows.out_begin[nodes]
    entering = rows.in_end[nodes].astype(np.int64) - rows.in_begin[nodes]
    return np.column_stack([leaving * follow_out, entering * follow_in])


def carry_on_numpy(
    rows: Rows, seed: int, ends: Ends, last: Ints, left: Ints, follow_out: bool, follow_in: bool, cap: int
) -> Carried:
    """Return the same as `relation_patterns.carry_on`, whose docstring explains the arguments."""
    n = len(rows.out_begin)
    group = 2 * ends.pattern + ends.back
    sizes = degrees(rows, ends.node, follow_out, follow_in)
    # At most ``cap`` triples of a pattern and kind are read: those of its first ends, outgoing before incoming ones.
    before = np.cumsum(sizes) - sizes.ravel()
    first = np.searchsorted(group, group)  # the first end of each pattern and kind
    looked = before.reshape(-1, 2) - before[2 * first][:, None]
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
    keys = np.unique((((pattern * steps + step) * 2 + kind) * n + v)[stays])

    kinds, node = np.divmod(keys, n)
    extended, kind = np.divmod(kinds, 2)
    distinct, number = np.unique(extended, return_inverse=True)
    found = node.astype(np.int32)
    return Carried(
        (distinct // steps).astype(np.int32), distinct % steps,
        found[kind == 0], _begins(number[kind == 0], len(distinct)),
        found[kind == 1], _begins(number[kind == 1], len(distinct)), cut,
    )  # fmt: skip


def step_back_numpy(
    begin: npt.NDArray[np.uint32],
    end: npt.NDArray[np.uint32],
    other: Nodes,
    triple: Nodes,
    relation: Nodes,
    node: int,
    wanted: int,
    allowed: Nodes,
    met: Nodes,
) -> tuple[int, int]:
    """Return the same as `relation_patterns.step_back`, whose docstring explains the arguments."""
    row = np.arange(int(begin[node]), int(end[node]))
    triples = triple[row] if len(triple) else row
    fits = np.flatnonzero((relation[triples] == wanted) & np.isin(other[row], allowed))
    if not len(fits):
        return -1, -1
    fresh = fits[~np.isin(other[row[fits]], met)]
    best = fresh[0] if len(fresh) else fits[0]
    return int(triples[best]), int(other[row[best]])


def _begins(number: Ints, n: int) -> Ints:
    """Return where each of n runs of equal numbers begins, and the end of the last, int64 [n + 1]."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(number, minlength=n))])
