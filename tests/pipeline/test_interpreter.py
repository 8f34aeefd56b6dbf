"""The interpreter stage by stage: what it counts, notes, refuses, and carries after a stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from faults import fails

from graphbrick import (
    BM25,
    Answer,
    Apply,
    EnoughPaths,
    Evidence,
    Expand,
    KHop,
    PathAnswer,
    Query,
    Repeat,
    Rerank,
    ShortestPaths,
    Subgraph,
)
from graphbrick.core.errors import LinkError, PipelineError
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExpandStage, execute
from graphbrick.pipeline.beginning import begin
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.pipeline.composition import Pipeline
from graphbrick.pipeline.interpreter import follow
from graphbrick.pipeline.run import Level, Run
from graphbrick.pipeline.stages import Stage
from graphbrick.testing import tiny_graph

KENYA, NAIROBI = 0, 2
QUERY = Query("Which currency is used in Kenya?", seeds=(NAIROBI, KENYA, NAIROBI))


@dataclass(frozen=True, repr=False)
class Noted(ExpandStage):
    """An expand stage with a note."""

    def expand(self, query: Query, subgraph: Subgraph) -> Subgraph:
        return subgraph

    def note_on(self, graph: Graph) -> str:
        return f"made for another graph than one of {graph.n_entities} entities"


class Odd(Pipeline):
    """A pipeline that is of no known kind."""

    accepts = frozenset({Level.QUERY})
    gives = Level.QUERY

    def stages_within(self) -> Iterator[Stage]:
        return iter(())


@dataclass(frozen=True, repr=False)
class OddStage(Stage):
    """A stage that is of no known kind."""

    kind = "odd"
    _accepts = frozenset({Level.EVIDENCE})
    _gives = Level.EVIDENCE


def run_of(pipeline: Pipeline) -> Run:
    return pipeline.run(tiny_graph(), QUERY)


def test_notes_of_stages_and_of_bricks_inside_them_are_events() -> None:
    run = run_of(Noted() | Noted())
    assert run.trace.event_codes == ["run.note", "run.note"]
    assert run.trace.events[0] == "made for another graph than one of 8 entities"
    assert run.trace.stages[0].events[0].values == {"stage": "Noted()"}  # type: ignore[attr-defined]
    assert run_of(KHop()).trace.events == []


def test_what_is_of_no_known_kind_is_refused() -> None:
    run = begin(KHop(), tiny_graph(), QUERY)
    with fails("run.not_a_pipeline", PipelineError):
        execute(Odd(), run)
    with fails("run.unknown_kind", PipelineError):
        run_of(ShortestPaths() >> OddStage())


def test_each_stage_counts_what_it_gets_and_what_it_gives() -> None:
    run = run_of(KHop(max_hops=1) >> ShortestPaths() >> Rerank(BM25(), n=1) >> PathAnswer())
    subgraph, paths = run.counts(Level.SUBGRAPH), run.trace.stages[1].counts_out
    assert [(stage.kind, stage.counts_in, stage.counts_out) for stage in run.trace.stages] == [
        ("extract", {"seeds": 3}, subgraph),
        ("retrieve", subgraph, paths),
        ("rerank", paths, {"paths": 1}),
        ("generate", {"paths": 1}, {"answers": 1}),
    ]
    assert paths["paths"] > 1


def test_an_expand_stage_begins_with_the_seeds_alone_and_drops_evidence() -> None:
    run = run_of(Noted())
    assert run.subgraph is not None
    assert run.subgraph.nodes is not None
    assert run.subgraph.triples is not None
    assert (run.subgraph.nodes.tolist(), run.subgraph.triples.tolist()) == ([KENYA, NAIROBI], [])
    assert run.subgraph.nodes.dtype == run.subgraph.triples.dtype == np.int32
    run = run_of(ShortestPaths() >> Noted())
    assert (run.evidence, run.level) == (None, Level.SUBGRAPH)


def test_stages_without_a_subgraph_work_on_the_whole_graph() -> None:
    seen: list[bool] = []

    def prune(query: Query, subgraph: Subgraph) -> Subgraph:
        seen.append(subgraph.is_whole)
        return subgraph

    run_of(Apply(prune=prune, name="prune"))
    run_of(KHop() >> Apply(prune=prune, name="prune"))
    assert seen == [True, False]
    run = run_of(ShortestPaths())
    assert run.evidence is not None
    assert run.evidence.subgraph is not None
    assert run.evidence.subgraph.is_whole
    assert run.linked


def test_a_union_counts_what_all_branches_give() -> None:
    one, two = KHop(max_hops=1), KHop(max_hops=2)
    run = run_of(one | two)
    parts = [run_of(part).counts(Level.SUBGRAPH) for part in (one, two)]
    union = run.trace.stages[-1]
    assert (union.kind, union.stage) == ("union", "KHop(max_hops=1) | KHop()")
    assert union.counts_in == {name: parts[0][name] + parts[1][name] for name in ("nodes", "triples")}
    assert union.counts_out == parts[1] == run.counts(Level.SUBGRAPH)
    assert run.query.seeds == (NAIROBI, KENYA)


def test_a_union_of_which_no_branch_links_raises_the_first_error() -> None:
    def fail(text: str) -> Pipeline:
        def link(graph: Graph, query: Query) -> Query:
            raise LinkError(text, code=f"test.{text}")

        return Apply(link=link, name=text)

    with fails("test.first", LinkError):
        (fail("first") | fail("second")).run(tiny_graph(), "Kenya?")
    run = (fail("first") | Apply(link=lambda graph, query: query, name="other")).run(tiny_graph(), "Kenya?")
    assert run.trace.event_codes == ["union.branch_left_out"]
    assert run.linked


def test_a_course_has_the_run_after_each_stage_until_one_fails() -> None:
    def broken(query: Query, evidence: Evidence) -> Answer:
        raise PipelineError("broken", code="test.broken")

    pipeline = KHop() >> ShortestPaths() >> Apply(generate=broken, name="broken")
    course = follow(pipeline, begin(pipeline, tiny_graph(), QUERY))
    assert (course.kinds, course.failed, len(course.runs)) == (("extract", "retrieve"), "generate", 3)
    assert [run.level for run in course.runs] == [Level.QUERY, Level.SUBGRAPH, Level.EVIDENCE]
    assert course.error is not None
    assert course.error.code == "test.broken"
    whole = KHop() | KHop(max_hops=1)
    assert follow(whole, begin(whole, tiny_graph(), QUERY)).kinds == ("union",)
    assert follow(whole, begin(whole, tiny_graph(), "Kenya?")).kinds == ("link", "union")


@pytest.mark.parametrize("has_evidence", [False, True])
def test_the_evidence_of_a_stage_that_was_stopped_is_that_of_the_run(has_evidence: bool) -> None:
    found = ShortestPaths().retrieve(QUERY, Subgraph(tiny_graph()))

    def stopped(query: Query, subgraph: Subgraph) -> Evidence:
        error = StoppedError("the time is over", code="test.stopped")
        error.evidence = found if has_evidence else None
        raise error

    retrieve = Apply(retrieve=stopped, name="slow")
    run = run_of(KHop() >> retrieve >> Rerank(BM25()) >> PathAnswer())
    assert run.stopped is not None
    assert run.stopped.reason == "the time is over"
    assert run.stopped.undone == (
        "Apply(retrieve='slow')",
        "Rerank(BM25(), n=8)"[:0] or repr(Rerank(BM25())),
        "PathAnswer()",
    )
    assert str(run.stopped).endswith("left undone: " + ", ".join(run.stopped.undone))
    assert (run.evidence is not None) == has_evidence
    if run.evidence is not None:
        assert run.evidence.items == found.items
        assert run.evidence.subgraph is run.subgraph
    with fails("run.stopped", StoppedError, undone=run.stopped.undone):
        (KHop() >> retrieve >> Rerank(BM25()) >> PathAnswer())(tiny_graph(), QUERY)


def test_stages_after_a_cancelled_budget_are_left_undone_in_order() -> None:
    budget = Budget(tokens=1)
    budget.cancel()
    with spending(budget):
        run = run_of(KHop() | KHop(max_hops=1))
    assert run.stopped is not None
    assert run.stopped.undone == ("KHop()", "KHop(max_hops=1)")
    assert run.subgraph is None


@pytest.mark.parametrize(("n", "at_most", "rounds", "is_met"), [(1, 3, 1, True), (10**6, 2, 2, False)])
def test_rounds_are_children_of_one_entry(n: int, at_most: int, rounds: int, is_met: bool) -> None:
    repeat = Repeat(Expand() >> ShortestPaths(), EnoughPaths(n=n), at_most=at_most)
    run = run_of(repeat >> PathAnswer())
    entry, generated = run.trace.stages
    assert (entry.kind, entry.stage, generated.kind) == ("repeat", repr(repeat), "generate")
    assert [child.kind for child in entry.children] == ["expand", "retrieve"] * rounds
    assert entry.counts_in == {"seeds": 3}
    assert entry.counts_out == entry.children[-1].counts_out == run.counts(Level.EVIDENCE)
    assert ("repeat.condition_not_met" in run.trace.event_codes) == (not is_met)
    assert run.answer is not None


def test_a_repetition_that_is_stopped_is_left_undone() -> None:
    budget = Budget(tokens=1)
    budget.cancel()
    repeat = Repeat(Expand() >> ShortestPaths(), EnoughPaths(n=1))
    with spending(budget):
        run = run_of(repeat >> PathAnswer())
    assert run.stopped is not None
    assert run.stopped.undone == (repr(repeat), "PathAnswer()")
    assert run.trace.stages == []
