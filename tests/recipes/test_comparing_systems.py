"""What benchmarks/published_systems.py measures of a question: cost, refusals, unread replies, and what is no score."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from reasoning import PROSE, QUESTION

from graphbrick import (
    BM25,
    LLM,
    Agent,
    FromModel,
    Generate,
    LogicalForms,
    PlannedPaths,
    Session,
    ShortestPaths,
    build,
    parse,
)
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import Pipeline
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.questions.question import Question
from graphbrick.testing import Reply, ScriptedLLM, tiny_graph


def _script() -> ModuleType:
    spec = spec_from_file_location("compared", Path(__file__).parents[2] / "benchmarks" / "published_systems.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["compared"] = module
    spec.loader.exec_module(module)
    return module


SCRIPT = _script()
FORM = '(JOIN (R currency) (JOIN capital "Nairobi"))'


def llm(server: ScriptedLLM, **parameters: float) -> LLM:
    settings = {"base_url": server.base_url, "structured": False, "parallel": 1, "retries": 0}
    return LLM(**(settings | parameters))  # type: ignore[arg-type]


def asked(graph: Graph, answer: str = "Kenyan shilling", seed: str = "Nairobi") -> GroundedQuestion:
    return ground(graph, [Question("1", QUESTION, (seed,), (answer,))]).questions[0]


def measured(
    replies: Sequence[str | Reply], make: type | object, graph: Graph | None = None, **parameters: float
) -> dict[str, float] | None:
    graph = graph or tiny_graph()
    with ScriptedLLM(replies) as server, Session():
        pipeline = make(llm(server, **parameters))  # type: ignore[operator]
        assert isinstance(pipeline, Pipeline)
        found: dict[str, float] | None = SCRIPT.measure(graph, pipeline, asked(graph))
    return found


def test_a_right_answer() -> None:
    row = measured(["Kenyan shilling [2]"], lambda model: ShortestPaths(max_hops=2) >> Generate(model))
    assert row is not None
    wanted = {"found": 1, "hits": 1, "f1": 1, "own": 0, "calls": 1, "replies": 1, "refused": 0, "unread": 0}
    assert {name: row[name] for name in wanted} == wanted
    assert row["in"] > 50


def test_refusals_and_what_the_model_does_not_know() -> None:
    row = measured(
        ["NOT IN THE PATHS", "NONE"],
        lambda model: ShortestPaths(max_hops=1) >> FromModel(model, first=Generate(model)),
    )
    assert row is not None
    assert (row["refused"], row["own"], row["calls"], row["unread"]) == (1, 0, 2, 0)


def test_each_sample_is_a_reply() -> None:
    replies: list[str | Reply] = [Reply(PROSE, others=[PROSE, FORM]), "Kenyan shilling [1]"]
    row = measured(replies, lambda model: LogicalForms(model, BM25(), drafts=3) >> Generate(model), temperature=0.3)
    assert row is not None
    assert (row["unread"], row["replies"], row["calls"]) == (2, 4, 2)
    assert "unread | " not in SCRIPT._line("x", [row])
    assert "| 0.50 | 0.00 |" in SCRIPT._line("x", [row])


def test_a_plan_of_none_can_be_read() -> None:
    row = measured(["NONE", "Euro"], lambda model: PlannedPaths(model) >> FromModel(model, first=Generate(model)))
    assert row is not None
    assert (row["unread"], row["own"], row["hits"]) == (0, 1, 0)


def test_a_search_that_failed_costs_what_it_cost_and_a_late_one_has_no_row() -> None:
    def stages(model: LLM) -> Pipeline:
        return PlannedPaths(model) >> Generate(model)

    row = measured(["<- capital", Reply("busy", status=400)], stages)
    assert row is not None
    assert (row["errors"], row["calls"]) == (1, 1)
    assert measured(["<- capital", Reply("x", delay=1.0)], stages, timeout=0.3) is None


def test_an_agent_whose_model_is_late_has_no_row() -> None:
    walk: list[str | Reply] = ["Action: retrieve_node[Nairobi]", Reply("Action: finish[Kenya]", delay=1.0)]
    tools = "retrieve_node, neighbours, finish"
    assert measured(walk, lambda model: Agent(model, tools=tools, protocol="text"), timeout=0.3) is None


def test_what_is_not_recorded_has_no_row(tmp_path: Path) -> None:
    with ScriptedLLM(["<- capital", "Kenya [1]"]) as server:
        pipeline = PlannedPaths(llm(server)) >> Generate(llm(server))
        with Session(replies=tmp_path / "some.sqlite"):
            assert SCRIPT.measure(tiny_graph(), PlannedPaths(llm(server)), asked(tiny_graph())) is not None
    with Session(replies=tmp_path / "some.sqlite", reply_mode="replay"):
        assert SCRIPT.measure(tiny_graph(), pipeline, asked(tiny_graph())) is None


def test_a_name_that_several_entities_share_means_the_right_one(tmp_path: Path) -> None:
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    nodes.write_text("key,label\nk,Nairobi\nm1,Kenyan shilling\nm2,Kenyan shilling\n")
    edges.write_text("head,relation,tail\nk,a,m1\nk,b,m1\nk,c,m2\n")
    graph = build(tmp_path, tmp_path / "two.graph")
    question = ground(graph, [Question("1", QUESTION, ("k",), ("m2",))]).questions[0]
    with ScriptedLLM(["Kenyan shilling"]) as server:
        row = SCRIPT.measure(graph, FromModel(llm(server)), question)
    assert (row["hits"], row["own"]) == (1, 1)


def test_blocks_are_of_one_set_and_one_system_after_the_other() -> None:
    order = list(SCRIPT.blocks({"a": 3, "b": 1}, 2, ["x", "y"]))
    assert order == [
        ("a", "x", 0), ("a", "x", 1), ("a", "y", 0), ("a", "y", 1), ("b", "x", 0), ("b", "y", 0), ("a", "x", 2),
        ("a", "y", 2),
    ]  # fmt: skip


@pytest.mark.parametrize("server", ["", "http://127.0.0.1:8080/v1"])
@pytest.mark.parametrize("name", SCRIPT.SYSTEMS)
def test_every_system_is_made_with_one_model(name: str, server: str) -> None:
    model = SCRIPT.model_of("some.gguf", 1, server, 2048)
    (text,) = SCRIPT.texts_of([name], model, 2, 6, 3, "").values()
    parse(text)
    assert repr(model) in text or name == "kb-binder"
    assert "temperature=0.7" not in text
    assert "Agent(" not in text or "protocol='text'" in text  # small models write no tool calls of servers
