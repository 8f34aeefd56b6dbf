"""Paired difference of two areas under the ROC curve: which score ranks cases better."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from graphbrick.study.statistics.agreement import placements
from graphbrick.study.statistics.intervals import Values, check_values, normal_quantile


class Gain(NamedTuple):
    """Difference of the areas under two ROC curves of the same cases.

    Attributes:
        value: The difference of the areas.
        low: Lower end of its interval.
        high: Upper end of its interval.
    """

    value: float
    low: float
    high: float


def auc_gain(labels: Values, first: Values, second: Values, *, level: float = 0.95) -> Gain:
    """Return how much better the first scores rank, with the paired interval of DeLong et al.

    Args:
        labels: Labels of 0 and 1, at least two of each.
        first: A score of each case.
        second: Other scores of the same cases.
        level: Confidence level, in (0, 1).

    Raises:
        ValueError: There are fewer than two cases with one of the labels.

    >>> auc_gain([1, 1, 0, 0], [0.9, 0.8, 0.5, 0.1], [0.9, 0.4, 0.5, 0.1]).value
    0.25
    """
    y = check_values(labels)
    if min((y == 1).sum(), (y == 0).sum()) < 2:
        raise ValueError("two areas are compared on at least two cases with each label")
    (ones, zeros), (others, nones) = (placements(y, check_values(scores)) for scores in (first, second))
    above, below = ones - others, zeros - nones
    error = sqrt(float(above.var(ddof=1)) / len(above) + float(below.var(ddof=1)) / len(below))
    value, reach = float(above.mean()), normal_quantile(level) * error
    return Gain(value, max(-1.0, value - reach), min(1.0, value + reach))
