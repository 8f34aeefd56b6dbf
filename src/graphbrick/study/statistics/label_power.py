"""Number of labels to buy: for an interval of a given width, or for the least cost.

The variance of PPI++ with n labels and N further predictions is ``(Var Y / n) (1 - r² N / (n + N))``, where r is the
correlation of labels and predictions. Costs follow Broska, Howes and van Loon, The Mixed Subjects Design
(Sociological Methods and Research, 2025), as ``ppi_mean_power`` of the package ``ppi-python`` counts them.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from graphbrick.study.statistics.intervals import Values, normal_quantile
from graphbrick.study.statistics.prediction_powered import sample


class Purchase(NamedTuple):
    """Numbers of labels and predictions to buy.

    Attributes:
        n: Number of cases with a label and a prediction.
        others: Number of cases with a prediction only.
        cost: Cost of both together.
        effective_n: Number of labels alone that would give an interval as short.
        correlation: Correlation of labels and predictions that this rests on.
    """

    n: int
    others: int
    cost: float
    effective_n: int
    correlation: float


def labels_needed(
    width: float,
    *,
    variance: float,
    correlation: float,
    cases: int,
    spread: float | None = None,
    level: float = 0.95,
) -> int | None:
    """Return the number of labels that make the interval of PPI++ this wide at most.

    Args:
        width: The wished length of the interval, such as 0.1 for ± 5 points.
        variance: Variance of the labels; ``p (1 - p)`` for a share p, 0.25 at most.
        correlation: Correlation of labels and predictions, from -1 to 1; a negative one helps no more than 0.
        cases: Number of cases with a prediction, those to be labelled included.
        spread: Standard deviation of the predictions; if it is small beside that of the labels, the weight of the
            predictions is at its limit of 1. None if it is not: the predictions are calibrated, or spread more.
        level: Confidence level, in (0, 1).

    Returns:
        The number, from 2 to ``cases``; None if labels of all cases do not suffice.

    Raises:
        ValueError: A number is out of its range.

    >>> labels_needed(0.1, variance=0.25, correlation=0.0, cases=1_000)
    385
    >>> labels_needed(0.1, variance=0.25, correlation=0.8, cases=1_000)
    184
    """
    if width <= 0 or variance < 0 or not -1 <= correlation <= 1 or cases < 2 or not 0 < level < 1:
        raise ValueError(
            "the number of labels needs a width above 0, a variance of at least 0, a correlation from -1 to 1, at "
            f"least 2 cases and a level in (0, 1), got {width}, {variance}, {correlation}, {cases} and {level}"
        )
    target = (width / (2 * normal_quantile(level))) ** 2
    n = np.arange(2, cases + 1)
    others = (cases - n) / cases  # N / (n + N)
    useful = max(correlation, 0.0) * sqrt(variance)
    spread = useful if spread is None else spread
    weight = np.clip(useful / spread * others, 0, 1) if spread > 0 else np.zeros(len(n))
    # Var Y / n - 2 weight Cov / n + weight² Var f (1/n + 1/N), written so that N = 0 is no division by 0
    explained = 2 * weight * useful * spread - (weight * spread) ** 2 / np.where(others > 0, others, 1)
    enough = np.flatnonzero((variance - explained) / n <= target * (1 + 1e-12))
    return int(n[enough[0]]) if len(enough) else None


def correlation_of(labels: Values, predictions: Values) -> float:
    """Return Pearson's correlation of labels and predictions; 0 if one of them does not vary.

    >>> round(correlation_of([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4]), 3)
    0.87
    """
    y, f, _ = sample(labels, predictions)
    if np.ptp(y) == 0 or np.ptp(f) == 0:
        return 0.0
    y, f = y - y.mean(), f - f.mean()
    return float((y * f).mean() / sqrt((y * y).mean() * (f * f).mean()))


def cheapest(
    correlation: float, effective_n: float, *, label: float, prediction: float, cases: int | None = None
) -> Purchase:
    """Return the cheapest purchase whose interval is as short as that of ``effective_n`` labels alone.

    Args:
        correlation: Correlation of labels and predictions, in (-1, 1).
        effective_n: Number of labels alone, at least 1.
        label: Cost of a label, above 0.
        prediction: Cost of a prediction, at least 0.
        cases: Number of cases that there are; None for no limit.

    Raises:
        ValueError: A number is out of its range, or more labels are wished for than there are cases.

    >>> cheapest(0.8, 400, label=1.0, prediction=0.01)
    Purchase(n=163, others=..., cost=..., effective_n=..., correlation=0.8)
    """
    _check(correlation, label, prediction)
    if effective_n < 1 or (cases is not None and effective_n > cases):
        limit = "" if cases is None else f" and at most {cases}, the number of cases"
        raise ValueError(f"effective_n must be at least 1{limit}, got {effective_n}")
    purchase = _optimal(effective_n, correlation, label, prediction)
    if label < _cost_of_one(correlation, label, prediction) or purchase.others < 0:
        purchase = _labels_only(round(effective_n), correlation, label)
    if cases is None or purchase.n + purchase.others <= cases:
        return purchase
    squared = correlation**2
    return _mixed(round(effective_n * cases * (1 - squared) / (cases - squared * effective_n)), cases, correlation,
                  label, prediction)  # fmt: skip


def _cost_of_one(correlation: float, label: float, prediction: float) -> float:
    """Return the cost of the best mixture that is worth one label."""
    gamma, squared = prediction / label, correlation**2
    return label * (1 - squared + gamma * squared + 2 * sqrt(gamma * squared * (1 - squared)))


def _optimal(effective_n: float, correlation: float, label: float, prediction: float) -> Purchase:
    gamma, squared = prediction / label, correlation**2
    exact = effective_n * (1 - squared + sqrt(gamma * squared * (1 - squared)))
    spare = exact - (1 - squared) * effective_n
    n, others = round(exact), round(exact * (effective_n - exact) / spare) if correlation and spare else 0
    cost = n * label + (n + others) * prediction
    return Purchase(n, others, cost, _effective(n, others, correlation), correlation)


def _mixed(n: int, cases: int, correlation: float, label: float, prediction: float) -> Purchase:
    others = cases - n
    cost = n * (label + prediction) + others * prediction
    return Purchase(n, others, cost, _effective(n, others, correlation), correlation)


def _labels_only(n: int, correlation: float, label: float) -> Purchase:
    return Purchase(n, 0, n * label, n, correlation)


def _effective(n: int, others: int, correlation: float) -> int:
    below = n + (1 - correlation**2) * others
    return round(n * (n + others) / below) if below else 0


def _check(correlation: float, label: float, prediction: float) -> None:
    if not -1 < correlation < 1 or label <= 0 or prediction < 0:
        raise ValueError(
            "the correlation must be in (-1, 1), the cost of a label above 0 and that of a prediction at least 0, got "
            f"{correlation}, {label} and {prediction}"
        )
