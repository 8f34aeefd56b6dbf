from __future__ import annotations

import pytest

from graphbrick.study.statistics.intervals import interval
from graphbrick.study.statistics.summary import summarize, summarize_by


def test_the_denominator_is_all_questions_and_beside_it_those_that_are_answerable() -> None:
    values = [1, 0, 0.5, 0, 0, None]
    summary = summarize(values, [True, True, True, False, False, True], seed=3)
    assert summary.all == interval([1, 0, 0.5, 0, 0], seed=3)
    assert summary.answerable == interval([1, 0, 0.5], seed=3)
    assert (summary.questions, summary.unscored) == (6, 1)
    assert (summary.all.mean, summary.all.n) == (0.3, 5)


def test_nothing_scored_nothing_answerable_and_no_question_are_no_zero() -> None:
    assert summarize([None, None], [True, False]) == (None, None, 2, 2)
    assert summarize([], []) == (None, None, 0, 0)
    summary = summarize([0, 1], [False, False])
    assert summary.answerable is None
    assert summary.all is not None


def test_by_strata() -> None:
    strata = [("webqsp", 2), ("metaqa", 10), None, ("metaqa", 9), ("metaqa", None), ("webqsp", 2)]
    values = [1, 0, 0, 1, 1, 0]
    found = summarize_by(strata, values, [True] * 6)
    assert list(found) == [("metaqa", 9), ("metaqa", 10), ("metaqa", None), ("webqsp", 2), None]
    assert found["webqsp", 2] == summarize([1, 0], [True, True])
    assert sum(summary.questions for summary in found.values()) == 6
    assert list(summarize_by([3, "3", 1.5, None], [0] * 4, [True] * 4)) == [1.5, 3, "3", None]


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="got 2 values and 1 of the other"):
        summarize([1, 0], [True])
    with pytest.raises(ValueError, match="got 1 strata, got 2 values and 2"):
        summarize_by([1], [1, 0], [True, True])
    with pytest.raises(ValueError, match="finite"):
        summarize([float("nan")], [True])
