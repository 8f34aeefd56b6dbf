"""Pipelines: stages joined by ``>>`` (then) and ``|`` (union), checked when they are built, run on a graph.

Every expression is a `Pipeline`: a single stage, a `Sequence` of them, or a `Union`. A pipeline is a frozen value; the
graph comes when it is called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar, cast

import numpy as np

from graphbrick.core import Answer, Evidence, Query, Subgraph
from graphbrick.core.errors import GraphbrickError, LinkError, PipelineError
from graphbrick.core.graph import Capabilities, Capability, Labels, check_needs
from graphbrick.core.trace import Trace, event, record
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local import LocalAround, mentioned, resolved
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.budget import StoppedError, current_budget
from graphbrick.pipeline.run import Level, Run, Stop

_NAMES = {Level.QUERY: "a query", Level.SUBGRAPH: "a subgraph", Level.EVIDENCE: "evidence", Level.ANSWER: "an answer"}
_ADVICE = {
    (Level.QUERY, Level.EVIDENCE): "put a retrieve stage such as ShortestPaths() between them",
    (Level.SUBGRAPH, Level.EVIDENCE): "put a retrieve stage such as ShortestPaths() between them",
    (Level.SUBGRAPH, Level.QUERY): "unite the two with | or leave one out",
    (Level.EVIDENCE, Level.QUERY): "put it first",
    (Level.EVIDENCE, Level.SUBGRAPH): "put it before the retrieve stage",
}


class Pipeline(ABC):
    """Anything that runs on a graph: a stage, stages in sequence, or a union."""

    @property
    @abstractmethod
    def accepts(self) -> frozenset[Level]:
        """The levels this can go on from."""

    @property
    @abstractmethod
    def gives(self) -> Level:
        """The level this leads to."""

    @abstractmethod
    def apply(self, run: Run) -> Run:
        """Carry a run on; the run given stays as it is, except that its trace grows."""

    def identity(self) -> str:
        """Return what decides the results of this pipeline: like its recipe text, but without paths and time-outs.

        Parameters that cannot change results are left out, and a parameter that names an existing file or folder is
        replaced by a checksum of its contents. See `graphbrick.pipeline.identity`, also for a short hash.

        Raises:
            InputError: A file that a parameter names cannot be read.
        """
        from graphbrick.pipeline.identity import identity_of

        return identity_of(self)

    def __rshift__(self, other: Pipeline) -> Sequence:
        if not isinstance(other, Pipeline):
            return NotImplemented
        return Sequence((*_parts(self, Sequence), *_parts(other, Sequence)))

    def __or__(self, other: Pipeline) -> Union:
        if not isinstance(other, Pipeline):
            return NotImplemented
        return Union((*_parts(self, Union), *_parts(other, Union)))

    def __call__(
        self, graph: Graph | LocalAround | Labels, query: str | Query, *, seeds: Iterable[str | int] = ()
    ) -> Answer:
        """Answer a question; the pipeline must end in a generate stage.

        Args:
            graph: The graph to search: a `Graph`, a `LocalAround`, or another graph that gives what the stages need.
            query: The question as text, or a `Query`.
            seeds: Where to start, as entity keys, labels or ids; linked from the question when there are none.

        Raises:
            GraphbrickError: A stage needs what the graph does not give.
            PipelineError: The pipeline gives no answer; `run` gives what it has.
            LinkError: The question names no entity of the graph, or a seed does not exist.
            StoppedError: The budget ended the run before the answer; `run` gives what it has.
        """
        if self.gives != Level.ANSWER:
            raise PipelineError(
                f"{self!r} gives {_NAMES[self.gives]}, not an answer; end it with a generate stage such as "
                "PathAnswer(), or call run() to get what it gives"
            )
        run = self.run(graph, query, seeds=seeds)
        if run.answer is None:
            raise StoppedError(str(run.stopped))
        return replace(run.answer, trace=run.trace)

    def run(self, graph: Graph | LocalAround | Labels, query: str | Query, *, seeds: Iterable[str | int] = ()) -> Run:
        """Run this pipeline, complete or not, and return all that it made.

        Args and errors as for calling it.
        """
        from graphbrick.link.labels import resolve_seeds
        from graphbrick.vectors.store import store_of, using

        if Level.QUERY not in self.accepts:
            raise PipelineError(
                f"{self!r} cannot start a run: it needs {_needs(self)}; put stages such as PPR() >> ShortestPaths() "
                "before it"
            )
        if not isinstance(query, str | Query):
            raise GraphbrickError(f"the question must be a text or a Query, got {query!r}")
        asked = Query(query) if isinstance(query, str) else query
        if not asked.text.strip():
            raise GraphbrickError("the question is empty; ask for example «Which currency is used in Kenya?»")
        trace = Trace()
        given: list[str | int] = list(seeds) if isinstance(seeds, Iterable) and not isinstance(seeds, str) else [seeds]
        if isinstance(graph, LocalAround):
            with record(trace, repr(graph), "local") as entry:
                graph, keys = graph.around(asked.text, given or asked.seeds)
                given = list(keys)
                entry.counts_out = {"entities": graph.n_entities, "triples": graph.n_triples}
        else:
            check_needs({repr(stage): stage.needs for stage in self.stages_within()}, graph)
        if not isinstance(graph, Graph):
            return self._run_on_other(graph, asked, given, trace)
        if given:
            with record(trace, "seeds", "link") as entry:
                asked = resolve_seeds(graph, asked, given)
                entry.counts_out = {"seeds": len(asked.seeds)}
        if any(isinstance(seed, np.integer) for seed in asked.seeds):
            asked = replace(asked, seeds=tuple(int(s) if isinstance(s, np.integer) else s for s in asked.seeds))
        for seed in asked.seeds:
            if not isinstance(seed, int) or not 0 <= seed < graph.n_entities:
                raise LinkError(f"seed {seed} is not an entity id of {graph!r}")
        with using(store_of(graph)):
            return self.apply(Run(graph, asked, linked=bool(asked.seeds), trace=trace))

    def _run_on_other(self, graph: Labels, query: Query, seeds: list[str | int], trace: Trace) -> Run:
        """Run on a graph that is not a folder graph; that it gives what the stages need has been checked."""
        if seeds or not (query.seeds or _links(self)):
            with record(trace, "seeds", "link") as entry:
                ids = [resolved(graph, seed) for seed in seeds] or mentioned(graph, query.text)
                if not ids:
                    raise LinkError(f"nothing in {query.text[:80]!r} names an entity of {graph!r}; give a seed")
                query = replace(query, seeds=tuple(dict.fromkeys(ids)))
                entry.counts_out = {"seeds": len(query.seeds)}
        return self.apply(Run(cast(Graph, graph), query, linked=bool(query.seeds), trace=trace))

    def stages_within(self) -> Iterator[Stage]:
        """Yield every stage of this pipeline, in the order of its text."""
        yield from ()


class Stage(Brick, Pipeline):
    """One slot of a pipeline. A brick derives from one of the kinds below and implements the one method of its kind."""

    kind: ClassVar[str]
    needs: ClassVar[Capabilities] = frozenset({Capability.LABELS})
    """What this stage needs of a graph, checked when a run starts."""
    _accepts: ClassVar[frozenset[Level]]
    _gives: ClassVar[Level]

    @property
    def accepts(self) -> frozenset[Level]:
        """The levels this stage can go on from."""
        return self._accepts

    @property
    def gives(self) -> Level:
        """The level this stage leads to."""
        return self._gives

    def apply(self, run: Run) -> Run:
        """Run this stage under the clock, unless the run was stopped."""
        if self.kind != "link":
            run = _link_by_default(run)
        if run.stopped is not None:
            return run.stop(run.stopped.reason, repr(self))
        budget = current_budget()
        try:
            if budget is not None:
                budget.check()
            with record(run.trace, repr(self), self.kind) as entry:
                entry.counts_in = run.counts(run.level)
                done = self._step(run)
                entry.counts_out = done.counts(self.gives)
        except StoppedError as error:
            return run.stop(str(error), repr(self))
        return done

    def stages_within(self) -> Iterator[Stage]:
        """Yield this stage."""
        yield self

    @abstractmethod
    def _step(self, run: Run) -> Run: ...


class LinkStage(Stage):
    """Finds the seeds of a question."""

    kind = "link"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    _accepts = frozenset({Level.QUERY})
    _gives = Level.QUERY

    @abstractmethod
    def link(self, graph: Graph, query: Query) -> Query:
        """The query with its seeds."""

    def _step(self, run: Run) -> Run:
        if run.query.seeds:
            event("the query has seeds already; linking was skipped")
            return run
        query = self.link(run.graph, run.query)
        return replace(run, query=query, linked=True)


class ExtractStage(Stage):
    """Takes a subgraph around the seeds."""

    kind = "extract"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    _accepts = frozenset({Level.QUERY})
    _gives = Level.SUBGRAPH

    @abstractmethod
    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """The subgraph for a query; the seeds are always in it."""

    def _step(self, run: Run) -> Run:
        return replace(run, subgraph=self.extract(run.graph, run.query))


class PruneStage(Stage):
    """Leaves out what does not bear on the question."""

    kind = "prune"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    _accepts = frozenset({Level.QUERY, Level.SUBGRAPH})
    _gives = Level.SUBGRAPH

    @abstractmethod
    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """A part of the subgraph; the seeds are always in it."""

    def _step(self, run: Run) -> Run:
        return replace(run, subgraph=self.prune(run.query, run.subgraph or Subgraph(run.graph)))


class RetrieveStage(Stage):
    """Finds evidence, such as reasoning paths, in a subgraph, or in the whole graph if no stage made a subgraph.

    Attributes:
        starts_at_seeds: Whether every path that it gives starts at a seed; False for stages that find their own starts.
    """

    kind = "retrieve"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    starts_at_seeds: ClassVar[bool] = True
    _accepts = frozenset({Level.QUERY, Level.SUBGRAPH})
    _gives = Level.EVIDENCE

    @abstractmethod
    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """The evidence found, in the order that the brick states."""

    def _step(self, run: Run) -> Run:
        subgraph = run.subgraph or Subgraph(run.graph)
        return replace(run, evidence=replace(self.retrieve(run.query, subgraph), subgraph=subgraph))


class RerankStage(Stage):
    """Orders evidence, or keeps a part of it.

    Attributes:
        writes_items: Whether it may give items that are not among those it was given, such as summaries of them.
    """

    kind = "rerank"
    writes_items: ClassVar[bool] = False
    _accepts = frozenset({Level.EVIDENCE})
    _gives = Level.EVIDENCE

    @abstractmethod
    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """The evidence in a new order, best first; it may be shorter."""

    def _step(self, run: Run) -> Run:
        assert run.evidence is not None
        evidence = self.rerank(run.query, run.evidence)
        return replace(run, evidence=replace(evidence, subgraph=run.evidence.subgraph))


class GenerateStage(Stage):
    """Makes the answer."""

    kind = "generate"
    _accepts = frozenset({Level.EVIDENCE})
    _gives = Level.ANSWER

    @abstractmethod
    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """The answer to a query from its evidence; empty where the evidence holds none."""

    def _step(self, run: Run) -> Run:
        assert run.evidence is not None
        return replace(run, answer=self.generate(run.query, run.evidence))


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

    def apply(self, run: Run) -> Run:
        """Run the stages in order."""
        for stage in self.stages:
            run = stage.apply(run)
        return run


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
                    f"a union needs branches that give the same, but {first!r} gives {_NAMES[first.gives]} and "
                    f"{other!r} gives {_NAMES[other.gives]}; bring both to the same level before the |"
                )
        if first.gives == Level.ANSWER:
            raise PipelineError(
                f"answers cannot be united: {self!r}; unite the evidence and put one generate stage after the |"
            )
        if not self.accepts:
            raise PipelineError(f"no stage can come before {self!r}: its branches go on from different levels")

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

    def apply(self, run: Run) -> Run:
        """Run every branch from the same point and unite what they give."""
        if not any(_links(branch) for branch in self.branches):
            run = _link_by_default(run)  # once for all branches
        runs: list[Run] = []
        unlinked: list[tuple[Pipeline, LinkError]] = []
        for branch in self.branches:
            try:
                runs.append(branch.apply(run))
            except LinkError as error:
                unlinked.append((branch, error))
        if not runs:
            raise unlinked[0][1]
        with record(run.trace, repr(self), "union") as entry:
            for branch, reason in unlinked:
                event(f"{branch!r} was left out of the union: {reason}")
            union = _unite(runs)
            entry.counts_in = {k: sum(r.counts(self.gives).get(k, 0) for r in runs) for k in union.counts(self.gives)}
            entry.counts_out = union.counts(self.gives)
        return union


def _link_by_default(run: Run) -> Run:
    from graphbrick.link.labels import LinkLabels

    return run if run.linked or run.stopped else LinkLabels().apply(run)


def _links(pipeline: Pipeline) -> bool:
    """Whether a pipeline begins with a link stage of its own."""
    if isinstance(pipeline, Sequence):
        return _links(pipeline.stages[0])
    if isinstance(pipeline, Union):
        return any(_links(branch) for branch in pipeline.branches)
    return isinstance(pipeline, LinkStage)


def _unite(runs: list[Run]) -> Run:
    """Return the first run with what all runs hold."""
    queries = [run.query for run in runs]
    subgraphs = [run.subgraph for run in runs if run.subgraph is not None]
    evidences = [run.evidence for run in runs if run.evidence is not None]
    stops = [run.stopped for run in runs if run.stopped is not None]
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
        stopped=Stop(stops[0].reason, tuple(stage for stop in stops for stage in stop.undone)) if stops else None,
    )


def _parts(pipeline: Pipeline, kind: type[Pipeline]) -> tuple[Pipeline, ...]:
    """The parts of a sequence or union, so that ``(a >> b) >> c`` and ``a >> (b >> c)`` are one value."""
    if isinstance(pipeline, Sequence) and kind is Sequence:
        return pipeline.stages
    if isinstance(pipeline, Union) and kind is Union:
        return pipeline.branches
    return (pipeline,)


def _needs(pipeline: Pipeline) -> str:
    return " or ".join(_NAMES[level] for level in sorted(pipeline.accepts, reverse=True))


def _refuse_join(before: Pipeline, after: Pipeline) -> None:
    if before.gives == Level.ANSWER:
        raise PipelineError(f"{before!r} gives the answer, so {after!r} cannot come after it; leave one of them out")
    advice = _ADVICE[before.gives, max(after.accepts)]
    only = "only " if before.gives < max(after.accepts) else ""
    name = type(after).__name__ if isinstance(after, Stage) else repr(after)
    raise PipelineError(f"{name} needs {_needs(after)}, but {before!r} gives {only}{_NAMES[before.gives]}; {advice}")
