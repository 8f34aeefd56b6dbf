from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from graphbrick.core.trace import (
    Event,
    Exchange,
    StageTrace,
    Trace,
    count_call,
    count_exchange,
    count_hits,
    event,
    fact,
    in_stage,
    record,
    record_within,
    tally,
)


def test_what_a_stage_reports_is_in_its_own_record() -> None:
    trace = Trace()
    with record(trace, "PPR()", "extract") as entry:
        event("capped")
        fact(error_bound=0.5, edges=3)
        fact(edges=4)
        count_call(tokens_in=10, tokens_out=2)
        count_exchange(Exchange("m", [], "a", 3, 1, estimated=True, seconds=1.5, cost=0.25))
        count_exchange(Exchange("m", [], "a", 3, 1, cached=True, seconds=1.5, cost=0.25), with_text=False)
        entry.counts_out = {"nodes": 7}
    with record(trace, "PathAnswer()", "generate"):
        event("no answer")
    first, second = trace.stages
    assert (first.stage, first.kind, first.counts_out) == ("PPR()", "extract", {"nodes": 7})
    assert (first.calls, first.tokens_in, first.tokens_out, first.cost, first.cache_hits) == (2, 13, 3, 0.25, 1)
    assert (first.estimated, first.waited, len(first.exchanges)) == (4, 1.5, 1)
    assert trace.ledger["tokens_in"] == 13
    assert (trace.ledger["embedding_calls"], trace.ledger["embedding_tokens"]) == (1, 10)  # not of the language model
    assert first.facts == {"error_bound": 0.5, "edges": 4}
    assert (first.events, second.events, second.calls) == (["capped"], ["no answer"], 0)
    assert trace.events == ["capped", "no answer"]


def test_seconds_add_up() -> None:
    trace = Trace()
    for _ in range(2):
        with record(trace, "x", "link") as entry:
            pass
        assert entry.seconds > 0
        entry.seconds = 1.5
    assert trace.seconds == 3


def test_a_stage_that_fails_keeps_its_time_and_events() -> None:
    trace = Trace()
    with pytest.raises(ValueError, match="broken"), record(trace, "x", "link"):  # noqa: PT012 - what is done before it
        event("before")
        raise ValueError("broken")
    assert trace.stages[0].seconds > 0
    assert trace.events == ["before"]
    event("after")
    assert trace.events == ["before"]


def test_the_inner_record_hides_the_outer_one_while_it_is_open() -> None:
    trace = Trace()
    with record(trace, "outer", "union"):
        event("1")
        with record(trace, "inner", "link"):
            event("2")
        event("3")
    assert [(stage.stage, stage.events) for stage in trace.stages] == [("outer", ["1", "3"]), ("inner", ["2"])]


def test_outside_a_run_events_are_logged_and_figures_dropped(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="graphbrick"):
        event("nobody runs")
        fact(x=1.0)
        count_call(tokens_in=1)
    assert caplog.messages == ["nobody runs"]


def test_threads_do_not_mix() -> None:
    barrier = Barrier(4, timeout=60)

    def run(name: str) -> Trace:
        trace = Trace()
        with record(trace, name, "link"):
            for i in range(20):
                barrier.wait()
                event(f"{name}{i}")
                count_call(tokens_in=1)
        return trace

    with ThreadPoolExecutor(4) as pool:
        for name, trace in zip("abcd", pool.map(run, "abcd"), strict=True):
            assert trace.events == [f"{name}{i}" for i in range(20)]
            assert trace.stages[0].calls == 20


def test_to_dict_is_plain_json() -> None:
    trace = Trace()
    with record(trace, "PPR()", "extract"):
        fact(error_bound=0.5)
        event("é")
    data = json.loads(json.dumps(trace.to_dict()))
    assert data["stages"][0]["facts"] == {"error_bound": 0.5}
    assert data["seconds"] == trace.seconds


def test_figures_of_a_new_stage_and_of_an_exchange_are_zero() -> None:
    trace = Trace([StageTrace("PPR()", "extract")])
    zeros = dict.fromkeys(("calls", "tokens_in", "tokens_out", "estimated", "waited", "cost", "cache_hits",
                           "embedding_calls", "embedding_tokens"), 0)  # fmt: skip
    assert (trace.ledger, trace.seconds, trace.stages[0].facts, trace.event_codes) == (zeros, 0, {}, [])
    with record(trace, "LLM()", "generate") as entry:
        count_exchange(Exchange("m", [], "a"))
    assert trace.ledger == {**zeros, "calls": 1}
    assert [(exchange.cached, exchange.calls) for exchange in entry.exchanges] == [(False, 1)]


def test_several_calls_for_one_exchange_count_each() -> None:
    trace = Trace()
    with record(trace, "LLM()", "generate") as entry:
        count_exchange(Exchange("m", [], "a", 5, 7, calls=3, seconds=0.5))
        count_exchange(Exchange("m", [], "b", 1, 2, cost=0.5))
        count_call()
    assert (entry.calls, entry.tokens_in, entry.tokens_out, entry.estimated) == (5, 6, 9, 0)
    assert (entry.waited, entry.cost, len(entry.exchanges)) == (0.5, 0.5, 2)


def test_tallies_and_hits_add_up() -> None:
    trace = Trace()
    with record(trace, "LLM()", "generate") as entry:
        tally(unread_replies=1, refusals=2)
        tally(unread_replies=3)
        count_hits(4)
        count_hits(5)
        assert in_stage()
    assert (entry.facts, entry.cache_hits) == ({"unread_replies": 4, "refusals": 2}, 9)
    assert not in_stage()
    tally(unread_replies=1)
    count_hits(1)
    count_exchange(Exchange("m", [], "a"))
    assert trace.ledger["cache_hits"] == 9


def test_an_event_may_be_told_once_and_has_a_code() -> None:
    trace = Trace()
    with record(trace, "x", "link"):
        event("twice", "x.twice", n=2)
        event("twice", "x.twice", n=2)
        event("once", "x.once", once=True)
        event("once", "x.once", once=True)
        event("twice", once=True)
    assert trace.events == ["twice", "twice", "once"]
    assert trace.event_codes == ["x.twice", "x.twice", "x.once"]
    assert [told.values for told in trace.events if isinstance(told, Event)] == [{"n": 2}, {"n": 2}, {}]


def test_stages_within_a_stage_are_its_children_in_order() -> None:
    trace = Trace()
    with record(trace, "outer", "union") as outer:
        with record_within("first", "step"), record_within("inner", "tool"):
            event("in the inner one", "inner")
        with record_within("second", "step") as second:
            count_call(tokens_in=3)
        second.seconds = 8.0
        event("in the outer one")
    outer.seconds = 2.0
    assert [(depth, stage.stage) for depth, stage in trace.walk()] == [
        (0, "outer"), (1, "first"), (2, "inner"), (1, "second"),
    ]  # fmt: skip
    assert [depth for depth, _ in outer.walk(5)] == [5, 6, 7, 6]
    assert trace.seconds == 2.0
    assert (trace.ledger["calls"], trace.ledger["tokens_in"], outer.calls) == (1, 3, 0)
    assert trace.events == ["in the outer one", "in the inner one"]
    read = Trace.from_dict(json.loads(json.dumps(trace.to_dict())))
    assert (read, trace.event_codes, read.event_codes) == (trace, ["", "inner"], ["", ""])


def test_a_stage_within_no_stage_is_in_no_trace() -> None:
    with record_within("alone", "step") as entry:
        event("told")
    assert (entry.stage, entry.kind, entry.events) == ("alone", "step", ["told"])


def test_a_copy_shares_nothing_that_can_grow() -> None:
    trace = Trace()
    with record(trace, "outer", "union") as entry:
        entry.counts_in, entry.counts_out = {"nodes": 1}, {"nodes": 2}
        fact(x=1)
        event("told")
        count_exchange(Exchange("m", [], "a"))
        with record_within("inner", "step"):
            event("told inside")
    copy, before = trace.copy(), replace(trace.stages[0])
    assert copy == trace
    (stage,) = copy.stages
    for grown in (stage.counts_in, stage.counts_out, stage.facts, stage.events, stage.exchanges, stage.children):
        grown.clear()
    copy.stages.clear()
    assert trace.stages == [before]
    assert trace.events == ["told", "told inside"]
    assert len(before.exchanges) == len(before.counts_in) == len(before.counts_out) == len(before.facts) == 1
