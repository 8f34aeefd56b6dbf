"""Several pipelines on one question, where what they begin with alike is done once.

``PPR() >> ShortestPaths() >> Rerank(BM25())`` and ``PPR() >> ShortestPaths() >> Rerank(MiniLM())`` extract and retrieve
once. Each pipeline still has a trace of its own with all its stages, and the seconds, calls and tokens of a stage that
was shared stand in each: they are what the pipeline would have taken by itself.

What a stage gave may remember things it was asked for, such as the texts of its paths. A pipeline that goes on from it
gets a copy that remembers only what was known when the shared part ended, so that the times of the second do not profit
from the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar

from graphbrick.core import Evidence, Path, Query
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import StageTrace, Trace
from graphbrick.graphs.graph import Graph
from graphbrick.link.labels import LinkLabels
from graphbrick.pipeline import LinkStage, Pipeline, Stage, Union
from graphbrick.pipeline import Sequence as Stages
from graphbrick.pipeline.run import Run
from graphbrick.vectors.store import store_of, using

T = TypeVar("T")

_DEFAULT_LINK = ""


@dataclass(frozen=True)
class Course:
    """What one pipeline did with one question, stage by stage.

    Attributes:
        runs: What there was before the first stage, and after each; the last is what the pipeline gave, or what it had
            when it failed.
        kinds: The kind of each stage that was done: link, extract, prune, retrieve, rerank, generate or union.
        error: Why it did not come to its end; None where it did.
        failed: The kind of the stage that failed; empty where none did.
    """

    runs: tuple[Run, ...]
    kinds: tuple[str, ...] = ()
    error: GraphbrickError | None = None
    failed: str = ""

    @property
    def run(self) -> Run:
        """What it came to."""
        return self.runs[-1]

    @property
    def stopped(self) -> bool:
        """Whether a budget, or somebody, stopped it; then it says nothing of the pipeline."""
        return self.run.stopped is not None


@dataclass
class _Node:
    """A stage after the stages that lead to it; ``ends`` are the places of the pipelines that it completes."""

    stage: Pipeline | None = None
    next: dict[str, _Node] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)

    def pipelines(self) -> list[int]:
        """The places of the pipelines that go through it."""
        return [*self.ends, *chain.from_iterable(node.pipelines() for node in self.next.values())]


class SharedStages:
    """Some pipelines as a tree of stages, of which each is run once for a question.

    Args:
        pipelines: The pipelines; each must be able to start a run.

    Example:
        >>> from graphbrick import BM25, PPR, NGram, PathAnswer, Rerank, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> begin = PPR(k=1000) >> ShortestPaths()
        >>> shared = SharedStages([begin >> Rerank(BM25()) >> PathAnswer(), begin >> Rerank(NGram()) >> PathAnswer()])
        >>> first, second = shared.run(tiny_graph(), Query("Which currency is used in Kenya?"))
        >>> [stage.kind for stage in second.run.trace.stages]
        ['link', 'extract', 'retrieve', 'rerank', 'generate']
        >>> first.run.trace.stages[1] == second.run.trace.stages[1]
        True
    """

    def __init__(self, pipelines: Sequence[Pipeline]) -> None:
        self._n = len(pipelines)
        self._root = _Node()
        for place, pipeline in enumerate(pipelines):
            node = self._root
            for text, stage in _stages(pipeline):
                node = node.next.setdefault(text, _Node(stage))
            node.ends.append(place)

    def run(self, graph: Graph, query: Query, *, turn: int = 0) -> list[Course]:
        """What each pipeline does with a question, in the order of the pipelines.

        Args:
            graph: The graph.
            query: The question; with seeds, linking is skipped.
            turn: Which branch goes first, by a rotation. What is remembered beyond a run, such as the embedding of the
                question, is paid by the first that needs it; with another turn for every question each pays in turn.
        """
        courses: list[Course | None] = [None] * self._n
        with using(store_of(graph)):
            self._go(self._root, Course((Run(graph, query, linked=bool(query.seeds)),)), courses, turn)
        return [course for course in courses if course is not None]

    def _go(self, node: _Node, course: Course, courses: list[Course | None], turn: int) -> None:
        """Go on from what a node gave, of which everybody but the last who needs it gets a copy."""
        branches = list(node.next.items())
        shift = turn % len(branches) if branches else 0
        for i, (text, branch) in enumerate(branches[shift:] + branches[:shift], 1):
            given = course if i == len(branches) and not node.ends else _copy(course)
            done = _step(text, branch, given)
            if done.error is not None:
                for place in branch.pipelines():
                    courses[place] = done
            else:
                self._go(branch, done, courses, turn)
        for place in node.ends:
            courses[place] = course


def _stages(pipeline: Pipeline) -> list[tuple[str, Pipeline]]:
    """The stages of a pipeline with what tells them apart: as a rule their text."""
    stages = pipeline.stages if isinstance(pipeline, Stages) else (pipeline,)
    named = [(repr(stage), stage) for stage in stages]
    if isinstance(stages[0], LinkStage | Union):  # the branches of a union may link each in its own way
        return named
    return [(_DEFAULT_LINK, LinkLabels()), *named]  # what the first stage would else do by itself


def _step(text: str, node: _Node, course: Course) -> Course:
    """One stage more."""
    stage, run = node.stage, course.run
    assert stage is not None
    if text == _DEFAULT_LINK and run.linked:
        return course
    kind = stage.kind if isinstance(stage, Stage) else "union"
    try:
        done = stage.apply(run)
    except GraphbrickError as error:
        return replace(course, error=error, failed=kind)
    return replace(course, runs=(*course.runs, done), kinds=(*course.kinds, kind))


def _copy(course: Course) -> Course:
    """The same course with a trace of its own, whose last values remember nothing that is asked of the others."""
    run = course.run
    copied = replace(
        run,
        trace=Trace([_copy_of_trace(stage) for stage in run.trace.stages]),
        subgraph=None if run.subgraph is None else _copy_of(run.subgraph),
        evidence=None if run.evidence is None else _copy_of_evidence(run.evidence),
    )
    return replace(course, runs=(*course.runs[:-1], copied))


def _copy_of_trace(stage: StageTrace) -> StageTrace:
    return replace(
        stage,
        counts_in=dict(stage.counts_in),
        counts_out=dict(stage.counts_out),
        facts=dict(stage.facts),
        events=list(stage.events),
        exchanges=list(stage.exchanges),
    )


def _copy_of_evidence(evidence: Evidence) -> Evidence:
    copies: dict[int, Path] = {}

    def copied(path: Path) -> Path:
        """A path and what it begins with; paths with one common beginning still have one."""
        found = copies.get(id(path))
        if found is None:
            found = copies[id(path)] = _copy_of(path)
            if path.prefix is not None:
                object.__setattr__(found, "prefix", copied(path.prefix))
        return found

    items = tuple(copied(item) if isinstance(item, Path) else item for item in evidence.items)
    return replace(evidence, items=items)


def _copy_of(value: T) -> T:
    """A frozen value with the same attributes, those that it has computed so far included."""
    copy = object.__new__(type(value))
    copy.__dict__.update(value.__dict__)
    return copy
