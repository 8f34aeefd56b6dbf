"""Intervals of prediction-powered means that hold with few labels and with shares near 0 or 1.

The normal interval of a share from 30 labels covers the truth in 80 % of cases where the share is 0.9. Reports
therefore show Wilson's score interval with the effective number of labels, ``mean (1 - mean) / error²``, as surveys do
(Korn and Graubard, Survey Methodology 1998), with the quantile of Student's t distribution; differences have the
interval of Student's t test. ``benchmarks/ppi_coverage.py`` measures how often they hold.

Equal labels have no variance, but ten right answers of ten do not prove that all are right. If all n labels are equal,
the interval reaches as far as the exact one for 0 of n (Clopper and Pearson, Biometrika 1934). If only the n labels of
one stratum are equal, their variance is that of the share 0.5 / (n + 1), its estimate by Jeffreys' prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, sqrt

import numpy as np

from graphbrick.study.statistics.intervals import is_binary, normal_quantile, special, wilson_ends
from graphbrick.study.statistics.prediction_powered import (
    Array,
    Estimate,
    Sample,
    mean_and_error,
    tuned_weight,
)

_EDGE = 1e-3  # a share nearer to 0 or 1 is taken as this far away for the effective number of labels
_LEVEL = 0.95  # of the interval that gives the standard error of equal labels


def share_of(strata: Sequence[Sample], *, weight: float | None = None, level: float = 0.95) -> Estimate:
    """Return the share of cases that a label holds for, as `mean_of`, with an interval within [0, 1].

    Labels that are not all 0 or 1 get the interval of `mean_difference`.

    Args:
        strata: The cases, at least one stratum.
        weight: The weight of the predictions: 0 for the labels alone, 1 for PPI; None for PPI++.
        level: Confidence level, in (0, 1).

    >>> from graphbrick.study.statistics.prediction_powered import sample
    >>> all_right = share_of([sample([1, 1, 1, 1, 1], [0.9, 0.8, 0.9, 0.7, 0.9], [0.9, 0.2, 0.8])])
    >>> round(all_right.low, 2), all_right.high, all_right.weight
    (0.57, 1.0, 0.0)
    """
    labels = np.concatenate([part.labels for part in strata])
    if not is_binary(labels):
        return mean_difference(strata, weight=weight, level=level)
    wald = mean_difference(strata, weight=weight, level=level, least=0.0)
    mean = min(1.0, max(0.0, wald.mean))
    inner = min(1 - _EDGE, max(_EDGE, mean))
    alone = wald.weight == 0 and len(strata) == 1
    unknown = np.ptp(labels) == 0 or wald.error == 0
    effective = wald.n if alone or unknown else max(1.0, inner * (1 - inner) / wald.error**2)
    z = normal_quantile(level) if alone or unknown else t_quantile(level, wald.n - len(strata))
    low, high = wilson_ends(mean, effective, z)
    return wald._replace(mean=mean, low=low, high=high)


def mean_difference(
    strata: Sequence[Sample], *, weight: float | None = None, level: float = 0.95, least: float = -1.0
) -> Estimate:
    """Return the mean of values, such as differences between two systems, as `mean_of`.

    The variance of labels is divided by n - 1, and the interval has the quantile of Student's t distribution. If all
    labels are equal, the interval is the exact one: it excludes 0 where the sign test does (`difference_p_value`).

    Args:
        strata: The cases, at least one stratum.
        weight: The weight of the predictions: 0 for the labels alone, 1 for PPI; None for PPI++.
        level: Confidence level, in (0, 1).
        least: The lowest possible label: -1 for differences, 0 for labels; the highest is 1.

    >>> from graphbrick.study.statistics.prediction_powered import sample
    >>> [round(mean_difference([sample([1.0] * n, [0.0] * n)]).low, 2) for n in (2, 5, 6)]
    [-0.68, -0.04, 0.08]
    """
    chosen = tuned_weight(strata) if weight is None else float(weight)
    mean, error = mean_and_error(strata, chosen, unbiased=True)
    labels = np.concatenate([part.labels for part in strata])
    n, others = len(labels), sum(len(part.others) for part in strata)
    t = t_quantile(level, n - len(strata))
    if np.ptp(labels) == 0:
        reach = hypot(t * error, unseen(labels, least, level))
        error = hypot(error, unseen(labels, least, _LEVEL) / normal_quantile(_LEVEL))
    else:
        size = sum(part.size for part in strata)
        equal = [part for part in strata if np.ptp(part.labels) == 0]
        error = hypot(error, *(part.size / size * _of_equal(part.labels, least) for part in equal))
        reach = t * error
    mean, low, high = (min(1.0, max(least, value)) for value in (mean, mean - reach, mean + reach))
    return Estimate(mean, low, high, error, n, others, chosen if others else 0.0)


def unseen(labels: Array, least: float, level: float) -> float:
    """Return how far the mean may lie from labels that are all equal, by the exact interval of none of n.

    Args:
        labels: The labels, all equal.
        least: The lowest possible label; the highest is 1.
        level: Confidence level, in (0, 1).

    >>> round(unseen(np.ones(5), 0.0, 0.95), 3), round(unseen(np.ones(5), -1.0, 0.95), 3)
    (0.522, 1.044)
    """
    share: float = 1 - ((1 - level) / 2) ** (1 / len(labels))
    return _furthest(labels, least) * share


def _of_equal(labels: Array, least: float) -> float:
    """Return the standard error of a stratum's equal labels, as if half a label of n + 1 differed."""
    n = len(labels)
    other = 0.5 / (n + 1)
    return _furthest(labels, least) * sqrt(other * (1 - other) / n)


def _furthest(labels: Array, least: float) -> float:
    """Return how far the furthest possible label is from equal ones."""
    return max(float(labels[0]) - least, 1.0 - float(labels[0]))


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
    error, n = hypot(first.error, second.error), first.n + second.n
    mean, reach = first.mean - second.mean, t_quantile(level, n - strata) * error
    weight = (first.weight + second.weight) / 2
    low, high = max(-1.0, mean - reach), min(1.0, mean + reach)
    return Estimate(mean, low, high, error, n, first.others + second.others, weight)


def t_quantile(level: float, freedom: int) -> float:
    """Return the two-sided quantile of Student's t distribution; under one degree counts as one.

    >>> round(t_quantile(0.95, 29), 3), round(t_quantile(0.95, 1), 3)
    (2.045, 12.706)
    """
    normal_quantile(level)  # checks the level
    return float(special().stdtrit(max(1, freedom), (1 + level) / 2))


def t_p_value(estimate: Estimate, strata: int = 1) -> float:
    """Return the two-sided p-value of a mean against 0 by Student's t, as `t_quantile`.

    Args:
        estimate: The mean.
        strata: Number of strata it comes from.
    """
    t = abs(estimate.mean) / max(estimate.error, 1e-16)
    return 2 * float(special().stdtr(max(1, estimate.n - strata), -t))


def difference_p_value(estimate: Estimate, strata: Sequence[Sample]) -> float:
    """Return the two-sided p-value of a mean of differences against 0.

    It is that of `t_p_value`; if all differences are equal, that of the exact sign test, which McNemar's is for
    differences of -1, 0 and 1.

    Args:
        estimate: The mean, by `mean_difference`.
        strata: The differences.

    >>> from graphbrick.study.statistics.prediction_powered import sample
    >>> five = [sample([1.0] * 5, [0.0] * 5)]
    >>> difference_p_value(mean_difference(five), five)
    0.0625
    """
    labels = np.concatenate([part.labels for part in strata])
    if np.ptp(labels) > 0:
        return t_p_value(estimate, len(strata))
    return 1.0 if labels[0] == 0 else float(min(1.0, 2.0 ** (1 - len(labels))))
