"""Agents whose model or server misbehaves, and the limits that end them."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agent_scripts import SHILLING, SPOKEN, TOOLS, WALK, advice, ask, calls, events, texts
from faults import told

from graphbrick import Budget, build, spending
from graphbrick.bricks.agents import tool_threads, toolbox
from graphbrick.bricks.agents.agent_tool import Observation, tool
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core.errors import ModelError, UnavailableError
from graphbrick.testing import TINY, NeighboursOnly, Reply, Request

# What models do wrong


def test_empty_replies_end_the_agent_soon() -> None:
    for reply in ("", "   ", "<think>what now</think>"):
        run = ask([reply], protocol="text")
        assert texts(run) == []
        assert run.trace.stages[-1].facts["requests"] == 2
        assert ("agent.idle", {"replies": 2}) in told(run.trace.events)


def test_a_native_model_that_answers_in_words_ends_with_what_it_names() -> None:
    run = ask([*WALK[:2], "The currency is the Kenyan shilling."])
    assert texts(run)[0] == SHILLING
    assert ("agent.no_finish", {"nodes": 1}) in told(run.trace.events)


def test_what_a_model_thinks_is_not_what_it_answers() -> None:
    run = ask([*WALK[:2], "<think>Not Nairobi, nor Kenya.</think>The currency is the Kenyan shilling."])
    assert texts(run)[0] == SHILLING
    assert ("agent.no_finish", {"nodes": 1}) in told(run.trace.events)


def test_a_native_model_that_looks_nothing_up_is_told_to() -> None:
    run = ask(["The Kenyan shilling.", *WALK])
    assert texts(run)[0] == SHILLING
    assert "agent.no_tool_called" in events(run)


def test_a_native_model_may_write_its_calls_as_text() -> None:
    assert texts(ask(SPOKEN, protocol="native"))[0] == SHILLING


def test_repeated_calls_end_the_agent() -> None:
    run = ask([WALK[0]], max_steps=20)
    assert run.trace.stages[-1].facts["requests"] == 3
    assert "agent.only_repeats" in events(run)
    assert texts(run) == ["Nairobi <- capital <- Kenya"]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        (calls(("neighbors", {"entity": "Kenya"})), "there is no tool 'neighbors'; did you mean neighbours"),
        (calls(("teleport", {})), "there is no tool 'teleport'; there are search, neighbours"),
        (calls(("neighbours", "{entity: Kenya")), "the arguments of neighbours are not a JSON object"),
        (calls(("neighbours", '["Kenya"]')), "the arguments of neighbours are not a JSON object"),
        (calls(("neighbours", {"entity": {"a": 1}})), "entity of neighbours is a text"),
        (calls(("neighbours", {"entity": "Keny"})), "no node is called 'Keny'; did you mean Kenya"),
        (calls(("neighbours", {})), "neighbours needs entity"),
        (calls(("finish", {"nodes": ["Mombasa"]})), "no result has shown 'Mombasa'"),
        (calls(("finish", {"nodes": ["Nairobi"]})), "the question itself names Nairobi"),
        (calls(("neighbours", {"entity": "x" * 9000})), "no node is called 'xxx"),
        (calls(("neighbours", {"entity": "x" * 20_000})), "entity of neighbours takes at most 10,000 characters"),
        (calls(("search", {"text": "Kenya", "n": 10**9})), "n of search is a whole number from 1 to 10,000"),
        (calls(("search", {"text": "Kenya", "n": "9" * 6000})), "n of search is a whole number"),
        (calls(("search", {"text": "Kenya", "n": 2.5})), "n of search is a whole number"),
        (calls(("combine", {"lists": ["Kenya"] * 1000})), "lists of combine takes at most 200 names, got 1,000"),
        (calls(("search", '{"text": ' + "[" * 3_000 + "]" * 3_000 + "}")), "the arguments of search are not a JSON"),
        (calls(("search", '{"text": ' + "[" * 500 + "]" * 500 + "}")), "text of search is a text"),
    ],
)
def test_wrong_calls_come_back_as_advice(reply: Reply, advice: str) -> None:
    told: list[str] = []

    def script(request: Request) -> Reply:
        told.append(str(request.body["messages"][-1]["content"]))
        return reply if len(told) == 1 else WALK[min(len(told) - 2, 2)]

    run = ask(script)
    assert f"Error: {advice}" in told[1]
    assert {"agent.advice", "agent.finish_doubted"} & {*events(run)}
    assert texts(run)[0] == SHILLING


def test_finish_with_what_was_never_seen_is_taken_the_second_time() -> None:
    run = ask([WALK[0], calls(("finish", {"nodes": ["Mombasa"]})), calls(("finish", {"nodes": ["Mombasa", "Kenya"]}))])
    assert "agent.finished_in_doubt" in events(run)
    assert texts(run) == ["Nairobi <- capital <- Kenya"]


# Limits


def wandering() -> Callable[[Request], Reply]:
    """A model that never ends: another node each time."""
    nodes = [name for triple in TINY for name in (triple[0], triple[2])]
    count = iter(range(10_000))
    return lambda _: calls(("neighbours", {"entity": nodes[(n := next(count)) % len(nodes)], "n": n + 1}))


@pytest.mark.parametrize(
    ("limits", "code", "requests"),
    [
        ({"max_steps": 5}, "agent.max_steps", 5),
        ({"max_calls": 3, "max_steps": 99}, "agent.max_calls", 3),
        ({"max_tokens": 1000, "max_steps": 99}, "agent.max_tokens", None),
    ],
)
def test_limits_end_the_agent_with_what_it_has_seen(limits: dict[str, Any], code: str, requests: int | None) -> None:
    run = ask(wandering(), **limits)
    assert code in events(run)
    assert texts(run)
    assert run.stopped is None
    if requests:
        assert run.trace.stages[-1].facts["requests"] == requests


def test_calls_beyond_the_limit_are_not_run() -> None:
    many = calls(*(("neighbours", {"entity": name}) for name in ("Kenya", "Uganda", "Rwanda")))
    run = ask([many], max_calls=2)
    step = next(child for child in run.trace.stages[-1].children if child.kind == "step")
    assert len(step.children) == 2


@pytest.mark.parametrize("cancelled", [False, True])
def test_the_budget_of_the_run_stops_it_and_keeps_the_evidence(cancelled: bool) -> None:
    walk, seen = wandering(), []
    budget = Budget() if cancelled else Budget(tokens=3000)

    def script(request: Request) -> Reply:
        seen.append(request)
        if cancelled and len(seen) == 3:
            budget.cancel()
        return walk(request)

    with spending(budget):
        run = ask(script, max_steps=500, max_calls=500, max_tokens=10**6)
    assert run.stopped is not None
    assert ("cancelled" if cancelled else "the budget of 3,000 tokens") in run.stopped.reason
    assert run.evidence is not None
    assert run.evidence.items


@pytest.mark.whole
def test_a_long_conversation_is_shortened_to_fit_the_context() -> None:
    triples = [
        (f"hub {i}", f"relation {j}", f"a rather long name of part {i} {j}") for i in range(30) for j in range(30)
    ]
    count = iter(range(100))
    llm = {"context": 3000, "max_tokens": 64}
    run = ask(
        lambda _: calls(("neighbours", {"entity": f"hub {next(count)}"})),
        NeighboursOnly(triples),
        llm=llm,
        tools="neighbours",
        max_steps=20,
    )
    assert {"agent.results_shortened", "agent.max_steps"} <= {*events(run)}
    assert len(texts(run)) > 200


def test_a_prompt_that_cannot_fit_is_an_event() -> None:
    run = ask(WALK, llm={"context": 200, "max_tokens": 64})
    assert events(run)[-1] == "agent.context_full"
    assert texts(run) == []


# Servers


@pytest.mark.parametrize(
    "fault", [Reply("down", status=500), Reply(drop=True), Reply(body="<html>", content_type="text/html")]
)
def test_a_server_that_fails_in_the_middle_leaves_the_evidence_so_far(fault: Reply) -> None:
    run = ask([WALK[0], fault])
    assert "agent.model_failed" in events(run)
    assert texts(run) == ["Nairobi <- capital <- Kenya"]


def test_a_server_that_fails_at_once_is_an_error() -> None:
    with pytest.raises(ModelError):
        ask([Reply("down", status=500)])


def test_a_graph_that_fails_is_told_to_the_model() -> None:
    from graphbrick.core.errors import GraphbrickError

    class Broken(NeighboursOnly):
        def neighbours(self, *given: Any, **named: Any) -> Any:
            raise GraphbrickError("the database is away; start it")

    run = ask([WALK[0], calls(("finish", {"nodes": []}))], Broken(TINY))
    assert ("agent.tool_failed", {"error": "the database is away; start it"}) in told(run.trace.events)
    assert texts(run) == []


def test_a_graph_that_fails_at_the_end_leaves_the_evidence() -> None:
    class Away(NeighboursOnly):
        is_away = False

        def entity(self, key: str) -> int:
            if self.is_away:
                raise UnavailableError("the database is away; start it")
            return super().entity(key)

    graph, replies = Away(TINY), iter([*WALK[:2], calls(("finish", {"nodes": ["Kenyan shilling"]}))])

    def script(_: Request) -> Reply:
        reply = next(replies)
        graph.is_away = reply not in WALK
        return reply

    run = ask(script, graph)
    assert ("agent.only_seen_nodes", {"name": "Kenyan shilling"}) in told(run.trace.events)
    assert texts(run)[0] == SHILLING


@pytest.mark.parametrize(
    ("protocol", "end"),
    [
        ("native", calls(("finish", {"nodes": ["Kenya"]}), ("finish", {"nodes": ["Kenyan shilling"]}))),
        ("text", 'Action: finish["Kenya"]\nAction: finish["Kenyan shilling"]'),
    ],
)
def test_all_nodes_of_several_calls_of_finish_are_the_answer(protocol: str, end: Reply | str) -> None:
    run = ask([*(WALK if protocol == "native" else SPOKEN)[:2], end], protocol=protocol)
    assert texts(run) == ["Nairobi <- capital <- Kenya", SHILLING]
    step = run.trace.stages[-1].children[-1]
    assert [child.stage[:6] for child in step.children] == ["finish", "finish"]


def test_a_first_tool_that_was_left_out_holds_nothing_up() -> None:
    run = ask(WALK, NeighboursOnly(TINY), tools=f"query, {TOOLS}", first="query")
    assert ("agent.first_tool_left_out", {"tool": "query"}) in told(run.trace.events)
    assert "agent.tool_broke" not in events(run)
    assert texts(run)[0] == SHILLING


def test_a_call_that_failed_may_be_made_again_when_it_can_succeed() -> None:
    follow = calls(("neighbours_by_relation", {"entity": "Nairobi", "relation": "capital"}))
    run = ask([follow, calls(("search", {"text": "Nairobi", "n": 1})), follow, WALK[2]], first="search")
    assert ("agent.first_call", {"first": "search"}) in advice(run)
    assert "agent.repeated_call" not in events(run)
    assert texts(run)[0] == "Nairobi <- capital <- Kenya"


def test_a_call_that_fails_again_in_the_same_way_is_no_progress() -> None:
    wrong = calls(("neighbours", {"entity": "Atlantis"}))
    run = ask([wrong] * 8)
    assert "agent.only_repeats" in events(run)
    assert len([stage for _, stage in run.trace.walk() if stage.kind == "step"]) == 3


def test_a_relation_is_found_by_some_of_its_words(tmp_path: Path) -> None:
    graph = build([("Aspirin", "binds gene", "PTGS1"), ("Aspirin", "treats pain", "headache")], tmp_path / "g.graph")
    run = ask(
        [calls(("neighbours_by_relation", {"entity": "Aspirin", "relation": "binds"})), WALK[2]],
        graph,
        "What does Aspirin bind?",
    )
    assert "Aspirin -> binds gene -> PTGS1" in texts(run)
    assert not advice(run)


# Tools of plug-ins that do what they should not


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Give agents a tool ``odd`` that runs a function."""

    def plug(function: Callable[[], Any]) -> None:
        @tool
        def odd(work: Workspace) -> Observation:
            """Do something odd."""
            return function()  # type: ignore[no-any-return]

        known = {**toolbox.all_tools(), "odd": odd}
        monkeypatch.setattr(toolbox, "all_tools", lambda: known)

    return plug


ODD = calls(("odd", {}))


def fail(error: BaseException) -> Callable[[], Any]:
    def raises() -> Any:
        raise error

    return raises


@pytest.mark.parametrize(
    ("function", "code", "values"),
    [
        (fail(ValueError("no such file")), "agent.tool_broke", {"error": "ValueError"}),
        (fail(RecursionError()), "agent.tool_broke", {"error": "RecursionError"}),
        (fail(SystemExit(3)), "agent.tool_broke", {"error": "SystemExit"}),
        (lambda: "text", "agent.advice", {"reason": "agent.broken_tool"}),
        (lambda: None, "agent.advice", {"reason": "agent.broken_tool"}),
    ],
)
def test_a_tool_that_fails_is_an_event(
    plugged: Any, function: Callable[[], Any], code: str, values: dict[str, str]
) -> None:
    plugged(function)
    run = ask([ODD, *WALK], tools=f"{TOOLS}, odd")
    assert any(told_code == code and actual.items() >= values.items() for told_code, actual in told(run.trace.events))
    assert texts(run)[0] == SHILLING


def test_a_tool_that_never_ends_is_given_up(plugged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, alone, now = threading.Event(), threading.Event(), 0.0

    def monotonic() -> float:
        nonlocal now
        now += 1_000 if alone.is_set() and now < 2_000 else 0  # twice: the first look may set the end
        return now

    def never_ends() -> None:
        for other in threading.enumerate():
            if other.name == "graphbrick-tool" and other is not threading.current_thread():
                other.join()
        alone.set()
        ended.wait(60)

    monkeypatch.setattr(tool_threads, "time", SimpleNamespace(monotonic=monotonic))
    plugged(never_ends)
    both = Reply(tool_calls=[*WALK[0].tool_calls, *ODD.tool_calls], finish_reason="tool_calls")
    try:
        run = ask([both, *WALK[1:]], tools=f"{TOOLS}, odd")
    finally:
        ended.set()
    assert ("agent.tool_given_up", {"seconds": 120}) in told(run.trace.events)
    assert texts(run)[0] == SHILLING


@pytest.mark.parametrize("n", [1, 3])
def test_the_deadline_of_the_run_does_not_wait_for_tools(plugged: Any, n: int) -> None:
    ended, budget = threading.Event(), Budget(seconds=60)

    def never_ends() -> None:
        assert budget._start is not None
        budget._start -= 60
        ended.wait(60)

    plugged(never_ends)
    several = Reply(tool_calls=list(ODD.tool_calls) * n, finish_reason="tool_calls")
    try:
        with spending(budget):
            run = ask([WALK[0], several], tools=f"{TOOLS}, odd")
    finally:
        ended.set()
    assert "60 seconds is used up" in str(run.stopped)
    assert texts(run) == ["Nairobi <- capital <- Kenya"]


@pytest.mark.posix
def test_ctrl_c_does_not_wait_for_tools(plugged: Any) -> None:
    ended = threading.Event()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for a background process

    def interrupt() -> None:
        _thread.interrupt_main()
        ended.wait()

    plugged(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            ask([ODD], tools=f"{TOOLS}, odd")
    finally:
        signal.signal(signal.SIGINT, before)
        ended.set()
