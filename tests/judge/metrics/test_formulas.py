from __future__ import annotations

import numpy as np
import pytest

from graphbrick.judge.metrics import formulas


def published_average_precision(useful: list[bool]) -> float:
    """As the library of RAGAS writes it."""
    numerator = sum((sum(useful[: i + 1]) / (i + 1)) * useful[i] for i in range(len(useful)))
    return numerator / (sum(useful) + 1e-10)


def published_noise(right: np.ndarray, claims: np.ndarray, reference: np.ndarray, *, relevant: bool) -> float:
    """As the library of RAGAS writes it: matrices of statements by items of evidence."""
    relevant_retrieved = np.max(reference, axis=0, keepdims=True)
    relevant_faithful = np.max(relevant_retrieved & claims, axis=1)
    irrelevant_faithful = np.max(~relevant_retrieved & claims, axis=1) & ~relevant_faithful
    return float(np.mean((relevant_faithful if relevant else irrelevant_faithful) & ~right))


def test_the_arithmetic_equals_the_published_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, m, k = rng.integers(1, 6, size=3)
        useful, right = (rng.random(size) < 0.5 for size in (k, n))
        claims, reference = rng.random((n, k)) < 0.4, rng.random((m, k)) < 0.3
        assert formulas.average_precision(useful.tolist()) == pytest.approx(
            published_average_precision(useful.tolist()), abs=1e-9
        )
        for relevant in (True, False):
            ours = formulas.noise_sensitivity(
                right.tolist(), claims.T.tolist(), reference.T.tolist(), relevant=relevant
            )
            assert ours == pytest.approx(published_noise(right, claims, reference, relevant=relevant))
        true, false, missed = (int(count) for count in rng.integers(0, 4, size=3))
        if true + false + missed:
            assert formulas.f1(true, false, missed) == pytest.approx(2 * true / (2 * true + false + missed))


def test_a_ranking_with_the_useful_items_first_is_best() -> None:
    assert formulas.average_precision([True, True, False]) == 1
    assert formulas.average_precision([False, True, True]) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert formulas.average_precision([False, False]) == 0


def test_what_is_not_defined_is_none() -> None:
    assert formulas.share([]) is None
    assert formulas.average_precision([]) is None
    assert formulas.f1(0, 0, 0) is None
    assert formulas.relevancy([], noncommittal=True) is None
    assert formulas.recall(set(), {"kenya"}) is None
    assert formulas.noise_sensitivity([], [], [], relevant=True) is None
