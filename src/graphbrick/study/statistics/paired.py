"""Paired tests of two pipelines on the same questions, and corrections for multiple comparisons.

The values of both are one number per question, in the same order. All p-values are two-sided and in (0, 1] (in [0, 1]
for `mcnemar`, whose smallest p-values are too small for a float). Every function raises ValueError if there are no
questions, or if the numbers of values differ. If the pipelines differ on no question, p is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.study.statistics.intervals import (
    Interval,
    Values,
    blocks,
    check_values,
    close_to,
    interval_of,
    is_binary,
    resampled_means,
    special,
)

_HALF = 1 << 16  # signed sums of each half of the differences whose exchanges are counted, at most
_FEW = 64  # sizes of differences; with more, drawing every sign takes less time


class PairedBootstrap(NamedTuple):
    """The mean difference of two pipelines.

    Attributes:
        difference: The mean of the first minus that of the second, with its BCa interval.
        p: The p-value.
    """

    difference: Interval
    p: float


def paired_bootstrap(
    first: Values, second: Values, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> PairedBootstrap:
    """Return the mean difference by resampling questions (Efron and Tibshirani, 1993, ch. 16).

    With the mean difference d and the means d* of resampled differences, shifted by -d so that the null hypothesis
    holds, ``p = (1 + #{|d* - d| >= |d|}) / (1 + resamples)``. If all differences are equal, resampling has no spread,
    and p is that of `permutation_test`.

    Args:
        first: The values of one pipeline.
        second: Those of the other, question by question.
        level: Level of the interval, in (0, 1).
        resamples: At least 100.
        seed: Seed of the random numbers.

    Raises:
        ValueError: See the module; or a parameter is out of its range.

    >>> paired_bootstrap([1, 1, 0, 1], [1, 1, 0, 1]).p
    1.0
    """
    differences = difference(first, second)
    means = resampled_means(differences[:, None], resamples, seed)[:, 0]
    interval = interval_of(differences, means, level=level)
    if np.ptp(differences) == 0:
        return PairedBootstrap(interval, permutation_test(first, second, resamples=resamples, seed=seed))
    at_least = np.abs(means - interval.mean) >= abs(interval.mean) - close_to(differences)
    return PairedBootstrap(interval, _p(at_least))


def permutation_test(first: Values, second: Values, *, resamples: int = 10_000, seed: int = 0) -> float:
    """Return the p-value of the paired permutation test of a mean difference (Fisher, 1935).

    If the pipelines were equally good, the two values of any question could be exchanged. The p-value is the share of
    all exchanges whose absolute mean difference is at least the observed one. It is exact if the exchanges can be
    counted: if all differences have the same size (then it equals `mcnemar`), or if each half of them has at most
    65,536 signed sums (`is_counted`): any 32 differences, or more that share few sizes. Otherwise exchanges are drawn;
    ``p = (1 + those at least as large) / (1 + resamples)``. ``scipy.stats.permutation_test`` is the same test, but
    takes 3 to 80 times as long (``benchmarks/statistics_libraries.py``).

    Args:
        first: The values of one pipeline.
        second: Those of the other, question by question.
        resamples: Exchanges drawn, at least 100.
        seed: Seed of the random numbers.

    Raises:
        ValueError: See the module; or ``resamples`` is below 100.

    >>> permutation_test([0.9, 0.8, 0.7], [0.5, 0.6, 0.1])
    0.25
    """
    return permutation_tests(difference(first, second)[:, None], resamples=resamples, seed=seed)[0]


def permutation_tests(differences: npt.NDArray[np.float64], *, resamples: int, seed: int) -> list[float]:
    """Return the p-value of `permutation_test` for each column; exchanges are drawn once for all.

    Args:
        differences: float64 [questions, pairs of pipelines].
        resamples: Exchanges drawn, at least 100.
        seed: Seed of the random numbers.

    Raises:
        ValueError: ``resamples`` is below 100.
    """
    if resamples < 100:
        raise ValueError(f"resamples must be at least 100, got {resamples}; try 10000")
    p = [_counted_p(differences[:, j], resamples, seed) for j in range(differences.shape[1])]
    left = [j for j, known in enumerate(p) if known is None]
    columns = np.ascontiguousarray(differences[:, left])
    observed = _observed(columns)
    at_least, rng, n = np.zeros(len(left), dtype=np.int64), np.random.default_rng(seed), len(columns)
    for rows in blocks(resamples, n) if left else []:
        drawn = np.frombuffer(rng.bytes((rows.stop - rows.start) * -(-n // 8)), dtype=np.uint8)
        bits = np.unpackbits(drawn.reshape(-1, -(-n // 8)), axis=1, count=n)
        # With bits 0 or 1 instead of signs -1 or 1: signed sum = 2 * (sum of chosen) - (sum of all).
        sums = 2 * (bits.astype(np.float64) @ columns) - columns.sum(axis=0)
        at_least += np.count_nonzero(np.abs(sums) >= observed, axis=0)
    drawn_p = iter(((1 + at_least) / (1 + resamples)).tolist())
    return [next(drawn_p) if known is None else known for known in p]


def mcnemar(first: Values, second: Values) -> float:
    """Return the p-value of McNemar's exact test for values of 0 and 1 (Psychometrika 1947).

    Only questions on which exactly one pipeline is right count: b for the first, c for the second. With X binomial of
    b + c trials with probability 1/2, ``p = min(1, 2 P(X <= min(b, c)))``.

    Args:
        first: The values of one pipeline.
        second: Those of the other, question by question.

    Raises:
        ValueError: See the module; or a value is neither 0 nor 1.

    >>> mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0])
    0.0625
    """
    a, b = check_values(first), check_values(second)
    differences = difference(a, b)
    if not (is_binary(a) and is_binary(b)):
        raise ValueError("mcnemar compares values of 0 and 1 only; try permutation_test")
    return _two_sided_half(int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences)))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected for the family-wise error rate (Holm, Scand. J. Statist. 1979).

    This bounds the chance of even one false finding. The i-th smallest of m becomes the largest of
    ``min(1, (m - j + 1) p_j)`` over j = 1..i. The order of the input is kept.

    Raises:
        ValueError: A p-value is not in [0, 1].

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p, order = _sorted(p_values)
    corrected = np.maximum.accumulate(np.minimum(1, p * np.arange(len(p), 0, -1))) if len(p) else p
    return _restored(corrected, order)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected for the false discovery rate.

    See Benjamini and Hochberg, J. R. Statist. Soc. B 1995. The i-th smallest of m becomes the smallest of
    ``min(1, m p_j / j)`` over j = i..m. The order of the input is kept. ``scipy.stats.false_discovery_control`` gives
    the same, but loading ``scipy.stats`` takes longer than comparing ten pipelines.

    Raises:
        ValueError: A p-value is not in [0, 1].

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    p, order = _sorted(p_values)
    m = len(p)
    corrected = np.minimum.accumulate(np.minimum(1, p * m / np.arange(1, m + 1))[::-1])[::-1] if m else p
    return _restored(corrected, order)


def difference(first: Values, second: Values) -> npt.NDArray[np.float64]:
    """Return the differences question by question, float64 [questions].

    Raises:
        ValueError: There are no values, one is not finite, or there are more on one side than on the other.

    >>> difference([1, 0], [0.5, 0]).tolist()
    [0.5, 0.0]
    """
    a, b = check_values(first), check_values(second)
    if len(a) != len(b):
        raise ValueError(f"a paired test needs the same questions on both sides, got {len(a)} and {len(b)} values")
    return a - b


def _counted_p(differences: npt.NDArray[np.float64], resamples: int, seed: int) -> float | None:
    """Return the p-value of the permutation test; None if there are too many sizes of differences.

    All exchanges are enumerated if they are few. Otherwise the number of positive differences of each size is drawn.
    """
    moved, sizes, counts = _sizes(differences)
    if len(sizes) <= 1:
        return _two_sided_half(int(np.count_nonzero(moved > 0)), len(moved))
    observed = float(_observed(moved))
    halves = _halves(counts)
    if halves is not None:
        first, second = (_signed_sums(sizes[half], counts[half]) for half in halves)
        return _exact(first, second, observed)
    if len(sizes) > _FEW:
        return None
    rng, at_least, total = np.random.default_rng(seed), 0, sizes @ counts
    for rows in blocks(resamples, len(sizes)):
        # Number of positive differences of each size.
        positive = rng.binomial(counts, 0.5, size=(rows.stop - rows.start, len(sizes)))
        at_least += int(np.count_nonzero(np.abs(2 * (positive @ sizes) - total) >= observed))
    return (1 + at_least) / (1 + resamples)


def is_counted(differences: npt.NDArray[np.float64]) -> bool:
    """Return whether the p-value of `permutation_test` is exact; otherwise exchanges are drawn."""
    _, _, counts = _sizes(differences)
    return len(counts) <= 1 or _halves(counts) is not None


def _sizes(
    differences: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the differences that are not 0, their sizes, and the number of each; equal up to rounding is one size."""
    moved = differences[differences != 0]
    largest = np.abs(moved).max(initial=0.0)
    sizes, counts = np.unique(np.round(np.abs(moved) / (largest or 1), 12) * largest, return_counts=True)
    return moved, sizes, counts


def _halves(counts: npt.NDArray[np.int64]) -> tuple[list[int], list[int]] | None:
    """Return the sizes in two halves, each with few signed sums; None if they have too many."""
    halves: tuple[list[int], list[int]] = [], []
    ways = [1, 1]
    for place in np.argsort(-counts, kind="stable").tolist():
        smaller = int(ways[1] < ways[0])
        halves[smaller].append(place)
        ways[smaller] *= int(counts[place]) + 1
        if ways[smaller] > _HALF:
            return None
    return halves


def _signed_sums(
    sizes: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the sums of differences with each number of positive signs per size, and their probabilities."""
    sums, shares = np.zeros(1), np.ones(1)
    for size, n in zip(sizes.tolist(), counts.tolist(), strict=True):
        positive = np.arange(n + 1)
        binomial = np.array([comb(n, int(k)) / 2**n for k in positive])
        sums = (sums[:, None] + size * (2 * positive - n)).ravel()
        shares = (shares[:, None] * binomial).ravel()
    return sums, shares


def _exact(
    first: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    second: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    observed: float,
) -> float:
    """Return the probability that the sum of both halves is at least as far from 0 as the observed one."""
    if observed <= 0:
        return 1.0
    order = np.argsort(second[0], kind="stable")
    sums = second[0][order]
    tail = np.append(np.cumsum(second[1][order][::-1])[::-1], 0.0)  # of this sum and all larger ones
    at_least = first[1] @ tail[np.searchsorted(sums, observed - first[0], side="left")]
    return min(1.0, 2 * float(at_least))  # the other side is as likely


def _observed(differences: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the absolute sum, minus a tolerance for rounding in another order of summation."""
    rounding = 1e-11 * np.abs(differences).sum(axis=0)
    return np.asarray(np.abs(differences.sum(axis=0)) - rounding)


def _p(at_least: npt.NDArray[np.bool_]) -> float:
    """Return the share of resamples that reach the observed difference, counting the observed one."""
    return (1 + int(np.count_nonzero(at_least))) / (1 + len(at_least))


def _two_sided_half(successes: int, n: int) -> float:
    """Return the two-sided p-value of successes in n fair trials, by the incomplete beta function."""
    fewer = min(successes, n - successes)
    return min(1.0, 2 * float(special().betainc(n - fewer, fewer + 1, 0.5))) if n else 1.0


def _sorted(p_values: Sequence[float]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    p = np.asarray(p_values, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p-values must be in [0, 1], got {list(p_values)!r:.200}")
    order = np.argsort(p, kind="stable")
    return p[order], order


def _restored(corrected: npt.NDArray[np.float64], order: npt.NDArray[np.int64]) -> tuple[float, ...]:
    restored = np.empty(len(corrected))
    restored[order] = corrected
    return tuple(restored.tolist())
