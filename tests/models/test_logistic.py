"""Newton's method against scikit-learn, and against that of learned sizes as it was before."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.judge.judges.classifier.logistic import calibrated, fit
from graphbrick.models.logistic import newton, sigmoid


def made(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) * [1, 4, 0.2] + 1
    return x, (x @ [1, 0.2, -3] + rng.normal(size=n) > 1.2).astype(float)


@pytest.mark.parametrize("penalty", [1e-3, 1e-1, 1.0])
def test_the_classifier_has_the_weights_of_scikit_learn(penalty: float) -> None:
    from sklearn.linear_model import LogisticRegression

    x, y = made(150, seed=2)
    ours = fit(x, y, penalty=penalty)
    theirs = LogisticRegression(C=1 / (len(y) * penalty), class_weight="balanced", tol=1e-12, max_iter=10_000)
    theirs.fit((x - x.mean(axis=0)) / x.std(axis=0), y)
    np.testing.assert_allclose(ours.weights, theirs.coef_[0], atol=1e-5)
    assert ours.bias == pytest.approx(theirs.intercept_[0], abs=1e-5)


def test_scikit_learn_takes_no_shares_and_calibrates_few_rows_otherwise() -> None:
    """Two reasons for code of our own."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator
    from sklearn.linear_model import LogisticRegression

    x, y = made(400, seed=3)
    shares = np.round(sigmoid(x[:, 0]), 1)
    with pytest.raises(ValueError, match="Unknown label type"):
        LogisticRegression().fit(x, shares)
    assert np.isfinite(newton(x, shares, np.full(3, 1e-3))).all()
    few = np.concatenate([np.flatnonzero(y == 1)[:6], np.flatnonzero(y == 0)])
    model = fit(x, y)
    mine = calibrated(model, x[few], y[few]).probabilities(x)
    plain = FrozenEstimator(LogisticRegression().fit(model.logits(x)[:, None], y))
    weights = np.where(y[few] > 0, 0.5 / y[few].mean(), 0.5 / (1 - y[few].mean()))
    with pytest.warns(UserWarning, match="likely to be incorrect"):
        theirs = CalibratedClassifierCV(plain, ensemble=False).fit(
            model.logits(x[few])[:, None], y[few], sample_weight=weights
        )
    assert np.abs(theirs.predict_proba(model.logits(x)[:, None])[:, 1] - mine).max() > 0.02


def test_shares_are_fitted_as_learned_sizes_were_before() -> None:
    x, _ = made(60, seed=4)
    shares = sigmoid(x @ [0.5, -0.2, 1.0]).round(1)
    weights = np.zeros(3)
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (p - shares) / len(shares) + 1e-3 * weights
        step = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x / len(shares) + 1e-3 * np.eye(3), gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    np.testing.assert_allclose(newton(x, shares, np.full(3, 1e-3)), weights, rtol=1e-12)


def test_the_logistic_function_is_that_of_scipy() -> None:
    from scipy.special import expit

    x = np.linspace(-30, 30, 241)
    np.testing.assert_allclose(sigmoid(x), expit(x), rtol=1e-13)
    assert sigmoid([-1e4, 1e4]).tolist() == pytest.approx([0, 1], abs=1e-12)
