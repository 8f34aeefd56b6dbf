"""The engine that asks a judge about what has no result: what is shared, what is counted, what an end says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.judge.kept_lines import digest, digest_of
from graphbrick.judge.metrics.cases import SystemCase
from graphbrick.judge.metrics.comparing import QuestionPair, compare_pairs
from graphbrick.judge.metrics.criteria import CriteriaJudge
from graphbrick.judge.metrics.measuring import measure_cases
from graphbrick.judge.metrics.metric_judge import Metric, MetricJudge
from graphbrick.judge.metrics.pairs import Pair, PairJudge
from graphbrick.judge.metrics.scoring import score_cases
from graphbrick.judge.resuming import Pending
from graphbrick.judge.verdicts import Case
from graphbrick.pipeline.budget import StoppedError


def pending(stored: dict[str, int], *items: str, says: str = "") -> Pending[str, int]:
    """Words, of which those with the same first letter share a result; d has one."""
    return Pending(stored.__setitem__, items, key=lambda word: word[0], known={"d": 4}, total=len(items) + 1, says=says)


def test_equal_items_are_asked_about_once_and_share_the_result() -> None:
    stored: dict[str, int] = {}
    words = pending(stored, "ant", "bee", "ape", "dog")
    assert words.new == ["ant", "bee"]
    assert stored == {"dog": 4}
    assert (words.left, words.done) == (3, 2)
    words.put("ant", 1)
    assert stored == {"dog": 4, "ant": 1, "ape": 1}
    assert words.add(["auk", "bat", "cat"]) == ["cat"]  # one that is done, one that waits, a new one
    assert stored["auk"] == 1
    words.put("bee", 2)
    assert stored["bat"] == 2
    assert words.left == 1


def test_each_result_is_stored_when_it_comes_in_any_order() -> None:
    stored: dict[str, int] = {}
    seen: list[tuple[int, int, list[str]]] = []
    words = pending(stored, "ant", "bee", "ape")

    def results() -> Iterator[tuple[int, int]]:
        yield 1, 2
        yield 0, 1

    words.ask(results(), progress=lambda step, done, total: seen.append((done, total, list(stored))))
    assert seen == [(2, 4, ["bee"]), (4, 4, ["bee", "ant", "ape"])]


@pytest.mark.parametrize(
    ("says", "message"),
    [("", "used up"), ("{done} of {total} are done, {left:,} left", "used up; 2 of 4 are done, 2 left")],
)
def test_a_budget_that_ends_says_how_far_it_came(says: str, message: str) -> None:
    stored: dict[str, int] = {}
    words = pending(stored, "ant", "bee", "ape", says=says)

    def results() -> Iterator[tuple[int, int]]:
        yield 1, 2
        raise StoppedError("used up")

    with fails("judge_pending.stopped", StoppedError, done=2, total=4, left=2) as stopped:
        words.ask(results())
    assert str(stopped.value) == message
    assert stored == {"bee": 2}


def test_files_of_earlier_versions_are_read_and_nothing_is_asked_again(tmp_path: Path) -> None:
    llm = LLM("judge", base_url="http://127.0.0.1:9/v1", retries=0)  # nobody is there to answer
    case, pair = Case("Q1?", ("yes",), "yes", ("yes",)), Pair("Q0?", "good 0", "poor 0", "Alm, Bo")
    metrics = MetricJudge(llm, (Metric.FAITHFULNESS, Metric.CONTEXT_RECALL))
    criteria, pairs = CriteriaJudge(llm, "Is it short?", ("Count.",)), PairJudge(llm)
    assert digest_of(case) == "c40c38b75de5643f"
    assert digest([pair.question, pair.first, pair.second, pair.reference]) == "7cc1f0baf262b69f"
    file = tmp_path / "kept.jsonl"
    lines = [
        [[metrics.identity(Metric.FAITHFULNESS), "c40c38b75de5643f", "faithfulness"], [1.0, "", False]],
        [[metrics.identity(Metric.CONTEXT_RECALL), "c40c38b75de5643f", "context_recall"], [None, "no entities", False]],
        [[criteria.identity, "c40c38b75de5643f"], [4.5, "log probabilities", "so", [4.0]]],
        [[pairs.identity, "7cc1f0baf262b69f"], ["first", "so", ["first", "second"]]],
    ]
    file.write_text("".join(json.dumps({"key": key, "value": value}) + "\n" for key, value in lines))
    cases = [SystemCase("a", "1", case), SystemCase("b", "1", case)]
    values = measure_cases(cases, metrics, file).values
    assert [[one.value for one in row.values()] for row in values] == [[1.0, None]] * 2
    assert [score.value for score in score_cases(cases, criteria, file).scores] == [4.5, 4.5]
    (verdict,) = compare_pairs([QuestionPair("0", pair)], pairs, file).verdicts
    assert (verdict.outcome, verdict.places) == ("first", ("first", "second"))
