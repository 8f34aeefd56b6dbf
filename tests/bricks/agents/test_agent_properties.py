"""Properties in the tools of agents, and an agent that answers with a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agent_scripts import ask, calls
from faults import fails, told
from shop import LONG, shop

from graphbrick import LLM, Agent, Graph, Subgraph
from graphbrick.bricks.agents.agent_tool import AdviceError, Observation
from graphbrick.bricks.agents.tools.find import check_node
from graphbrick.bricks.agents.tools.lists import filter_nodes
from graphbrick.bricks.agents.tools.paths import paths
from graphbrick.bricks.agents.tools.properties import where
from graphbrick.bricks.agents.tools.walk import neighbours, neighbours_by_relation
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.testing import TINY, NeighboursOnly, ScriptedLLM, tiny_graph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture
def work(graph: Graph) -> Workspace:
    return Workspace("?", Subgraph(graph))


def call(work: Workspace, tool: Any, **values: str) -> Observation:
    observation: Observation = tool.function(work, **tool.bind(values))
    work.keep(observation)
    return observation


def test_a_node_is_told_with_its_properties(work: Workspace) -> None:
    seen = call(work, check_node, entity="Blue Kettle")
    lines = seen.text.split("\n")
    assert lines[-5:] == [
        "unit_price = 24.5",
        "stock = 7",
        "tags = kitchen, steel",
        "added = 2020-05-31",
        "sold = true",
    ]
    assert dict(zip(seen.items[1].columns, seen.items[1].values, strict=True))["unit_price"] == "24.5"
    lamp = call(work, check_node, entity="lamp")
    assert f"note = {' '.join(LONG.split())[:400]}... ({len(' '.join(LONG.split())):,} characters)" in lamp.text


def test_neighbours_tell_properties_too_even_of_a_node_without_triples(work: Workspace) -> None:
    assert "unit_price = 24.5" in call(work, neighbours, entity="kettle").text
    assert call(work, neighbours, entity="box").text == "Box [box]:\nunit_price = 40\nstock = none"
    bought = call(work, neighbours_by_relation, entity="lee", relation="bought").text
    assert bought.split("\n")[0] == "lee -> bought -> Blue Kettle [kettle] (on = 2021-01-02; on = 2022-03-04)"


def test_parallel_triples_are_one_path(work: Workspace) -> None:
    assert call(work, paths, start="kettle", end="lamp").text.count("\n") == 0


def test_nodes_are_found_by_a_property(work: Workspace) -> None:
    seen = call(work, where, name="unit price", at_least="30")
    assert seen.text.split("\n") == ["Lamp [lamp] (Product): 40", "Box [box] (Package): 40"]
    assert work.lists["L1"] == tuple(map(work.graph.entity, ("lamp", "box")))
    assert call(work, where, name="unit_price", above="1", of_type="package").nodes == (work.graph.entity("box"),)
    part = Workspace("?", Subgraph(work.graph, np.array([work.graph.entity("box")]), np.array([], dtype=np.int64)))
    assert call(part, where, name="unit_price", above="1").nodes == (work.graph.entity("box"),)


def test_a_list_is_filtered_by_the_value_of_a_property(work: Workspace) -> None:
    kettle, lamp, box = map(work.graph.entity, ("kettle", "lamp", "box"))
    call(work, where, name="unit price", at_least="1")
    assert set(work.lists["L1"]) == {kettle, lamp, box}
    assert set(call(work, filter_nodes, nodes="L1", property_name="unit price", value="40").nodes) == {lamp, box}
    assert call(work, filter_nodes, nodes="L1", property_name="tags", value="steel", of_type="product").nodes == (
        kettle,
    )
    assert call(work, filter_nodes, nodes="L1", property_name="tags", value="wood").nodes == ()


@pytest.mark.parametrize("values", [{"property_name": "colour", "value": "red"}, {"property_name": "tags"}])
def test_a_filter_by_a_property_that_cannot_be_is_advice(work: Workspace, values: dict[str, str]) -> None:
    call(work, where, name="unit price", at_least="1")
    with fails("having.no_condition", AdviceError):
        call(work, filter_nodes, nodes="L1", **values)


def test_a_filter_by_a_property_of_a_graph_without_any_is_advice() -> None:
    bare = Workspace("?", Subgraph(NeighboursOnly(TINY)))
    bare.keep(Observation("", (0, 1)))
    with fails("having.none", AdviceError):
        call(bare, filter_nodes, nodes="L1", property_name="tags", value="steel")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"name": "price", "above": "3"}, "where.no_condition"),
        ({"name": "unit_price", "above": "cheap"}, "where.no_condition"),
        ({"name": "unit_price"}, "where.no_condition"),
        ({"name": "unit_price", "above": "90"}, "where.no_node"),
        ({"name": "unit_price", "above": "3", "of_type": "Person"}, "where.no_node"),
    ],
)
def test_a_search_that_cannot_be_is_advice(work: Workspace, values: dict[str, str], code: str) -> None:
    with fails(code, AdviceError):
        call(work, where, **values)


def test_an_agent_answers_with_a_value_that_it_has_read(graph: Graph) -> None:
    script = [calls(("where", {"name": "tags", "equals": "steel"})), calls(("check_node", {"entity": "Blue Kettle"}))]
    run = ask(
        [*script, calls(("finish", {"nodes": ["24.5"]}))],
        graph=graph,
        question="What is the price of the kettle of steel?",
        tools="search, where, check_node",
    )
    assert run.evidence is not None
    assert "unit_price: 24.5" in run.evidence.texts()[0]
    assert not {"agent.advice", "agent.unknown_answer"} & set(run.trace.event_codes)


@pytest.mark.parametrize(
    ("is_shop", "tools", "offers"), [(True, "", True), (False, "", False), (False, "search, where", True)]
)
def test_the_search_is_offered_where_there_are_properties(
    graph: Graph, is_shop: bool, tools: str, offers: bool
) -> None:
    with ScriptedLLM([calls(("finish", {"nodes": []}))] * 3) as server:
        agent = Agent(LLM(base_url=server.base_url, retries=0), **({"tools": tools} if tools else {}))
        run = agent.run(graph if is_shop else tiny_graph(), "Which products cost 40?")
        told_tools = {one["function"]["name"]: one["function"] for one in server.requests[0].body["tools"]}
    assert ("where" in told_tools) == offers
    assert "agent.tools_left_out" not in run.trace.event_codes
    if is_shop:
        assert told_tools["where"]["description"].endswith("unit_price, stock, tags, added, sold, note, code.")


def test_the_search_is_left_out_of_graphs_without_properties() -> None:
    run = ask([calls(("finish", {"nodes": []}))] * 3, graph=NeighboursOnly(TINY), tools="search, where")
    assert ("agent.tools_left_out", {"tools": ("where",)}) in told(run.trace.events)
