"""A time limit ends a stage while it works, not only before the next one begins."""

from __future__ import annotations

import pytest

from graphbrick import (
    BM25,
    PPR,
    AllPaths,
    BeamSearch,
    Graph,
    KHop,
    PageRank,
    PathAnswer,
    RandomWalk,
    ShortestPaths,
)
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.testing import tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"

STAGES = [
    KHop() >> ShortestPaths(),
    PPR(k=5) >> ShortestPaths(),
    PageRank(k=5) >> ShortestPaths(),
    RandomWalk() >> ShortestPaths(),
    AllPaths(),
    ShortestPaths(),
    BeamSearch(BM25()),
]


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("graphbrick.pipeline.budget.time.monotonic", lambda: self.now)


@pytest.fixture
def graph() -> Graph:
    return tiny_graph()


@pytest.mark.parametrize("pipeline", STAGES, ids=repr)
def test_a_stage_ends_when_the_time_is_over(graph: Graph, pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first stage finds the budget unused when it begins; by the first check inside it the time is over.
    seeds = [graph.entity("Nairobi")]
    budget = Budget(seconds=5)
    checks = 0

    def check(self: Budget) -> None:
        nonlocal checks
        checks += 1
        if checks > 1:
            raise StoppedError("the budget of 5 seconds is used up")

    monkeypatch.setattr(Budget, "check", check)
    with spending(budget):
        run = (pipeline >> PathAnswer()).run(graph, QUESTION, seeds=seeds)
    first = repr(getattr(pipeline, "stages", [pipeline])[0])
    assert run.answer is None
    assert run.stopped is not None
    assert run.stopped.undone[0] == first
    assert "5 seconds" in run.stopped.reason


def test_many_paths_are_not_turned_into_objects_after_the_limit(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphbrick.kernels.paths import path_tree

    clock = Clock(monkeypatch)
    search = path_tree.simple_path_tree

    def slow(*args: object) -> path_tree.PathTree:
        tree = search(*args)  # type: ignore[arg-type]
        clock.now += 10  # the search itself takes all the time there is
        return tree

    monkeypatch.setattr(path_tree, "simple_path_tree", slow)
    pipeline = AllPaths() >> PathAnswer()
    with spending(Budget(seconds=5)), pytest.raises(StoppedError, match=r"5 seconds.*left undone: AllPaths\(\)"):
        pipeline(graph, QUESTION, seeds=["Nairobi"])


def test_a_cancelled_budget_stops_before_any_work(graph: Graph) -> None:
    budget = Budget(seconds=60)
    with spending(budget):
        budget.cancel()
        run = (KHop() >> ShortestPaths()).run(graph, QUESTION, seeds=["Nairobi"])
    assert run.stopped is not None
    assert run.stopped.undone == ("KHop()", "ShortestPaths()")


def test_a_union_after_a_stop_names_each_undone_stage_once(graph: Graph) -> None:
    budget = Budget(seconds=60)
    with spending(budget):
        budget.cancel()
        pipeline = KHop() >> (ShortestPaths() | AllPaths()) >> PathAnswer()
        run = pipeline.run(graph, QUESTION, seeds=["Nairobi"])
    assert run.stopped is not None
    assert run.stopped.undone == ("KHop()", "ShortestPaths()", "AllPaths()", "PathAnswer()")


def test_work_outside_a_budget_is_not_limited(graph: Graph) -> None:
    with spending(Budget(seconds=1)):
        pass
    assert (AllPaths() >> PathAnswer())(graph, QUESTION, seeds=["Nairobi"]).texts
