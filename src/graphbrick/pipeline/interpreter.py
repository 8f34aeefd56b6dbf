"""The interpreter: runs any pipeline, for a question, a study or a server.

`execute` carries a run through a pipeline. `follow` does the same and returns the run after each stage; with a
memory, the common beginnings of several pipelines are done once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from graphbrick.core import Answer, Evidence, Query, Subgraph
from graphbrick.core.compute import report, watched_part
from graphbrick.core.errors import GraphbrickError, LinkError, PipelineError, shown
from graphbrick.core.graph import Capability, Labels, PerQuestion, capabilities_of
from graphbrick.core.trace import DETAIL, Trace, event, record
from graphbrick.pipeline.beginning import begin, links_itself
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.budget import StoppedError, check_budget
from graphbrick.pipeline.catalog import default_linker
from graphbrick.pipeline.composition import NAMES, Pipeline, Repeat, Sequence, Union, parts_within
from graphbrick.pipeline.run import Level, Run, Stop, on_graph
from graphbrick.pipeline.stages import (
    ExpandStage,
    ExtractStage,
    GenerateStage,
    LinkStage,
    PruneStage,
    RerankStage,
    RetrieveStage,
    Stage,
)

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph

T = TypeVar("T")
_LONGEST_STAGE = 60  # characters of a stage that are shown with its progress
_OF_FUNCTIONS = "graphbrick.pipeline.apply"  # the stages made of functions of the user


@dataclass(frozen=True)
class Course:
    """Record of one pipeline on one question, stage by stage.

    Attributes:
        runs: The run before the first stage and after each stage. The last is the result, or the run at a failure.
        kinds: The kind of each stage that was done: link, extract, expand, prune, retrieve, rerank, generate, union or
            repeat.
        error: The error of the stage that failed; None if none did.
        failed: The kind of the stage that failed; empty if none did.
    """

    runs: tuple[Run, ...]
    kinds: tuple[str, ...] = ()
    error: GraphbrickError | None = None
    failed: str = ""

    @property
    def run(self) -> Run:
        """The last run."""
        return self.runs[-1]

    @property
    def stopped(self) -> bool:
        """True if a budget or the user stopped it; its result then says nothing about the pipeline."""
        return self.run.stopped is not None


class Memory(Protocol):
    """Keeps the courses of pipelines on one question for others that begin with the same stages."""

    def recall(self, pipeline: Pipeline) -> Course | None:
        """Return the course of the longest beginning of a pipeline that is held; None if there is none."""

    def hold(self, pipeline: Pipeline, course: Course) -> Course:
        """Hold the course of a beginning of a pipeline if others need it; return the course to continue with."""


def answer(
    pipeline: Pipeline,
    graph: Labels | PerQuestion,
    query: str | Query,
    seeds: Iterable[str | int] = (),
) -> Answer:
    """Answer a question; see `Pipeline.__call__`."""
    if pipeline.gives != Level.ANSWER:
        raise PipelineError(
            f"{shown(pipeline)} gives {NAMES[pipeline.gives]}, not an answer; end it with a generate stage such as "
            "PathAnswer(), or call run() to get what it gives",
            code="run.no_generate_stage",
            pipeline=shown(pipeline),
            gives=pipeline.gives,
        )
    run = answered(pipeline, begin(pipeline, graph, query, seeds))
    if run.answer is None:
        undone = () if run.stopped is None else run.stopped.undone
        raise StoppedError(str(run.stopped), code="run.stopped", undone=undone)
    return replace(run.answer, trace=run.trace)


def answered(pipeline: Pipeline, run: Run, memory: Memory | None = None) -> Run:
    """Like `execute`, with near readings where there is no answer, and one for each entity of a name.

    Raises:
        LinkError: The question names no entity; ``readings`` are questions with names that the graph has.
        GraphbrickError: A stage failed.
    """
    try:
        done = execute(pipeline, run, memory)
    except LinkError as error:
        from graphbrick.pipeline.near import offered  # which needs this module

        error.readings = offered(pipeline, run, error)
        raise
    is_sure = done.answer is not None and bool(done.answer.texts)
    if is_sure and not any(mention.others for mention in done.query.mentions):
        return done
    from graphbrick.pipeline.near import with_readings

    return with_readings(pipeline, done)


def execute(pipeline: Pipeline, run: Run, memory: Memory | None = None) -> Run:
    """Run all stages of a pipeline on a run and return the resulting run.

    The first run is not changed, except that its trace grows.

    Args:
        pipeline: The pipeline.
        run: Where to start; `begin` makes one of a question.
        memory: Holds what other pipelines did with the same question; None for none.

    Raises:
        GraphbrickError: A stage failed.
    """
    course = follow(pipeline, run, memory)
    if course.error is not None:
        raise course.error
    return course.run


def follow(pipeline: Pipeline, run: Run, memory: Memory | None = None) -> Course:
    """Like `execute`, but return the run after each stage; a stage that fails ends the course."""
    course = memory.recall(pipeline) if memory is not None else None
    course = course or Course((run,))
    stored = Capability.STORED in capabilities_of(run.graph)  # else there is no place to keep anything beside it
    with on_graph(run.graph if stored else None):
        for stage in steps(pipeline, linked=run.linked)[len(course.kinds) :]:
            if course.error is not None:
                break
            course = _advanced(course, stage)
            if memory is not None:
                course = memory.hold(pipeline, course)
    return course


def steps(pipeline: Pipeline, *, linked: bool) -> tuple[Pipeline, ...]:
    """Return the stages of a pipeline in order, with the default linker before them if nothing else links.

    Args:
        pipeline: The pipeline.
        linked: Whether the run has seeds already.
    """
    stages = pipeline.stages if isinstance(pipeline, Sequence) else (pipeline,)
    return stages if linked or links_itself(pipeline) else (default_linker(), *stages)


def _advanced(course: Course, stage: Pipeline) -> Course:
    """Return a course with one stage more."""
    kind = stage.kind if isinstance(stage, Stage | Repeat) else "union"
    try:
        run = _run(stage, course.run)
    except GraphbrickError as error:
        return replace(course, error=error, failed=kind)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - of a condition or a union; a stage has its own error
        return replace(course, error=failure_in(stage, course.run, error), failed=kind)
    return replace(course, runs=(*course.runs, run), kinds=(*course.kinds, kind))


def failure_in(part: Brick | Pipeline, run: Run, error: BaseException) -> GraphbrickError:
    """Return what an exception inside a part of a pipeline means: damage of the graph, or a fault of the part."""
    from graphbrick.pipeline.faults.failures import damage_of, failure_of  # most runs have none

    failure = damage_of(run.graph) or failure_of(part, run.query.text, error)
    failure.__cause__ = error
    return failure


def _run(pipeline: Pipeline, run: Run) -> Run:
    """Run any part of a pipeline."""
    if not run.linked and run.stopped is None and not links_itself(pipeline):
        run = _run_stage(default_linker(), run)  # inside a union of which another branch links in its own way
    if isinstance(pipeline, Stage):
        return _run_stage(pipeline, run)
    if isinstance(pipeline, Sequence):
        return reduce(lambda before, stage: _run(stage, before), pipeline.stages, run)
    if isinstance(pipeline, Union):
        return _run_union(pipeline, run)
    if isinstance(pipeline, Repeat):
        return _run_repeat(pipeline, run)
    raise PipelineError(
        f"{shown(pipeline)} cannot be run: it is not a stage, a sequence, a union or a Repeat",
        code="run.not_a_pipeline",
    )


def _run_stage(stage: Stage, run: Run) -> Run:
    """Run one stage under the clock, unless the run was stopped."""
    reason = _reason_to_stop(run)
    if reason:
        return run.stop(reason, repr(stage))
    try:
        name = repr(stage)
        with record(run.trace, name, stage.kind) as entry, watched_part(_short(stage, name)):
            report("", 0)
            entry.counts_in = run.counts(run.level)
            after = _call(stage, run)
            _tell_notes(stage, run.graph)
            entry.counts_out = after.counts(stage.gives)
    except StoppedError as error:
        if error.evidence is not None:
            run = replace(run, evidence=replace(error.evidence, subgraph=run.subgraph or Subgraph(run.graph)))
        return run.stop(str(error), repr(stage))
    except GraphbrickError:
        raise
    except (Exception, SystemExit) as error:
        raise failure_in(stage, run, error) from error
    return after


def _short(stage: Stage, text: str) -> str:
    """Return a stage for a line about its progress."""
    return text if len(text) <= _LONGEST_STAGE else type(stage).__name__


def _tell_notes(stage: Stage, graph: Graph) -> None:
    """Record the notes of the stage and of the bricks inside it on the graph as events."""
    for part in parts_within(stage):
        if isinstance(part, Brick) and (note := part.note_on(graph)):
            event(note, "run.note", stage=repr(part))


def _reason_to_stop(run: Run) -> str:
    """Return why the next stage must not begin; empty if it may."""
    if run.stopped is not None:
        return run.stopped.reason
    try:
        check_budget()
    except StoppedError as error:
        return str(error)
    return ""


def _call(stage: Stage, run: Run) -> Run:
    """Call the one method of a stage with the results of a run; return the run with the new result."""
    graph, query = run.graph, run.query
    if isinstance(stage, LinkStage):
        if query.seeds:
            event("the entities to start from were given; linking was skipped", "run.linking_skipped", DETAIL)
            return run
        return replace(run, query=_checked(stage, stage.link(graph, query), Query), linked=True)
    if isinstance(stage, ExtractStage):
        return replace(run, subgraph=_sound(stage, run, stage.extract(graph, query), Subgraph(graph)))
    if isinstance(stage, ExpandStage):
        before = run.subgraph or _of_seeds(run)
        # Evidence of the smaller subgraph is out of date.
        return replace(run, subgraph=_sound(stage, run, stage.expand(query, before), before), evidence=None)
    if isinstance(stage, PruneStage):
        before = run.subgraph or Subgraph(graph)
        return replace(run, subgraph=_sound(stage, run, stage.prune(query, before), before))
    if isinstance(stage, RetrieveStage):
        subgraph = run.subgraph or Subgraph(graph)
        evidence = _checked(stage, stage.retrieve(query, subgraph), Evidence)
        return replace(run, evidence=replace(evidence, subgraph=subgraph), linked=True)
    if isinstance(stage, GenerateStage):
        answer = stage.generate(query, Evidence() if run.evidence is None else run.evidence)
        return replace(run, answer=_checked(stage, answer, Answer))
    assert run.evidence is not None
    if isinstance(stage, RerankStage):
        return replace(run, evidence=_checked(stage, stage.rerank(query, run.evidence), Evidence).carry(run.evidence))
    raise PipelineError(
        f"{stage!r} does not have a known stage kind; derive it from one of those in graphbrick.pipeline",
        code="run.unknown_kind",
    )


def _checked(stage: Stage, result: T, kind: type[T]) -> T:
    """Return the result of a stage; raise PipelineError if its type is not that of the stage."""
    if not isinstance(result, kind):
        text = f"{stage.kind} of {stage!r} must return a value of {kind.__name__}, got {shown(result)}"
        raise PipelineError(text, code="run.wrong_result", stage=repr(stage), wanted=kind.__name__)
    return result


def _sound(stage: Stage, run: Run, result: Subgraph, before: Subgraph) -> Subgraph:
    """Return the subgraph of a stage; raise PipelineError if one of another package breaks the contract of its kind."""
    _checked(stage, result, Subgraph)
    module = type(stage).__module__
    if not module.startswith("graphbrick.") or module == _OF_FUNCTIONS:  # ours are held by tests: it takes time
        from graphbrick.pipeline.faults.failures import check_subgraph

        check_subgraph(stage, run.query, result, before)
    return result


def _of_seeds(run: Run) -> Subgraph:
    """Return the subgraph of the seeds alone, without triples."""
    return Subgraph(run.graph, np.array(sorted(set(run.query.seeds)), dtype=np.int32), np.empty(0, dtype=np.int32))


def _run_union(union: Union, run: Run) -> Run:
    """Run all branches from the same point and unite their results; leave out one that links nothing."""
    runs: list[Run] = []
    unlinked: list[tuple[Pipeline, LinkError]] = []
    for branch in union.branches:
        try:
            runs.append(_run(branch, run))
        except LinkError as error:
            unlinked.append((branch, error))
    if not runs:
        raise unlinked[0][1]
    with record(run.trace, repr(union), "union") as entry:
        for branch, reason in unlinked:
            text = f"{branch!r} was left out of the union: {reason}"
            event(text, "union.branch_left_out", branch=repr(branch), reason=str(reason))
        united = _united(runs, run.stopped)
        sizes = united.counts(union.gives)
        entry.counts_in = {name: sum(r.counts(union.gives).get(name, 0) for r in runs) for name in sizes}
        entry.counts_out = sizes
    return united


def _united(runs: list[Run], before: Stop | None) -> Run:
    """Return the first run with the results of all runs; name stages left out before them once."""
    queries = [run.query for run in runs]
    subgraphs = [run.subgraph for run in runs if run.subgraph is not None]
    evidences = [run.evidence for run in runs if run.evidence is not None]
    stops = [run.stopped for run in runs if run.stopped is not None]
    earlier = () if before is None else before.undone
    undone = (*earlier, *(stage for stop in stops for stage in stop.undone[len(earlier) :]))
    return replace(
        runs[0],
        query=replace(
            queries[0],
            seeds=tuple(dict.fromkeys(seed for query in queries for seed in query.seeds)),
            mentions=tuple(dict.fromkeys(mention for query in queries for mention in query.mentions)),
        ),
        linked=any(run.linked for run in runs),
        subgraph=reduce(Subgraph.union, subgraphs) if subgraphs else None,
        evidence=evidences[0].union(*evidences[1:]) if evidences else None,
        stopped=Stop(stops[0].reason, undone) if stops else None,
    )


def _run_repeat(repeat: Repeat, run: Run) -> Run:
    """Run rounds until the condition holds; their stages are the children of one entry of the trace."""
    reason = _reason_to_stop(run)
    if reason:
        return run.stop(reason, repr(repeat))
    with record(run.trace, repr(repeat), repeat.kind) as entry:
        entry.counts_in = run.counts(run.level)
        inner = replace(run, trace=Trace(entry.children))
        try:
            for _ in range(repeat.at_most):
                inner = _run(repeat.stage, inner)
                if inner.stopped is not None or repeat.until.holds(inner):
                    break
            else:
                text = f"{repeat.until!r} did not hold after {repeat.at_most} rounds"
                event(text, "repeat.condition_not_met", rounds=repeat.at_most)
        except StoppedError as error:
            inner = inner.stop(str(error), repr(repeat.until))
        entry.counts_out = inner.counts(repeat.gives)
    return replace(inner, trace=run.trace)
