from __future__ import annotations

import numpy as np
import page_ranks
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_ranks import best_nodes, quality

few_values = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3]), min_size=1, max_size=40)


@given(few_values, st.integers(1, 50), st.integers(1, 8))
def test_best_equals_a_sort(scores: list[float], k: int, chunk: int) -> None:
    exact = np.array(scores)
    before, page_ranks._CHUNK = page_ranks._CHUNK, chunk
    try:
        best = best_nodes(exact, k)
    finally:
        page_ranks._CHUNK = before
    expected = [v for v in sorted(range(len(scores)), key=lambda v: (-scores[v], v)) if scores[v] > 0][:k]
    assert best.nodes.tolist() == sorted(expected)
    assert best.nodes.dtype == np.int32
    assert best.mass == pytest.approx(sum(scores[v] for v in expected))
    assert best.cut == min((scores[v] for v in expected), default=0.0)


def test_by_hand() -> None:
    exact = np.array([0.4, 0.2, 0.1, 0.0995, 0.05, 0.0])
    best = best_nodes(exact, 3)
    perfect = quality(exact, best, np.array([2, 0, 1], dtype=np.int32), exact[[2, 0, 1]])
    assert perfect == pytest.approx((1.0, 1.0, 1.0, 0.0))
    # Node 3 is within one percent of the cut, though not among the best; node 4 is neither.
    near = quality(exact, best, np.array([0, 1, 3], dtype=np.int32), np.array([0.4, 0.2, 0.1]))
    assert near == pytest.approx((2 / 3, 1.0, 0.6995 / 0.7, 0.0005))
    far = quality(exact, best, np.array([0, 1, 4], dtype=np.int32), np.array([0.1, 0.2, 0.05]))
    assert far == pytest.approx((2 / 3, 2 / 3, 0.65 / 0.7, 0.3))


def test_what_was_not_returned_counts() -> None:
    exact = np.array([0.4, 0.2, 0.1, 0.0])
    one = quality(exact, best_nodes(exact, 2), np.array([0], dtype=np.int32), np.array([0.4]))
    assert one == pytest.approx((0.5, 0.5, 0.4 / 0.6, 0.0))
    none = quality(exact, best_nodes(exact, 2), np.empty(0, dtype=np.int32), np.empty(0))
    assert none == (0.0, 0.0, 0.0, 0.0)
    # There are only three with a score: all of them is all there is.
    assert quality(exact, best_nodes(exact, 9), np.arange(3, dtype=np.int32), exact[:3]) == pytest.approx((1, 1, 1, 0))


@pytest.mark.parametrize(
    ("nodes", "scores", "message"),
    [([0, 0], [0.1, 0.1], "each node once, got 1 twice"), ([0, 1], [0.1], "got 2 nodes and 1 scores")],
)
def test_bad_rankings_are_refused(nodes: list[int], scores: list[float], message: str) -> None:
    exact = np.array([0.5, 0.5])
    with pytest.raises(ValueError, match=message):
        quality(exact, best_nodes(exact, 2), np.array(nodes, dtype=np.int32), np.array(scores))


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        best_nodes(np.ones(3), 0)
    with pytest.raises(ValueError, match="at least one node with an exact score above 0"):
        quality(np.zeros(3), best_nodes(np.zeros(3), 2), np.empty(0, dtype=np.int32), np.empty(0))
