"""Traces: seconds, counts, model calls, tokens and events of every stage.

A brick reports through `event` and `fact`, a model through `count_call` and `count_exchange`; the interpreter opens
one `StageTrace` per stage and collects them. An event is anything a reader of the result should know: a cap that was
reached, a reply that could not be parsed, a name that means several entities.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from graphbrick.core.deferred import Shown

_log = logging.getLogger("graphbrick")
_LEDGER = (
    *("calls", "tokens_in", "tokens_out", "estimated", "waited", "cost", "cache_hits"),
    *("embedding_calls", "embedding_tokens"),
)


@dataclass(slots=True, repr=False)
class Exchange(Shown):
    """One call of a language model, with the full text of the messages and of the reply.

    Attributes:
        model: The model that replied.
        messages: The messages to the model, each ``{"role": ..., "content": ...}``.
        reply: The reply of the model.
        tokens_in: Tokens of the messages.
        tokens_out: Tokens of the reply.
        estimated: True if the server did not report the tokens, so that they were counted here.
        seconds: From the request to the end of the reply, further tries included.
        cost: In US dollars, 0 where no price is known.
        cached: True if the reply is a recorded one: then no call was made, and tokens, seconds and cost are those of
            the recorded call.
        tool_calls: The tools that the model called, each ``{"id": ..., "type": "function", "function": {...}}``.
        alternatives: The other replies if several were asked for, each as a message.
        calls: How many calls it took: several if the server gives one reply at a time and more were asked for.
    """

    model: str
    messages: list[dict[str, Any]]
    reply: str
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    seconds: float = 0.0
    cost: float = 0.0
    cached: bool = False
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    alternatives: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 1


NOTE, DETAIL, REFUSAL = "note", "detail", "refusal"
"""What an event is to people: something to know of the answer, a detail of how it came about, or why there is none."""


class Event(str):
    """The text of an event, with its code, the values that it speaks of, and what it is to people.

    Read back from a file, it is a plain text.

    Example:
        >>> event = Event("3 of 5 paths were left out (cap)", "paths.cap", kept=3)
        >>> event, event.code, event.values
        ('3 of 5 paths were left out (cap)', 'paths.cap', {'kept': 3})
    """

    code: str
    values: dict[str, object]
    told_as: str

    def __new__(cls, text: str, code: str = "", told_as: str = NOTE, /, **values: object) -> Event:
        """Return the text with its code and values."""
        new = super().__new__(cls, text)
        new.code, new.told_as, new.values = code, told_as, values
        return new


@dataclass(slots=True, repr=False)
class StageTrace(Shown):
    """One stage of one run.

    Attributes:
        stage: The stage as recipe text.
        kind: link, extract, expand, prune, retrieve, rerank, generate, union or repeat; step or tool in an agent.
        seconds: Wall-clock time, including that of the children.
        counts_in: Sizes of the input, such as ``{"nodes": 1000, "triples": 2740}``.
        counts_out: Sizes of the output.
        calls: Model calls made by the stage itself, without its children (one per batch for local models).
        tokens_in: Tokens sent to models.
        tokens_out: Tokens that models wrote.
        estimated: How many of these tokens a server did not report, so that they were counted here.
        waited: Seconds spent on calls to language models; calls at the same time count each.
        cost: In US dollars, 0 for local models.
        cache_hits: Calls saved by a recorded reply, and texts whose embedding was kept.
        embedding_calls: Those of the calls that went to embedders and ranking models, not to language models.
        embedding_tokens: Those of ``tokens_in`` that embedders and ranking models read.
        facts: Figures of the method itself, such as the error bound of scores, and the peaks of memory
            (`graphbrick.core.memory.meter`) where these are measured. ``unread_replies`` counts replies of
            language models that could not be read, ``refusals`` those that say that the evidence holds no answer.
        events: What a reader of the result should know.
        exchanges: Messages to language models and their replies.
        children: The stages that ran within this one, in order, such as those of the rounds of a `Repeat`.
    """

    stage: str
    kind: str
    seconds: float = 0.0
    counts_in: dict[str, int] = field(default_factory=dict)
    counts_out: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    waited: float = 0.0
    cost: float = 0.0
    cache_hits: int = 0
    embedding_calls: int = 0
    embedding_tokens: int = 0
    facts: dict[str, float] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    children: list[StageTrace] = field(default_factory=list)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, StageTrace]]:
        """Yield this stage and all stages within it in order, each with its depth."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)

    def copy(self) -> StageTrace:
        """Return a copy that shares nothing that can grow."""
        return replace(
            self,
            counts_in=dict(self.counts_in),
            counts_out=dict(self.counts_out),
            facts=dict(self.facts),
            events=list(self.events),
            exchanges=list(self.exchanges),
            children=[child.copy() for child in self.children],
        )


@dataclass(slots=True, repr=False)
class Trace(Shown):
    """The stages of one run, in the order they ran; stages that ran within a stage are its children."""

    stages: list[StageTrace] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Time of all stages together; that of children is part of their stage's."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def events(self) -> list[str]:
        """The events of all stages, in order, children included."""
        return [event for _, stage in self.walk() for event in stage.events]

    @property
    def event_codes(self) -> list[str]:
        """The codes of all events, in order; empty for one without a code, as after reading a file."""
        return [getattr(event, "code", "") for event in self.events]

    @property
    def ledger(self) -> dict[str, float]:
        """The cost of all stages, children included: calls, tokens, seconds waited, dollars, hits."""
        return {name: sum(getattr(stage, name) for _, stage in self.walk()) for name in _LEDGER}

    def walk(self) -> Iterator[tuple[int, StageTrace]]:
        """Yield every stage in order, children after their stage, each with its depth from 0."""
        for stage in self.stages:
            yield from stage.walk()

    def copy(self) -> Trace:
        """Return a copy that shares nothing that can grow."""
        return Trace([stage.copy() for stage in self.stages])

    def to_dict(self) -> dict[str, Any]:
        """The trace as plain JSON types."""
        return {
            "seconds": self.seconds,
            "ledger": self.ledger,
            "stages": [asdict(stage) for stage in self.stages],
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Trace:
        """Return the trace that `to_dict` gave.

        >>> trace = Trace([StageTrace("PPR()", "extract", children=[StageTrace("BM25()", "step")])])
        >>> Trace.from_dict(trace.to_dict()) == trace
        True
        """
        return cls([_stage(stage) for stage in facts["stages"]])


def _stage(facts: Mapping[str, Any]) -> StageTrace:
    exchanges = [Exchange(**exchange) for exchange in facts["exchanges"]]
    return StageTrace(**{**facts, "exchanges": exchanges, "children": [_stage(child) for child in facts["children"]]})


class Meter(Protocol):
    """Measures something of every stage besides its time."""

    def begin(self) -> Any:
        """Begin to measure a stage; return what `end` needs."""

    def end(self, frame: Any) -> Mapping[str, float]:
        """Return the figures of a stage, which become facts of it."""


_current: ContextVar[StageTrace | None] = ContextVar("graphbrick_stage", default=None)
_meter: ContextVar[Meter | None] = ContextVar("graphbrick_meter", default=None)


@contextmanager
def measured_by(meter: Meter) -> Iterator[None]:
    """Measure every stage inside the block by a meter."""
    token = _meter.set(meter)
    try:
        yield
    finally:
        _meter.reset(token)


@contextmanager
def record(trace: Trace, stage: str, kind: str) -> Iterator[StageTrace]:
    """Open the trace entry of one stage; the block is timed and reported in it, even if it fails."""
    entry = StageTrace(stage, kind)
    trace.stages.append(entry)
    token, meter = _current.set(entry), _meter.get()
    frame = None if meter is None else meter.begin()
    start = time.perf_counter()
    try:
        yield entry
    finally:
        entry.seconds = time.perf_counter() - start
        if meter is not None:
            entry.facts.update(meter.end(frame))
        _current.reset(token)


@contextmanager
def record_within(stage: str, kind: str) -> Iterator[StageTrace]:
    """Open an entry of the trace within that of the running stage, such as a step of an agent."""
    outer = _current.get()
    with record(Trace([] if outer is None else outer.children), stage, kind) as entry:
        yield entry


def event(message: str, code: str = "", told_as: str = NOTE, /, *, once: bool = False, **values: object) -> None:
    """Record an event of the running stage; outside a run it is logged.

    Args:
        message: What a reader of the result should know.
        code: A name of the event, such as "path_answer.cap", that stays when the words of the message are bettered.
        told_as: `NOTE`, `DETAIL` for what only people who want to know how a run came about should see, or `REFUSAL`
            for the reason that there is no answer.
        once: Whether to leave it out if the stage has the same event already.
        **values: What the message speaks of, by name, for programs and tests.
    """
    entry = _current.get()
    if entry is None:
        _log.info(message)
    elif not once or message not in entry.events:
        entry.events.append(Event(message, code, told_as, **values))


def in_stage() -> bool:
    """Return whether a stage is running, so that its trace shows events."""
    return _current.get() is not None


def tell_again(trace: Trace) -> None:
    """Record the events of another trace as events of the running stage, as of a step whose result is taken."""
    for one in trace.events:
        if isinstance(one, Event):
            event(str(one), one.code, one.told_as, once=True, **one.values)


def fact(**figures: float) -> None:
    """Record figures of the running stage's method, such as ``error_bound=1e-4``."""
    entry = _current.get()
    if entry is not None:
        entry.facts.update(figures)


def tally(**figures: float) -> None:
    """Add to figures of the running stage's method, such as ``unread_replies=1``."""
    entry = _current.get()
    if entry is not None:
        entry.facts.update({name: entry.facts.get(name, 0) + figure for name, figure in figures.items()})


def count_hits(hits: int) -> None:
    """Add texts whose vector was kept to the running stage's cache hits."""
    entry = _current.get()
    if entry is not None:
        entry.cache_hits += hits


def count_call(*, tokens_in: int = 0, tokens_out: int = 0) -> None:
    """Add one call to a local embedder or ranking model to the running stage."""
    entry = _current.get()
    if entry is not None:
        entry.calls += 1
        entry.embedding_calls += 1
        entry.embedding_tokens += tokens_in
        entry.tokens_in += tokens_in
        entry.tokens_out += tokens_out


def count_exchange(exchange: Exchange, *, with_text: bool = True) -> None:
    """Add a call to a model server to the running stage, or the hit that saved it.

    Args:
        exchange: The messages and the reply.
        with_text: Whether the trace keeps their text; False for embeddings, which count as such.
    """
    entry = _current.get()
    if entry is None:
        return
    if with_text:
        entry.exchanges.append(exchange)
    if exchange.cached:
        entry.cache_hits += 1
        return
    entry.calls += exchange.calls
    entry.tokens_in += exchange.tokens_in
    entry.tokens_out += exchange.tokens_out
    if not with_text:
        entry.embedding_calls += exchange.calls
        entry.embedding_tokens += exchange.tokens_in
    entry.estimated += (exchange.tokens_in + exchange.tokens_out) * exchange.estimated
    entry.waited += exchange.seconds
    entry.cost += exchange.cost
