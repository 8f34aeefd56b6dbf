"""Agreement of two labellers (Cohen's kappa), and how well a judge ranks (area under ROC)."""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.models.logistic import sigmoid
from graphbrick.study.statistics.intervals import Values, check_values, normal_quantile, wilson

Floats = npt.NDArray[np.float64]


class Agreement(NamedTuple):
    """Agreement of two labellers on the same cases.

    Attributes:
        n: Number of cases that both labelled.
        same: Share of them that both labelled alike.
        kappa: Cohen's kappa: 1 for full agreement, 0 for as much as by chance; None if both gave one label only.
        low: Lower end of its interval; None without kappa.
        high: Upper end of its interval; None without kappa.
    """

    n: int
    same: float
    kappa: float | None
    low: float | None
    high: float | None


class Auc(NamedTuple):
    """Area under the ROC curve.

    Attributes:
        value: Share of pairs of a case with label 1 and one with label 0 in which the first has the higher score; ties
            count half. 0.5 is chance.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    value: float
    low: float
    high: float


def cohens_kappa(first: Values, second: Values, *, level: float = 0.95) -> Agreement:
    """Return the agreement of two labellers on the same cases (Cohen, 1960).

    The interval is normal, with the standard error of Fleiss, Cohen and Everitt (Psychological Bulletin 1969).

    Args:
        first: Labels of 0 and 1.
        second: Labels of the same cases in the same order.
        level: Confidence level, in (0, 1).

    Raises:
        ValueError: There are no labels, or not as many of one as of the other.

    >>> found = cohens_kappa([1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 0])
    >>> found.n, round(found.same, 3), round(found.kappa, 3)
    (6, 0.833, 0.667)
    """
    a, b = check_values(first), check_values(second)
    if len(a) != len(b):
        raise ValueError(f"two labellers are compared on the same cases, got {len(a)} and {len(b)} labels")
    n = len(a)
    table = np.array([[np.sum((a == i) & (b == j)) for j in (0, 1)] for i in (0, 1)]) / n
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    same, chance = float(np.trace(table)), float(rows @ columns)
    if chance >= 1:
        return Agreement(n, same, None, None, None)
    kappa = (same - chance) / (1 - chance)
    inside = sum(table[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in (0, 1))
    outside = (1 - kappa) ** 2 * sum(table[i, 1 - i] * (columns[i] + rows[1 - i]) ** 2 for i in (0, 1))
    spread = max(0.0, float(inside + outside) - (kappa - chance * (1 - kappa)) ** 2)
    reach = normal_quantile(level) * sqrt(spread / n) / (1 - chance)
    return Agreement(n, same, kappa, max(-1.0, kappa - reach), min(1.0, kappa + reach))


def auc(labels: Values, scores: Values, *, level: float = 0.95) -> Auc | None:
    """Return the area under the ROC curve with the interval of DeLong et al. (1988), logit scale.

    Args:
        labels: Labels of 0 and 1.
        scores: A score of each case, in the same order; higher for 1.
        level: Confidence level, in (0, 1).

    Returns:
        The area; None if all labels are the same.

    >>> auc([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1]).value
    0.75
    """
    y, f = check_values(labels), check_values(scores)
    m, k = int((y == 1).sum()), int((y == 0).sum())
    if not m or not k:
        return None
    of_ones, of_zeros = placements(y, f)
    value = float(of_ones.mean())
    if value in (0.0, 1.0) or min(m, k) < 2:
        bound = wilson(round(value * min(m, k)), min(m, k), level=level)
        return Auc(value, bound.low, bound.high)
    error = sqrt(float(of_ones.var(ddof=1)) / m + float(of_zeros.var(ddof=1)) / k)
    centre, reach = log(value / (1 - value)), normal_quantile(level) * error / (value * (1 - value))
    low, high = sigmoid([centre - reach, centre + reach]).tolist()
    return Auc(value, low, high)


def placements(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Return the share of the other cases that each 1 is above, and that each 0 is below; ties count half.

    Args:
        y: Labels of 0 and 1, at least one of each.
        scores: A score of each case.
    """
    ones, zeros = np.sort(scores[y == 1]), np.sort(scores[y == 0])

    def below(values: Floats, others: Floats) -> Floats:
        both = np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")
        shares: Floats = both / (2 * len(others))
        return shares

    return below(scores[y == 1], zeros), 1 - below(scores[y == 0], ones)
