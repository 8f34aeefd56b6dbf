"""Prediction-powered means: one interval from few labels and many predictions of a judge.

With labels Y and predictions f of n cases, predictions f' of N other cases, and a weight ``lam`` of the predictions in
[0, 1], the mean and its standard error are::

    mean  = mean(lam f') + mean(Y - lam f)
    error = sqrt(Var(lam f') / N + Var(Y - lam f) / n)

``lam = 0`` is the classical mean of the labels, ``lam = 1`` is PPI (Angelopoulos et al., Science 2023), and PPI++
(Angelopoulos, Duchi and Zrnic, arXiv:2311.01453) takes the ``lam`` with the shortest interval (`tuned_weight`). The
labelled cases must be drawn at random from the same cases as the others; then the interval holds for any judge, and a
bad judge makes it no shorter. The figures are those of the package ``ppi-python``. With few labels these intervals are
too short; `graphbrick.study.statistics.few_labels` has those that reports show.

Every function raises ValueError if a value is not finite, if there are fewer than two labels, or if labels and
predictions have different lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.study.statistics.intervals import Values, normal_quantile

Array = npt.NDArray[np.float64]

FEW_LABELS = 30
"""Below this number of labels the normal intervals of this module are a little too short."""


class Sample(NamedTuple):
    """Cases of one kind, of which some are labelled; made by `sample`.

    Attributes:
        labels: Labels by people, [n].
        predictions: Predictions of the judge for the same cases, [n].
        others: Predictions for the cases without a label, [N].
    """

    labels: Array
    predictions: Array
    others: Array

    @property
    def size(self) -> int:
        """Number of cases, labelled or not."""
        return len(self.labels) + len(self.others)


class Estimate(NamedTuple):
    """A mean with its confidence interval.

    Attributes:
        mean: The mean.
        low: The lower end.
        high: The upper end.
        error: The standard error.
        n: Number of labels.
        others: Number of cases without a label.
        weight: The weight of the predictions, lambda, from 0 to 1.
    """

    mean: float
    low: float
    high: float
    error: float
    n: int
    others: int
    weight: float

    @property
    def width(self) -> float:
        """Length of the interval."""
        return self.high - self.low


def sample(labels: Values, predictions: Values, others: Values = ()) -> Sample:
    """Return checked arrays.

    Args:
        labels: Labels by people, such as 0 and 1; at least two.
        predictions: Predictions for the same cases, in the same order.
        others: Predictions for cases without a label; may be empty.

    >>> sample([1, 0, 1], [0.9, 0.2, 0.6], [0.5]).size
    4
    """
    arrays = {"labels": labels, "predictions": predictions, "other predictions": others}
    checked = [_checked(name, values) for name, values in arrays.items()]
    n = len(checked[0])
    if n != len(checked[1]):
        raise ValueError(f"each label needs the prediction of its case, got {n} labels and {len(checked[1])}")
    if n < 2:
        raise ValueError(f"a mean with an interval needs at least 2 labels, got {n}; label more cases")
    return Sample(*checked)


def tuned_weight(strata: Sequence[Sample]) -> float:
    """Return the weight of the predictions that makes the interval shortest, clipped to [0, 1].

    For one stratum this is ``Cov(Y, f) / ((1 + n/N) Var(f, f'))``, with the covariance of the labelled cases divided by
    n, and the variance of all predictions divided by n + N - 1. For several strata with shares w of all cases it is
    ``sum(w² Cov/n) / sum(w² (1/n + 1/N) Var)``: one weight for all of them, because the weight of a stratum with few
    labels would be mostly chance. It is 0 if the predictions are all the same, or if every case is labelled.

    >>> tuned_weight([sample([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4], [0.5, 0.8, 0.1, 0.3])])
    0.709...
    """
    above = below = 0.0
    for stratum, share in zip(strata, _shares(strata), strict=True):
        n, others = len(stratum.labels), len(stratum.others)
        if not others:
            continue
        f = stratum.predictions
        both = np.concatenate([f, stratum.others])
        covariance = float(((stratum.labels - stratum.labels.mean()) * (f - f.mean())).mean())
        above += share**2 * covariance / n
        below += share**2 * (1 / n + 1 / others) * _variance(both, 1)
    return min(1.0, max(0.0, above / below)) if below > 0 else 0.0


def mean_of(
    strata: Sample | Sequence[Sample],
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return the prediction-powered mean of cases, or the mean of strata weighted by their sizes.

    Args:
        strata: The cases, or several strata of them, from each of which labelled cases were drawn at random.
        weight: The weight of the predictions: 0 for the labels alone, 1 for PPI; None for PPI++.
        level: Confidence level, in (0, 1).

    Raises:
        ValueError: There is no stratum, or a parameter is out of its range.

    >>> [round(value, 3) for value in mean_of(sample([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4], [0.5, 0.8, 0.1]))[:3]]
    [0.468, 0.052, 0.883]
    """
    parts = [strata] if isinstance(strata, Sample) else list(strata)
    if not parts:
        raise ValueError("there are no cases; give at least one stratum")
    if weight is not None and not 0 <= weight <= 1:
        raise ValueError(f"the weight of predictions must be from 0 to 1, got {weight}; None chooses it")
    chosen = tuned_weight(parts) if weight is None else float(weight)
    mean, error = mean_and_error(parts, chosen)
    reach = error * normal_quantile(level)
    n, others = sum(len(part.labels) for part in parts), sum(len(part.others) for part in parts)
    return Estimate(mean, mean - reach, mean + reach, error, n, others, chosen if others else 0.0)


def mean_and_error(strata: Sequence[Sample], weight: float, *, unbiased: bool = False) -> tuple[float, float]:
    """Return the mean and its standard error.

    Args:
        strata: The cases.
        weight: The weight of the predictions.
        unbiased: Whether the variance of labels is divided by n - 1, and the sizes of strata count as chance too:
            ``sum(w (m - mean)²) / cases`` for strata with shares w and means m is added to the squared error.
    """
    parts = [
        (share, *_of_stratum(part, weight, int(unbiased))) for part, share in zip(strata, _shares(strata), strict=True)
    ]
    mean = sum(share * value for share, value, _ in parts)
    variance = sum(share**2 * own for share, _, own in parts)
    if unbiased:
        between = sum(share * (value - mean) ** 2 for share, value, _ in parts)
        variance += between / sum(part.size for part in strata)
    return mean, sqrt(variance)


def remarks(strata: Sample | Sequence[Sample]) -> list[str]:
    """Return sentences that say where the figures of these cases need care; none if nothing is unusual."""
    parts = [strata] if isinstance(strata, Sample) else list(strata)
    labels = np.concatenate([part.labels for part in parts])
    predictions = np.concatenate([np.concatenate([part.predictions, part.others]) for part in parts])
    n, others = len(labels), sum(len(part.others) for part in parts)
    sentences = []
    if n < FEW_LABELS:
        sentences.append(f"only {n} labels: intervals from fewer than {FEW_LABELS} are rough, mostly too short")
    if np.ptp(labels) == 0:
        sentences.append(f"all {n} labels are {labels[0]:g}: they cannot tell what the judge is worth")
    if np.ptp(predictions) == 0:
        sentences.append(f"the judge says {predictions[0]:g} of every case: it adds nothing to the labels")
    if not others:
        sentences.append("every case is labelled: the judge is not needed, and the mean is that of the labels")
    elif n > others:
        sentences.append(f"{n} cases are labelled and only {others} are not: the judge can add little")
    return sentences


def _of_stratum(part: Sample, weight: float, less: int) -> tuple[float, float]:
    """Return mean and squared standard error of one stratum."""
    n, others = len(part.labels), len(part.others)
    if not others:
        return float(part.labels.mean()), _variance(part.labels, less) / n
    rest = part.labels - weight * part.predictions
    mean = weight * float(part.others.mean()) + float(rest.mean())
    return mean, weight**2 * _variance(part.others) / others + _variance(rest, less) / n


def _variance(values: Array, less: int = 0) -> float:
    """Return the variance, divided by the number of values minus ``less``; exactly 0 for equal values."""
    return float(values.var(ddof=less)) if np.ptp(values) > 0 else 0.0


def _shares(strata: Sequence[Sample]) -> list[float]:
    total = sum(part.size for part in strata)
    return [part.size / total for part in strata]


def _checked(name: str, values: Values) -> Array:
    checked = np.asarray(values, dtype=np.float64)
    if checked.ndim != 1:
        raise ValueError(f"{name} must be one number a case, got an array of shape {checked.shape}")
    if not np.isfinite(checked).all():
        place = int(np.flatnonzero(~np.isfinite(checked))[0])
        raise ValueError(
            f"{name} must be finite, got {checked[place]} at place {place}; leave out a case without a label, and give "
            "one without a prediction the mean of the others"
        )
    return checked
