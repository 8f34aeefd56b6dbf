"""Sharing stages changes nothing but the time: each pipeline does what it does alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass

import pytest

from graphbrick import PPR, Evidence, GraphbrickError, Query, ShortestPaths, parse
from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths as Paths
from graphbrick.core.trace import event
from graphbrick.pipeline import RerankStage, RetrieveStage
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.study.runs.prefixes import SharedStages
from graphbrick.testing import tiny_graph

TEXTS = [
    "PPR(k=5) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "PPR(k=5) >> ShortestPaths() >> Rerank(NGram(), n=2) >> PathAnswer()",
    "PPR(k=5) >> ShortestPaths()",
    "PPR(k=5)",
    "LinkLabels() >> PPR(k=5) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "ShortestPaths() >> PathAnswer()",
    "PPR(k=2) | KHop(max_hops=1)",
    "(PPR(k=2) | KHop(max_hops=1)) >> ShortestPaths() >> Rerank(BM25(), n=1) >> Rerank(NGram()) >> PathAnswer()",
    "(PPR(k=2) >> ShortestPaths() | ShortestPaths(max_hops=1)) >> PathAnswer()",
]
QUESTIONS = [
    Query("Which currency is used in the country whose capital is Nairobi?"),
    Query("What borders Uganda?", (tiny_graph().entity("Rwanda"),), "7"),
]


def told(run):
    """All of a run but its times."""
    answer = run.answer and (run.answer.texts, run.answer.entities, run.answer.evidence.items, run.answer.support)
    evidence = run.evidence and [(item, item.text, item.score, item.source) for item in run.evidence.items]
    subgraph = run.subgraph and (run.subgraph.nodes.tolist(), run.subgraph.triples.tolist())
    stages = [asdict(stage) | {"seconds": 0} for stage in run.trace.stages]
    return run.query, subgraph, evidence, answer, stages


@pytest.mark.parametrize("query", QUESTIONS)
@pytest.mark.parametrize("turn", [0, 1, 5])
def test_each_pipeline_does_what_it_does_alone(query, turn):
    pipelines = [parse(text) for text in TEXTS]
    courses = SharedStages(pipelines).run(tiny_graph(), query, turn=turn)
    assert [told(course.run) for course in courses] == [told(p.run(tiny_graph(), query)) for p in pipelines]
    assert all(course.error is None for course in courses)


@dataclass(frozen=True, repr=False)
class CountedPaths(RetrieveStage):
    """Counts its calls, and can fail."""

    fail: bool = False
    calls = Counter()

    def retrieve(self, query, subgraph):
        self.calls[repr(self)] += 1
        event("counted")
        if self.fail:
            raise GraphbrickError("no luck")
        return Paths().retrieve(query, subgraph)


@dataclass(frozen=True, repr=False)
class Curious(RerankStage):
    """Reads every text, and says how many of them had been read before."""

    name: str = "a"
    seen = {}

    def rerank(self, query, evidence):
        self.seen[self.name] = sum("text" in item.__dict__ for item in evidence.items)
        return Evidence(tuple(item for item in evidence.items if item.text))


def test_what_pipelines_begin_with_alike_is_done_once():
    CountedPaths.calls.clear()
    begin = PPR(k=5) >> CountedPaths()
    shared = SharedStages([begin >> Curious("a"), begin >> Curious("b"), begin, CountedPaths()])
    courses = shared.run(tiny_graph(), QUESTIONS[0])
    assert CountedPaths.calls == {"CountedPaths()": 2}  # once behind PPR, once on the whole graph
    first, second = courses[0].run.trace.stages, courses[1].run.trace.stages
    assert first[:3] == second[:3]
    assert first[2].seconds > 0
    assert not any(a is b for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("turn", [0, 1])
def test_nobody_profits_from_what_another_branch_has_worked_out(turn):
    begin = PPR(k=5) >> ShortestPaths()
    shared = SharedStages([begin >> Curious("a"), begin >> Curious("b"), begin >> Curious("c") >> Curious("d")])
    shared.run(tiny_graph(), QUESTIONS[0], turn=turn)
    assert Curious.seen["a"] == Curious.seen["b"] == Curious.seen["c"] == 0
    assert Curious.seen["d"] > 0  # but it keeps what its own pipeline has


def test_copies_share_what_the_originals_share():
    begin = PPR(k=8) >> ShortestPaths()
    one, two = SharedStages([begin >> Curious("a"), begin >> Curious("b")]).run(tiny_graph(), QUESTIONS[0])
    for course in (one, two):
        prefixes = [path.prefix for path in course.run.evidence.paths if path.prefix is not None]
        assert len({id(prefix) for prefix in prefixes}) == len(set(prefixes))


def test_a_failure_is_that_of_every_pipeline_behind_it_and_of_no_other():
    failing = PPR(k=5) >> CountedPaths(fail=True)
    courses = SharedStages([failing >> Curious("a"), PPR(k=5) >> ShortestPaths(), failing]).run(
        tiny_graph(), QUESTIONS[0]
    )
    assert [str(course.error) for course in courses] == ["no luck", "None", "no luck"]
    assert [course.failed for course in courses] == ["retrieve", "", "retrieve"]
    assert courses[0].run.subgraph.n_nodes == 5
    assert courses[0].run.trace.events == ["counted"]
    assert [stage.kind for stage in courses[0].run.trace.stages] == ["link", "extract", "retrieve"]
    assert courses[1].run.trace.events == []


def test_a_question_that_cannot_be_linked_fails_at_linking():
    (course,) = SharedStages([PPR()]).run(tiny_graph(), Query("Which qqqq is zzzz?"))
    assert course.failed == "link"
    assert course.kinds == ()


def test_a_budget_stops_all_pipelines():
    budget = Budget(seconds=60)
    budget.cancel()
    with spending(budget):
        courses = SharedStages([parse(text) for text in TEXTS]).run(tiny_graph(), QUESTIONS[1])
    assert all(course.stopped for course in courses)


def test_the_runs_show_what_there_was_after_each_stage():
    text = "PPR(k=5) >> ShortestPaths() >> Rerank(BM25(), n=1) >> PathAnswer()"
    (course,) = SharedStages([parse(text)]).run(tiny_graph(), QUESTIONS[0])
    assert course.kinds == ("link", "extract", "retrieve", "rerank", "generate")
    sizes = [None if run.evidence is None else len(run.evidence) for run in course.runs]
    assert sizes[:3] == [None, None, None]
    assert sizes[3] > sizes[4] == sizes[5] == 1
    assert course.runs[0].query.seeds == ()
    assert course.runs[1].query.seeds
