"""Intervals of prediction-powered means that hold with few labels and with shares near 0 or 1.

The normal interval of a share from 30 labels covers the truth in 80 % of cases where the share is 0.9. Reports
therefore show Wilson's score interval with the effective number of labels, ``mean (1 - mean) / error²``, as surveys do
(Korn and Graubard, Survey Methodology 1998), with the quantile of Student's t distribution; differences have the
interval of Student's t test. ``benchmarks/ppi_coverage.py`` measures how often they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, hypot, log1p, sqrt
from statistics import NormalDist

import numpy as np

from graphbrick.evaluate.statistics.intervals import is_binary
from graphbrick.evaluate.statistics.prediction_powered import (
    Estimate,
    Sample,
    mean_and_error,
    normal_quantile,
    tuned_weight,
)

_NORMAL = NormalDist()
_EDGE = 1e-3  # a share nearer to 0 or 1 is taken as this far away for the effective number of labels


def share_of(strata: Sequence[Sample], *, weight: float | None = None, level: float = 0.95) -> Estimate:
    """Return the share of cases that a label holds for, as `mean_of`, with an interval within [0, 1].

    Labels that are not all 0 or 1 get the interval of `mean_difference`.

    Args:
        strata: The cases, at least one stratum.
        weight: The weight of the predictions: 0 for the labels alone, 1 for PPI; None for PPI++.
        level: Confidence level, in (0, 1).

    >>> from graphbrick.evaluate.statistics.prediction_powered import sample
    >>> all_right = share_of([sample([1, 1, 1, 1, 1], [0.9, 0.8, 0.9, 0.7, 0.9], [0.9, 0.2, 0.8])])
    >>> round(all_right.low, 2), all_right.high, all_right.weight
    (0.57, 1.0, 0.0)
    """
    labels = np.concatenate([part.labels for part in strata])
    if not is_binary(labels):
        return mean_difference(strata, weight=weight, level=level)
    wald = mean_difference(strata, weight=weight, level=level)
    mean = min(1.0, max(0.0, wald.mean))
    inner = min(1 - _EDGE, max(_EDGE, mean))
    alone = wald.weight == 0 and len(strata) == 1
    unknown = np.ptp(labels) == 0 or wald.error == 0
    effective = wald.n if alone or unknown else max(1.0, inner * (1 - inner) / wald.error**2)
    z = normal_quantile(level) if alone or unknown else t_quantile(level, wald.n - len(strata))
    centre = mean + z * z / (2 * effective)
    reach = z * sqrt(mean * (1 - mean) / effective + (z / (2 * effective)) ** 2)
    scale = 1 + z * z / effective
    low = 0.0 if mean == 0 else max(0.0, (centre - reach) / scale)
    high = 1.0 if mean == 1 else min(1.0, (centre + reach) / scale)
    return wald._replace(mean=mean, low=low, high=high)


def mean_difference(strata: Sequence[Sample], *, weight: float | None = None, level: float = 0.95) -> Estimate:
    """Return the mean of values, such as differences between two systems on the same questions, as `mean_of`.

    The variance of labels is divided by n - 1, and the interval has the quantile of Student's t distribution. If all
    labels are equal, it reaches as far as Wilson's interval of none of n.
    """
    chosen = tuned_weight(strata) if weight is None else float(weight)
    mean, error = mean_and_error(strata, chosen, unbiased=True)
    n, others = sum(len(part.labels) for part in strata), sum(len(part.others) for part in strata)
    reach = t_quantile(level, n - len(strata)) * error
    if np.ptp(np.concatenate([part.labels for part in strata])) == 0:
        z = normal_quantile(level)
        reach = z * z / (n + z * z)
    return Estimate(mean, mean - reach, mean + reach, error, n, others, chosen if others else 0.0)


def among_known(estimate: Estimate, share: float, cases: int, *, level: float = 0.95) -> Estimate:
    """Return the mean over more cases, where the value of all others is known to be 0.

    Args:
        estimate: Mean of a share of the cases.
        share: This share, from 0 to 1; it counts as chance.
        cases: Number of all cases.
        level: Confidence level of the interval of the estimate.
    """
    by_chance = abs(estimate.mean) * sqrt(share * (1 - share) / cases)
    reach = normal_quantile(level) * by_chance
    mean = share * estimate.mean
    low = mean - hypot(share * (estimate.mean - estimate.low), reach)
    high = mean + hypot(share * (estimate.high - estimate.mean), reach)
    return estimate._replace(mean=mean, low=low, high=high, error=hypot(share * estimate.error, by_chance))


def unpaired_difference(first: Estimate, second: Estimate, strata: int, *, level: float = 0.95) -> Estimate:
    """Return the difference of two means from different questions.

    Args:
        first: A mean.
        second: The mean that is subtracted.
        strata: Number of strata of both together.
        level: Confidence level, in (0, 1).
    """
    error, n = sqrt(first.error**2 + second.error**2), first.n + second.n
    mean, reach = first.mean - second.mean, t_quantile(level, n - strata) * error
    weight = (first.weight + second.weight) / 2
    return Estimate(mean, mean - reach, mean + reach, error, n, first.others + second.others, weight)


def t_quantile(level: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution for a two-sided interval (Wallace, 1959).

    Within 1 % for at least 5 degrees of freedom, and a little too large for fewer.

    >>> round(t_quantile(0.95, 29), 3)
    2.045
    """
    z, freedom = normal_quantile(level), max(1, freedom)
    return sqrt(freedom * (exp((z * (8 * freedom + 3) / (8 * freedom + 1)) ** 2 / freedom) - 1))


def t_p_value(estimate: Estimate, strata: int = 1) -> float:
    """Return the two-sided p-value of a mean against 0 by Student's t distribution; it agrees with the interval.

    Args:
        estimate: The mean.
        strata: Number of strata it comes from.
    """
    freedom = max(1, estimate.n - strata)
    t = estimate.mean / max(estimate.error, 1e-16)
    z = sqrt(freedom * log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return 2 * _NORMAL.cdf(-z)
