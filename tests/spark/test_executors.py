"""What executors do with a batch, and what the driver does not send to them; without Spark."""

from __future__ import annotations

import pickle
import threading
from contextlib import ExitStack, nullcontext

import pytest
from faults import fails

from graphbrick import BM25, LLM, Generate, Rerank, Session, ShortestPaths, build, parse
from graphbrick.cli.compare.evaluate import runner_of
from graphbrick.cli.graphs.spark import spark_settings
from graphbrick.core.errors import GraphbrickError, InputError, ModelError
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.spark import executors
from graphbrick.spark.executors import SparkRunner, _Failure, _order, _outcome, spark_runner
from graphbrick.study.runs.workers import Done, Task, Work
from graphbrick.testing import TINY, tiny_graph

QUESTION = Question("1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",))
ASKS = ShortestPaths() >> Rerank(BM25()) >> Generate(LLM("m", base_url="http://localhost:9/v1"))
HOSTED = ShortestPaths() >> Generate(LLM("m"))
VERSION = executors.__version__


@pytest.fixture(autouse=True)
def _fresh_process(monkeypatch):
    """What an executor keeps until its process ends is let go after each test."""
    monkeypatch.setattr(executors, "_prepared", {})
    monkeypatch.setattr(executors, "set_default_session", lambda session: None)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GRAPHBRICK_API_KEYS"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as limits:
        monkeypatch.setattr(executors, "_limits", limits)
        yield


def work_on(graph, *pipelines):
    return Work(graph, pipelines, list(range(1, len(pipelines) + 1)), 1, link=False)


def batch_on(graph):
    return pickle.dumps([Task(ground(graph, [QUESTION]).questions[0], 1, (0,), 0)])


def test_a_batch_has_the_results_of_one_process():
    work = work_on(tiny_graph(), parse("ShortestPaths() >> PathAnswer()"))
    (done,) = _outcome(VERSION, _order(work), batch_on(tiny_graph()))
    (result, detail), (expected, words) = (
        done.results[0],
        work.answer(pickle.loads(batch_on(tiny_graph()))[0]).results[0],
    )
    assert (result.metrics, detail.answers, detail.paths) == (expected.metrics, words.answers, words.paths)
    assert result.metrics["hits_at_1"] == 1


def test_the_graph_is_opened_once_in_a_process(monkeypatch):
    order = _order(work_on(tiny_graph(), parse("ShortestPaths() >> PathAnswer()")))
    _outcome(VERSION, order, batch_on(tiny_graph()))
    first = executors._prepared[order]
    _outcome(VERSION, order, batch_on(tiny_graph()))
    assert executors._prepared == {order: first}


def test_a_graph_that_the_executor_does_not_have(tmp_path):
    graph = build(TINY, tmp_path / "g.graph")
    order, batch = _order(work_on(graph, parse("ShortestPaths() >> PathAnswer()"))), batch_on(graph)
    (tmp_path / "g.graph").rename(tmp_path / "moved.graph")
    failure = _outcome(VERSION, order, batch)
    assert isinstance(failure, _Failure)
    assert failure.code == "executors.no_graph"
    assert "g.graph" in failure.message
    error = failure.error()
    assert (type(error), error.code) == (GraphbrickError, "executors.no_graph")


def test_another_version_of_the_library():
    failure = _outcome("0.0.1", b"not read", b"not read")
    assert failure.code == "executors.other_version"
    assert "but the driver has 0.0.1" in failure.message


def test_a_fault_of_the_program_comes_with_its_stack(monkeypatch):
    order = _order(work_on(tiny_graph(), parse("ShortestPaths() >> PathAnswer()")))
    monkeypatch.setattr(Work, "answer", lambda work, task: 1 / 0)
    error = _outcome(VERSION, order, batch_on(tiny_graph())).error()
    assert error.code == "executors.crashed"
    assert "ZeroDivisionError" in str(error)
    assert "lambda work, task: 1 / 0" in error.__notes__[0]


def test_keys_stay_on_the_driver(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1234")
    monkeypatch.setenv("GRAPHBRICK_API_KEYS", "http://localhost:9=other-secret-5678")
    order = _order(work_on(tiny_graph(), HOSTED, ASKS))
    assert b"secret" not in order
    assert executors._prepare(order).pipelines == (HOSTED, ASKS)
    monkeypatch.delenv("OPENAI_API_KEY")
    with fails("executors.no_key", ModelError, server="https://api.openai.com/v1") as caught:
        executors._prepare(order)
    assert "check OPENAI_API_KEY" in str(caught.value)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere:8000/v1")
    servers = {"driver": "https://api.openai.com/v1", "executor": "http://elsewhere:8000/v1"}
    with fails("executors.other_server", ModelError, **servers):
        executors._prepare(order)


@pytest.mark.parametrize("name", ["spark.executorEnv.OPENAI_API_KEY", "spark.executorEnv.GRAPHBRICK_PASSWORD"])
def test_keys_are_refused_in_settings(name):
    with fails("executors.secret", InputError, setting=name):
        spark_runner("local[1]", {name: "x"}).__enter__()


def test_what_executors_cannot_share(tmp_path):
    with (
        Session(replies=tmp_path / "replies.sqlite"),
        fails("executors.recorded_replies", InputError),
    ):
        _order(work_on(tiny_graph(), ASKS))
    with spending(Budget(tokens=1000)), fails("executors.model_budget", InputError):
        _order(work_on(tiny_graph(), ASKS))
    with spending(Budget(tokens=1000, seconds=60)):  # nothing is called
        _order(work_on(tiny_graph(), parse("ShortestPaths() >> PathAnswer()")))


@pytest.mark.parametrize(
    ("master", "conf", "workers", "message"),
    [
        (None, ["spark.executor.memory=8g"], None, "--conf is a setting of Spark; give --spark MASTER too"),
        ("local[2]", [], 4, "--workers are of this machine, and --spark has executors; leave one out"),
        ("local[2]", ["spark.ui.port"], None, "--conf takes NAME=VALUE"),
        ("local[2]", ["memory=8g"], None, "--conf takes NAME=VALUE, such as spark.executor.memory=8g, got 'memory'"),
    ],
)
def test_options_that_do_not_go_together(master, conf, workers, message):
    with pytest.raises(InputError, match=message):
        runner_of(master, conf, workers).__enter__()


def test_both_commands_read_settings_alike():
    assert spark_settings([" spark.a = b=c ", "spark.a.b-c=1"]) == {"spark.a": "b=c", "spark.a.b-c": "1"}
    assert spark_settings(None) == {}


class Cluster:
    """A context of Spark whose jobs give empty results, and whose executors register during the first jobs.

    Args:
        at_once: Jobs that must have run at the same time before any ends.
        ended: Called when a job ends.
    """

    master = "spark://host:7077"

    def __init__(self, at_once=1, ended=lambda: None):
        self.defaultParallelism, self._missing, self._ended = 2, at_once, ended
        self._enough = threading.Event()

    def setJobGroup(self, group, description):  # noqa: N802
        self.defaultParallelism = 8

    def cancelJobGroup(self, group):  # noqa: N802
        pass

    def parallelize(self, parts, slices):
        return self

    def mapPartitions(self, function):  # noqa: N802
        return self

    def collect(self):
        self._missing -= 1
        if self._missing <= 0:
            self._enough.set()
        assert self._enough.wait(60)
        self._ended()
        return [pickle.dumps([Done(())])]


@pytest.fixture
def no_java(monkeypatch):
    monkeypatch.setattr(executors, "plain_errors", nullcontext)
    monkeypatch.setattr(executors, "_LOOK", 0.01)


def test_executors_that_register_later_get_batches_too(no_java):
    """Two slots would run 4 batches at once, and eight run 16."""
    runner = SparkRunner(Cluster(at_once=16))
    (task,) = pickle.loads(batch_on(tiny_graph()))
    done = list(runner(work_on(tiny_graph(), parse("ShortestPaths() >> PathAnswer()")), [task] * 40))
    assert len(done) >= 16


def test_batches_that_are_done_when_the_budget_ends_are_not_lost(no_java):
    budget, (task,) = Budget(), pickle.loads(batch_on(tiny_graph()))
    runner = SparkRunner(Cluster(ended=budget.cancel))
    answers = runner(work_on(tiny_graph(), parse("ShortestPaths() >> PathAnswer()")), [task] * 400)
    with spending(budget):
        assert next(answers) == Done(())
        with pytest.raises(StoppedError):
            list(answers)


def test_without_spark_there_is_no_runner():
    with runner_of(None, [], None) as runner:
        assert runner is None
