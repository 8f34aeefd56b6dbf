"""Confidence intervals of means over questions.

Values are one number per question, such as the F1 of its answers. An interval shows how far the mean would move if
other questions of the same kind had been asked; it does not show errors that affect all questions alike. Every function
raises ValueError if there are no values. The same values and seed give the same interval, in any order of the values up
to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphbrickError

Values: TypeAlias = Sequence[float] | npt.NDArray[np.float64]

_CELLS = 1 << 20  # numbers drawn together
_PER_DISTINCT = 12  # how much longer it takes to draw the count of one distinct value than one value
_FEW = 64  # distinct values of a column; with more, drawing for all columns together takes less time
_CLOSE = 1e-12  # relative to the largest value: means that differ by less are equal up to rounding
_NORMAL = NormalDist()


class Interval(NamedTuple):
    """A mean and the confidence interval around it.

    Attributes:
        mean: The mean of the values.
        low: The lower end.
        high: The upper end.
        n: Number of values.
    """

    mean: float
    low: float
    high: float
    n: int


def interval(values: Values, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0) -> Interval:
    """Return Wilson's interval if all values are 0 or 1, else the bootstrap interval (BCa).

    Args:
        values: One number per question.
        level: Confidence level: how often such an interval contains the true mean, in (0, 1).
        resamples: Number of bootstrap resamples, at least 100.
        seed: Random seed of the bootstrap.

    >>> interval([1, 1, 1, 1]).low > 0.5, interval([0.5, 0.5]).low
    (True, 0.5)
    """
    checked = check_values(values)
    if is_binary(checked):
        _check_resamples(resamples)
        return wilson(int(checked.sum()), len(checked), level=level)
    return bootstrap(checked, level=level, resamples=resamples, seed=seed)


def wilson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a proportion, such as Hits@1 (Wilson, JASA 1927).

    Its ends are `wilson_ends` with the normal quantile of ``(1 + level) / 2``. If all or none succeeded, it still has
    a width, unlike the bootstrap interval.

    Args:
        successes: Number of values that are 1.
        n: Number of values, at least 1.
        level: Confidence level, in (0, 1).

    Raises:
        ValueError: A number is out of its range.

    >>> [round(x, 3) for x in wilson(9, 10)]
    [0.9, 0.596, 0.982, 10]
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"wilson needs at least one value and 0 to n successes, got {successes} of {n}")
    return Interval(successes / n, *wilson_ends(successes / n, n, normal_quantile(level)), n)


def wilson_ends(share: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's ends ``(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)``, in [0, 1].

    Not by scipy's ``binomtest``, which takes whole counts only: surveys have an effective number of labels, and the
    quality of a pipeline has values between 0 and 1.

    Args:
        share: The share p, from 0 to 1.
        n: Number of values, above 0.
        z: Number of standard errors, such as 1.96.

    >>> [round(end, 3) for end in wilson_ends(0.9, 10, 1.96)]
    [0.596, 0.982]
    """
    centre = share + z * z / (2 * n)
    reach = z * sqrt(max(share * (1 - share), 0) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if share == 0 else max(0.0, (centre - reach) / scale)
    high = 1.0 if share == 1 else min(1.0, (centre + reach) / scale)
    return low, high


def share_difference(better: int, worse: int, n: int, *, level: float = 0.95) -> Interval:
    """Return the interval of the difference of two shares of the same questions, such as those of Hits@1.

    This is the adjusted Wald interval (Bonett and Price, J. Educ. Behav. Stat. 2012): with one question added to
    ``better`` and one to ``worse``, ``m = n + 2`` and ``d = (better - worse) / m``, its ends are
    ``d ± z sqrt(((better + worse + 2) / m - d²) / m)``, cut at -1 and 1. Where two pipelines differ on few questions,
    the bootstrap interval is too narrow: it leaves out 0 after 3 wins in 200 questions, which chance alone gives one
    time in four.

    Args:
        better: Number of questions on which only the first is right.
        worse: Number of questions on which only the second is right.
        n: Number of questions, at least 1.
        level: Confidence level, in (0, 1).

    Raises:
        ValueError: A number is out of its range.

    >>> [round(x, 4) for x in share_difference(3, 0, 200)]
    [0.015, -0.0067, 0.0365, 200]
    """
    if n < 1 or min(better, worse) < 0 or better + worse > n:
        raise ValueError(
            f"share_difference needs at least one question and no more differences than questions, got {better} better "
            f"and {worse} worse of {n}"
        )
    m = n + 2
    centre = (better - worse) / m
    reach = normal_quantile(level) * sqrt(((better + worse + 2) / m - centre * centre) / m)
    return Interval((better - worse) / n, max(-1.0, centre - reach), min(1.0, centre + reach), n)


def bootstrap(
    values: Values, *, method: str = "bca", level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Return a bootstrap interval of the mean.

    See Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13 and 14. Samples of the same size are drawn
    with replacement ``resamples`` times, and the mean of each is taken. "percentile" gives the
    quantiles ``(1 - level) / 2`` and ``(1 + level) / 2`` of these means. "bca" shifts both by the bias z0, the normal
    quantile of the share of these means below the mean of the values (ties count half), and the acceleration
    ``a = sum(d³) / (6 sum(d²)^1.5)`` of the differences d from the mean: the quantile q becomes
    ``Φ(z0 + (z0 + z_q) / (1 - a (z0 + z_q)))``. Where all values are equal, the interval is that value.
    ``scipy.stats.bootstrap`` draws the same samples, but takes 10 to 50 times as long for 400 to 3,000 values that
    repeat, and has no interval for equal values (``benchmarks/statistics_libraries.py``).

    Args:
        values: One number a question.
        method: "bca" or "percentile".
        level: In (0, 1).
        resamples: At least 100.
        seed: Seed of the random numbers.

    Raises:
        ValueError: There are no values, one is not finite, or a parameter is out of its range.

    >>> [round(x, 3) for x in bootstrap([0.0, 0.25, 0.5, 0.75, 1.0], method="percentile")]
    [0.5, 0.2, 0.8, 5]
    """
    if method not in ("bca", "percentile"):
        raise ValueError(f"bootstrap method must be 'bca' or 'percentile', got {method!r}; try 'bca'")
    checked = check_values(values)
    return interval_of(checked, resampled_means(checked, resamples, seed), method=method, level=level)


def interval_of(
    values: npt.NDArray[np.float64], means: npt.NDArray[np.float64], *, method: str = "bca", level: float = 0.95
) -> Interval:
    """Return the interval of `bootstrap` from the result of `resampled_means`.

    >>> values = check_values([0.5, 0.5])
    >>> interval_of(values, resampled_means(values, 100, seed=0))
    Interval(mean=0.5, low=0.5, high=0.5, n=2)
    """
    normal_quantile(level)  # checks the level
    tail = (1 - level) / 2
    if np.ptp(values) == 0:
        return Interval(float(values[0]), float(values[0]), float(values[0]), len(values))
    mean = fsum(values) / len(values)
    quantiles = (tail, 1 - tail) if method == "percentile" else _bca(values, mean, means, tail)
    low, high = np.quantile(means, quantiles)
    return Interval(mean, float(low), float(high), len(values))


def resampled_means(values: npt.NDArray[np.float64], resamples: int, seed: int) -> npt.NDArray[np.float64]:
    """Return the means of ``resamples`` samples of the same size with replacement.

    If there are few distinct values, the count of each value is drawn from its multinomial distribution instead. The
    means have the same distribution, and this takes a fraction of the time.

    Args:
        values: float64 [questions], or [questions, columns] to draw questions once for many columns.
        resamples: Number of samples, at least 100.
        seed: Random seed.

    Returns:
        float64 [resamples], or [resamples, columns]; a column does not depend on the other columns, up to rounding.

    Raises:
        ValueError: ``resamples`` is below 100.
    """
    _check_resamples(resamples)
    columns = values.reshape(len(values), -1)
    few = len(values) // _PER_DISTINCT if values.ndim == 1 else _FEW
    means = np.empty((resamples, columns.shape[1]))
    many = [j for j in range(columns.shape[1]) if not _draw_counts(columns[:, j], means[:, j], seed, few)]
    if len(many) == 1:
        _draw_values(np.ascontiguousarray(columns[:, many[0]]), means[:, many[0]], seed)
    elif many:
        means[:, many] = _drawn_together(columns[:, many], resamples, seed)
    return means.reshape(resamples, *values.shape[1:])


def _draw_counts(values: npt.NDArray[np.float64], means: npt.NDArray[np.float64], seed: int, few: int) -> bool:
    """Fill in the means by drawing the count of each distinct value, if there are few."""
    rng, n = np.random.default_rng(seed), len(values)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) > few:
        return False
    for rows in blocks(len(means), len(distinct)):
        size = rows.stop - rows.start
        means[rows] = rng.multinomial(n, counts / n, size=size) @ distinct / n
    return True


def _draw_values(values: npt.NDArray[np.float64], means: npt.NDArray[np.float64], seed: int) -> None:
    """Fill in the means by drawing values."""
    rng, n = np.random.default_rng(seed), len(values)
    for rows in blocks(len(means), n):
        means[rows] = values[rng.integers(0, n, size=(rows.stop - rows.start, n), dtype=np.int32)].mean(axis=1)


def _drawn_together(columns: npt.NDArray[np.float64], resamples: int, seed: int) -> npt.NDArray[np.float64]:
    """Return the means of all columns over the same draws, from the count of each question in a draw."""
    rng, n = np.random.default_rng(seed), len(columns)
    means = np.empty((resamples, columns.shape[1]))
    for rows in blocks(resamples, n):
        drawn = rng.integers(0, n, size=(rows.stop - rows.start, n), dtype=np.int32)
        often = np.stack([np.bincount(row, minlength=n) for row in drawn]).astype(np.float64)
        means[rows] = often @ columns / n
    return means


def blocks(rows: int, columns: int) -> list[slice]:
    """Split rows into blocks of at most a million cells, so that memory stays bounded.

    >>> blocks(3, 1 << 19)
    [slice(0, 2, None), slice(2, 3, None)]
    """
    step = max(1, _CELLS // columns)
    return [slice(first, min(first + step, rows)) for first in range(0, rows, step)]


def check_values(values: Values) -> npt.NDArray[np.float64]:
    """Return the values as a float64 array of one dimension.

    Raises:
        ValueError: There are none, they have more dimensions, or one is not finite.

    >>> check_values([1, 0]).tolist()
    [1.0, 0.0]
    """
    checked = np.asarray(values, dtype=np.float64)
    if checked.ndim != 1 or not len(checked):
        raise ValueError(f"values must be one number a question, at least one, got an array of shape {checked.shape}")
    if not np.isfinite(checked).all():
        bad = int(np.flatnonzero(~np.isfinite(checked))[0])
        raise ValueError(f"values must be finite, got {checked[bad]} at place {bad}; leave out what was not scored")
    return checked


def is_binary(values: npt.NDArray[np.float64]) -> bool:
    """Return whether all values are 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def close_to(values: npt.NDArray[np.float64]) -> float:
    """Return the difference below which means or sums of the values are equal up to rounding."""
    return _CLOSE * float(np.abs(values).max())


def _bca(
    values: npt.NDArray[np.float64], mean: float, means: npt.NDArray[np.float64], tail: float
) -> tuple[float, float]:
    """Return the quantiles of the resampled means that are the ends of the BCa interval."""
    close, b = close_to(values), len(means)
    below = np.count_nonzero(means < mean - close)
    not_above = np.count_nonzero(means <= mean + close)
    # With no mean on one side the bias would be infinite; it is taken as if half a mean were there.
    share = min(max((below + not_above) / (2 * b), 0.5 / b), 1 - 0.5 / b)
    bias = _NORMAL.inv_cdf(share)
    differences = values - mean
    acceleration = float((differences**3).sum() / (6 * (differences**2).sum() ** 1.5))

    def shifted(quantile: float) -> float:
        z = bias + _NORMAL.inv_cdf(quantile)
        return _NORMAL.cdf(bias + z / (1 - acceleration * z))

    return shifted(tail), shifted(1 - tail)


def normal_quantile(level: float) -> float:
    """Return the number of standard errors from the mean to an end of a two-sided interval.

    Raises:
        ValueError: The level is not in (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval must be in (0, 1), got {level}; try 0.95")
    return _NORMAL.inv_cdf((1 + level) / 2)


def special() -> Any:
    """Return ``scipy.special``, the exact distributions of tests and intervals.

    Raises:
        GraphbrickError: scipy is not installed.
    """
    try:
        import scipy.special
    except ImportError as error:
        raise GraphbrickError("these statistics need scipy: pip install 'graphbrick[evaluate]'") from error
    return scipy.special


def _check_resamples(resamples: int) -> None:
    if resamples < 100:
        raise ValueError(f"resamples must be at least 100, got {resamples}; try 10000")
