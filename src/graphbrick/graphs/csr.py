"""Adjacency of a directed labelled multigraph as compressed sparse rows, in both directions."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int32]
Pointers: TypeAlias = npt.NDArray[np.uint32]


class Csr(NamedTuple):
    """Rows of both directions. A triple's id is its position in the outgoing rows: order of (head, tail, relation).

    Where a row begins and where it ends are two arrays. In a graph as it was built they are one array, seen from its
    first and from its second entry; in one that was changed, a changed row lies behind all others.

    Attributes:
        out_begin: uint32 [nodes]; the triples that leave node u are ``out_begin[u] .. out_end[u]``.
        out_end: uint32 [nodes].
        tail: int32 [triples]; tail of each triple.
        relation: int32 [triples]; relation of each triple.
        in_begin: uint32 [nodes]; the entries that come into node v are ``in_begin[v] .. in_end[v]``.
        in_end: uint32 [nodes].
        in_head: int32 [triples]; head of each incoming entry, ascending within a row.
        in_triple: int32 [triples]; triple id of each incoming entry.

    All arrays are read-only; kernels are compiled for that type once.
    """

    out_begin: npt.NDArray[np.uint32]
    out_end: npt.NDArray[np.uint32]
    tail: npt.NDArray[np.int32]
    relation: npt.NDArray[np.int32]
    in_begin: npt.NDArray[np.uint32]
    in_end: npt.NDArray[np.uint32]
    in_head: npt.NDArray[np.int32]
    in_triple: npt.NDArray[np.int32]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.out_begin)

    @property
    def n_triples(self) -> int:
        """Number of triples."""
        return len(self.tail)

    @property
    def rows(self) -> tuple[Pointers, Pointers, Ints, Pointers, Pointers, Ints]:
        """What kernels walk on: out_begin, out_end, tail, in_begin, in_end, in_head."""
        return self.out_begin, self.out_end, self.tail, self.in_begin, self.in_end, self.in_head

    def row(self, node: int, forward: bool) -> slice:
        """Where the entries of a node are: in the outgoing rows (``forward``), or in the incoming ones."""
        begin, end = (self.out_begin, self.out_end) if forward else (self.in_begin, self.in_end)
        return slice(int(begin[node]), int(end[node]))

    def heads(self, triples: npt.NDArray[np.integer[Any]]) -> Ints:
        """The heads of triples, int32 [triples]."""
        found: Ints = (np.searchsorted(self.out_begin, triples.astype(np.uint32), side="right") - 1).astype(np.int32)
        return found

    def out_degrees(self) -> npt.NDArray[np.int64]:
        """Number of triples that leave each node, int64 [nodes]."""
        return (self.out_end - self.out_begin).astype(np.int64)

    def degrees(self) -> npt.NDArray[np.int64]:
        """Number of triples that leave or enter each node, int64 [nodes]."""
        return self.out_degrees() + (self.in_end - self.in_begin).astype(np.int64)


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
