"""A logistic model of a few numbers, and the calibration of its probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.models.logistic import Floats, newton, sigmoid


@dataclass(frozen=True)
class Logistic:
    """Weights of standardised numbers.

    Attributes:
        mean: Mean of each number in training, float64 [numbers].
        scale: Its standard deviation; 1 if it is always the same.
        weights: Its weight.
        bias: What is added.
        slope: The sum is multiplied by this, so that probabilities are right on rows that were held out.
        shift: And this is added.
    """

    mean: Floats
    scale: Floats
    weights: Floats
    bias: float
    slope: float = 1.0
    shift: float = 0.0

    def logits(self, rows: Floats) -> Floats:
        """Return the log odds of rows, float64 [rows]."""
        sums: Floats = ((rows - self.mean) / self.scale) @ self.weights + self.bias
        return self.slope * sums + self.shift

    def probabilities(self, rows: Floats) -> Floats:
        """Return the probability of 1 for each row, float64 [rows]."""
        return sigmoid(self.logits(rows))


def fit(rows: Floats, values: Floats, *, penalty: float = 1e-2, signs: Floats | None = None) -> Logistic:
    """Fit a logistic model; both classes count as much, whatever their numbers.

    Args:
        rows: float64 [rows, numbers].
        values: 0 or 1 for each row; both occur.
        penalty: Half of it times the squared weights is added to the mean loss.
        signs: 1 for each number that can only speak for 1, and -1 for each that can only speak against it. Numbers with
            a weight of the other sign are left out, the worst first, until there is none. None to allow both.
    """
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    x = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    weights, used = np.zeros(rows.shape[1]), np.arange(rows.shape[1])
    while True:
        columns = np.append(used, rows.shape[1])
        fitted = newton(x[:, columns], values, np.append(np.full(len(used), penalty), 1e-9), balanced(values))
        wrong = np.zeros(0) if signs is None else fitted[:-1] * signs[used]
        if not (wrong < 0).any():
            weights[used] = fitted[:-1]
            return Logistic(mean, scale, weights, float(fitted[-1]))
        used = np.delete(used, int(np.argmin(wrong)))


def calibrated(model: Logistic, rows: Floats, values: Floats) -> Logistic:
    """Return a model whose log odds are stretched and shifted to fit other rows (Platt, 1999).

    Values are smoothed as by Platt, so that perfectly told classes do not give infinite log odds. The order of rows
    stays: a slope below 0.01 becomes 0.01. scikit-learn's ``CalibratedClassifierCV`` smooths by the weights of rows
    instead of their numbers, and gives other probabilities where one class has few rows.
    """
    sums = model.logits(rows)
    ones, zeros = float(values.sum()), float((1 - values).sum())
    smooth = np.where(values > 0, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    slope, shift = newton(np.column_stack([sums, np.ones(len(sums))]), smooth, np.full(2, 1e-6), balanced(values))
    return Logistic(model.mean, model.scale, model.weights, model.bias, max(float(slope), 0.01), float(shift))


PLAIN = Logistic(np.zeros(1), np.ones(1), np.ones(1), 0.0)
"""A model of one number, log odds, that changes nothing."""


def platt(logits: Floats, values: Floats) -> Logistic:
    """Return a model of one number, log odds, stretched and shifted to fit values."""
    return calibrated(PLAIN, logits[:, None], values)


def balanced(values: Floats) -> Floats:
    """Return weights of rows with mean 1 by which both classes count as much."""
    share = float(values.mean())
    weights: Floats = np.where(values > 0, 0.5 / share, 0.5 / (1 - share))
    return weights
