"""The optimizer against its formula."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.learn.train.patterns.adam import Adam, AveragedAdam


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


def test_the_compiled_step_is_equal_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    start = {"large": rng.normal(size=(3, 5000)), "small": rng.normal(size=2), "none": np.zeros((0, 4))}
    results = []
    for is_compiled in (False, True):
        values = {name: value.astype(np.float32) for name, value in start.items()}
        adam = AveragedAdam(values, {"large": 0.01, "small": 0.5, "none": 0.1}, decay=0.1, steps=4)
        adam._is_compiled = is_compiled
        draws = np.random.default_rng(1)
        for step in range(4):
            gradients = {name: draws.normal(size=value.shape).astype(np.float32) for name, value in start.items()}
            adam.step_towards(gradients, 1 / (1 + step))
        results.append({**values, **{f"mean {name}": value for name, value in adam.average.items()}})
    for name, value in results[0].items():
        np.testing.assert_array_equal(value, results[1][name], err_msg=name)
    assert not np.array_equal(results[0]["large"], start["large"].astype(np.float32))


def test_averages_follow_the_values() -> None:
    values = {"x": np.array([1.0], dtype=np.float32)}
    adam = AveragedAdam(values, {"x": 0.1}, decay=0.0, steps=2)
    adam.step_towards({"x": np.array([1.0], dtype=np.float32)}, 0.5)
    assert values["x"] == pytest.approx([0.9])
    assert adam.average["x"] == pytest.approx([0.95])
    adam.step_towards({"x": np.array([1.0], dtype=np.float32)}, 1.0)
    assert adam.average["x"] == values["x"] == pytest.approx([0.8])
