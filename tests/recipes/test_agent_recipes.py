"""The recipes of agents over scripted replies: each walks to the same answer with its own tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphbrick import Agent, Generate, parse, recipe
from graphbrick.demo.graph import world_graph
from graphbrick.pipeline import Sequence
from graphbrick.testing import NeighboursOnly, Reply, ScriptedLLM

QUESTION = "Which currency is used in the country whose capital is Nairobi?"


def calls(*pairs: tuple[str, Any]) -> Reply:
    return Reply(tool_calls=[(name, json.dumps(given)) for name, given in pairs], finish_reason="tool_calls")


CURRENCY = {"entity": "Kenya", "relation": "currency"}
SCRIPTS: dict[str, list[str | Reply]] = {
    "E3": [
        calls(("search_sentences", {"text": "Nairobi"})),
        calls(("neighbours_by_relation", {"entity": "Nairobi", "relation": "capital", "direction": "in"})),
        calls(("neighbours_by_relation", CURRENCY)),
        calls(("finish", {"nodes": ["L3"]})),
    ],
    "E4": [
        calls(("retrieve_node", {"text": "Nairobi"}), ("scratch_pad", {"note": "capital, then currency"})),
        calls(("inverse_neighbours", {"entity": "Nairobi", "relation": "capital"})),
        calls(("neighbours", CURRENCY), ("degree", {"entity": "Kenya"})),
        calls(("finish", {"nodes": ["L2"]})),
        "1, 2",  # refinement
    ],
    "GRAPH-COT": [
        "Action: retrieve_node[Nairobi]",
        "Action: neighbours[Nairobi, capital]",
        "Action: neighbours[Kenya, currency]",
        "Action: finish[Kenyan shilling]",
    ],
    "SEARCH-ON-GRAPH": [
        calls(("explore", {"entity": "Nairobi"})),
        calls(("explore", {"entity": "Nairobi", "relation": "capital"})),
        calls(("explore", CURRENCY)),
        calls(("finish", {"nodes": ["L2"]})),
    ],
}


@pytest.mark.whole
@pytest.mark.parametrize("name", SCRIPTS)
def test_an_agent_recipe_walks_to_the_answer(name: str, world_cache: Path) -> None:
    world = world_graph()
    database: Any = NeighboursOnly(
        (key(h), world.relation_label(r), key(t))
        for entity in ("Kenya", "Nairobi")
        for h, r, t in world.neighbours(world.named(entity))[0].triples.tolist()
        for key in [world.label]
    )
    for graph in (world, database):
        with ScriptedLLM([*SCRIPTS[name], "Kenyan shilling"]) as server:
            pipeline = recipe(name).pipeline(llm=f"LLM(base_url={server.base_url!r})")
            answer = pipeline(graph, QUESTION)
        assert answer.texts == ("Kenyan shilling",)
        assert "Kenya -> currency -> Kenyan shilling" in answer.evidence.texts()[0]
        assert not [event for event in answer.trace.events if "advice" in event]


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_text_of_an_agent_recipe_is_its_pipeline(name: str) -> None:
    pipeline = recipe(name).pipeline()
    assert parse(repr(pipeline)) == parse(recipe(name).shown) == pipeline
    assert isinstance(pipeline, Sequence)
    assert isinstance(pipeline.stages[0], Agent)
    assert isinstance(pipeline.stages[-1], Generate)
    assert len(pipeline.stages) == (3 if name == "E4" else 2)
    assert recipe(name).uses_llm
