from __future__ import annotations

import numpy as np
import pytest

from graphbrick.study.statistics.comparison import compare
from graphbrick.study.statistics.intervals import share_difference
from graphbrick.study.statistics.paired import (
    benjamini_hochberg,
    holm,
    mcnemar,
    paired_bootstrap,
    permutation_test,
)

RNG = np.random.default_rng(1)
F1 = {name: RNG.random(70).tolist() for name in ("a", "b", "c", "d")}
HITS = {name: (RNG.random(70) < share).astype(int).tolist() for name, share in (("a", 0.9), ("b", 0.6), ("c", 0.5))}


def test_a_pair_is_compared_as_it_is_alone() -> None:
    table = compare(F1, resamples=900, seed=2)
    assert [(row.first, row.second) for row in table] == [(a, b) for a in "abcd" for b in "abcd" if a < b]
    for row in table:
        first, second = F1[row.first], F1[row.second]
        alone = paired_bootstrap(first, second, resamples=900, seed=2)
        assert row.difference == pytest.approx(alone.difference)
        assert row.p == pytest.approx(permutation_test(first, second, resamples=900, seed=2))
        assert row.better + row.worse == 70
        assert (row.test, row.unscored) == ("permutation", 0)
    assert [row.p_holm for row in table] == list(holm([row.p for row in table]))
    assert [row.p_bh for row in table] == list(benjamini_hochberg([row.p for row in table]))
    assert table == compare(F1, resamples=900, seed=2)


def test_0_and_1_are_compared_by_mcnemar() -> None:
    table = compare(HITS, baseline="b")
    assert [(row.first, row.second, row.test) for row in table] == [("a", "b", "McNemar"), ("c", "b", "McNemar")]
    assert [row.p for row in table] == [mcnemar(HITS["a"], HITS["b"]), mcnemar(HITS["c"], HITS["b"])]
    assert table[0].difference.mean == pytest.approx(np.mean(HITS["a"]) - np.mean(HITS["b"]))
    assert table[0].p_holm == pytest.approx(min(1, 2 * table[0].p))
    for row in table:
        assert row.difference == share_difference(row.better, row.worse, 70)


def test_questions_that_were_not_scored_are_left_out_of_their_pairs_and_counted() -> None:
    gaps = dict(F1, b=[None, None, *F1["b"][2:]], d=[*F1["d"][:-1], None])
    table = {(row.first, row.second): row for row in compare(gaps, resamples=400)}
    assert {pair: row.unscored for pair, row in table.items()} == {
        ("a", "b"): 2,
        ("a", "c"): 0,
        ("a", "d"): 1,
        ("b", "c"): 2,
        ("b", "d"): 3,
        ("c", "d"): 1,
    }
    assert table["b", "d"].difference.n == 67
    assert table["b", "d"].p == pytest.approx(permutation_test(F1["b"][2:-1], F1["d"][2:-1], resamples=400))
    assert list(table) == [(a, b) for a in "abcd" for b in "abcd" if a < b]


def test_more_pairs_than_are_resampled_together(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = compare(F1, resamples=300)
    monkeypatch.setattr("graphbrick.study.statistics.comparison._TOGETHER", 2)
    for row, one in zip(compare(F1, resamples=300), expected, strict=True):
        assert row[:2] == one[:2]
        assert row.difference == pytest.approx(one.difference)
        assert row[3:] == one[3:]


def test_one_pipeline_or_none_has_nothing_to_be_compared_with() -> None:
    assert compare({}) == compare({"a": [1, 0]}) == []


@pytest.mark.parametrize(
    ("scores", "baseline", "message"),
    [
        ({"a": [1, 0], "b": [1]}, None, "a has 2, b has 1 values"),
        ({"a": [1], "b": [0]}, "c", "one of 'a', 'b', got 'c'"),
        ({"a": [1, None], "b": [None, 0]}, None, "'a' and 'b' have no question in common that was scored"),
        ({"a": [], "b": []}, None, "no question in common"),
        ({"a": [1.0], "b": [float("nan")]}, None, "values of 'b' must be finite; give None"),
    ],
)
def test_nonsense_is_refused(scores, baseline, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(scores, baseline=baseline)


def test_a_p_value_is_shown_with_the_digits_that_are_certain() -> None:
    rng = np.random.default_rng(5)
    few, many = rng.normal(0.3, 1, 20), rng.normal(0.2, 1, 90)
    (exact,) = compare({"a": few.tolist(), "b": [0.0] * 20})
    (drawn,) = compare({"a": many.tolist(), "b": [0.0] * 90})
    assert (exact.drawn, drawn.drawn) == (0, 10_000)
    assert [exact.shown(p) for p in (0.0481, 0.00001, 1.0)] == ["0.0481", "<0.0001", "1.0000"]
    assert [drawn.shown(p) for p in (0.0481, 0.00001, 0.0003)] == ["0.048", "<0.0001", "0.0003"]
