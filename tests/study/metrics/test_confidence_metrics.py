"""Measures of confidences, against readable definitions and scikit-learn."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.study.metrics.confidence import (
    aurc,
    calibration_error,
    coverage_at_risk,
    reliability,
    risk_coverage,
)

ANSWERS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.85, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=6
)


def mean_risk(right: list[float]) -> float:
    """The mean over n of the share of wrong answers among the first n."""
    return sum(sum(1 - r for r in right[:n]) / n for n in range(1, len(right) + 1)) / len(right)


@given(ANSWERS)
def test_aurc_is_the_mean_over_all_orders_of_equal_confidences(answers: list[tuple[float, float]]) -> None:
    orders = [order for order in permutations(answers) if [c for c, _ in order] == sorted((c for c, _ in order))[::-1]]
    expected = sum(mean_risk([right for _, right in order]) for order in orders) / len(orders)
    assert aurc(*zip(*answers, strict=True)) == pytest.approx(expected)


@given(ANSWERS, st.integers(0, 3))
def test_the_curve_is_what_each_threshold_gives(answers: list[tuple[float, float]], unanswered: int) -> None:
    confidence, right = zip(*answers, strict=True)
    total = len(answers) + unanswered
    curve = risk_coverage(confidence, right, questions=total)
    assert curve.threshold.tolist() == sorted(set(confidence), reverse=True)
    for threshold, coverage, risk in zip(*curve, strict=True):
        answered = [correct for sure, correct in answers if sure >= threshold]
        assert coverage == pytest.approx(len(answered) / total)
        assert risk == pytest.approx(1 - sum(answered) / len(answered))
    allowed = [c for c, r in zip(curve.coverage, curve.risk, strict=True) if r <= 0.3]
    assert coverage_at_risk(confidence, right, 0.3, questions=total) == max(allowed, default=0.0)


def test_reliability_is_that_of_scikit_learn() -> None:
    calibration_curve = pytest.importorskip("sklearn.calibration").calibration_curve
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0, 1, 400)
    right = (rng.uniform(0, 1, 400) < confidence**2).astype(float)
    expected_right, expected_confidence = calibration_curve(right, confidence, n_bins=10)
    table = reliability(confidence.tolist(), right.tolist())
    assert [one.right for one in table] == pytest.approx(expected_right)
    assert [one.confidence for one in table] == pytest.approx(expected_confidence)
    error = sum(one.n * abs(r - c) for one, r, c in zip(table, expected_right, expected_confidence, strict=True)) / 400
    assert calibration_error(confidence.tolist(), right.tolist()) == pytest.approx(error)


def test_edges_of_bins() -> None:
    table = reliability([0.0, 0.1, 0.1999, 0.2, 1.0], [1, 1, 1, 1, 0])
    assert [one.n for one in table] == [1, 2, 1, 0, 0, 0, 0, 0, 0, 1]
    assert table[3].right is None
    assert table[-1].right == 0
    table = reliability([i / 10 for i in range(11)], [1] * 11)
    assert [(one.low, one.n) for one in table] == [(i / 10, 1 + (i == 9)) for i in range(10)]


def test_what_cannot_be_measured() -> None:
    assert coverage_at_risk([0.9], [0], 0.05) == 0
    for measure in (aurc, calibration_error):
        with pytest.raises(ValueError, match="at least one answer"):
            measure([], [])
    with pytest.raises(ValueError, match=r"confidence must be from 0 to 1, got 1\.5"):
        aurc([1.5], [1])
    with pytest.raises(ValueError, match="one for each"):
        aurc([0.5, 0.5], [1])
    with pytest.raises(ValueError, match="2 answers to 1 questions"):
        risk_coverage([0.5, 0.5], [1, 1], questions=1)


def test_no_answers_have_an_empty_curve() -> None:
    for questions in (None, 0, 3):
        curve = risk_coverage([], [], questions=questions)
        assert [len(column) for column in curve] == [0, 0, 0]
        assert coverage_at_risk([], [], 1.0, questions=questions) == 0
    assert [(one.n, one.confidence, one.right) for one in reliability([], [], bins=2)] == [(0, None, None)] * 2


def test_questions_without_an_answer_lower_the_coverage_only() -> None:
    curve = risk_coverage([0.2, 0.9], [0.5, 1], questions=4)
    assert [column.tolist() for column in curve] == [[0.9, 0.2], [0.25, 0.5], [0.0, 0.25]]
    assert risk_coverage([0.2, 0.9], [0, 1]).coverage.tolist() == [0.5, 1.0]
    assert coverage_at_risk([0.2, 0.9], [0, 1], 0.5) == 1.0
    assert risk_coverage([0.5], [1], questions=1).coverage.tolist() == [1.0]


def test_values_at_the_ends_are_allowed_and_others_are_not() -> None:
    assert aurc([0, 1], [0, 1]) == 0.25
    for confidence, right, name in (([-0.1], [1], "confidence"), ([1.1], [1], "confidence"), ([1], [-0.1], "right")):
        with pytest.raises(ValueError, match=f"{name} must be from 0 to 1"):
            risk_coverage(confidence, right)
    with pytest.raises(ValueError, match="got nan"):
        risk_coverage([float("nan")], [1])
    with pytest.raises(ValueError, match="one for each"):
        risk_coverage([[0.5]], [[1]])  # type: ignore[list-item]


def test_the_calibration_error_counts_each_bin_by_its_answers() -> None:
    assert calibration_error([0.25, 0.25, 0.25, 0.95], [0, 0, 0, 1]) == pytest.approx((3 * 0.25 + 0.05) / 4)
    assert calibration_error([0.2, 0.4], [1, 0], bins=1) == pytest.approx(0.2)
