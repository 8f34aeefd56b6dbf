"""The optimizer against its formula."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.learn.train.patterns.adam import Adam


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_steps_follow_the_published_formula(decay: float) -> None:
    rng = np.random.default_rng(0)
    start, gradients = rng.normal(size=5), rng.normal(size=(6, 5))
    values = {"x": start.copy()}
    adam = Adam(values, {"x": 0.05}, decay=decay, memory=0.98)
    expected, mean, square = start.copy(), np.zeros(5), np.zeros(5)
    for t, gradient in enumerate(gradients, 1):
        adam.step({"x": gradient}, scale=0.5)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.98 * square + 0.02 * gradient**2
        unbiased = mean / (1 - 0.9**t) / np.sqrt(square / (1 - 0.98**t))
        expected = (1 - 0.025 * decay) * expected - 0.025 * unbiased
    assert values["x"] == pytest.approx(expected, rel=1e-6)
