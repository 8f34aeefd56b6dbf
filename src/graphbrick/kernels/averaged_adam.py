"""One step of Adam, and of a moving average of the weights, in one pass over memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit

Floats = npt.NDArray[np.float32]

_BLOCK = 4_096  # numbers that stay in the nearest cache


@jit
def averaged_step(
    value: Floats,
    mean: Floats,
    square: Floats,
    gradient: Floats,
    average: Floats,
    fading: Floats,
    rate: np.float32,
    kept: np.float32,
    share: np.float32,
) -> None:
    """Move weights by a step of Adam, and their average towards them.

    The loops are those that a compiler turns into instructions for many numbers at once.

    Args:
        value, mean, square, average: float32 [weights], changed in place.
        gradient: float32 [weights].
        fading: float32 [5], how much of the mean stays, how much of the gradient is added to it, the same for the
            squares, and the least spread.
        rate: Of learning.
        kept: The share of a weight that its decay leaves.
        share: Of the distance to the weights, by which the average moves.
    """
    for first in range(0, len(value), _BLOCK):
        v, m, s = value[first : first + _BLOCK], mean[first : first + _BLOCK], square[first : first + _BLOCK]
        g, a = gradient[first : first + _BLOCK], average[first : first + _BLOCK]
        for i in range(len(v)):
            m[i] = m[i] * fading[0] + g[i] * fading[1]
        for i in range(len(v)):
            s[i] = s[i] * fading[2] + g[i] * g[i] * fading[3]
        for i in range(len(v)):
            v[i] = v[i] * kept - np.divide(m[i], np.sqrt(s[i]) + fading[4]) * rate
        for i in range(len(v)):
            a[i] = a[i] + (v[i] - a[i]) * share
