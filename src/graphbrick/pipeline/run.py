"""One execution of a pipeline: what it has so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum

from graphbrick.core import Answer, Evidence, Query, Subgraph
from graphbrick.core.trace import Trace
from graphbrick.graphs.graph import Graph


class Level(IntEnum):
    """What a run has so far."""

    QUERY = 0
    SUBGRAPH = 1
    EVIDENCE = 2
    ANSWER = 3


@dataclass(frozen=True)
class Stop:
    """Why a run ended before its last stage.

    Attributes:
        reason: Such as that a budget is used up.
        undone: The stages that were not done or not finished, as recipe text, in order.
    """

    reason: str
    undone: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.reason}; left undone: {', '.join(self.undone)}"


@dataclass(frozen=True)
class Run:
    """One execution of a pipeline: what each level holds at the end, and the trace.

    Attributes:
        query: The question with its seeds.
        subgraph: The last subgraph; None if no stage made one.
        evidence: The last evidence; None if no stage retrieved any.
        answer: The answer; None if the pipeline has no generate stage.
        trace: What every stage did.
        stopped: Why it ended early; None for a run that went to its end.
    """

    graph: Graph
    query: Query
    linked: bool = False
    subgraph: Subgraph | None = None
    evidence: Evidence | None = None
    answer: Answer | None = None
    trace: Trace = field(default_factory=Trace)
    stopped: Stop | None = None

    def stop(self, reason: str, stage: str) -> Run:
        """This run, ended before a stage, or one more stage that an end left undone."""
        before = self.stopped or Stop(reason, ())
        return replace(self, stopped=replace(before, undone=(*before.undone, stage)))

    def counts(self, level: Level) -> dict[str, int]:
        """Sizes of what this run holds at a level."""
        if level == Level.ANSWER and self.answer is not None:
            return {"answers": len(self.answer.texts)}
        if level == Level.EVIDENCE and self.evidence is not None:
            return self.evidence.counts()
        if level == Level.SUBGRAPH and self.subgraph is not None:
            return {"nodes": self.subgraph.n_nodes, "triples": self.subgraph.n_triples}
        return {"seeds": len(self.query.seeds)}

    @property
    def level(self) -> Level:
        """The highest level this run has reached."""
        if self.answer is not None:
            return Level.ANSWER
        if self.evidence is not None:
            return Level.EVIDENCE
        return Level.QUERY if self.subgraph is None else Level.SUBGRAPH
