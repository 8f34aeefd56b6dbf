"""Asking the questions of a search, and counting what that costs."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from faults import fails

from graphbrick import Graph, parse
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.questions.question import Question
from graphbrick.study.store.reader import Study
from graphbrick.study.tune.measuring import Measurer
from graphbrick.study.tune.race import Candidate, Scored
from graphbrick.study.tune.search import STUDY


def test_shared_beginnings_are_counted_once(graph: Graph, questions: tuple[Question, ...], tmp_path: Path) -> None:
    measurer = Measurer(graph, tmp_path / STUDY, metric="hits_at_1", link=False, workers=1)
    begin = "ShortestPaths(max_hops=1)"
    texts = [f"{begin} >> PathAnswer()", f"{begin} >> Rerank(BM25()) >> PathAnswer()", "AllPaths() >> PathAnswer()"]
    there = [Candidate(str(i), text, parse(text).identity()) for i, text in enumerate(texts)]
    measurer.ask(there, questions[:3], each=60.0, deadline=time.monotonic() + 60)
    assert measurer.alone == pytest.approx(sum(score.seconds for one in there for score in one.scores.values()))
    with Study.open(tmp_path / STUDY) as study:
        shared = sum(result.stage_seconds[0][2] for result in study.results(study.runs()[0].id))
    assert shared > 0
    assert measurer.alone - measurer.ran == pytest.approx(shared)


def test_tokens_of_results_that_a_killed_session_has_left_are_counted(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphbrick.study.tune.measuring._tokens", lambda _: 7.0)
    text = "ShortestPaths(max_hops=1) >> PathAnswer()"
    counted = []
    for n in (2, 5):
        measurer = Measurer(graph, tmp_path / STUDY, metric="hits_at_1", link=False, workers=1)
        one = Candidate("default", text, parse(text).identity())
        measurer.ask([one], questions[:n], each=60.0, deadline=time.monotonic() + 60)
        counted.append(measurer.left_tokens)
    assert counted == [0, 14]  # the budget of a session counts its own


def test_the_time_of_the_users_budget_ends_a_search(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    measurer = Measurer(graph, tmp_path / STUDY, metric="hits_at_1", link=False, workers=1)
    with spending(Budget(seconds=1)) as budget:
        assert budget._start is not None
        budget._start -= 2
        with fails("budget.time_over"):
            measurer.ask([Candidate("a", "AllPaths()", "a")], questions, each=9.0, deadline=time.monotonic() + 60)


def test_processes_are_started_for_long_work_only(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[int] = []

    def evaluate(*_: object, workers: int, **__: object) -> Study:
        used.append(workers)
        raise StoppedError("enough")

    monkeypatch.setattr("graphbrick.study.tune.measuring.evaluate", evaluate)
    measurer = Measurer(graph, tmp_path / STUDY, metric="hits_at_1", link=False, workers=3)
    text = "AllPaths() >> PathAnswer()"
    for seconds in (0.1, 9.0):
        one = Candidate("a", text, parse(text).identity(), {}, {("", "x"): Scored(1.0, seconds, 0, 0)})
        with pytest.raises(StoppedError):
            measurer.ask([one], questions, each=900.0, deadline=time.monotonic() + 60)
    model = "AllPaths() >> Generate(LLM(base_url='http://127.0.0.1:9/v1'))"  # threads, which cost nothing
    with pytest.raises(StoppedError):
        measurer.ask([Candidate("b", model, "b")], questions, each=900.0, deadline=time.monotonic() + 60)
    assert used == [1, 3, 3]


def test_one_question_that_no_pipeline_can_begin_with_ends_no_search(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    text = "ShortestPaths(max_hops=1) >> PathAnswer()"
    lost = replace(questions[0], seeds=("Nobody",))
    measurer = Measurer(graph, tmp_path / STUDY, metric="hits_at_1", link=False, workers=1)
    one = Candidate("default", text, parse(text).identity())
    for n in (1, 4):
        measurer.ask([one], [lost, *questions[1:4]][:n], each=60.0, deadline=time.monotonic() + 60)
        assert len(one.scores) == n
        assert not one.given_up
