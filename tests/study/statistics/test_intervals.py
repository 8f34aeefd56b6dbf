"""Intervals against scipy, and their coverage on simulated questions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.study.statistics.intervals import (
    bootstrap,
    interval,
    resampled_means,
    share_difference,
    wilson,
)

values = st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0]), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (9, 10), (333, 1000), (19_500, 39_000)]
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_wilson_is_that_of_scipy(successes: int, n: int, level: float) -> None:
    theirs = scipy.stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    ours = wilson(successes, n, level=level)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert ours.mean == successes / n
    assert ours.n == n


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("n", [7, 60, 501])
def test_of_values_that_all_differ_the_bootstrap_is_that_of_scipy(method: str, n: int) -> None:
    # Skewed, so that bias and acceleration matter; 2,100 times 501 values are drawn in more than one part.
    skewed = np.random.default_rng(n).exponential(size=n)
    theirs = scipy.stats.bootstrap(
        (skewed,), np.mean, n_resamples=2100, confidence_level=0.9, method=method, rng=np.random.default_rng(5)
    ).confidence_interval
    ours = bootstrap(skewed, method=method, level=0.9, resamples=2100, seed=5)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert ours.mean == pytest.approx(skewed.mean())


def test_of_values_that_repeat_the_means_have_the_distribution_that_they_should() -> None:
    n, successes = 200, 150
    means = resampled_means(np.repeat([1.0, 0.0], [successes, n - successes]), 20_000, seed=1)
    expected = scipy.stats.binom(n, successes / n)
    drawn = np.bincount(np.round(means * n).astype(int), minlength=n + 1)
    assert np.abs(np.cumsum(drawn) / len(means) - expected.cdf(np.arange(n + 1))).max() < 0.02
    for quantile in (0.025, 0.5, 0.975):
        assert np.quantile(means, quantile) == pytest.approx(expected.ppf(quantile) / n, abs=1 / n)


@pytest.mark.whole
def test_means_drawn_by_counts_by_value_and_together_agree() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.random(300), rng.random(300)
    together = resampled_means(np.column_stack([one, two]), 5000, seed=3)
    assert together[:, 0] == pytest.approx(resampled_means(one, 5000, seed=3))
    assert together[:, 1] == pytest.approx(resampled_means(two, 5000, seed=3))
    beside = resampled_means(np.column_stack([two, np.round(one)]), 5000, seed=3)
    assert beside[:, 0] == pytest.approx(together[:, 1])
    assert beside[:, 1] == pytest.approx(resampled_means(np.round(one)[:, None], 5000, seed=3)[:, 0])
    # Ten values of which each occurs 30 times, by counts; and the same with a little noise, value by value.
    repeated = np.repeat(rng.random(10), 30)
    noisy = repeated + rng.normal(scale=1e-9, size=300)
    ours, theirs = resampled_means(repeated, 20_000, seed=7), resampled_means(noisy, 20_000, seed=8)
    assert scipy.stats.ks_2samp(ours, theirs).pvalue > 1e-3


def test_the_interval_of_0_and_1_is_wilsons_and_any_other_the_bootstrap() -> None:
    assert interval([1, 1, 0, 1]) == wilson(3, 4)
    assert interval([1, 1, 0, 0.5], seed=4) == bootstrap([1, 1, 0, 0.5], seed=4)
    assert interval(np.array([True, False])) == wilson(1, 2)


@pytest.mark.parametrize("n", [20, 200])
def test_a_share_difference_leaves_out_0_where_the_exact_test_finds_one(n: int) -> None:
    for better in range(21):
        for worse in range(min(better, n - better) + 1):
            p = scipy.stats.binomtest(better, better + worse).pvalue if better else 1.0
            found = share_difference(better, worse, n)
            # The exact test is a little more careful, so that p may be a little over 0.05.
            assert p < 0.08 if found.low > 0 else p >= 0.05
            other = share_difference(worse, better, n)
            assert (other.mean, other.low, other.high) == (-found.mean, -found.high, -found.low)
            assert -1 <= found.low <= found.mean <= found.high <= 1


@pytest.mark.parametrize(("n", "better", "worse"), [(20, 0.2, 0.1), (60, 0.05, 0.02), (60, 0.3, 0.3), (200, 0.04, 0.0)])
def test_a_share_difference_contains_the_true_one_as_often_as_it_says(n: int, better: float, worse: float) -> None:
    counts = np.random.default_rng(3).multinomial(n, [better, worse, 1 - better - worse], size=4_000)
    several, times = np.unique(counts, axis=0, return_counts=True)
    held = [share_difference(int(b), int(c), n) for b, c, _ in several]
    inside = [one.low <= better - worse <= one.high for one in held]
    assert 0.935 <= np.average(inside, weights=times) <= 0.99


def test_of_no_difference_in_200_questions_a_small_one_is_possible() -> None:
    assert share_difference(0, 0, 200)[:3] == pytest.approx((0, -0.0137, 0.0137), abs=1e-4)
    for wrong in ((0, 0, 0), (-1, 0, 5), (3, 3, 5)):
        with pytest.raises(ValueError, match=f"got {wrong[0]} better and {wrong[1]} worse of {wrong[2]}"):
            share_difference(*wrong)


@given(values, st.sampled_from(["percentile", "bca"]), st.integers(0, 5))
def test_an_interval_contains_the_mean_and_lies_within_the_values(values: list[float], method: str, seed: int) -> None:
    found = bootstrap(values, method=method, resamples=400, seed=seed)
    assert min(values) - 1e-12 <= found.low <= found.mean + 1e-12
    assert found.mean - 1e-12 <= found.high <= max(values) + 1e-12
    assert found == bootstrap(values, method=method, resamples=400, seed=seed)
    wider = bootstrap(values, method="percentile", level=0.99, resamples=400, seed=seed)
    narrow = bootstrap(values, method="percentile", level=0.5, resamples=400, seed=seed)
    assert wider.low <= narrow.low <= narrow.high <= wider.high


@given(st.integers(1, 500), st.floats(0, 1), st.floats(0.01, 0.99))
def test_wilson_contains_the_share_and_lies_between_0_and_1(n: int, share: float, level: float) -> None:
    found = wilson(round(share * n), n, level=level)
    assert 0 <= found.low <= found.mean <= found.high <= 1


def test_equal_values_leave_no_doubt_but_few_successes_do() -> None:
    assert bootstrap([0.1] * 3) == (0.1, 0.1, 0.1, 3)
    assert bootstrap([0.4]) == (0.4, 0.4, 0.4, 1)
    assert wilson(3, 3).low < 0.5


@pytest.mark.whole
@pytest.mark.parametrize(("method", "n"), [("percentile", 80), ("bca", 80), ("wilson", 80)])
def test_coverage_on_simulated_questions(method: str, n: int) -> None:
    rng, held, trials = np.random.default_rng(11), 0, 400
    for trial in range(trials):
        if method == "wilson":
            true, found = 0.9, wilson(int(rng.binomial(n, 0.9)), n)
        else:
            # F1-like: a third is wrong, a third in between, a third right.
            sample = np.where(rng.random(n) < 1 / 3, 0, np.where(rng.random(n) < 0.5, 1, rng.random(n)))
            true, found = 0.5, bootstrap(sample, method=method, resamples=500, seed=trial)
        held += found.low <= true <= found.high
    # Were the coverage 0.94, one in a million runs would lie outside of these.
    low, high = scipy.stats.binom(trials, 0.94).ppf([5e-7, 1 - 5e-7])
    assert low <= held <= high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap([]), "at least one"),
        (lambda: bootstrap([[1.0, 2.0]]), r"shape \(1, 2\)"),
        (lambda: bootstrap([0.5, float("nan")]), "must be finite, got nan at place 1"),
        (lambda: bootstrap([0.5, 1.0], method="BCA"), "must be 'bca' or 'percentile', got 'BCA'"),
        (lambda: bootstrap([0.5, 1.0], level=95), "must be in (0, 1), got 95".replace("(", r"\(").replace(")", r"\)")),
        (lambda: bootstrap([0.5, 1.0], resamples=99), "at least 100, got 99"),
        (lambda: interval([0, 1], resamples=0), "at least 100, got 0"),
        (lambda: wilson(1, 0), "got 1 of 0"),
        (lambda: wilson(-1, 4), "got -1 of 4"),
        (lambda: wilson(1, 4, level=1), r"must be in \(0, 1\), got 1"),
    ],
)
def test_nonsense_is_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
