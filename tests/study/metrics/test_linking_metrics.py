"""Measures of linking by hand."""

from __future__ import annotations

import pytest

from graphbrick import Mention, Query
from graphbrick.study.metrics.linking_metrics import (
    linking_precision,
    linking_recall,
    linking_scores,
    readings_of,
)


def test_each_seed_counts_once_and_a_missing_one_is_lost() -> None:
    mentions = [(1, 2, 3), (4,), (1, 2, 3)]
    assert linking_recall(mentions, [1, 4], 1) == 1
    assert linking_recall(mentions, [3, 4], 1) == 0.5
    assert linking_recall(mentions, [3, 4], 2) == 0.5
    assert linking_recall(mentions, [3, 4], 3) == 1
    assert linking_recall(mentions, [1, None], 5) == 0.5
    assert linking_precision(mentions, [1]) == 0.5  # the same name twice is one reading
    assert (linking_recall([], [1], 5), linking_precision([], [1])) == (0, 0)


def test_readings_beyond_the_first_are_not_counted_as_first_ones() -> None:
    query = Query("?", (7, 8, 9), mentions=(Mention("London", 7, others=(8,)),))
    assert readings_of(query) == [(7, 8), (9,)]
    assert linking_scores(query, [8]) == (0, 1, 0)


def test_without_gold_seeds_nothing_can_be_scored() -> None:
    with pytest.raises(ValueError, match="without gold seeds"):
        linking_recall([(1,)], [], 1)
    with pytest.raises(ValueError, match="without gold seeds"):
        linking_precision([(1,)], [])
