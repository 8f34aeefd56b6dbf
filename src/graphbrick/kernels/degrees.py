"""How many steps a walk can take from a node."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit


@jit
def walk_degree(
    out_begin: npt.NDArray[np.uint32],
    out_end: npt.NDArray[np.uint32],
    in_begin: npt.NDArray[np.uint32],
    in_end: npt.NDArray[np.uint32],
    u: int,
    out: bool,
    into: bool,
) -> np.int64:
    """The number of triples that leave a node (``out``), enter it (``into``), or both."""
    degree = np.int64(0)
    if out:
        degree += np.int64(out_end[u]) - np.int64(out_begin[u])
    if into:
        degree += np.int64(in_end[u]) - np.int64(in_begin[u])
    return degree
