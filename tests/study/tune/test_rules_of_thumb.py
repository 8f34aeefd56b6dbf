"""Rules of thumb from the pipelines that were tried."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
import scipy

from graphbrick.study.tune.race import Candidate, Scored
from graphbrick.study.tune.result.rules import _rule, compared_bricks, rules_of_thumb


def tried(extract: str, quality: float, n: int, *, questions: int = 20, rerank: str = "") -> list[Candidate]:
    """Return pipelines of about a quality; questions after the twelfth are answered wrongly."""
    rng, found = Random(extract), []
    for i in range(n):
        scores = {("", str(q)): Scored(float(q < 12 and rng.random() < quality), 0.01, 0, 0) for q in range(questions)}
        text = " >> ".join(part for part in (extract, "AllPaths()", rerank, "PathAnswer()") if part)
        found.append(Candidate(f"{extract}{i}", text, f"{extract}{i}", {}, scores))
    return found


def test_bricks_whose_pipelines_differ_are_told_with_numbers_and_interval() -> None:
    there = [*tried("PPR(k=50)", 0.8, 12), *tried("KHop()", 0.3, 9), *tried("", 0.8, 10), *tried("PageRank()", 1.0, 2)]
    rules = compared_bricks(there)
    assert {(rule.better, rule.worse) for rule in rules} == {
        ("with PPR", "with KHop"),
        ("without an extract stage", "with KHop"),
    }
    rule = next(rule for rule in rules if rule.better == "with PPR")
    assert rule.n == (12, 9)
    assert 0 < rule.difference.low < rule.difference.mean < rule.difference.high
    assert rule.words().startswith("Pipelines with PPR were on average")
    assert "points better than with KHop (n = 12 and 9, +" in rule.words()


def test_what_chance_explains_is_no_rule() -> None:
    assert compared_bricks([*tried("PPR(k=50)", 0.55, 12), *tried("KHop()", 0.5, 12)]) == []
    assert compared_bricks([*tried("PPR(k=50)", 1.0, 4), *tried("KHop()", 0.0, 12)]) == []  # four are too few
    assert compared_bricks([*tried("PPR(k=50)", 1.0, 9, questions=11), *tried("KHop()", 0.0, 9)]) == []
    assert compared_bricks([]) == []


def test_a_rule_counts_differences_of_either_sign_and_scipy_doubles_one() -> None:
    rng = np.random.default_rng(1)
    ours, theirs = (rng.exponential(size=5) + 0.3).tolist(), rng.exponential(size=8).tolist()
    together, lead = np.array(ours + theirs), abs(np.mean(ours) - np.mean(theirs))
    sums = np.array([sum(chosen) for chosen in combinations(together, 5)])
    exact = np.mean(np.abs(sums / 5 - (together.sum() - sums) / 8) >= lead - 1e-12)
    assert _rule(("with A", ours), ("with B", theirs)).p == pytest.approx(exact, abs=0.05)
    scipys = scipy.stats.permutation_test(
        (ours, theirs), lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis), n_resamples=np.inf
    ).pvalue
    assert scipys > exact + 0.1


def test_models_are_compared_too() -> None:
    there = tried("PPR()", 0.9, 8, rerank="Rerank(BM25())") + tried("PPR(k=50)", 0.2, 8, rerank="Rerank(NGram())")
    (model,) = rules_of_thumb(there)
    assert model.startswith("Pipelines with BM25 were")
