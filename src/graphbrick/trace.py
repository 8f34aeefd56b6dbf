"""What every stage did: seconds, counts, model calls, tokens, and events.

A brick reports through `event`, `fact` and `count_call`; the runner opens one `StageTrace` a stage and collects them.
An event is anything a reader of the result should know: a cap that was reached, a reply that could not be parsed, a
name that means several entities.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any

_log = logging.getLogger("graphbrick")


@dataclass(slots=True)
class StageTrace:
    """One stage of one run.

    Attributes:
        stage: The stage as recipe text.
        kind: link, extract, prune, retrieve, rerank, generate or union.
        seconds: Wall-clock time.
        counts_in: What the stage was given, such as ``{"nodes": 1000, "triples": 2740}``.
        counts_out: What it gave.
        calls: Model calls (one a batch for local models).
        tokens_in: Tokens sent to models.
        tokens_out: Tokens that models wrote.
        cost: In US dollars, 0 for local models.
        cache_hits: Model calls answered from a cache, and texts whose embedding was kept.
        facts: Figures of the method itself, such as the error bound of scores.
        events: What a reader of the result should know.
    """

    stage: str
    kind: str
    seconds: float = 0.0
    counts_in: dict[str, int] = field(default_factory=dict)
    counts_out: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    cache_hits: int = 0
    facts: dict[str, float] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Trace:
    """The stages of one run, in the order they ran."""

    stages: list[StageTrace] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Time of all stages together."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def events(self) -> list[str]:
        """The events of all stages, in order."""
        return [event for stage in self.stages for event in stage.events]

    def to_dict(self) -> dict[str, Any]:
        """The trace as plain JSON types."""
        return {"seconds": self.seconds, "stages": [asdict(stage) for stage in self.stages]}


_current: ContextVar[StageTrace | None] = ContextVar("graphbrick_stage", default=None)


@contextmanager
def record(trace: Trace, stage: str, kind: str) -> Iterator[StageTrace]:
    """Open the record of one stage; what happens inside is timed and collected in it, also when it fails."""
    entry = StageTrace(stage, kind)
    trace.stages.append(entry)
    token = _current.set(entry)
    start = time.perf_counter()
    try:
        yield entry
    finally:
        entry.seconds = time.perf_counter() - start
        _current.reset(token)


def event(message: str) -> None:
    """Record an event of the running stage; outside a run it is logged."""
    entry = _current.get()
    if entry is None:
        _log.info(message)
    else:
        entry.events.append(message)


def in_stage() -> bool:
    """Whether a stage is running, so that events are seen in its trace."""
    return _current.get() is not None


def fact(**figures: float) -> None:
    """Record figures of the running stage's method, such as ``error_bound=1e-4``."""
    entry = _current.get()
    if entry is not None:
        entry.facts.update(figures)


def count_hits(hits: int) -> None:
    """Add texts whose vector was at hand to the running stage's cache hits."""
    entry = _current.get()
    if entry is not None:
        entry.cache_hits += hits


def count_call(*, tokens_in: int = 0, tokens_out: int = 0, cost: float = 0.0, cached: bool = False) -> None:
    """Add one model call to the running stage."""
    entry = _current.get()
    if entry is not None:
        entry.calls += 1
        entry.tokens_in += tokens_in
        entry.tokens_out += tokens_out
        entry.cost += cost
        entry.cache_hits += cached
