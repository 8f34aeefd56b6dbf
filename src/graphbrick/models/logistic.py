"""The logistic function, and Newton's method for the coefficients of a logistic model.

scikit-learn's ``LogisticRegression`` gives the same coefficients where it can be used. It takes classes only, while the
values here may be shares: of answers within a size, and those of Platt's calibration.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_STEPS = 100


def sigmoid(x: npt.ArrayLike) -> Floats:
    """Return the logistic function of each value, as if those beyond 30 were 30.

    >>> sigmoid([0.0, 30.0, 99.0]).round(3).tolist()
    [0.5, 1.0, 1.0]
    """
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))))


def newton(x: Floats, values: Floats, penalty: Floats, weight: Floats | None = None) -> Floats:
    """Return the coefficients of least weighted mean log loss plus half of a penalty times their squares.

    Args:
        x: float64 [rows, columns].
        values: From 0 to 1.
        penalty: Penalty of each column.
        weight: Weight of each row, with a mean of 1; None for equal weights.
    """
    weight = np.ones(len(x)) if weight is None else weight
    coefficients = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = sigmoid(x @ coefficients)
        gradient = x.T @ (weight * (p - values)) / len(x) + penalty * coefficients
        curvature = (x * (weight * p * (1 - p))[:, None]).T @ x / len(x) + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, gradient)
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))  # far from the minimum a full step may diverge
        coefficients -= step
        if np.abs(step).max() < 1e-8:
            break
    return coefficients
