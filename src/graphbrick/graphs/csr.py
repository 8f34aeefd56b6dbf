"""Adjacency of a directed labelled multigraph as compressed sparse rows, in both directions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints: type = npt.NDArray[np.int32]


class Csr(NamedTuple):
    """Rows of both directions. A triple's id is its position in the outgoing rows: order of (head, tail, relation).

    Attributes:
        out_ptr: uint32 [nodes + 1]; the triples that leave node u are ``out_ptr[u] .. out_ptr[u + 1]``.
        tail: int32 [triples]; tail of each triple.
        relation: int32 [triples]; relation of each triple.
        in_ptr: uint32 [nodes + 1]; the entries that come into node v are ``in_ptr[v] .. in_ptr[v + 1]``.
        in_head: int32 [triples]; head of each incoming entry, ascending within a row.
        in_triple: int32 [triples]; triple id of each incoming entry.

    All arrays are read-only; kernels are compiled for that type once.
    """

    out_ptr: npt.NDArray[np.uint32]
    tail: npt.NDArray[np.int32]
    relation: npt.NDArray[np.int32]
    in_ptr: npt.NDArray[np.uint32]
    in_head: npt.NDArray[np.int32]
    in_triple: npt.NDArray[np.int32]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.out_ptr) - 1

    @property
    def n_triples(self) -> int:
        """Number of triples."""
        return len(self.tail)


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
    arrays = (_row_pointers(n, head), tail, relation, _row_pointers(n, tail), head[by_tail], by_tail)
    for array in arrays:
        array.setflags(write=False)
    return Csr(*arrays)


def _row_pointers(n: int, row: npt.NDArray[np.int32]) -> npt.NDArray[np.uint32]:
    pointers = np.zeros(n + 1, dtype=np.uint32)
    np.cumsum(np.bincount(row, minlength=n), out=pointers[1:])
    return pointers
