"""Cohen's kappa and the area under the ROC curve against other libraries."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.study.statistics.agreement import auc, cohens_kappa


def test_kappa_equals_statsmodels():
    other = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(5)
    for _ in range(50):
        first = (rng.random(60) < 0.6) * 1.0
        second = np.where(rng.random(60) < rng.uniform(0.5, 1), first, 1 - first)
        table = [[np.sum((first == i) & (second == j)) for j in (0, 1)] for i in (0, 1)]
        theirs, ours = other.cohens_kappa(np.array(table)), cohens_kappa(first, second)
        assert ours.kappa == pytest.approx(theirs.kappa)
        assert ours.low == pytest.approx(max(-1, theirs.kappa_low))
        assert ours.high == pytest.approx(min(1, theirs.kappa_upp))


def test_kappa_of_labellers_who_say_one_thing():
    assert cohens_kappa([1, 1], [1, 1]) == (2, 1.0, None, None, None)
    assert cohens_kappa([1, 1, 1, 0], [1, 1, 1, 1]).kappa == 0
    with pytest.raises(ValueError, match="got 2 and 1 labels"):
        cohens_kappa([1, 0], [1])


@pytest.mark.whole
def test_auc_equals_scikit_learn_and_its_interval_holds():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(200):
        labels = (rng.random(150) < 0.4) * 1.0
        scores = np.round(rng.normal(size=150) + labels, 1)  # with ties
        found = auc(labels, scores)
        assert found.value == pytest.approx(metrics.roc_auc_score(labels, scores))
        held += found.low <= 0.7602 <= found.high  # Φ(1/√2)
    assert 0.91 * 200 <= held <= 0.99 * 200


def test_auc_at_its_ends():
    assert auc([1, 1], [0.1, 0.2]) is None
    perfect = auc([1] * 10 + [0] * 10, [1] * 10 + [0] * 10)
    assert perfect.value == perfect.high == 1
    assert perfect.low < 0.8
    assert auc([1, 0, 1, 0], [0.5] * 4).value == 0.5
