"""Measures of answers on cases that can be checked by hand, and set F1 against scikit-learn's definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.evaluate.metrics import f1, hits_at_1, precision, recall


@pytest.mark.parametrize(
    ("answers", "gold", "expected"),
    [
        ([], ["a"], (0.0, 0.0, 0.0, 0.0)),
        (["a"], ["a"], (1.0, 1.0, 1.0, 1.0)),
        (["b", "a"], ["a"], (0.0, 0.5, 1.0, 2 / 3)),
        (["a", "a", "b"], ["a", "c"], (1.0, 0.5, 0.5, 0.5)),
        (["x"], ["a", "b"], (0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_known_values(answers, gold, expected):
    measured = (hits_at_1(answers, gold), precision(answers, gold), recall(answers, gold), f1(answers, gold))
    assert measured == pytest.approx(expected)


def test_no_gold_is_an_error_and_not_a_score():
    with pytest.raises(ValueError, match="without gold answers"):
        f1(["a"], [])


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9), min_size=1))
def test_f1_counts_each_answer_once(answers, gold):
    right = len(answers & gold)
    assert f1(list(answers), gold) == pytest.approx(2 * right / (len(answers) + len(gold)))
