"""One step of a walk over weighted edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit


@jit
def gathered(
    begin: npt.NDArray[np.uint64],
    other: npt.NDArray[np.uint32],
    weight: npt.NDArray[np.float64],
    share: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the sum of weight times share over the edges of each node, float64 [nodes].

    Indices are unsigned, so that none has to be tested for counting from the end: it halves the time.

    Args:
        begin: uint64 [nodes + 1], where the edges of each node begin.
        other: uint32 [edges], the other end of each edge.
        weight: float64 [edges].
        share: float64 [nodes].
    """
    total = np.empty(len(begin) - 1, dtype=np.float64)
    for node in range(len(total)):
        one = 0.0
        for edge in range(begin[node], begin[node + 1]):
            one += weight[edge] * share[other[edge]]
        total[node] = one
    return total
