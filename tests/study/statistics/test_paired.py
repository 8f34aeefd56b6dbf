"""Paired tests and corrections, against scipy and against readable references."""

from __future__ import annotations

import math
import sys
from itertools import product

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.core.errors import GraphbrickError
from graphbrick.study.statistics.intervals import bootstrap
from graphbrick.study.statistics.paired import (
    benjamini_hochberg,
    difference,
    holm,
    is_counted,
    mcnemar,
    paired_bootstrap,
    permutation_test,
    permutation_tests,
)

grades = st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 1.0])
pairs = st.lists(st.tuples(grades, grades), min_size=1, max_size=12)
bits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=80)
p_lists = st.lists(st.floats(0, 1), max_size=12)


@given(bits)
def test_mcnemar_is_the_binomial_test_of_scipy_and_the_permutation_test(both: list[tuple[int, int]]) -> None:
    first, second = zip(*both, strict=True)
    better, worse = sum(a > b for a, b in both), sum(a < b for a, b in both)
    expected = scipy.stats.binomtest(better, better + worse).pvalue if better + worse else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9)
    assert permutation_test(first, second) == mcnemar(first, second) == mcnemar(second, first)


def test_mcnemar_of_many_questions() -> None:
    first = np.repeat([1.0, 0.0, 1.0], [10_300, 9_700, 19_000])
    second = np.repeat([0.0, 1.0, 1.0], [10_300, 9_700, 19_000])
    assert mcnemar(first, second) == pytest.approx(scipy.stats.binomtest(10_300, 20_000).pvalue, rel=1e-9)
    assert mcnemar(np.ones(3000), np.zeros(3000)) == 0


@pytest.mark.whole
@pytest.mark.parametrize(("fewer", "n"), [(0, 5), (3, 6), (3, 11), (180, 400), (450, 1000), (2600, 5000)])
def test_mcnemar_is_that_of_exact_integers(fewer: int, n: int) -> None:
    exact = min(1.0, 2 * sum(math.comb(n, i) for i in range(min(fewer, n - fewer) + 1)) / 2**n)
    ones = np.repeat([1.0, 0.0], [fewer, n - fewer])
    assert mcnemar(ones, 1 - ones) == pytest.approx(exact, rel=1e-12)
    assert mcnemar(1 - ones, ones) == mcnemar(ones, 1 - ones)


def test_without_scipy_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(GraphbrickError, match="pip install 'graphbrick\\[evaluate\\]'"):
        mcnemar([1, 0], [0, 0])
    assert bootstrap([0.2, 0.4]).n == 2


@given(pairs)
def test_the_exact_permutation_test_counts_all_exchanges(both: list[tuple[float, float]]) -> None:
    first, second = zip(*both, strict=True)
    differences = [a - b for a, b in both]
    sums = [
        sum(sign * d for sign, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(both))
    ]
    expected = np.mean([abs(total) >= abs(sum(differences)) - 1e-9 for total in sums])
    assert permutation_test(first, second) == pytest.approx(expected)
    assert permutation_test(second, first) == pytest.approx(expected)


def test_the_exact_permutation_test_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.random(11), rng.random(11) - 0.2
    theirs = scipy.stats.permutation_test(
        (first, second), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", n_resamples=10**4
    )
    assert permutation_test(first, second) == pytest.approx(theirs.pvalue)


@pytest.mark.whole
@pytest.mark.parametrize("decimals", [1, 9])
def test_with_exchanges_drawn_the_p_value_is_near_that_of_scipy(decimals: int) -> None:
    # With one decimal there are few sizes of differences, which are drawn in another way than many.
    rng = np.random.default_rng(3)
    first, second = np.round(rng.random(200), decimals), np.round(rng.random(200) - 0.05, decimals)
    theirs = scipy.stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    )
    ours = permutation_test(first, second, resamples=20_000, seed=4)
    assert ours == pytest.approx(theirs.pvalue, abs=0.02)
    assert ours == permutation_test(first, second, resamples=20_000, seed=4)


def test_a_column_is_tested_as_it_is_alone() -> None:
    rng = np.random.default_rng(5)
    columns = [rng.normal(0.1, size=90), np.round(rng.normal(size=90)), rng.normal(size=90), np.zeros(90)]
    together = permutation_tests(np.column_stack(columns), resamples=3000, seed=6)
    alone = [permutation_test(column, np.zeros(90), resamples=3000, seed=6) for column in columns]
    assert together == pytest.approx(alone)
    assert together[3] == 1


@settings(deadline=None, max_examples=40)
@given(pairs, st.integers(0, 3))
def test_the_paired_bootstrap_is_symmetric_and_is_that_of_the_differences(
    both: list[tuple[float, float]], seed: int
) -> None:
    first, second = (np.array(side) for side in zip(*both, strict=True))
    ours, reverse = (
        paired_bootstrap(first, second, resamples=300, seed=seed),
        paired_bootstrap(second, first, resamples=300, seed=seed),
    )
    assert ours.difference.mean == pytest.approx(-reverse.difference.mean, abs=1e-12)
    assert 0 < ours.p <= 1
    assert ours.difference.low - 1e-9 <= np.mean(first - second) <= ours.difference.high + 1e-9
    if np.ptp(first - second) == 0:
        assert ours.p == permutation_test(first, second)


def test_a_p_value_of_the_paired_bootstrap_is_about_that_of_students_test() -> None:
    rng = np.random.default_rng(8)
    first = rng.random(400)
    second = first + rng.normal(0.02, 0.2, size=400)
    ours = paired_bootstrap(first, second, seed=1)
    assert ours.p == pytest.approx(scipy.stats.ttest_rel(first, second).pvalue, abs=0.01)
    alone = bootstrap(first - second, seed=1)
    assert (ours.difference.low, ours.difference.high) == pytest.approx((alone.low, alone.high))


@pytest.mark.whole
def test_under_the_null_hypothesis_small_p_values_are_as_rare_as_they_should_be() -> None:
    rng, trials = np.random.default_rng(9), 300
    p_values = []
    for trial in range(trials):
        first, second = rng.random(40), rng.random(40)
        p_values.append(permutation_test(first, second, resamples=400, seed=trial))
    low, high = scipy.stats.binom(trials, 0.1).ppf([5e-7, 1 - 5e-7])
    assert low <= sum(p <= 0.1 for p in p_values) <= high


@given(p_lists)
def test_benjamini_hochberg_is_that_of_scipy(p_values: list[float]) -> None:
    expected = scipy.stats.false_discovery_control(p_values, method="bh").tolist() if p_values else []
    assert list(benjamini_hochberg(p_values)) == pytest.approx(expected)


@given(p_lists, st.floats(0.001, 0.5))
def test_holm_rejects_what_its_procedure_rejects(p_values: list[float], alpha: float) -> None:
    m = len(p_values)
    rejected = set[int]()
    for step, place in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        if p_values[place] * (m - step) > alpha:
            break
        rejected.add(place)
    corrected = holm(p_values)
    assert {i for i in range(m) if corrected[i] <= alpha} == rejected
    assert all(p <= q <= 1 for p, q in zip(p_values, corrected, strict=True))
    assert all(b <= h + 1e-15 for b, h in zip(benjamini_hochberg(p_values), corrected, strict=True))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar([0.5, 1], [0, 1]), "0 and 1 only; try permutation_test"),
        (lambda: mcnemar([1], [0, 1]), "got 1 and 2 values"),
        (lambda: permutation_test([], []), "at least one"),
        (lambda: permutation_test([0.1, 0.2], [0.1, float("inf")]), "finite"),
        (lambda: permutation_test([0.1], [0.2], resamples=10), "at least 100, got 10"),
        (lambda: paired_bootstrap([0.1], [0.2], resamples=10), "at least 100, got 10"),
        (lambda: paired_bootstrap([0.1, 0.3], [0.2, 0.5], level=0), "level of an interval"),
        (lambda: difference([1, 2], [1]), "got 2 and 1 values"),
        (lambda: holm([0.1, 1.1]), "must be in"),
        (lambda: benjamini_hochberg([float("nan")]), "must be in"),
    ],
)
def test_nonsense_is_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("n", "sizes"), [(3, 3), (14, 14), (15, 4), (16, 2)])
def test_exchanges_that_can_be_counted_are_counted(n: int, sizes: int) -> None:
    values = np.random.default_rng(n).choice(np.random.default_rng(sizes).random(sizes), n)
    values *= np.random.default_rng(n + 1).choice([-1, 1, 1], n)
    signs = 1 - 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
    exact = np.mean(np.abs(signs @ values) >= abs(values.sum()) - 1e-12)
    assert is_counted(values)
    assert permutation_test(values, np.zeros(n)) == pytest.approx(exact, abs=1e-12)


def test_differences_of_a_few_sizes_are_counted_also_where_they_are_many() -> None:
    values = np.array([0.5] * 60 + [-0.25] * 40 + [1.0] * 3)
    drawn = np.random.default_rng(3).choice([-1, 1], (20_000, len(values))) @ values
    assert is_counted(values)
    assert permutation_test(values, np.zeros(len(values))) == pytest.approx(
        np.mean(np.abs(drawn) >= abs(values.sum()) - 1e-12), abs=0.005
    )
    assert not is_counted(np.random.default_rng(4).random(60))
