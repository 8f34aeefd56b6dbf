"""Measures of confidences: how well they rank answers, and whether they are probabilities.

All functions take one confidence in [0, 1] for each answered question, and whether the answer is right (Hits@1, from 0
to 1). Confidences that are equal cannot be told apart, so that such questions are answered or refused together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
BINS = 10


class RiskCoverage(NamedTuple):
    """Risk and coverage at every threshold, by falling confidence.

    Attributes:
        threshold: float64 [distinct confidences]; questions of at least this confidence are answered.
        coverage: Share of all questions that are answered.
        risk: Share of the answered ones whose answer is wrong.
    """

    threshold: Floats
    coverage: Floats
    risk: Floats


class Bin(NamedTuple):
    """The answers of one interval of confidence.

    Attributes:
        low: Its lower end.
        high: Its upper end, which belongs to the next bin, except that of the last one.
        n: Number of answers.
        confidence: Their mean confidence; None without answers.
        right: The share of them that is right; None without answers.
    """

    low: float
    high: float
    n: int
    confidence: float | None
    right: float | None


def risk_coverage(confidence: Sequence[float], right: Sequence[float], *, questions: int | None = None) -> RiskCoverage:
    """Return the risk-coverage curve (El-Yaniv and Wiener, JMLR 2010).

    Args:
        confidence: The confidence of each answered question.
        right: Whether its answer is right.
        questions: Number of all questions, those without an answer included; that of the answered ones if None.

    >>> curve = risk_coverage([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    >>> curve.coverage.tolist(), curve.risk.round(3).tolist()
    ([0.25, 0.75, 1.0], [0.0, 0.333, 0.5])
    """
    sure, correct = _checked(confidence, right)
    total = len(sure) if questions is None else questions
    if total < len(sure):
        raise ValueError(f"{len(sure)} answers to {total} questions; give the number of all questions")
    order = np.argsort(-sure, kind="stable")
    sure, wrong = sure[order], np.cumsum(1 - correct[order])
    last = np.flatnonzero(np.append(np.diff(sure) != 0, [True])) if len(sure) else np.zeros(0, dtype=np.int64)
    return RiskCoverage(sure[last], (last + 1) / max(total, 1), wrong[last] / (last + 1))


def aurc(confidence: Sequence[float], right: Sequence[float]) -> float:
    """Return the area under the risk-coverage curve: the mean risk of the n most confident answers.

    0 is best; confidences that say nothing give the share of wrong answers (Geifman and El-Yaniv, ICLR 2019). Among
    equal confidences the mean over their orders counts.

    Raises:
        ValueError: There is no answer.

    >>> aurc([0.9, 0.5, 0.1], [1, 1, 0]), aurc([0.5, 0.5], [1, 0])
    (0.1111111111111111, 0.5)
    """
    sure, correct = _checked(confidence, right)
    if not len(sure):
        raise ValueError("the area under a risk-coverage curve needs at least one answer")
    _, group, size = np.unique(-sure, return_inverse=True, return_counts=True)
    wrong = np.bincount(group, 1 - correct) / size  # in each group of equal confidence, what one more answer adds
    expected = np.cumsum(np.repeat(wrong, size))
    return float(np.mean(expected / np.arange(1, len(sure) + 1)))


def coverage_at_risk(
    confidence: Sequence[float], right: Sequence[float], risk: float, *, questions: int | None = None
) -> float:
    """Return the largest share of questions that can be answered at this risk; 0 for none.

    >>> coverage_at_risk([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0], 0.05)
    0.5
    """
    curve = risk_coverage(confidence, right, questions=questions)
    return float(curve.coverage[curve.risk <= risk].max(initial=0.0))


def reliability(confidence: Sequence[float], right: Sequence[float], *, bins: int = BINS) -> list[Bin]:
    """Return intervals of equal width, each with its mean confidence and the share of right answers.

    >>> [(one.n, one.right) for one in reliability([0.1, 0.9, 0.95, 1.0], [0, 1, 0, 1], bins=2)]
    [(1, 0.0), (3, 0.6666666666666666)]
    """
    sure, correct = _checked(confidence, right)
    edges = np.arange(bins + 1) / bins  # the floats nearest to 0.1, 0.2 and so on; linspace has 0.30000000000000004
    place = np.searchsorted(edges[1:-1], sure, side="right")
    n = np.bincount(place, minlength=bins).tolist()
    sums = (np.bincount(place, values, minlength=bins).tolist() for values in (sure, correct))
    rows = zip(edges[:-1].tolist(), edges[1:].tolist(), n, *sums, strict=True)
    return [
        Bin(low, high, count, total / count if count else None, hits / count if count else None)
        for low, high, count, total, hits in rows
    ]


def calibration_error(confidence: Sequence[float], right: Sequence[float], *, bins: int = BINS) -> float:
    """Return the expected calibration error: the mean distance of confidence and share right.

    The mean is over `reliability` bins, each counted by its answers (Guo et al., On Calibration of Modern Neural
    Networks, ICML 2017). 0 is best.

    Raises:
        ValueError: There is no answer.

    >>> round(calibration_error([0.8, 0.8, 0.8, 0.8, 0.8], [1, 1, 1, 1, 0]), 12)
    0.0
    """
    table = [one for one in reliability(confidence, right, bins=bins) if one.n]
    if not table:
        raise ValueError("a calibration error needs at least one answer")
    apart = [one.n * abs((one.confidence or 0.0) - (one.right or 0.0)) for one in table]
    return sum(apart) / sum(one.n for one in table)


def _checked(confidence: Sequence[float], right: Sequence[float]) -> tuple[Floats, Floats]:
    """Return both as arrays.

    Raises:
        ValueError: They have different lengths, or a value is not in [0, 1].
    """
    sure, correct = (np.asarray(values, dtype=np.float64) for values in (confidence, right))
    if sure.shape != correct.shape or sure.ndim != 1:
        raise ValueError(f"{sure.shape} confidences for {correct.shape} answers; give one for each")
    for name, values in (("confidence", sure), ("right", correct)):
        wrong = values[~((values >= 0) & (values <= 1))]
        if len(wrong):
            raise ValueError(f"{name} must be from 0 to 1, got {wrong[0]}")
    return sure, correct
