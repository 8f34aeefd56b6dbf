"""The Adam optimizer in numpy, for models of a few small matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.loading import numba_is_loaded, worth_loading

_SAVED_SECONDS = 1.3e-9  # by the compiled kernel, a step and value
_LOADING = 0.1  # seconds that it takes to load it

Floats = npt.NDArray[np.float32]
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
        unbias = self._next_unbias()
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

    def _next_unbias(self) -> float:
        """Count a step, and return the factor on its length, as means begin at 0."""
        self._steps += 1
        return float(np.sqrt(1 - self._memory**self._steps) / (1 - 0.9**self._steps))


class AveragedAdam(Adam):
    """Adam with a moving average of the values, which is steadier than they are (Polyak and Juditsky, 1992).

    Args:
        values: float32 arrays by name; `step_towards` changes them in place.
        rates: The learning rate of each.
        decay: Weight decay for each unit of learning rate.
        steps: Number of steps to come, which tells whether the compiled kernel is worth loading.

    Attributes:
        average: The averages by name.
    """

    def __init__(self, values: Mapping[str, Floats], rates: Mapping[str, float], *, decay: float, steps: int) -> None:
        super().__init__(values, rates, decay=decay)
        self.average = {name: value.copy() for name, value in values.items()}
        saved = _SAVED_SECONDS * steps * sum(value.size for value in values.values())
        self._is_compiled = saved > _LOADING and (numba_is_loaded() or worth_loading(saved))

    def step_towards(self, gradients: Mapping[str, Floats], share: float) -> None:
        """Move every value once, and its average by a share of the distance to it."""
        if self._is_compiled:
            self._step_compiled(gradients, np.float32(share))
            return
        self.step(gradients)
        for name, value in self._values.items():
            change = np.subtract(value, self.average[name], out=self._work[name])
            change *= np.float32(share)
            self.average[name] += change

    def _step_compiled(self, gradients: Mapping[str, Floats], share: np.float32) -> None:
        """Do what `step_towards` does in numpy, to the last bit."""
        from graphbrick.kernels.averaged_adam import averaged_step

        fading = np.array([0.9, 0.1, self._memory, 1 - self._memory, 1e-8], dtype=np.float32)
        unbias = self._next_unbias()
        for name, gradient in gradients.items():
            rate, kept = np.float32(self._rates[name] * unbias), np.float32(1 - self._rates[name] * self._decay)
            averaged_step(
                self._values[name].reshape(-1), self._mean[name].reshape(-1), self._square[name].reshape(-1),
                gradient.reshape(-1), self.average[name].reshape(-1), fading, rate, kept, share,
            )  # fmt: skip
