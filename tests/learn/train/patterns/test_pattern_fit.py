"""The loss of training patterns and its gradient."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.learn.train.patterns.pattern_fit import Batch, Encoded, Weights, loss, step_gradient
from graphbrick.patterns.model.question_features import WORDS as HASHED


def small_batch(rng: np.random.Generator) -> tuple[Weights, Batch]:
    """Weights that are nowhere zero, and three examples over them."""
    from graphbrick.learn.train.patterns.pattern_examples import Example

    hops, relations, d = 2, 3, 5
    kinds = 2 * hops + 2
    place = np.array(
        [[0 * kinds + 1, 0 * kinds + 5, -1], [1 * kinds, 1 * kinds + 4, -1], [2 * kinds + 1, kinds + 2, kinds + 4],
         [kinds + 1, 0 * kinds + 3, 0 * kinds + 5]]
    )  # fmt: skip
    encoded = Encoded(place, np.array([1, 1, 2, 2]), np.array([0, -1, 1]), np.array([-1, 0, 1, -1]))
    words = rng.normal(size=(relations, d)).astype(np.float32)
    weights = Weights(hops, words, encoded, 0)
    for name, value in weights.values.items():
        weights.values[name] = rng.normal(scale=0.5, size=value.shape).astype(np.float32)
    masked = rng.normal(size=(4, d + HASHED)).astype(np.float32)

    def example(slots: list[int], patterns: list[int]) -> Example:
        n = len(slots)
        values = (rng.random(n).astype(np.float32) for _ in range(3))
        return Example(0, np.array(slots, dtype=np.int32), np.array(patterns, dtype=np.int32), *values)

    return weights, Batch(
        [example([0, 0, 0], [0, 2, 3]), example([1, 2], [1, 2]), example([3, 3, 1], [3, 1, 0])], masked
    )


def test_the_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(5)
    weights, batch = small_batch(rng)
    length = weights.encoded.length[batch.pattern]

    def total() -> float:
        return step_gradient(batch, weights.scores(batch)[0], length)[0]

    scores, done = weights.scores(batch)
    gradients = weights.gradients(batch, step_gradient(batch, scores, length)[1], done)
    for name, gradient in gradients.items():
        assert gradient.shape == weights.values[name].shape
        flat = weights.values[name].reshape(-1)
        places = rng.permutation(len(flat))[:25]
        for at in places:
            before = flat[at]
            flat[at] = before + np.float32(1e-2)
            above = total()
            flat[at] = before - np.float32(1e-2)
            below = total()
            flat[at] = before
            assert gradient.reshape(-1)[at] == pytest.approx((above - below) / 2e-2, abs=2e-3, rel=2e-2), (name, at)


def test_the_loss_is_that_of_the_expected_reward() -> None:
    scores = np.array([0.0, np.log(3.0), 7.0, 1.0, 1.0])
    reward = np.array([1.0, 0.5, 0.0, 0.0, 1.0], dtype=np.float32)
    group = np.array([0, 0, 1, 2, 2])
    total, gradient = loss(scores, reward, group)
    # Group 0 expects 1/4 + 3/4 * 1/2, group 1 has no reward and does not count, group 2 expects 1/2.
    assert total == pytest.approx(-np.log(5 / 8) - np.log(1 / 2))
    assert gradient[2] == 0
    assert gradient[3] == pytest.approx(0.5)
    assert loss(np.zeros(0), np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int64))[0] == 0
