"""Searches that go on after a kill, or with what is left of a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from forks import run_in_fork
from made_search import write_search
from test_search import KNOWN, SETTINGS, SPACE

from graphbrick import Graph
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.tune.result.reading import read_search
from graphbrick.study.tune.search import tune
from graphbrick.study.tune.space.space import Space
from graphbrick.testing import ScriptedLLM

pytest.importorskip("optuna")

SEARCH = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, arguments[0])
import graphbrick.study.tune.clock as clocks
import graphbrick.study.tune.measuring as measuring
from graphbrick.testing import ScriptedLLM, tiny_graph
from graphbrick.study.tune.search import tune
from made_questions import made_questions
from test_search import KNOWN, SETTINGS, SPACE, rows

from graphbrick.pipeline.budget import StoppedError, current_budget

evaluate = measuring.Measurer._evaluate
still = replace(SETTINGS, at_random=True)  # without optuna, which takes a second to import
graph = tiny_graph()

def search(folder, kill_at=0, before=False):
    calls = 0

    def killed(self, *given):
        nonlocal calls
        calls += 1
        if calls == kill_at and before:
            die()
        if any("KHop" in one.text for one in given[0]):  # a stage that takes ages
            current_budget()._start -= 1e6
            raise StoppedError("the time is over")
        evaluate(self, *given)
        if calls == kill_at:
            die()  # the results are there, the line of the journal is not

    def take(self, one, results, stages):  # times that do not depend on the machine
        for key, result in results:
            one.scores[key] = measuring.Scored(float(result.metrics["hits_at_1"]), 0.001 * len(one.text), 0.0, 0.0)

    measuring.Measurer._evaluate, measuring.Measurer._take = killed, take
    clocks.time = type("Still", (), {"monotonic": staticmethod(lambda: 0.0)})
    found = tune(graph, made_questions(graph), folder, known=KNOWN, space=SPACE, settings=still)
    return found.recommended, found.tried, found.given_up, found.comparisons, found.notes, calls

whole, folder, known = search(Path(arguments[1])), Path(arguments[2]), set()
for kill_at, before in ((1, False), (5, True), (6, False), (9, True), (12, False)):
    child = os.fork()
    if not child:
        search(folder, kill_at, before)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    now = set(rows(folder / "study.sqlite"))
    assert known <= now, "something was asked twice"  # the rows have the number of the session
    known = now
assert whole[2]["slower than tolerated"] >= 3
assert search(folder)[:-1] == whole[:-1]
assert known < set(rows(folder / "study.sqlite"))
assert search(folder) == (*whole[:-1], 0)  # what was too slow is not asked again either
"""


@pytest.mark.posix
def test_a_search_that_is_killed_again_and_again_finds_the_same_and_asks_nothing_twice(tmp_path: Path) -> None:
    assert run_in_fork(SEARCH, Path(__file__).parent, tmp_path / "whole", tmp_path / "killed") == 0


BEGIN = "ShortestPaths(max_hops=1)"
STILL = replace(SETTINGS, at_random=True, pipelines=8)
FIRST = {"default": KNOWN["default"]}


def let_time_pass(budget: Budget | None) -> None:
    assert budget is not None
    assert budget._start is not None
    budget._start -= 1e6


@pytest.mark.whole
def test_what_was_too_slow_is_given_up_again_even_if_it_would_be_fast_now(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, hangs = 0, True

    def hanging(graph: Graph, questions: Any, pipelines: Mapping[str, str], **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if hangs and any("KHop" in text for text in pipelines.values()):
            let_time_pass(current_budget())
            raise StoppedError("the time is over")
        return evaluate(graph, questions, pipelines, **options)

    monkeypatch.setattr("graphbrick.study.tune.measuring.evaluate", hanging)
    found = tune(graph, questions, tmp_path, known=FIRST, space=SPACE, settings=STILL)
    assert found.given_up["slower than tolerated"] >= 2
    calls, hangs = 0, False
    assert tune(graph, questions, tmp_path, known=FIRST, space=SPACE, settings=STILL) == found
    assert calls == 0
    # What was too slow for a short search may be tried in a longer one.
    longer = replace(STILL, seconds=100 * STILL.seconds)
    monkeypatch.setattr("graphbrick.study.tune.search._SLOWEST", {False: (200.0, 1 / 600), True: (200.0, 1 / 600)})
    assert not tune(graph, questions, tmp_path, known=FIRST, space=SPACE, settings=longer).given_up


@pytest.mark.whole
def test_a_budget_of_tokens_is_kept_over_all_sessions_and_told(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    sessions = []
    with ScriptedLLM(["Nairobi"]) as server:
        model = f"LLM(base_url={server.base_url!r}, max_tokens=50)"
        space = Space({"retrieve": (BEGIN, "AllPaths()"), "generate": ("Generate($llm)",)}, {"llm": (model,)})
        for tokens in (4_000, 4_000, 8_000):
            with spending(Budget(tokens=tokens)) as budget:
                sessions.append((tune(graph, questions, tmp_path, known=FIRST, space=space, settings=STILL), budget))
    (found, first), (again, second), (_, third) = sessions
    assert 0 < first.spent_tokens <= 4_000
    assert any("the part of the budget that is for searching was used up" in text for text in found.notes)
    assert found.final == 11  # enough is left for the final figures
    assert again == found
    assert second.spent_tokens == 0
    assert 0 < third.spent_tokens <= 8_000 - first.spent_tokens


def test_a_budget_of_seconds_ends_a_search_with_what_it_has(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with spending(Budget(seconds=900, tokens=1_000_000)) as budget:
        calls = 0

        def last(*given: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == 3:
                let_time_pass(budget)
            return evaluate(*given, **options)

        monkeypatch.setattr("graphbrick.study.tune.measuring.evaluate", last)
        found = tune(graph, questions, write_search(tmp_path / "out"), known=FIRST, space=SPACE, settings=STILL)
    assert calls == 3
    assert found.final == 0
    assert "The search ended early: the budget of 900 seconds is used up." in found.notes
    assert read_search(tmp_path / "out")["final"] == 50  # as it was
    assert "did not replace them" in found.notes[-1]
