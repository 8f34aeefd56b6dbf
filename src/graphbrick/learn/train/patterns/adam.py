"""The Adam optimizer in numpy, for models of a few small matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Values = Mapping[str, npt.NDArray[np.floating[Any]]]


class Adam:
    """Kingma and Ba, ICLR 2015, with the decoupled weight decay of Loshchilov and Hutter, ICLR 2019.

    Args:
        values: Arrays of floating-point numbers by name; `step` changes them in place.
        rates: The learning rate of each.
        decay: Weight decay for each unit of learning rate.
        memory: How slowly the mean of squared gradients changes, in (0, 1); 0.98 suits a few hundred steps.

    Example:
        >>> values = {"x": np.array([3.0])}
        >>> adam = Adam(values, {"x": 0.1})
        >>> for _ in range(200):
        ...     adam.step({"x": 2 * values["x"]})  # the gradient of the square
        >>> bool(abs(values["x"][0]) < 0.01)
        True
    """

    def __init__(
        self, values: Values, rates: Mapping[str, float], *, decay: float = 0.0, memory: float = 0.999
    ) -> None:
        self._values, self._rates, self._decay, self._memory, self._steps = values, rates, decay, memory, 0
        self._mean = {name: np.zeros_like(value) for name, value in values.items()}
        self._square = {name: np.zeros_like(value) for name, value in values.items()}
        self._work = {name: np.empty_like(value) for name, value in values.items()}

    def step(self, gradients: Values, scale: float = 1.0) -> None:
        """Move every value once, by ``scale`` times its learning rate."""
        self._steps += 1
        unbias = np.sqrt(1 - self._memory**self._steps) / (1 - 0.9**self._steps)
        for name, gradient in gradients.items():
            mean, square, value, work = self._mean[name], self._square[name], self._values[name], self._work[name]
            rate, kind = scale * self._rates[name], value.dtype.type
            # In place: most of the time of a step goes into passes over memory.
            mean *= kind(0.9)
            np.multiply(gradient, kind(0.1), out=work)
            mean += work
            square *= kind(self._memory)
            np.multiply(gradient, gradient, out=work)
            work *= kind(1 - self._memory)
            square += work
            np.sqrt(square, out=work)
            work += kind(1e-8)
            np.divide(mean, work, out=work)
            work *= kind(rate * unbias)
            if self._decay:
                value *= kind(1 - rate * self._decay)
            value -= work
