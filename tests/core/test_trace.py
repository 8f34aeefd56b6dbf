from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from graphbrick.core.trace import Exchange, Trace, count_call, count_exchange, event, fact, record


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
