"""Answering a question for a client: the run, its JSON, and its events while it goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

from graphbrick.core.compute import TimeLeft, watched_by
from graphbrick.core.trace import StageTrace
from graphbrick.learn.welcome import welcomed
from graphbrick.models.llm.chat import streaming
from graphbrick.pipeline import Pipeline, interpreter
from graphbrick.pipeline.beginning import begin
from graphbrick.pipeline.budget import Budget
from graphbrick.pipeline.composition import Sequence
from graphbrick.pipeline.interpreter import Course, answered
from graphbrick.pipeline.run import Run
from graphbrick.pipeline.run_json import run_json
from graphbrick.pipeline.stages import GenerateStage
from graphbrick.serve.errors import ServeError
from graphbrick.serve.hosting import Opened, questions_of
from graphbrick.serve.limits.streams import Channel, sse
from graphbrick.serve.models import Ask, Question
from graphbrick.serve.service import Service
from graphbrick.serve.telemetry import trace_run

_PROGRESS_SECONDS = 0.25  # between two events about the same step
SHORT = 10
"""Items of the evidence that are sent unless all are asked for; those that support answers are always sent."""
ASKED_IN = "Asked in the graph "
"""The beginning of the note which of several graphs was asked."""


@dataclass(frozen=True)
class Inquiry:
    """A question with the graph, pipeline and limits of its run.

    Attributes:
        opened: The graph.
        pipeline: The pipeline.
        question: The question.
        seeds: Keys or labels where to start; empty to link the question.
        budget: Limits of the run.
        subgraph: Whether the subgraph is sent.
        all_evidence: Whether all evidence is sent, not only its first items.
        before: Trace of what was done before the run, its first stage; None for nothing.
        first_of: Number of graphs of which the first is asked, as the request names none; 1 for a graph that was meant.
    """

    opened: Opened
    pipeline: Pipeline
    question: str
    seeds: tuple[str, ...]
    budget: Budget
    subgraph: bool = False
    all_evidence: bool = False
    before: StageTrace | None = None
    first_of: int = 1

    @property
    def graph_note(self) -> list[dict[str, str]]:
        """The note which of several graphs was asked; empty if the request names it, or there is one."""
        if self.first_of == 1:
            return []
        text = f"{ASKED_IN}{self.opened.name}, the first of {self.first_of:,}, as the request names none"
        return [{"text": text, "code": "serve.first_graph"}]


def read_ask(service: Service, body: Question, *, retrieve: bool = False, all_evidence: bool = False) -> Inquiry:
    """Return the question, graph, pipeline and limits of a request.

    Args:
        service: The server.
        body: The request.
        retrieve: Whether the generate stage of the pipeline is left out.
        all_evidence: Whether all evidence is sent.
    """
    opened = service.graph(body.graph)
    pipeline = service.pipeline(
        opened, recipe=body.recipe, parts=body.parts, text=body.pipeline, min_confidence=body.min_confidence
    )
    if retrieve:
        pipeline = without_answer(pipeline)
    budget = service.runner.budget(None if body.budget is None else body.budget.model_dump())
    subgraph = isinstance(body, Ask) and body.subgraph
    first_of = 1 if body.graph else len(service.graphs)
    seeds = tuple(body.seeds)
    return Inquiry(opened, pipeline, body.question, seeds, budget, subgraph, all_evidence, first_of=first_of)


def without_answer(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline without its generate stage.

    Raises:
        ServeError: It has no other stage.
    """
    if isinstance(pipeline, GenerateStage):
        raise ServeError(400, "nothing_to_retrieve", f"{pipeline!r} retrieves nothing; put stages before it")
    if not isinstance(pipeline, Sequence) or not isinstance(pipeline.stages[-1], GenerateStage):
        return pipeline
    rest = pipeline.stages[:-1]
    return rest[0] if len(rest) == 1 else Sequence(rest)


def run_of(inquiry: Inquiry, watch: Callable[[StageTrace], None] | None = None) -> Run:
    """Run the pipeline, in the thread that calls this; a message that asks nothing gets a friendly line.

    Args:
        inquiry: The question.
        watch: Called with the trace of every stage as it ends; None for nothing.
    """
    opened = inquiry.opened
    welcome = welcomed(opened.graph, inquiry.pipeline, inquiry.question, partial(questions_of, opened), inquiry.seeds)
    if welcome is not None:
        return welcome
    with trace_run(opened.name) as traced:
        begun = begin(inquiry.pipeline, opened.graph, inquiry.question, inquiry.seeds)
        if inquiry.before is not None:
            begun.trace.stages.insert(0, inquiry.before)
        memory = None if watch is None else _Watch(watch, begun)
        run = answered(inquiry.pipeline, begun, memory)
        traced(run)
    return run


class _Watch:
    """Observer that passes on every ended stage of a run; as a memory of pipelines it stores nothing."""

    def __init__(self, watch: Callable[[StageTrace], None], begun: Run) -> None:
        self._watch, self._told = watch, 0
        self._tell(begun)

    def recall(self, pipeline: Pipeline) -> Course | None:
        """Return None: nothing is stored."""
        del pipeline
        return None

    def hold(self, pipeline: Pipeline, course: Course) -> Course:
        """Pass on the stages that have ended since the last call."""
        del pipeline
        self._tell(course.run)
        return course

    def _tell(self, run: Run) -> None:
        for stage in run.trace.stages[self._told :]:
            self._watch(stage)
        self._told = len(run.trace.stages)


def reply_of(inquiry: Inquiry, run: Run) -> dict[str, Any]:
    """Return a run as the server sends it: with names of graph and documents in place of their paths.

    ``evidence`` has only its first items, unless all are asked for; ``evidence_count`` says how many there are.
    """
    count = None if run.evidence is None else len(run.evidence.items)
    if run.evidence is not None and not inquiry.all_evidence:
        run = replace(run, evidence=replace(run.evidence, items=run.evidence.items[:SHORT]))
    facts = run_json(run, inquiry.pipeline, subgraph=inquiry.subgraph) | {"evidence_count": count}
    _without_places(inquiry.opened, facts)
    facts["notes"] += inquiry.graph_note
    return facts | {"graph": {"name": inquiry.opened.name, "hash": inquiry.opened.hash}}


def _without_places(opened: Opened, facts: dict[str, Any]) -> None:
    """Put names of documents, files and folders in place of their paths in a run as JSON."""
    shown = cache(opened.places.shown)  # the items of one run have few sources
    facts["pipeline"] = shown(facts["pipeline"])
    for item in (*facts["support"], *(facts["evidence"] or ())):
        item["source"] = shown(item["source"])
        if opened.names is not None:
            for place in (*item.get("citations", ()), *item.get("card", {}).get("passages", ())):
                place["document"] = opened.names.name(place["document"])
    for note in (*facts["notes"], *filter(None, [facts["refusal"]])):
        note["text"] = opened.without_places(note["text"])
    if facts["stopped"] is not None:
        facts["stopped"]["undone"] = opened.places.shown(facts["stopped"]["undone"])
    for stage in facts["trace"]["stages"]:
        _stage_without_places(opened, stage)


def _stage_without_places(opened: Opened, stage: dict[str, Any]) -> None:
    stage["stage"] = opened.places.shown(stage["stage"])
    stage["events"] = [opened.without_places(event) for event in stage["events"]]
    for child in stage["children"]:
        _stage_without_places(opened, child)


def usage_of(run: Run) -> dict[str, Any]:
    """Return the fields of a run in the access log."""
    ledger = run.trace.ledger
    used = {"tokens": int(ledger["tokens_in"] + ledger["tokens_out"])} if ledger["calls"] else {}
    return {"run_ms": round(1000 * run.trace.seconds, 1), **used}


async def events_of(service: Service, inquiry: Inquiry, log: dict[str, Any], request: str) -> AsyncIterator[bytes]:
    """Yield the events of a run: ``start``, ``progress``, ``stage``, ``token``, then ``result`` or ``error``.

    The run is cancelled when this is closed before its end.

    Args:
        service: The server.
        inquiry: The question.
        log: Fields of the request in the access log; the run adds to them.
        request: The id of the request.
    """
    channel = Channel(asyncio.get_running_loop())

    def tell(stage: StageTrace) -> None:
        facts = asdict(stage)
        _stage_without_places(inquiry.opened, facts)
        channel.put(sse("stage", facts))

    left, told = TimeLeft(), 0.0

    def progress(step: str, done: float, total: float | None) -> None:
        nonlocal told
        seconds, now = left(step, done, total), time.monotonic()
        if not done or now - told >= _PROGRESS_SECONDS:
            told = now
            facts = {"step": inquiry.opened.places.shown(step), "done": done, "total": total, "seconds_left": seconds}
            channel.put(sse("progress", facts))

    def work() -> bytes:
        with streaming(lambda piece: channel.put(sse("token", {"text": piece}))), watched_by(progress):
            run = run_of(inquiry, tell)
        log.update(usage_of(run))
        return sse("result", reply_of(inquiry, run))

    yield sse("start", start_of(inquiry))
    done = asyncio.ensure_future(service.runner.call(work, service.gate(inquiry.pipeline), inquiry.budget))
    try:
        async for piece in channel.until(done):
            yield piece
        error = done.exception()
        if error is None:
            yield done.result()
        else:
            reply = service.reply_to(error, request)
            log["error"] = reply.body["error"]["code"]  # the status was sent before it was known
            yield sse("error", reply.body)
    finally:
        if not done.done():
            done.cancel()  # which cancels the budget of the run
        await asyncio.gather(done, return_exceptions=True)


def start_of(inquiry: Inquiry) -> dict[str, Any]:
    """Return the pipeline and its stages, which a page draws before the run."""
    stages = interpreter.steps(inquiry.pipeline, linked=bool(inquiry.seeds))
    facts: dict[str, Any] = inquiry.opened.places.shown(
        {
            "pipeline": repr(inquiry.pipeline),
            "stages": [{"stage": repr(stage), "kind": getattr(stage, "kind", "union")} for stage in stages],
        }
    )
    return facts | {"graph": {"name": inquiry.opened.name, "hash": inquiry.opened.hash}}
