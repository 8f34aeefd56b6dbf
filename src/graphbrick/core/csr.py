"""Adjacency of a directed labelled multigraph as compressed sparse rows, in both directions."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int32]
Pointers: TypeAlias = npt.NDArray[np.uint32]


class Rows(NamedTuple):
    """The arrays that kernels walk on, all read-only so that every kernel is compiled once.

    A triple's id is its position in the outgoing rows. Where a row begins and where it ends are two arrays. In a graph
    as it was built they are one array, seen from its first and from its second entry; in a graph that was changed, a
    changed row lies behind all others.

    Attributes:
        out_begin: uint32 [nodes]; the triples that leave node u are ``out_begin[u] .. out_end[u]``.
        out_end: uint32 [nodes].
        tail: int32 [triples]; tail of each triple.
        relation: int32 [triples]; relation of each triple.
        in_begin: uint32 [nodes]; the entries that come into node v are ``in_begin[v] .. in_end[v]``.
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
    """Rows in both directions, in the order of (head, tail, relation), with what is asked about them outside kernels.

    Numba takes a subclass of a named tuple for another type, so kernels are given `rows`, never this or a subclass.
    """

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.out_begin)

    @property
    def n_triples(self) -> int:
        """Number of triples."""
        return len(self.tail)

    @property
    def rows(self) -> Rows:
        """The arrays alone, as kernels take them."""
        return Rows(*self)

    def row(self, node: int, forward: bool) -> slice:
        """Where the entries of a node are: in the outgoing rows (``forward``), or in the incoming ones."""
        begin, end = (self.out_begin, self.out_end) if forward else (self.in_begin, self.in_end)
        return slice(int(begin[node]), int(end[node]))

    def heads(self, triples: npt.NDArray[np.integer[Any]]) -> Ints:
        """The heads of triples, int32 [triples]."""
        return _owners(self.out_begin, triples)

    def all_heads(self) -> Ints:
        """The head of every triple in the order of `ids`, int32 [triples]."""
        return np.repeat(np.arange(self.n_nodes, dtype=np.int32), self.out_degrees())

    def runs(self) -> list[range]:
        """The ids of all triples, as ranges of ids in a row, ascending; one range in a graph as it was built."""
        return [range(len(self.tail))]

    def ids(self) -> Ints:
        """The ids of all triples, int32, ascending."""
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
    """Rows that lie in another order than their nodes, as in a changed graph, whose ids also have gaps."""

    _built: Csr | None
    _owner: Ints
    _begin: Pointers

    @classmethod
    def moved(cls, rows: Csr, built: Csr, nodes: Ints) -> ScatteredCsr:
        """The rows ``built``, of which those of ``nodes`` (ascending) lie anew behind all others, in that order."""
        self = cls(*rows)
        self._built, self._owner, self._begin = built, nodes, rows.out_begin[nodes]
        return self

    @classmethod
    def dense(cls, rows: Csr) -> ScatteredCsr:
        """Rows in any order that together hold every id once."""
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
        """The head of every triple in the order of `ids`, int32 [triples]."""
        return self.heads(self.ids())

    def heads(self, triples: npt.NDArray[np.integer[Any]]) -> Ints:
        """The heads of triples, int32 [triples]."""
        found = self._owner[_owners(self._begin, triples)] if len(self._owner) else np.zeros(len(triples), np.int32)
        if self._built is None:
            return found
        return np.where(triples < self._built.n_triples, self._built.heads(triples), found)

    def runs(self) -> list[range]:
        """The ids of all triples, as ranges of ids in a row, ascending."""
        if self._built is None:
            return super().runs()
        built, size = self._built, self._built.n_triples
        known = self._owner[self._owner < built.n_nodes]
        # What the rows of the moved nodes leave free
        starts = [0, *built.out_end[known].tolist(), size]
        ends = [*built.out_begin[known].tolist(), size, len(self.tail)]
        return [range(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def _owners(begin: Pointers, triples: npt.NDArray[np.integer[Any]]) -> Ints:
    """The last row that begins at or before each triple, of rows in the order in which they lie."""
    return (np.searchsorted(begin, triples.astype(np.uint32), side="right") - 1).astype(np.int32)


def from_rows(n: int, head: Ints, tail: Ints, relation: Ints) -> Csr:
    """The rows of triples of which those of one head lie together, sorted by (tail, relation), and are distinct.

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
    """The rows of triples that are sorted by (head, tail, relation) and distinct.

    Args:
        n: Number of nodes; all heads and tails are below it.
        head: int32 [triples], ascending.
        tail: int32 [triples].
        relation: int32 [triples].
    """
    by_tail = np.argsort(tail, kind="stable").astype(np.int32)
    return from_arrays(row_pointers(n, head), tail, relation, row_pointers(n, tail), head[by_tail], by_tail)


def from_arrays(out_ptr: Pointers, tail: Ints, relation: Ints, in_ptr: Pointers, in_head: Ints, in_triple: Ints) -> Csr:
    """The rows whose pointers are one array each, of n + 1 entries; all arrays become read-only."""
    for array in (out_ptr, tail, relation, in_ptr, in_head, in_triple):
        array.setflags(write=False)
    return Csr(out_ptr[:-1], out_ptr[1:], tail, relation, in_ptr[:-1], in_ptr[1:], in_head, in_triple)


def row_pointers(n: int, row: npt.NDArray[np.int32]) -> npt.NDArray[np.uint32]:
    """Where the rows of entries that are sorted by row begin, and where the last ends: uint32 [n + 1]."""
    pointers = np.zeros(n + 1, dtype=np.uint32)
    np.cumsum(np.bincount(row, minlength=n), out=pointers[1:])
    return pointers
