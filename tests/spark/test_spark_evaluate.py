"""Evaluation on the executors of a real Spark: results of one process, deaths, budgets, stopping, the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from dying import Dies
from faults import fails

from graphbrick import ShortestPaths, build, parse
from graphbrick.bricks.generate.path_answer import PathAnswer
from graphbrick.cli.app import main
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.questions.question import Question
from graphbrick.spark.errors import SparkError
from graphbrick.spark.executors import SparkRunner
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.store.reader import Study
from graphbrick.testing import TINY

pytestmark = pytest.mark.spark

TEXTS = ["ShortestPaths(max_hops=1) >> PathAnswer()", "PPR(k=6) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"]
QUESTIONS = [
    Question(f"q{i}", f"What is the {relation} of {head}?", (head,) if i % 4 else ("Atlantis",), (tail,), dataset="d")
    for i, (head, relation, tail) in enumerate(TINY * 2)
]


@pytest.fixture(scope="module")
def runner(spark):
    return SparkRunner(spark.sparkContext)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(TINY, tmp_path_factory.mktemp("spark") / "tiny.graph")


def rows(path):
    """All results but times, by pipeline and question."""
    found = {}
    with Study.open(path) as study:
        names = {question.id: question.name for question in study.questions()}
        for run in study.runs():
            for result, detail in zip(study.results(run.id), study.details(run.id), strict=True):
                plain = replace(result, seconds=0, session=0, run=0, question=0, stage_seconds=())
                words = replace(detail, run=0, question=0, stages=())
                found[run.identity.text, names[result.question]] = plain, words
    return found


def test_results_and_identities_are_those_of_one_process(runner, graph, tmp_path):
    evaluate(graph, QUESTIONS, TEXTS, out=tmp_path / "here.sqlite").close()
    evaluate(graph, QUESTIONS, TEXTS, out=tmp_path / "there.sqlite", runner=runner).close()
    assert rows(tmp_path / "there.sqlite") == rows(tmp_path / "here.sqlite")
    with Study.open(tmp_path / "there.sqlite") as study:
        assert study.sessions()[-1].options["runner"] == "Spark at local[2,4]"


def test_either_continues_the_study_of_the_other(runner, graph, tmp_path):
    out = tmp_path / "runs.sqlite"
    evaluate(graph, QUESTIONS, TEXTS, out=out, limit=5).close()
    evaluate(graph, QUESTIONS, TEXTS, out=out, limit=12, runner=runner).close()
    with evaluate(graph, QUESTIONS, TEXTS, out=out) as study:
        assert [run.done for run in study.runs()] == [20, 20]
        assert sorted({result.session for result in study.results(study.runs()[0].id)}) == [1, 2, 3]


def dies(folder: Path, times: int):
    folder.mkdir()
    return ShortestPaths(max_hops=1) >> Dies("capital of Rwanda", str(folder), times) >> PathAnswer()


def test_a_lost_executor_is_replaced(runner, graph, tmp_path):
    """Its batch is asked again, and every question has one result."""
    pipeline = dies(tmp_path / "deaths", 2)
    study = evaluate(graph, QUESTIONS[:10], pipeline, out=tmp_path / "runs.sqlite", runner=runner)
    assert len(list((tmp_path / "deaths").iterdir())) == 2
    assert [run.done for run in study.runs()] == [10]
    assert [result.error for result in study.results(1) if "Atlantis" not in str(result.error)] == [None] * 7


def test_executors_that_are_lost_again_and_again(runner, graph, tmp_path):
    """A clear error; what was answered stays, and the same call goes on."""
    pipeline, out = dies(tmp_path / "deaths", 4), tmp_path / "runs.sqlite"
    # Spark says either that it lost its workers, or only that a connection to one ended.
    with pytest.raises(SparkError, match="the results so far are stored, and the same call goes on with the others"):
        evaluate(graph, QUESTIONS[:10], pipeline, out=out, runner=runner)
    with Study.open(out) as study:
        assert 0 < study.runs()[0].done < 10
    with evaluate(graph, QUESTIONS[:10], pipeline, out=out, runner=runner) as study:
        assert study.runs()[0].done == 10


def test_stopping(runner, graph, tmp_path):
    """What is done stays, and the batches that are left are not run."""
    out, budget = tmp_path / "runs.sqlite", Budget()

    def progress(step, done, total):
        if done and step == "answering":
            budget.cancel()

    with spending(budget), pytest.raises(StoppedError, match=r"of 40 answers are left, and the same call goes on"):
        evaluate(graph, QUESTIONS, TEXTS, out=out, runner=runner, progress=progress)
    with Study.open(out) as study:
        assert 0 < sum(run.done for run in study.runs()) < 40
    with evaluate(graph, QUESTIONS, TEXTS, out=out, runner=runner) as study:
        assert [run.done for run in study.runs()] == [20, 20]


def test_a_graph_that_is_gone(runner, tmp_path):
    graph = build(TINY, tmp_path / "gone.graph")
    pipeline = parse(TEXTS[0])
    (tmp_path / "gone.graph").rename(tmp_path / "moved.graph")
    with fails("executors.no_graph"):
        evaluate(graph, QUESTIONS, pipeline, out=tmp_path / "runs.sqlite", runner=runner)


def test_the_command(runner, graph, tmp_path, capsys):
    """It uses the session that runs already."""
    questions = tmp_path / "mine.jsonl"
    row = {"id": "1", "question": "Which currency has Kenya?", "seeds": ["Kenya"], "answers": ["Kenyan shilling"]}
    questions.write_text(json.dumps(row), encoding="utf-8")
    command = ["evaluate", str(graph.place), str(questions), "-p", TEXTS[0], "--out", str(tmp_path / "runs.sqlite")]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--spark", "local[2]", "--json"])
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)["runs"][0]["done"] == 1
