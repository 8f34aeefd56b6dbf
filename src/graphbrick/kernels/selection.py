"""The k-th largest of some numbers; numpy's own partition takes numba five seconds to compile."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit


@jit
def kth_largest(values: npt.NDArray[np.float64], k: int) -> float:
    """Return the ``k``-th largest value (Hoare, "Algorithm 65: Find", 1961); changes the order of the values.

    Args:
        values: float64, at least one, none of them NaN.
        k: At least 1 and at most the number of values.
    """
    at, low, high = len(values) - k, 0, len(values) - 1
    while low < high:
        first, middle, last = values[low], values[(low + high) >> 1], values[high]
        pivot = max(min(first, middle), min(max(first, middle), last))
        # Scans stop at values equal to the pivot, so that many equal values are halved too.
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if at <= j:
            high = j
        elif at >= i:
            low = i
        else:
            break
    return float(values[at])
