"""Adjacency of a directed labelled multigraph as compressed sparse rows, in both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.deferred import cached_property

Ints: TypeAlias = npt.NDArray[np.int32]
Pointers: TypeAlias = npt.NDArray[np.uint32]
_MOST_COPIED = 1 << 24  # triples


class Rows(NamedTuple):
    """The arrays that kernels walk on; all are read-only, so that every kernel is compiled once.

    A triple's id is its position in the outgoing rows. Begins and ends of rows are separate arrays. In a graph without
    changes they are two views of one pointer array; in a changed graph, the changed rows come after all others.

    Attributes:
        out_begin: uint32 [nodes]; the triples that leave node u have the ids ``out_begin[u]`` to ``out_end[u] - 1``.
        out_end: uint32 [nodes].
        tail: int32 [triples]; tail of each triple.
        relation: int32 [triples]; relation of each triple.
        in_begin: uint32 [nodes]; the incoming entries of node v are ``in_begin[v]`` to ``in_end[v] - 1``.
        in_end: uint32 [nodes].
        in_head: int32 [triples]; head of each incoming entry, ascending within a row.
        in_triple: int32 [triples]; triple id of each incoming entry.
    """

    out_begin: Pointers
    out_end: Pointers
    tail: Ints
    relation: Ints
    in_begin: Pointers
    in_end: Pointers
    in_head: Ints
    in_triple: Ints


class Csr(Rows):
    """Rows in both directions, sorted by (head, tail, relation), with methods for use outside kernels.

    Numba treats a subclass of a named tuple as another type, so pass `rows` to kernels, never this object.
    """

    unchecked: Callable[[Csr], None] | None = None
    """Raises if the arrays are damaged; for arrays from a file, until a kernel walks on them. Kernels check nothing."""

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.out_begin)

    @property
    def n_triples(self) -> int:
        """Number of triples."""
        return len(self.tail)

    @cached_property
    def in_relation(self) -> Ints:
        """The relation of each incoming entry, int32 [triples]; empty above 16 million triples.

        Like ``relation[in_triple]``, which jumps about in memory. It takes 4 bytes a triple from when it is first read.
        """
        in_relation = self.relation[self.in_triple[: 0 if len(self.in_triple) > _MOST_COPIED else None]]
        in_relation.setflags(write=False)
        return in_relation

    @cached_property
    def n_relations(self) -> int:
        """One more than the highest relation; 0 where `in_relation` is empty."""
        return int(self.in_relation.max(initial=-1)) + 1

    @property
    def rows(self) -> Rows:
        """The plain arrays, for kernels."""
        if self.unchecked is not None:
            self.unchecked(self)
            self.unchecked = None
        return Rows(*self)

    def row(self, node: int, forward: bool) -> slice:
        """Return the slice of a node's entries in the outgoing rows (``forward``) or in the incoming rows."""
        begin, end = (self.out_begin, self.out_end) if forward else (self.in_begin, self.in_end)
        return slice(int(begin[node]), int(end[node]))

    def heads(self, triples: npt.NDArray[np.integer[Any]]) -> Ints:
        """Return the heads of triples, int32 [triples]."""
        return _owners(self.out_begin, triples)

    def all_heads(self) -> Ints:
        """Return the head of every triple in the order of `ids`, int32 [triples]."""
        return np.repeat(np.arange(self.n_nodes, dtype=np.int32), self.out_degrees())

    def runs(self) -> list[range]:
        """Return the ids of all triples as ascending ranges; one range in a graph without changes."""
        return [range(len(self.tail))]

    def ids(self) -> Ints:
        """Return the ids of all triples, int32, ascending."""
        parts = [np.arange(run.start, run.stop, dtype=np.int32) for run in self.runs()]
        return np.concatenate([np.empty(0, dtype=np.int32), *parts])

    def out_degrees(self) -> npt.NDArray[np.int64]:
        """Number of triples that leave each node, int64 [nodes]."""
        return (self.out_end - self.out_begin).astype(np.int64)

    def in_degrees(self) -> npt.NDArray[np.int64]:
        """Number of triples that enter each node, int64 [nodes]."""
        return (self.in_end - self.in_begin).astype(np.int64)

    def degrees(self) -> npt.NDArray[np.int64]:
        """Number of triples that leave or enter each node, int64 [nodes]."""
        return self.out_degrees() + self.in_degrees()


class ScatteredCsr(Csr):
    """Rows stored in another order than their nodes, as in a changed graph; the triple ids may have gaps."""

    _built: Csr | None
    _owner: Ints
    _begin: Pointers

    @classmethod
    def moved(cls, rows: Csr, built: Csr, nodes: Ints) -> ScatteredCsr:
        """Return the changed rows of a graph.

        Args:
            rows: The arrays after the change.
            built: The rows before the change.
            nodes: The nodes, ascending, whose rows were moved after all others, in this order.
        """
        self = cls(*rows)
        self._built, self._owner, self._begin = built, nodes, rows.out_begin[nodes]
        return self

    @classmethod
    def dense(cls, rows: Csr) -> ScatteredCsr:
        """Return rows in any order that together hold every triple id exactly once."""
        self = cls(*rows)
        filled = np.flatnonzero(rows.out_begin < rows.out_end)
        owner = filled[np.argsort(rows.out_begin[filled])].astype(np.int32)
        self._built, self._owner, self._begin = None, owner, rows.out_begin[owner]
        return self

    @property
    def n_triples(self) -> int:
        """Number of triples."""
        return sum(map(len, self.runs()))

    def all_heads(self) -> Ints:
        """Return the head of every triple in the order of `ids`, int32 [triples]."""
        return self.heads(self.ids())

    def heads(self, triples: npt.NDArray[np.integer[Any]]) -> Ints:
        """Return the heads of triples, int32 [triples]."""
        heads = self._owner[_owners(self._begin, triples)] if len(self._owner) else np.zeros(len(triples), np.int32)
        if self._built is None:
            return heads
        return np.where(triples < self._built.n_triples, self._built.heads(triples), heads)

    def runs(self) -> list[range]:
        """Return the ids of all triples as ascending ranges."""
        if self._built is None:
            return super().runs()
        built, size = self._built, self._built.n_triples
        known = self._owner[self._owner < built.n_nodes]
        # Skip the old places of the moved rows
        starts = [0, *built.out_end[known].tolist(), size]
        ends = [*built.out_begin[known].tolist(), size, len(self.tail)]
        return [range(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def _owners(begin: Pointers, triples: npt.NDArray[np.integer[Any]]) -> Ints:
    """Return the last row that begins at or before each triple; rows are in storage order."""
    return (np.searchsorted(begin, triples.astype(np.uint32), side="right") - 1).astype(np.int32)


def from_rows(n: int, head: Ints, tail: Ints, relation: Ints) -> Csr:
    """Return the rows of distinct triples, grouped by head and sorted by (tail, relation) in a group.

    Args:
        n: Number of nodes; all heads and tails are below it.
        head: int32 [triples]; in any order, but each in one piece.
        tail: int32 [triples].
        relation: int32 [triples].
    """
    if not len(head) or bool((head[1:] >= head[:-1]).all()):
        return from_sorted(n, head, tail, relation)
    by_tail = np.lexsort((head, tail)).astype(np.int32)
    sizes = np.bincount(head, minlength=n)
    begin: Pointers = np.zeros(n, dtype=np.uint32)
    first = np.flatnonzero(np.concatenate(([True], head[1:] != head[:-1])))
    begin[head[first]] = first
    in_ptr = row_pointers(n, tail)
    arrays = (begin, (begin + sizes).astype(np.uint32), tail, relation, in_ptr, head[by_tail], by_tail)
    for array in arrays:
        array.setflags(write=False)
    out_begin, out_end, tail, relation, in_ptr, in_head, by_tail = arrays
    return ScatteredCsr.dense(Csr(out_begin, out_end, tail, relation, in_ptr[:-1], in_ptr[1:], in_head, by_tail))


def from_sorted(
    n: int, head: npt.NDArray[np.int32], tail: npt.NDArray[np.int32], relation: npt.NDArray[np.int32]
) -> Csr:
    """Return the rows of distinct triples that are sorted by (head, tail, relation).

    Args:
        n: Number of nodes; all heads and tails are below it.
        head: int32 [triples], ascending.
        tail: int32 [triples].
        relation: int32 [triples].
    """
    by_tail = np.argsort(tail, kind="stable").astype(np.int32)
    return from_arrays(row_pointers(n, head), tail, relation, row_pointers(n, tail), head[by_tail], by_tail)


def from_arrays(out_ptr: Pointers, tail: Ints, relation: Ints, in_ptr: Pointers, in_head: Ints, in_triple: Ints) -> Csr:
    """Return rows from pointer arrays of n + 1 entries; all arrays become read-only."""
    for array in (out_ptr, tail, relation, in_ptr, in_head, in_triple):
        array.setflags(write=False)
    return Csr(out_ptr[:-1], out_ptr[1:], tail, relation, in_ptr[:-1], in_ptr[1:], in_head, in_triple)


def row_pointers(n: int, row: npt.NDArray[np.int32]) -> npt.NDArray[np.uint32]:
    """Return the row pointers of entries sorted by row: all begins and the last end, uint32 [n + 1]."""
    pointers = np.zeros(n + 1, dtype=np.uint32)
    np.cumsum(np.bincount(row, minlength=n), out=pointers[1:])
    return pointers
