"""Comparisons of pipelines on the same questions, corrected for their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil, isfinite, log10, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.study.statistics.intervals import (
    Interval,
    interval_of,
    is_binary,
    resampled_means,
    share_difference,
)
from graphbrick.study.statistics.paired import benjamini_hochberg, difference, holm, is_counted, permutation_tests

_TOGETHER = 128  # pairs resampled together, so that memory does not grow with their number


class Comparison(NamedTuple):
    """Two pipelines, compared by one measure.

    Attributes:
        first: Name of the first pipeline.
        second: Name of the second pipeline.
        difference: Mean of the first minus mean of the second, with its interval: that of `share_difference` if all
            values are 0 or 1, else that of the bootstrap (BCa). Its ``n`` is the number of questions on which both were
            scored.
        better: Number of questions on which the first has the higher value.
        worse: Number of questions on which the first has the lower value.
        test: "McNemar" if all values are 0 or 1, else "permutation".
        p: Two-sided p-value of this test, not corrected.
        p_holm: p-value corrected by Holm, for the chance of even one false finding among all comparisons.
        p_bh: p-value corrected by Benjamini and Hochberg, for the share of false findings.
        unscored: Number of questions left out because one or both pipelines have no value for them.
        drawn: Number of exchanges drawn for the p-value, whose digits are uncertain then; 0 if it is exact.
    """

    first: str
    second: str
    difference: Interval
    better: int
    worse: int
    test: str
    p: float
    p_holm: float
    p_bh: float
    unscored: int
    drawn: int = 0

    def shown(self, p: float) -> str:
        """Return a p-value of this comparison as text, with as many decimals as are certain, at most four.

        >>> compare({"a": [1, 1, 1, 1, 1, 1], "b": [0, 0, 0, 0, 0, 1]})[0].shown(0.0625)
        '0.0625'
        """
        least = 1 / self.drawn if self.drawn else 0.0001
        if p < max(least, 0.0001):
            return f"<{max(least, 0.0001):g}"
        if not self.drawn:
            return f"{p:.4f}"
        error = sqrt(max(p * (1 - p), least) / self.drawn)
        return f"{p:.{min(4, ceil(-log10(error)))}f}"


def compare(
    scores: Mapping[str, Sequence[float | None]],
    *,
    baseline: str | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Comparison]:
    """Compare pipelines pair by pair by one measure.

    The tests are `evaluate.statistics.paired.mcnemar` and `permutation_test`; both corrections cover all returned
    pairs. If you compare several measures, choose the decisive one beforehand.

    Args:
        scores: For each pipeline, one number per question, in the same order of questions; None if a question could not
            be scored, for example because the judge failed. A question on which the pipeline failed is 0.
        baseline: The pipeline that all others are compared with; None for every pair.
        level: Confidence level of the intervals, in (0, 1).
        resamples: Number of resamples of the bootstrap and the permutation test, at least 100.
        seed: Random seed of both.

    Returns:
        One comparison per pair, in the order of ``scores``; a baseline is the second of each pair.

    Raises:
        ValueError: The pipelines have different numbers of values, the baseline is not one of them, or two pipelines
            have no scored question in common.

    Example:
        >>> table = compare({"a": [1, 1, 1, 1, 1, 1], "b": [0, 0, 0, 0, 0, 1], "c": [0, 0, 0, 0, 0, 0]}, baseline="c")
        >>> [(row.first, row.better, row.p, row.p_holm) for row in table]
        [('a', 6, 0.03125, 0.0625), ('b', 1, 1.0, 1.0)]
    """
    if len({len(values) for values in scores.values()}) > 1:
        counts = ", ".join(f"{name} has {len(values)}" for name, values in scores.items())
        raise ValueError(f"pipelines are compared on the same questions, but {counts} values")
    if baseline is not None and baseline not in scores:
        raise ValueError(f"the baseline must be one of {', '.join(map(repr, scores))}, got {baseline!r}")
    pairs = list(combinations(scores, 2)) if baseline is None else [(a, baseline) for a in scores if a != baseline]
    rows = _compared(scores, pairs, level=level, resamples=resamples, seed=seed)
    return corrected(rows)


def corrected(rows: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons with their p-values corrected for the number of comparisons."""
    p_values = [row.p for row in rows]
    both = zip(rows, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [row._replace(p_holm=p_holm, p_bh=p_bh) for row, p_holm, p_bh in both]


def _compared(
    scores: Mapping[str, Sequence[float | None]],
    pairs: Sequence[tuple[str, str]],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> list[Comparison]:
    """Compare all pairs in their order, without correcting p-values."""
    values = {name: _with_gaps(name, column) for name, column in scores.items()}
    by_scored: dict[bytes, list[tuple[str, str]]] = {}
    for a, b in pairs:
        by_scored.setdefault((~np.isnan(values[a] + values[b])).tobytes(), []).append((a, b))
    comparisons: dict[tuple[str, str], Comparison] = {}
    for mask, alike in by_scored.items():
        scored = np.frombuffer(mask, dtype=bool)
        if not scored.any():
            raise ValueError(f"{alike[0][0]!r} and {alike[0][1]!r} have no question in common that was scored")
        by_name = {name: values[name][scored] for pair in alike for name in pair}
        for first in range(0, len(alike), _TOGETHER):
            part = alike[first : first + _TOGETHER]
            rows = _rows(by_name, part, len(scored) - len(next(iter(by_name.values()))), level, resamples, seed)
            comparisons.update(zip(part, rows, strict=True))
    return [comparisons[pair] for pair in pairs]


def _rows(
    values: Mapping[str, npt.NDArray[np.float64]],
    pairs: Sequence[tuple[str, str]],
    unscored: int,
    level: float,
    resamples: int,
    seed: int,
) -> list[Comparison]:
    """Compare pairs that were scored on the same questions, with one resampling for all pairs."""
    differences = np.column_stack([difference(values[a], values[b]) for a, b in pairs])
    means = resampled_means(differences, resamples, seed)
    # With values of 0 and 1 all differences are of one size, so that the permutation test is McNemar's.
    p_values = permutation_tests(differences, resamples=resamples, seed=seed)
    rows = []
    for j, ((a, b), p) in enumerate(zip(pairs, p_values, strict=True)):
        better, worse = (int(np.count_nonzero(sign * differences[:, j] > 0)) for sign in (1, -1))
        binary = is_binary(values[a]) and is_binary(values[b])
        if binary:
            interval = share_difference(better, worse, len(differences), level=level)
        else:
            interval = interval_of(differences[:, j], means[:, j], level=level)
        rows.append(
            Comparison(
                first=a,
                second=b,
                difference=interval,
                better=better,
                worse=worse,
                test="McNemar" if binary else "permutation",
                p=p,
                p_holm=p,
                p_bh=p,
                unscored=unscored,
                drawn=0 if is_counted(differences[:, j]) else resamples,
            )
        )
    return rows


def _with_gaps(name: str, values: Sequence[float | None]) -> npt.NDArray[np.float64]:
    """Return the values as an array, with NaN for unscored questions."""
    if not all(value is None or isfinite(value) for value in values):
        raise ValueError(f"the values of {name!r} must be finite; give None for what was not scored")
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
