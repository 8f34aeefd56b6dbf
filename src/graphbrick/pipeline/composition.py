"""Pipelines as values: stages joined by ``>>`` (then), ``|`` (union) and `Repeat`.

A pipeline is only a description; `graphbrick.pipeline.interpreter` runs it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

from graphbrick.core import Answer, Query
from graphbrick.core.deferred import repr_html
from graphbrick.core.errors import PipelineError, shown
from graphbrick.core.graph import Labels, PerQuestion
from graphbrick.core.parameters import parameter
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.conditions import Condition
from graphbrick.pipeline.run import Level, Run

if TYPE_CHECKING:
    from graphbrick.pipeline.stages import Stage

NAMES = {Level.QUERY: "a query", Level.SUBGRAPH: "a subgraph", Level.EVIDENCE: "evidence", Level.ANSWER: "an answer"}
"""The levels in words."""
_ADVICE = {
    (Level.QUERY, Level.EVIDENCE): "put a retrieve stage such as ShortestPaths() between them",
    (Level.SUBGRAPH, Level.EVIDENCE): "put a retrieve stage such as ShortestPaths() between them",
    (Level.SUBGRAPH, Level.QUERY): "unite the two with | or leave one out",
    (Level.EVIDENCE, Level.QUERY): "put it first",
    (Level.EVIDENCE, Level.SUBGRAPH): "put it before the retrieve stage",
}


class Pipeline(ABC):
    """Anything that runs on a graph: a stage, stages in sequence, a union, or a repetition."""

    _repr_html_ = repr_html

    @property
    @abstractmethod
    def accepts(self) -> frozenset[Level]:
        """The levels this can go on from."""

    @property
    @abstractmethod
    def gives(self) -> Level:
        """The level this leads to."""

    def identity(self) -> str:
        """Return what decides the results: the recipe text without paths and time-outs.

        Parameters that cannot change results are left out, and a parameter that names an existing file or folder is
        replaced by a checksum of its contents. A checksum of the source of bricks of other packages is at the end. See
        `graphbrick.pipeline.identity`, also for a short hash.

        Raises:
            InputError: A file that a parameter names cannot be read.
        """
        from graphbrick.pipeline.identity import code_of, identity_of

        return f"{identity_of(self)}{code_of(self)}"

    def __rshift__(self, other: Pipeline) -> Sequence:
        if not isinstance(other, Pipeline):
            return NotImplemented
        return Sequence((*_parts(self, Sequence), *_parts(other, Sequence)))

    def __or__(self, other: Pipeline) -> Union:
        if not isinstance(other, Pipeline):
            return NotImplemented
        return Union((*_parts(self, Union), *_parts(other, Union)))

    @abstractmethod
    def stages_within(self) -> Iterator[Stage]:
        """Yield every stage of this pipeline, in the order of its text."""

    def __call__(
        self,
        graph: Labels | PerQuestion,
        query: str | Query,
        *,
        seeds: Iterable[str | int] = (),
    ) -> Answer:
        """Answer a question; the pipeline must end in a generate stage.

        Args:
            graph: The graph to search: a `Graph`, a `LocalAround`, an `ExtractedGraph`, or another graph that gives
                what the stages need.
            query: The question as text, or a `Query`.
            seeds: Where to start, as entity keys, labels or ids; linked from the question when there are none.

        Raises:
            GraphbrickError: A stage needs what the graph does not give.
            PipelineError: The pipeline gives no answer; `run` gives what it has.
            LinkError: The question names no entity of the graph, or a seed does not exist.
            StoppedError: The budget ended the run before the answer; `run` gives what it has.
        """
        from graphbrick.pipeline.interpreter import answer

        return answer(self, graph, query, seeds)

    def run(
        self,
        graph: Labels | PerQuestion,
        query: str | Query,
        *,
        seeds: Iterable[str | int] = (),
    ) -> Run:
        """Run this pipeline, complete or not, and return all that it made.

        Args and errors as for calling it.
        """
        from graphbrick.pipeline.beginning import begin
        from graphbrick.pipeline.interpreter import answered

        return answered(self, begin(self, graph, query, seeds))


@dataclass(frozen=True, repr=False)
class Sequence(Pipeline):
    """Stages one after another; written ``a >> b``."""

    stages: tuple[Pipeline, ...]

    def __post_init__(self) -> None:
        for before, after in zip(self.stages, self.stages[1:], strict=False):
            if before.gives not in after.accepts:
                _refuse_join(before, after)

    def __repr__(self) -> str:
        return self.text(repr)

    def text(self, write: Callable[[Pipeline], str]) -> str:
        """Return the recipe text, in which ``write`` gives the text of each stage."""
        return " >> ".join(f"({write(stage)})" if isinstance(stage, Union) else write(stage) for stage in self.stages)

    @property
    def accepts(self) -> frozenset[Level]:
        """The levels the first stage can go on from."""
        return self.stages[0].accepts

    @property
    def gives(self) -> Level:
        """The level the last stage leads to."""
        return self.stages[-1].gives

    def stages_within(self) -> Iterator[Stage]:
        """Yield the stages of all parts."""
        for part in self.stages:
            yield from part.stages_within()


@dataclass(frozen=True, repr=False)
class Union(Pipeline):
    """The results of several pipelines together; written ``a | b``.

    Seeds, nodes and triples are kept once each; items of evidence are ordered by `Evidence.union`. A branch whose link
    stage finds no entity is left out, which is an event; if no branch finds one, the first of their errors is raised.
    """

    branches: tuple[Pipeline, ...]

    def __post_init__(self) -> None:
        first = self.branches[0]
        for other in self.branches[1:]:
            if other.gives != first.gives:
                raise PipelineError(
                    f"a union needs branches that give the same, but {shown(first)} gives {NAMES[first.gives]} and "
                    f"{shown(other)} gives {NAMES[other.gives]}; bring both to the same level before the |",
                    code="union.different_levels",
                    levels=(first.gives, other.gives),
                )
        if first.gives == Level.ANSWER:
            raise PipelineError(
                f"answers cannot be united: {shown(self)}; unite the evidence and put one generate stage after the |",
                code="union.of_answers",
            )
        if not self.accepts:
            raise PipelineError(
                f"no stage can come before {shown(self)}: its branches go on from different levels",
                code="union.different_starts",
            )

    def __repr__(self) -> str:
        return self.text(repr)

    def text(self, write: Callable[[Pipeline], str]) -> str:
        """Return the recipe text, in which ``write`` gives the text of each branch."""
        return " | ".join(map(write, self.branches))

    @property
    def accepts(self) -> frozenset[Level]:
        """The levels that every branch can go on from."""
        return frozenset.intersection(*(branch.accepts for branch in self.branches))

    @property
    def gives(self) -> Level:
        """The level that every branch leads to."""
        return self.branches[0].gives

    def stages_within(self) -> Iterator[Stage]:
        """Yield the stages of all branches."""
        for branch in self.branches:
            yield from branch.stages_within()


@dataclass(frozen=True, repr=False)
class Repeat(Brick, Pipeline):
    """Repeats a pipeline until a condition holds, each round from the result of the one before.

    In the trace, the stages of all rounds are the children of one entry.

    Args:
        stage: The pipeline to repeat; it must be able to continue from its own result.
        until: The condition, which is checked after each round.
        at_most: Rounds, from 1 to 1000. That the condition did not hold after the last is an event.

    Example:
        >>> from graphbrick import EnoughPaths, Expand, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> pipeline = Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=5), at_most=4)
        >>> run = pipeline.run(tiny_graph(), "What is around Nairobi?")
        >>> [stage.counts_out for stage in run.trace.stages[-1].children if stage.kind == "retrieve"]
        [{'paths': 1}, {'paths': 4}, {'paths': 12}]
    """

    kind: ClassVar[str] = "repeat"

    stage: Pipeline = parameter(example="Expand() >> ShortestPaths()")
    until: Condition = parameter(example="EnoughPaths(n=8)")
    at_most: int = parameter(4, at_least=1, at_most=1000, search=(2, 4, 8))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stage.gives not in self.stage.accepts:
            level, needed = NAMES[self.stage.gives], needed_levels(self.stage)
            raise PipelineError(
                f"Repeat cannot go round: {shown(self.stage)} gives {level}, but needs {needed}",
                code="repeat.cannot_go_round",
            )
        if not self.until.accepts(self.stage.gives):
            raise PipelineError(
                f"{self.until!r} cannot judge {NAMES[self.stage.gives]}, which {shown(self.stage)} gives; end the "
                "repeated pipeline with a retrieve stage such as ShortestPaths()",
                code="repeat.cannot_judge",
            )

    def text(
        self, write: Callable[[str, object], str], *, always: Container[str] = (), never: Container[str] = ()
    ) -> str:
        """Return the recipe text; see `Brick.text`."""
        del always, never  # all three are written
        until, at_most = write("until", self.until), write("at_most", self.at_most)
        return f"Repeat({write('stage', self.stage)}, until={until}, at_most={at_most})"

    @property
    def accepts(self) -> frozenset[Level]:
        """The levels the repeated pipeline can go on from."""
        return self.stage.accepts

    @property
    def gives(self) -> Level:
        """The level the repeated pipeline leads to."""
        return self.stage.gives

    def stages_within(self) -> Iterator[Stage]:
        """Yield the stages that are repeated."""
        return self.stage.stages_within()


def stages_of(pipeline: Pipeline) -> list[Pipeline]:
    """Return the stages of a pipeline; a union or a repetition is one."""
    return list(pipeline.stages) if isinstance(pipeline, Sequence) else [pipeline]


def needed_levels(pipeline: Pipeline) -> str:
    """Return the levels a pipeline can go on from, in words."""
    return " or ".join(NAMES[level] for level in sorted(pipeline.accepts, reverse=True))


def _parts(pipeline: Pipeline, kind: type[Pipeline]) -> tuple[Pipeline, ...]:
    """Return the parts of a sequence or union, so that nesting in parentheses makes no difference."""
    if isinstance(pipeline, Sequence) and kind is Sequence:
        return pipeline.stages
    if isinstance(pipeline, Union) and kind is Union:
        return pipeline.branches
    return (pipeline,)


def _refuse_join(before: Pipeline, after: Pipeline) -> None:
    if before.gives == Level.ANSWER:
        raise PipelineError(
            f"{shown(before)} gives the answer, so {shown(after)} cannot come after it; leave one of them out",
            code="join.after_the_answer",
        )
    advice = _ADVICE[before.gives, max(after.accepts)]
    only = "only " if before.gives < max(after.accepts) else ""
    name = type(after).__name__ if isinstance(after, Brick) else shown(after)
    level = f"{only}{NAMES[before.gives]}"
    raise PipelineError(
        f"{name} needs {needed_levels(after)}, but {shown(before)} gives {level}; {advice}",
        code="join.wrong_level",
        gives=before.gives,
        needs=after.accepts,
        advice=advice,
    )


def parts_within(part: Brick | Pipeline) -> Iterator[Brick | Pipeline]:
    """Yield a pipeline or brick and everything inside it, outermost first."""
    yield part
    if isinstance(part, Sequence):
        inner: Iterable[object] = part.stages
    elif isinstance(part, Union):
        inner = part.branches
    else:
        inner = (getattr(part, field.name) for field in fields(part))  # type: ignore[arg-type]
    for value in inner:
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Brick | Pipeline):
                yield from parts_within(one)
