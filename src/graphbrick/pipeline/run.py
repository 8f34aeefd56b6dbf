"""One execution of a pipeline: its results so far, and its graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from graphbrick.core import Answer, Evidence, Item, Path, Query, Subgraph
from graphbrick.core.deferred import Shown
from graphbrick.core.items import BaseItem
from graphbrick.core.trace import NOTE, REFUSAL, Trace

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph


class Level(IntEnum):
    """The progress of a run, named by the last thing that it holds."""

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


@dataclass(frozen=True, repr=False)
class Run(Shown):
    """One execution of a pipeline: the results of each level at the end, and the trace.

    Attributes:
        graph: The graph.
        query: The question with its seeds.
        linked: Whether linking was done, or not needed since there are seeds.
        subgraph: The last subgraph; None if no stage made one.
        evidence: The last evidence; None if no stage retrieved any.
        answer: The answer; None if the pipeline has no generate stage.
        trace: What every stage did.
        stopped: Why it ended early; None if it did not.
    """

    graph: Graph
    query: Query
    linked: bool = False
    subgraph: Subgraph | None = None
    evidence: Evidence | None = None
    answer: Answer | None = None
    trace: Trace = field(default_factory=Trace)
    stopped: Stop | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain JSON types, with keys of the graph in the place of numbers."""
        graph, stopped = self.graph, self.stopped
        answer = self.answer or Answer()
        answers = zip(answer.texts, answer.entities, answer.support or ((),) * len(answer.texts), strict=True)
        return {
            "question": self.query.text,
            "level": self.level.name.lower(),
            "graph": _place(graph),
            "seeds": [_seed(graph, self.query, seed) for seed in self.query.seeds],
            "subgraph": None if self.subgraph is None else self.counts(Level.SUBGRAPH),
            "answers": [
                {"text": text, "key": None if entity is None else graph.key(entity), "support": list(items)}
                | ({"mark": list(answer.marks[i])} if answer.marks else {})
                for i, (text, entity, items) in enumerate(answers)
            ],
            "from_model": answer.from_model,
            "confidence": answer.confidence,
            "withheld": answer.withheld or None,
            "refusal": None if answer.texts else _refusal(self.trace.events),
            "readings": [asdict(reading) for reading in answer.readings],
            "notes": [_note(event) for event in self.trace.events if getattr(event, "told_as", NOTE) == NOTE],
            "support": [_item(item) for item in answer.evidence.items],
            "stopped": None if stopped is None else {"reason": stopped.reason, "undone": list(stopped.undone)},
            "evidence": None if self.evidence is None else [_item(item) for item in self.evidence.items],
            "trace": self.trace.to_dict(),
        }

    def stop(self, reason: str, stage: str) -> Run:
        """Return this run as stopped before a stage; a run that was stopped already has one undone stage more."""
        before = self.stopped or Stop(reason, ())
        return replace(self, stopped=replace(before, undone=(*before.undone, stage)))

    def counts(self, level: Level) -> dict[str, int]:
        """Return the sizes of what this run holds at a level."""
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


def _note(event: str) -> dict[str, str]:
    return {"text": str(event), "code": getattr(event, "code", "")}


def _refusal(events: Iterable[str]) -> dict[str, str] | None:
    """Return the last reason that there is no answer; None if no stage told one."""
    reasons = [_note(event) for event in events if getattr(event, "told_as", "") == REFUSAL]
    return reasons[-1] if reasons else None


def _place(graph: Any) -> dict[str, str]:
    """Return where a graph is; a database has no hash, as it may change at any time."""
    if getattr(graph, "origin", ""):
        return {"path": graph.origin, "hash": ""}
    return {"path": str(getattr(graph, "path", repr(graph))), "hash": str(getattr(graph, "hash", ""))}


def _seed(graph: Graph, query: Query, seed: int) -> dict[str, Any]:
    """Return a seed with the mention that it was linked from."""
    row: dict[str, Any] = {"key": graph.key(seed), "label": graph.label(seed), "text": graph.describe(seed)}
    for mention in query.mentions:
        if mention.entity == seed:
            others = [graph.key(other) for other in mention.others]
            row |= {"mention": mention.text, "score": mention.score, "others": others}
    return row


def _item(item: Item) -> dict[str, Any]:
    """Return an item of the evidence as plain JSON types."""
    facts: dict[str, Any] = {"text": item.text, "score": item.score, "source": item.source}
    if isinstance(item, Path):
        graph = item.graph
        ids = [graph.triple(triple) for triple in item.triples]
        triples = [(graph.key(head), graph.relation_key(relation), graph.key(tail)) for head, relation, tail in ids]
        return facts | {"triples": triples, "forward": item.forward}
    if item.graph is not None:
        facts["entities"] = [item.graph.key(entity) for entity in item.entities]
    if isinstance(item, BaseItem):
        facts |= item.fields()
    if item.citations:
        facts["citations"] = [asdict(citation) for citation in item.citations]
    return facts | {"kind": item.kind}


_graph: ContextVar[Graph | None] = ContextVar("graphbrick_graph", default=None)


@contextmanager
def on_graph(graph: Graph | None) -> Iterator[None]:
    """Set the graph of the stages that run inside the block, for files beside a graph, such as vectors."""
    token = _graph.set(graph)
    try:
        yield
    finally:
        _graph.reset(token)


def current_graph() -> Graph | None:
    """Return the graph that the running pipeline works on; None outside a run."""
    return _graph.get()
