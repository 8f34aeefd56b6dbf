"""The agent over scripted replies: known answers, parameters, plug-ins and properties."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import pytest
from agent_scripts import QUESTION, SHILLING, SPOKEN, TOOLS, WALK, advice, ask, calls, events, texts
from faults import fails, told

from graphbrick import LLM, Agent, Generate, KHop, PathAnswer, Run, Session, parse
from graphbrick.bricks.agents import toolbox
from graphbrick.bricks.agents.agent_tool import Observation, tool
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core.errors import InputError, ModelError, NotRecordedError, PipelineError
from graphbrick.core.plugins import plugins
from graphbrick.testing import TINY, NeighboursOnly, Reply, Request, ScriptedLLM, check_brick, tiny_graph


@pytest.mark.parametrize("graph", [tiny_graph, lambda: NeighboursOnly(TINY)], ids=["folder", "neighbours"])
@pytest.mark.parametrize(("replies", "protocol"), [(WALK, "native"), (SPOKEN, "text")], ids=["native", "text"])
def test_a_walk_gives_the_path_to_the_answer(replies: Any, protocol: str, graph: Callable[[], Any]) -> None:
    run = ask(replies, graph(), protocol=protocol)
    assert texts(run) == [SHILLING, "Nairobi <- capital <- Kenya"]
    assert not run.trace.events


def test_an_agent_is_a_stage_of_a_pipeline() -> None:
    with ScriptedLLM([*WALK, "Kenyan shilling [1]"]) as server:
        llm = LLM(base_url=server.base_url)
        pipeline = Agent(llm, tools=TOOLS) >> Generate(llm)
        answer = pipeline(tiny_graph(), QUESTION)
        assert parse(repr(pipeline)) == pipeline
        assert (Agent(llm, tools=TOOLS) >> PathAnswer()).gives == pipeline.gives
    assert answer.texts == ("Kenyan shilling",)
    assert answer.evidence.texts() == [SHILLING]


def test_steps_and_tools_are_nested_in_the_trace() -> None:
    run = ask(WALK)
    agent = run.trace.stages[-1]
    assert [child.stage for child in agent.children][1:] == ["step 1", "step 2", "step 3"]
    assert [child.kind for child in agent.children] == ["link", "step", "step", "step"]
    first = agent.children[1]
    assert [tool.stage for tool in first.children] == ["inverse_neighbours(entity='Nairobi', relation='capital')"]
    assert first.children[0].counts_out == {"nodes": 1, "triples": 1}
    assert (first.calls, len(first.exchanges), run.trace.ledger["calls"]) == (1, 1, 3)
    assert first.exchanges[0].tool_calls[0]["function"]["name"] == "inverse_neighbours"
    assert json.dumps(run.trace.to_dict())


def test_a_model_that_writes_text_is_stopped_before_it_imagines_results() -> None:
    with ScriptedLLM(SPOKEN) as server, ScriptedLLM(WALK) as other:
        Agent(LLM(base_url=server.base_url), tools=TOOLS, protocol="text").run(tiny_graph(), QUESTION)
        Agent(LLM(base_url=other.base_url), tools=TOOLS).run(tiny_graph(), QUESTION)
        assert [request.body["stop"] for request in server.requests] == [["\nObservation"]] * 3
        assert not [request for request in other.requests if "stop" in request.body]


@pytest.mark.parametrize(("replies", "protocol"), [(WALK, "native"), (SPOKEN, "text")], ids=["native", "text"])
def test_recorded_replies_replay_every_step_without_a_server(tmp_path: FilePath, replies: Any, protocol: str) -> None:
    cache = str(tmp_path / "replies.sqlite")
    with ScriptedLLM(replies) as server:
        agent = Agent(LLM(base_url=server.base_url, retries=0), tools=TOOLS, protocol=protocol)
        with Session(replies=cache):
            first = agent.run(tiny_graph(), QUESTION)
        assert len(server.requests) == 3
    with Session(replies=cache, reply_mode="replay"):
        second = agent.run(tiny_graph(), QUESTION)
    assert texts(first) == texts(second) == [SHILLING, "Nairobi <- capital <- Kenya"]
    assert (second.trace.ledger["calls"], second.trace.ledger["cache_hits"]) == (0, 3)
    assert steps(first) == steps(second)
    with Session(replies=cache, reply_mode="replay"), pytest.raises(ModelError):
        agent.run(tiny_graph(), "Which currency is used in Uganda?")


def test_a_reply_that_is_not_recorded_is_no_end_of_the_agent(tmp_path: FilePath) -> None:
    cache = str(tmp_path / "replies.sqlite")
    with ScriptedLLM([*WALK[:1], Reply("busy", status=400)]) as server:
        agent = Agent(LLM(base_url=server.base_url, retries=0), tools=TOOLS)
        with Session(replies=cache):
            assert "agent.model_failed" in events(agent.run(tiny_graph(), QUESTION))
    with Session(replies=cache, reply_mode="replay"), pytest.raises(NotRecordedError):
        agent.run(tiny_graph(), QUESTION)


def steps(run: Run) -> list[Any]:
    """What was said and done in each step, without times."""
    return [
        (entry.stage, entry.events, entry.counts_out, [(said.messages, said.reply) for said in entry.exchanges])
        for _, entry in run.trace.stages[-1].walk()
    ]


def test_several_calls_of_one_reply_run_at_once_and_keep_their_order() -> None:
    barrier = threading.Barrier(3, timeout=60)  # passes only if all three are in flight

    class Slow(NeighboursOnly):
        def neighbours(self, *given: Any, **named: Any) -> Any:
            if named.get("relations"):
                barrier.wait()
            return super().neighbours(*given, **named)

    three = [("neighbours_by_relation", {"entity": e, "relation": "capital"}) for e in ("Uganda", "Kenya", "Rwanda")]
    run = ask([calls(*three), calls(("finish", {"nodes": ["L3", "L1"]}))], Slow(TINY))
    assert texts(run)[:2] == ["Rwanda -> capital -> Kigali", "Uganda -> capital -> Kampala"]
    step = next(child for child in run.trace.stages[-1].children if child.kind == "step")
    assert ["Uganda" in step.children[0].stage, "Rwanda" in step.children[2].stage] == [True, True]


# Parameters


def test_the_first_tool_can_be_prescribed() -> None:
    other = calls(("neighbours", {"entity": "Nairobi"}))
    run = ask(
        [WALK[0], other, calls(("search", {"text": "Nairobi", "n": 1})), calls(("degree", {"entity": "Kenya"}))],
        first="search",
    )
    assert advice(run) == [("agent.first_call", {"first": "search"})] * 2
    assert "node: Kenya, degree: 4" in texts(run)


def test_questions_that_name_nothing_start_with_a_search() -> None:
    run = ask(
        [calls(("search", {"text": "Kampala", "n": 1})), calls(("finish", {"nodes": ["Kampala"]}))],
        question="Zzz qqq?",
    )
    assert texts(run) == ["node: Kampala"]
    assert "agent.no_entities" in events(run)


def test_an_agent_works_inside_the_subgraph_of_the_stage_before() -> None:
    with ScriptedLLM(
        [calls(("neighbours", {"entity": "Kenya"})), calls(("neighbours", {"entity": "Rwanda"}))]
    ) as server:
        run = (KHop(max_hops=1) >> Agent(LLM(base_url=server.base_url), max_steps=3)).run(tiny_graph(), QUESTION)
    assert texts(run) == ["Kenya -> capital -> Nairobi"]
    assert ("view.no_node", {"name": "Rwanda"}) in advice(run)


def test_instructions_are_told(tmp_path: FilePath) -> None:
    (tmp_path / "about.txt").write_text("A shilling is a coin.")
    for given in (str(tmp_path / "about.txt"), "A shilling is a coin."):
        with ScriptedLLM(WALK) as server:
            Agent(LLM(base_url=server.base_url), tools=TOOLS, instructions=given).run(tiny_graph(), QUESTION)
            assert "A shilling is a coin." in server.requests[0].prompt
            assert "with their relations:\nNairobi: <- capital" in server.requests[0].prompt
            names = [told["function"]["name"] for told in server.requests[0].body["tools"]]
            assert names == [*TOOLS.split(", "), "finish"]
    with fails("agent.bad_instructions", InputError):
        ask(WALK, instructions=str(tmp_path / "missing.txt"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tools": "serch"}, "Agent tools: there is no tool 'serch'; did you mean search"),
        ({"first": "degree", "tools": "search"}, "Agent first must be one of its tools"),
        ({"protocol": "xml"}, "Agent protocol must be one of 'auto', 'native', 'text'"),
    ],
)
def test_wrong_parameters_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        Agent(LLM(), **given)
    assert message in str(caught.value)


def test_the_query_tool_is_left_out_without_query_language() -> None:
    run = ask(WALK, graph=NeighboursOnly(TINY), tools=f"{TOOLS}, query")
    assert ("agent.tools_left_out", {"tools": ("query",)}) in told(run.trace.events)


def test_a_plug_in_adds_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    @tool
    def shout(work: Workspace, text: str) -> Observation:
        """Say a text loudly.

        Args:
            text: The text.
        """
        return Observation(text.upper())

    class Point:
        name, value = "shout", "my_package:shout"

        def load(self) -> Any:
            return shout

    monkeypatch.setattr(
        "graphbrick.core.plugins.entry_points", lambda group: [Point()] if group == "graphbrick.tools" else []
    )
    plugins.cache_clear()
    toolbox._all_tools.cache_clear()
    try:
        told: list[str] = []

        def script(request: Request) -> Reply:
            told.append(request.prompt)
            return calls(("shout", {"text": "quiet"}), ("finish", {"nodes": []}))

        ask(script, tools="shout", max_steps=2)
        assert toolbox.all_tools()["shout"].usage == "shout[text]"
    finally:
        monkeypatch.undo()
        plugins.cache_clear()
        toolbox._all_tools.cache_clear()


# Properties


def chaotic(seed: int) -> Callable[[Request], Reply | str]:
    """A model that calls tools at random, rightly and wrongly."""
    names = [*{name for head, _, tail in TINY for name in (head, tail)}, "L1", "L2", "L9", "Mars", ""]
    relations = ["capital", "currency", "borders", "xyz", ""]

    def script(request: Request) -> Reply | str:
        rng = random.Random(f"{seed} {len(request.body['messages'])}")
        made = []
        for _ in range(rng.randint(1, 4)):
            name = rng.choice([*toolbox.all_tools()])
            arguments = {}
            for argument in toolbox.all_tools()[name].arguments:
                pool = relations if "relation" in argument.name else names
                value: Any = rng.choices(pool, k=2) if argument.kind is list else rng.choice(pool)
                arguments[argument.name] = rng.randint(0, 4) if argument.kind is int else value
            made.append((name, arguments))
        if rng.random() < 0.2:
            return rng.choice(["", "Nairobi", "Action: nonsense[", "{"])
        return calls(*made)

    return script


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_model_calls_the_evidence_is_in_the_graph_and_the_same_again(seed: int) -> None:
    graph: Any = tiny_graph() if seed % 2 else NeighboursOnly(TINY)
    first, second = (ask(chaotic(seed), graph, tools=", ".join(toolbox.all_tools()), max_steps=6) for _ in range(2))
    assert texts(first) == texts(second)
    assert len(set(texts(first))) == len(texts(first))
    assert first.evidence is not None
    for path in first.evidence.paths:
        rows = [path.graph.triple(triple) for triple in path.triples]
        key = path.graph.key
        assert {(key(head), path.graph.relation_label(relation), key(tail)) for head, relation, tail in rows} <= set(
            TINY
        )


@pytest.mark.whole
@pytest.mark.parametrize("protocol", ["native", "text"])
def test_an_agent_that_walks_keeps_the_contract_of_bricks(protocol: str) -> None:
    def script(request: Request) -> Reply | str:
        step = (len(request.body["messages"]) - 2) // 2
        if protocol == "text":
            return ["Action: neighbours[Nairobi]", "Action: neighbours[Rwanda]", "Action: finish[Kenya]"][min(step, 2)]
        return [calls(("neighbours", {"entity": "Nairobi"})), WALK[0], WALK[1], calls(("finish", {"nodes": ["L1"]}))][
            min(step, 3)
        ]

    with ScriptedLLM(script) as server:
        check_brick(Agent(LLM(base_url=server.base_url), tools=TOOLS, protocol=protocol))
