"""Who answers more questions, and who is given up."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.study.tune.aims import Aim, Figures
from graphbrick.study.tune.race import Candidate, Race, Scored, Why, beaten, cautious, rungs

QUALITY = Aim.parse("quality")


def candidate(name: str, right: str, *, seconds: float = 0.01, tokens: float = 0.0, rung: int = 0) -> Candidate:
    """Return a candidate that answered the questions marked 1 rightly."""
    scores = {("", str(i)): Scored(float(mark), seconds, tokens, 0.0) for i, mark in enumerate(right)}
    return Candidate(name, name, name, scores=scores, rung=rung)


@pytest.mark.parametrize(
    ("n", "sizes"), [(1, [1]), (4, [1, 4]), (13, [1, 4, 12, 13]), (400, [1, 4, 12, 36, 108, 324, 400])]
)
def test_rungs_end_with_all_questions(n: int, sizes: list[int]) -> None:
    assert rungs(n) == sizes


def test_every_candidate_that_runs_gets_past_its_first_question() -> None:
    race = Race([QUALITY], [1, 4, 12], 1.0, [candidate(str(i), "01"[i % 2], rung=1) for i in range(9)])
    assert len(race.promotable()) == 9


def test_a_third_goes_on_shared_by_the_aims_and_the_front() -> None:
    marks = ["1111", "1110", "1100", "1000", "0000", "0000"]
    there = [candidate(f"c{i}", right, seconds=0.01 + 0.01 * i, rung=2) for i, right in enumerate(marks)]
    there[5] = candidate("c5", "1000", seconds=0.001, rung=2)
    aims = [QUALITY, Aim.parse("latency<5ms")]
    # Two of six: by quality c0, within 5 ms only c5.
    assert {one.name for one in Race(aims, [1, 4, 12], 1.0, there).promotable()} == {"c0", "c5"}
    there += [candidate(f"d{i}", "0000", seconds=0.1, rung=2) for i in range(6)]
    # Four of twelve, in turn: by quality c0, c1; within 5 ms c5 and what exceeds it least; of the front c0 and c5.
    assert {one.name for one in Race(aims, [1, 4, 12], 1.0, there).promotable()} == {"c0", "c1", "c2", "c5"}


def test_what_was_promoted_makes_room_only_when_more_arrive() -> None:
    there = [candidate("a", "1111", rung=3), candidate("b", "1110", rung=2), candidate("c", "1100", rung=2)]
    race = Race([QUALITY], [1, 4, 12, 36], 1.0, there)
    assert race.promotable() == []  # one alone does not go on while there is something else to do
    assert race.promotable(eager=True) == [there[0]]  # to the last rung
    there[0].give_up(Why.BEATEN, "beaten by x after 12 questions")
    assert race.promotable() == []  # the one place of three is taken


@pytest.mark.parametrize("why", [Why.SLOW, Why.FAILS, Why.CANNOT_START])
def test_what_nobody_would_use_takes_no_place_among_the_best(why: Why) -> None:
    slow = [candidate(f"s{i}", "1111", rung=2) for i in range(12)]
    fast = [candidate(f"f{i}", "1110", rung=2) for i in range(7)]
    for one in slow:
        one.give_up(why, "")
    race = Race([QUALITY], [1, 4, 12], 1.0, [fast[0], *slow, *fast[1:]])
    assert [one.name for one in race.promotable()] == ["f0", "f1"]
    assert len(race.promotable(eager=True)) == 2


def test_a_difference_that_chance_explains_gives_nobody_up() -> None:
    better, worse = candidate("a", "1" * 20), candidate("b", "1" * 18 + "00")
    assert not beaten(worse, better)
    assert beaten(candidate("c", "0" * 10 + "1" * 10), better)


def test_a_faster_or_cheaper_pipeline_is_not_given_up() -> None:
    better = candidate("a", "1" * 20, seconds=0.1, tokens=100)
    poor = "0" * 20
    assert not beaten(candidate("fast", poor, seconds=0.01, tokens=100), better)
    assert not beaten(candidate("cheap", poor, seconds=0.1, tokens=10), better)
    assert beaten(candidate("neither", poor, seconds=0.095, tokens=100), better)


def test_slow_and_beaten_candidates_are_given_up_with_the_reason() -> None:
    best = candidate("a", "1" * 12, rung=3)
    poor, slow, first = (
        candidate("b", "0" * 12, rung=3),
        candidate("c", "1" * 4, seconds=3.0),
        candidate("d", "1", seconds=3.0),
    )
    race = Race([QUALITY], [1, 4, 12, 36], 2.0, [best, poor, slow, first])
    race.judge(race.candidates)
    assert not best.given_up
    assert (poor.given_up, poor.reason) == (Why.BEATEN, "beaten by a after 12 questions")
    assert (slow.given_up, slow.reason) == (Why.SLOW, "3.0 s a question; 2 s are tolerated")
    assert not first.given_up  # models are loaded at the first question


def test_the_first_candidate_never_waits_behind_another() -> None:
    default, other = candidate("default", "0000", rung=2), candidate("a", "1" * 12, rung=3)
    race = Race([QUALITY], [1, 4, 12, 36], 1.0, [default, other])
    assert race.promotable() == [default]
    default.rung = 3
    assert race.promotable(eager=True) == [other]
    default.give_up(Why.BEATEN, "beaten by a")
    other.rung = 4
    assert race.promotable() == []


def test_leaders_have_answered_a_question() -> None:
    waiting, slow = candidate("a", ""), candidate("b", "1", rung=1)
    slow.give_up(Why.SLOW, "slow")
    assert Race([QUALITY], [1, 4], 1.0, [waiting, slow]).leaders() == []


@pytest.mark.parametrize(
    ("better", "worse"), [((0.8, 400), (1.0, 4)), ((1.0, 4), (10 / 43, 43)), ((0.6, 40), (0.6, 4))]
)
def test_a_quality_counts_as_far_as_its_questions_show_it(better: tuple[float, int], worse: tuple[float, int]) -> None:
    best, other = (cautious(Figures(quality, 0.01, 0, 0, n)) for quality, n in (better, worse))
    assert QUALITY.order(best) < QUALITY.order(other)


def test_the_more_a_candidate_is_compared_the_clearer_another_one_has_to_be() -> None:
    # 6 of 20 questions are lost and none is won: p is 1 / 64 on one side.
    poor = candidate("poor", "1" * 14 + "000000", rung=5)
    leaders = [candidate(f"a{i}", "1" * 20, seconds=0.01, rung=5) for i in range(4)]
    assert beaten(poor, leaders[0])
    for sizes, rivals, given_up in (([20], 1, True), ([20], 4, False), ([10, 12, 15, 18, 20], 1, False)):
        poor.given_up = None
        Race([QUALITY], sizes, 1.0, [*leaders[:rivals], poor]).judge([poor])
        assert bool(poor.given_up) is given_up


def test_what_costs_fewer_dollars_is_not_given_up() -> None:
    better = candidate("a", "1" * 20)
    better.scores = {key: score._replace(usd=0.01) for key, score in better.scores.items()}
    assert not beaten(candidate("cheap", "0" * 20), better)


def test_the_first_candidate_is_never_too_slow() -> None:
    slow = [candidate(name, "1111", seconds=9.0, rung=2) for name in ("default", "other")]
    Race([QUALITY], [1, 4], 2.0, slow).judge(slow)
    assert [one.given_up for one in slow] == [None, Why.SLOW]


def test_a_pipeline_that_asks_a_language_model_may_take_longer_whatever_its_place_is_called() -> None:
    there = [candidate(str(i), "11", seconds=9.0) for i in range(4)]
    for one, text in zip(
        there, ("", "Generate(LLM('gpt'))", "Rerank(LLMListwiseScorer(LLM('b')))", "Rerank(BM25())"), strict=True
    ):
        one.text = f"ShortestPaths() >> {text}" if text else "ShortestPaths()"
    race = Race([QUALITY], [1, 4], 2.0, there, asking=60.0)
    race.judge(there)
    assert [one.given_up for one in there] == [None, None, None, Why.SLOW]
    assert [race.tolerated(one) for one in there] == [2.0, 60.0, 60.0, 2.0]
    race.tolerate(90.0)
    assert {race.tolerated(one) for one in there} == {90.0}


def test_what_is_only_compared_gives_nobody_up() -> None:
    default, poor = candidate("default", "1" * 20, rung=3), candidate("a", "0" * 20, rung=3)
    race = Race([QUALITY], [1, 4, 20], 1.0, [default, poor])
    default.only_compared = True
    race.judge([poor])
    assert not poor.given_up
    default.only_compared = False
    race.judge([poor])
    assert poor.given_up is Why.BEATEN


def test_fast_candidates_go_first_and_those_that_were_right_before_them() -> None:
    there = [candidate("a", "0", seconds=0.3, rung=1), candidate("b", "0", seconds=0.1, rung=1)]
    there += [candidate("c", "1", seconds=0.9, rung=1)]
    assert [one.name for one in Race([QUALITY], [1, 4], 1.0, there).promotable()] == ["c", "b", "a"]


def test_one_of_many_equally_good_candidates_is_given_up_in_less_than_a_twentieth_of_the_searches() -> None:
    given_up, n, sizes = 0, 30, [1, 4, 12, 36]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        # Hard questions are hard for all; a quality of a half for everybody.
        right = 0.8 * rng.normal(size=36) + 0.6 * rng.normal(size=(n, 36)) > 0
        race = Race([QUALITY], sizes, 1.0, [Candidate(str(i), "", "") for i in range(n)])
        for rung, size in enumerate(sizes, 1):
            for i, one in enumerate(race.candidates):
                marks = right[i, : size if not one.given_up else len(one.scores)]
                one.scores = {("", str(j)): Scored(float(mark), 0.01, 0, 0) for j, mark in enumerate(marks)}
                one.rung = one.rung if one.given_up else rung
            race.judge(race.candidates)
        given_up += sum(bool(one.given_up) for one in race.candidates)
    assert given_up / (8 * n) < 0.05
