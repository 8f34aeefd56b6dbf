"""The rows of a node, and the number of triples that a walk can take from it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Rows
from graphbrick.kernels.jit import inlined


@inlined
def row_bounds(rows: Rows, u: int, direction: int) -> tuple[np.int64, np.int64]:
    """Return where the outgoing (direction 0) or incoming (1) entries of a node begin and end."""
    if direction == 0:
        first, last = np.int64(rows.out_begin[u]), np.int64(rows.out_end[u])
    else:
        first, last = np.int64(rows.in_begin[u]), np.int64(rows.in_end[u])
    return first, last


@inlined
def walk_degree(rows: Rows, u: int, follow_out: bool, follow_in: bool) -> np.int64:
    """Return the number of triples that a walk can take from a node."""
    degree = np.int64(0)
    if follow_out:
        degree += np.int64(rows.out_end[u]) - np.int64(rows.out_begin[u])
    if follow_in:
        degree += np.int64(rows.in_end[u]) - np.int64(rows.in_begin[u])
    return degree


def walk_degrees(rows: Rows, follow_out: bool, follow_in: bool) -> npt.NDArray[np.float64]:
    """Return `walk_degree` of all nodes, float64 [nodes]."""
    degrees = np.zeros(len(rows.out_begin))
    if follow_out:
        degrees += rows.out_end - rows.out_begin
    if follow_in:
        degrees += rows.in_end - rows.in_begin
    return degrees
