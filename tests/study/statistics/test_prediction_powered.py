"""Prediction-powered means against ppi-python, in edge cases, and how often their intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from graphbrick.study.statistics.few_labels import (
    among_known,
    difference_p_value,
    mean_difference,
    share_of,
    t_p_value,
    t_quantile,
    unpaired_difference,
)
from graphbrick.study.statistics.label_power import cheapest, correlation_of, labels_needed
from graphbrick.study.statistics.prediction_powered import (
    Sample,
    mean_and_error,
    mean_of,
    remarks,
    sample,
    tuned_weight,
)
from graphbrick.study.statistics.rogan_gladen import rogan_gladen

CLOSE = {"rel": 1e-9, "abs": 1e-9}


def drawn(rng: np.random.Generator) -> Sample:
    """Labels of 0 and 1 and predictions of a judge between useless and perfect; few and many of each."""
    n, others = int(rng.integers(3, 200)), int(rng.integers(2, 400))
    labels = (rng.random(n + others) < rng.uniform(0.1, 0.9)) * 1.0
    noise = rng.random(n + others)
    quality = rng.random()
    predictions = quality * labels + (1 - quality) * noise
    labels[:2] = 0, 1
    return sample(labels[:n], predictions[:n], predictions[n:])


@pytest.mark.whole
def test_a_thousand_draws_equal_ppi_python():
    ppi = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(17)
    for i in range(1_000):
        case, level = drawn(rng), (0.9, 0.95, 0.99)[i % 3]
        weight = (None, None, 0.0, 1.0, 0.3)[i % 5]
        ours = mean_of(case, weight=weight, level=level)
        assert ours.mean == pytest.approx(float(ppi.ppi_mean_pointestimate(*case, lam=weight)[0]), **CLOSE)
        low, high = ppi.ppi_mean_ci(*case, alpha=1 - level, lam=weight)
        assert (ours.low, ours.high) == pytest.approx((float(low[0]), float(high[0])), **CLOSE)
        grads = [values - 0.5 for values in case]
        assert tuned_weight([case]) == pytest.approx(ppi.ppi._calc_lam_glm(*grads, np.eye(1), clip=True), **CLOSE)


@pytest.mark.whole
def test_power_equals_ppi_python():
    ppi = pytest.importorskip("ppi_py")
    power = ppi.ppi_power_analysis.ppi_mean_power
    rng = np.random.default_rng(18)
    for i in range(1_000):
        case = drawn(rng)
        label, prediction = float(rng.uniform(0.5, 3)), float(rng.uniform(0.001, 0.4))
        limit = (None, int(rng.integers(60, 500)))[i % 2]
        correlation = min(correlation_of(case.labels, case.predictions), 1 - 1 / len(case.labels))
        wanted = int(rng.integers(50, 400)) if limit is None else min(limit, int(rng.integers(50, 400)))
        ours = cheapest(correlation, wanted, label=label, prediction=prediction, cases=limit)
        theirs = power(case.labels, case.predictions[:, None], label, prediction, effective_n=wanted, n_max=limit)
        named = [theirs[name] for name in ("n", "N", "cost", "effective_n", "ppi_corr")]
        assert tuple(ours) == pytest.approx(tuple(named), **CLOSE)


def average(values):
    return sum(values) / len(values)


def variance(values):
    return average([(value - average(values)) ** 2 for value in values])


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, None])
def test_mean_and_interval_by_the_published_formula(weight):
    labels, seen, others = [1, 0, 1, 1, 0, 1], [0.9, 0.2, 0.6, 0.7, 0.4, 0.8], [0.8, 0.4, 0.5, 0.3, 0.6, 0.9, 0.1, 0.7]
    used = weight
    if used is None:  # PPI++: Cov(Y, f) / ((1 + n / N) Var(f)), the variance of all predictions divided by n + N - 1
        covariance = average([(y - average(labels)) * (f - average(seen)) for y, f in zip(labels, seen, strict=True)])
        used = covariance / ((1 + 6 / 8) * variance(seen + others) * 14 / 13)
    part, rest = [used * f for f in others], [y - used * f for y, f in zip(labels, seen, strict=True)]
    mean, reach = average(part) + average(rest), 1.959964 * math.sqrt(variance(part) / 8 + variance(rest) / 6)
    ours = mean_of(sample(labels, seen, others), weight=weight)
    assert ours[:3] == pytest.approx((mean, mean - reach, mean + reach), abs=1e-6)
    assert ours.weight == pytest.approx(used)


def test_edge_cases_are_handled_with_words():
    two = sample([1, 0], [0.8, 0.3], [0.6, 0.4, 0.5])
    assert "only 2 labels" in " ".join(remarks(two))
    assert 0 < share_of([two]).low < share_of([two]).high < 1
    constant = sample([1] * 40, np.linspace(0, 1, 40), [0.5] * 60)
    assert (mean_of(constant).weight, mean_of(constant).width) == (0, 0)
    assert "all 40 labels are 1" in " ".join(remarks(constant))
    assert 0.9 < share_of([constant]).low < 1 == share_of([constant]).high
    always = sample([1, 0] * 20, [0.1] * 40, [0.1] * 60)
    assert (mean_of(always).mean, mean_of(always).weight) == (0.5, 0)
    assert "says 0.1 of every case" in " ".join(remarks(always))
    same = sample([1, 0] * 20, [0.9, 0.2] * 20, [0.9, 0.2] * 20)  # as many others as labels
    assert remarks(same) == []
    assert mean_of(same).weight == pytest.approx(0.5 * (0.25 * 0.7 * 2) / (0.35**2 * 80 / 79) / 2 * 1)
    whole = sample([1, 0, 1], [0.9, 0.2, 0.4])
    assert mean_of(whole, weight=1).mean == mean_of(whole).mean == pytest.approx(2 / 3)
    assert "every case is labelled" in " ".join(remarks(whole))
    assert "40 cases are labelled and only 1 are not" in " ".join(remarks(sample([1, 0] * 20, [0.9, 0.2] * 20, [0.5])))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (([1], [0.5]), "at least 2 labels, got 1"),
        (([], []), "at least 2 labels, got 0"),
        (([1, 0], [0.5]), "2 labels and 1"),
        (([1, math.nan], [0.5, 0.5]), "labels must be finite, got nan at place 1"),
        (([1, 0], [0.5, 0.5], [math.inf]), "other predictions must be finite"),
        (([[1, 0]], [0.5, 0.5]), "one number a case"),
    ],
)
def test_what_cannot_be_used_is_an_error(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        sample(*arguments)


def test_parameters_out_of_range_are_errors():
    case = sample([1, 0], [0.8, 0.3], [0.6])
    for call, reason in (
        (lambda: mean_of([]), "no cases"),
        (lambda: mean_of(case, weight=1.5), "from 0 to 1, got 1.5"),
        (lambda: mean_of(case, level=1.0), "in \\(0, 1\\), got 1.0"),
        (lambda: labels_needed(0, variance=0.25, correlation=0, cases=10), "width above 0"),
        (lambda: cheapest(1.0, 10, label=1, prediction=0), "correlation must be in"),
        (lambda: cheapest(0.5, 10, label=1, prediction=0, cases=5), "at most 5"),
    ):
        with pytest.raises(ValueError, match=reason):
            call()


def test_strata_are_weighted_by_their_sizes():
    easy = sample([1, 1, 1, 0], [0.9, 0.8, 0.7, 0.2], [0.8] * 26)  # 30 cases
    hard = sample([0, 0, 1, 0, 0], [0.4, 0.1, 0.6, 0.3, 0.2], [0.3] * 5)  # 10 cases
    for weight in (0.0, 0.4, 1.0):
        parts = [mean_of(part, weight=weight) for part in (easy, hard)]
        whole = mean_of([easy, hard], weight=weight)
        assert whole.mean == pytest.approx(0.75 * parts[0].mean + 0.25 * parts[1].mean)
        assert whole.error == pytest.approx(math.hypot(0.75 * parts[0].error, 0.25 * parts[1].error))
    weights = np.linspace(0, 1, 1001)
    errors = [mean_of([easy, hard], weight=weight).error for weight in weights]
    assert tuned_weight([easy, hard]) == pytest.approx(weights[int(np.argmin(errors))], abs=0.1)


def test_strata_help_where_they_differ():
    rng = np.random.default_rng(0)
    labels = np.concatenate([rng.random(200) < 0.9, rng.random(200) < 0.1]) * 1.0
    none = np.full(100, 0.5)
    strata = [sample(part[:100], none, none) for part in (labels[:200], labels[200:])]
    together = sample(np.concatenate([part.labels for part in strata]), np.full(200, 0.5), np.full(200, 0.5))
    assert share_of(strata).width < 0.9 * share_of([together]).width


def test_pairs_of_answers_to_the_same_questions_give_shorter_intervals():
    rng = np.random.default_rng(1)
    hard = rng.random(300)
    first, second = ((hard < limit) * 1.0 for limit in (0.6, 0.5))
    judged = [np.clip(values + rng.normal(0, 0.3, 300), 0, 1) for values in (first, second)]
    samples = [sample(y[:80], f[:80], f[80:]) for y, f in zip((first, second), judged, strict=True)]
    paired = mean_difference([Sample(*(a - b for a, b in zip(*samples, strict=True)))])
    apart = unpaired_difference(*(mean_difference([one]) for one in samples), strata=2)
    assert paired.mean == pytest.approx(apart.mean, abs=0.05)
    assert paired.width < 0.75 * apart.width
    assert (t_p_value(paired) < 0.05) == (paired.low > 0)


def test_known_cases_shrink_the_estimate_and_their_number_is_chance():
    part = share_of([sample([1, 0, 1, 1] * 20, [0.9, 0.1, 0.8, 0.6] * 20, [0.5, 0.9] * 20)])
    half = among_known(part, 0.5, 240)
    assert half.mean == 0.5 * part.mean
    assert half.width > 0.5 * part.width
    assert half.error == pytest.approx(math.sqrt(0.25 * part.error**2 + part.mean**2 * 0.25 / 240))
    assert among_known(part, 1.0, 120) == part


def test_sizes_of_strata_count_as_chance():
    easy, hard = sample([1] * 30, [1.0] * 30, [1.0] * 70), sample([0] * 30, [0.0] * 30, [0.0] * 70)
    assert mean_of([easy, hard]).error == 0
    assert mean_and_error([easy, hard], 0.0, unbiased=True)[1] == pytest.approx(0.5 / math.sqrt(200))


def test_equal_labels_of_a_stratum_do_not_prove_that_there_are_no_others():
    few, none = sample([1] * 2, [0.5] * 2, [0.5] * 98), sample([0] * 30, [0.5] * 30, [0.5] * 70)
    assert share_of([few, none]).width > 0.3  # two labels say little about half of the cases
    assert share_of([sample([1] * 200, [0.5] * 200, [0.5] * 98), none]).width < 0.15
    assert t_p_value(mean_difference([few, none]), 2) > 0.05
    rng = np.random.default_rng(8)
    shares, held = np.array([0.95, 0.7, 0.3]), 0
    for _ in range(300):
        strata = []
        for share, n, size in zip(shares, (3, 3, 6), rng.multinomial(1_000, [0.25, 0.25, 0.5]), strict=True):
            strata.append(sample((rng.random(n) < share) * 1.0, [0.5] * n, [0.5] * size))
        found = share_of(strata)
        held += found.low <= shares @ [0.25, 0.25, 0.5] <= found.high
    assert held >= 0.95 * 300


def differences(*values: float) -> list[Sample]:
    return [sample(values, [0.0] * len(values))]


@pytest.mark.whole
@pytest.mark.parametrize("n", [2, 3, 5, 6, 10, 40])
def test_equal_differences_are_tested_by_the_exact_sign_test_and_the_interval_agrees(n):
    for value in (-1.0, 0.0, 1.0):
        for level in (0.8, 0.95, 0.99):
            found = mean_difference(differences(*[value] * n), level=level)
            p = difference_p_value(found, differences(*[value] * n))
            assert p == (1.0 if value == 0 else pytest.approx(scipy.stats.binomtest(n, n).pvalue))
            assert -1 <= found.low <= found.mean == value <= found.high <= 1
            assert (p < 1 - level) == (found.low > 0 or found.high < 0)
            exact = scipy.stats.binomtest(n, n).proportion_ci(level, method="exact")
            reach = 1 - exact.low if value == 0 else 2 * (1 - exact.low)
            assert max(found.mean - found.low, found.high - found.mean) == pytest.approx(min(reach, 1 + abs(value)))


def test_differences_of_few_labels_find_nothing_where_there_is_nothing():
    """Every outcome of up to six questions, half of them ties: the share that is called a difference at 5 %."""
    for n in range(2, 7):
        wrong = 0.0
        for counts in ((up, down) for up in range(n + 1) for down in range(n + 1 - up)):
            up, down = counts
            values = [1.0] * up + [-1.0] * down + [0.0] * (n - up - down)
            ways = math.factorial(n) / (math.factorial(up) * math.factorial(down) * math.factorial(n - up - down))
            p = difference_p_value(mean_difference(differences(*values)), differences(*values))
            wrong += (p < 0.05) * ways * 0.25 ** (up + down) * 0.5 ** (n - up - down)
        assert wrong <= 0.05


def test_two_systems_on_different_questions_with_equal_labels_are_not_certainly_different():
    two, none = (mean_difference([sample([value] * 2, [0.5] * 2)], least=0.0) for value in (1.0, 0.0))
    found = unpaired_difference(two, none, strata=2)
    assert (found.mean, found.low, found.high) == (1.0, -1.0, 1.0)
    assert t_p_value(found, 2) > scipy.stats.fisher_exact([[2, 0], [0, 2]]).pvalue / 2
    ten = unpaired_difference(*(mean_difference([sample([v] * 10, [0.5] * 10)], least=0.0) for v in (1.0, 0.0)), 2)
    assert 0 < ten.low < ten.high == 1
    assert t_p_value(ten, 2) < 0.01


def test_the_number_of_labels_gives_the_wished_width():
    rng = np.random.default_rng(2)
    labels = (rng.random(4_000) < 0.5) * 1.0
    predictions = np.clip(0.5 * labels + 0.5 * rng.random(4_000), 0, 1)
    correlation = correlation_of(labels, predictions)
    spread = float(predictions.std())
    n = labels_needed(0.08, variance=0.25, correlation=correlation, cases=4_000, spread=spread)
    assert n is not None
    widths = []
    for _ in range(20):
        order = rng.permutation(4_000)
        widths.append(mean_of(sample(labels[order[:n]], predictions[order[:n]], predictions[order[n:]])).width)
    assert np.mean(widths) == pytest.approx(0.08, rel=0.02)
    assert labels_needed(0.001, variance=0.25, correlation=0.9, cases=1_000) is None
    assert labels_needed(0.5, variance=0.0, correlation=0.0, cases=10) == 2
    assert labels_needed(0.1, variance=0.25, correlation=-0.9, cases=10_000) == 385  # a liar is not believed


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 10, 29, 200])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_quantiles_of_student(freedom, level):
    exact = scipy.stats.t.ppf((1 + level) / 2, freedom)
    assert t_quantile(level, freedom) == pytest.approx(exact, rel=1e-12)
    closed = {1: math.tan(math.pi * level / 2), 2: level * math.sqrt(2 / (1 - level * level))}
    assert t_quantile(level, freedom) == pytest.approx(closed.get(freedom, exact), rel=1e-12)
    estimate = mean_difference([sample([1.0, 0.0] * (freedom + 1), [0.0] * 2 * (freedom + 1))])
    at_the_end = estimate._replace(mean=exact * estimate.error, n=freedom + 1)
    assert t_p_value(at_the_end) == pytest.approx(1 - level, rel=1e-9)
    shown = t_p_value(estimate)
    assert shown == pytest.approx(2 * scipy.stats.t.sf(estimate.mean / estimate.error, estimate.n - 1), rel=1e-9)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_intervals_of_reports_hold_where_normal_ones_do_not(share):
    """Thirty labels and a judge of correlation 0.6: 400 draws, so that 93 % may look like 90 %."""
    rng = np.random.default_rng(3)
    held = normal = 0
    for _ in range(400):
        labels = (rng.random(530) < share) * 1.0
        predictions = 1 / (1 + np.exp(-1.5 * (rng.normal(size=530) + 1.56 * labels)))
        case = Sample(labels[:30], predictions[:30], predictions[30:])
        estimate, plain = share_of([case]), mean_of(case)
        held += estimate.low <= share <= estimate.high
        normal += plain.low <= share <= plain.high
    assert held >= 0.92 * 400
    if share == 0.9:
        assert normal < 0.92 * 400


def test_rogan_gladen_finds_the_true_share():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(300):
        labels = (rng.random(600) < 0.4) * 1.0
        said = np.where(labels == 1, rng.random(600) < 0.85, rng.random(600) < 0.25) * 1.0
        found = rogan_gladen(sample(labels[:150], said[:150], said[150:]))
        held += found.low <= 0.4 <= found.high
    assert 0.92 * 300 <= held <= 300
    assert rogan_gladen(sample([1, 1], [1, 0], [1])) is None
    assert rogan_gladen(sample([1, 0], [0, 1], [1])) is None


def test_rogan_gladen_has_ends_in_order_whatever_the_judge_says():
    assert rogan_gladen(sample([1, 0, 0, 0, 0], [1, 0, 1, 1, 1], [1, 0])) is None  # 1 of 1 right, and 1 of 4
    assert rogan_gladen(sample([1] * 3 + [0] * 37, [1] * 3 + [0] * 4 + [1] * 33, [1] * 20)) is None
    rng = np.random.default_rng(5)
    for _ in range(500):
        n, others = int(rng.integers(2, 12)), int(rng.integers(0, 12))
        labels, said = (rng.random(n) < rng.random()) * 1.0, (rng.random(n + others) < rng.random()) * 1.0
        found = rogan_gladen(sample(labels, said[:n], said[n:]))
        assert found is None or 0 <= found.low <= found.high <= 1
