"""Debate on Graph step by step: relations, sufficiency, a debate of three roles, and hostile servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from reasoning import PROSE, purpose, walk

from graphbrick import LLM, DebateOnGraph


def stage(**parameters: Any) -> Callable[[LLM], DebateOnGraph]:
    return lambda llm: DebateOnGraph(llm, **{"direction": "both"} | parameters)


SHORT = "Which currency is used in Kenya?"


def test_a_debate_shortens_the_question_and_the_facts_go_on() -> None:
    replies = ["1", "NO", "Which currency?", "It lost the country.", SHORT, "2", "YES"]
    found = walk(stage(), replies, "Nairobi")
    assert [purpose(prompt) for prompt in found.prompts] == [
        "Numbers", "YES or NO", "Shorter question", "Remarks", "Final question", "Numbers", "YES or NO",
    ]  # fmt: skip
    assert "Shorter question: Which currency?" in found.prompts[3]
    assert "Remarks: It lost the country." in found.prompts[4]
    assert f"Question: {SHORT}" in found.prompts[5]
    assert f"Question: {SHORT}" in found.prompts[6]
    assert "Entities: Kenya" in found.prompts[5]
    assert found.evidence.texts()[-1] == "Nairobi <- capital <- Kenya"
    assert found.events == [f"the question became: {SHORT}"]
    assert found.facts == {"rounds": 2}


def test_any_number_of_relations_in_the_order_of_the_reply() -> None:
    found = walk(stage(), ["2, 1", "YES"], "Kenya")
    assert [path.steps[0].relation for path in found.evidence.paths] == ["capital", "borders"]


def test_it_ends_after_its_rounds_without_a_last_debate() -> None:
    replies = ["1", "NO", "a?", "right", SHORT, "1", "NO"]
    found = walk(stage(rounds=2), replies, "Nairobi")
    assert len(found.prompts) == 7
    assert found.events[-1] == "the facts were not found to be enough after 2 rounds"
    assert len(found.evidence) == 2
    dropped = walk(stage(rounds=2, if_never_enough="drop"), replies, "Nairobi")
    assert not dropped.evidence.items
    assert (dropped.events, dropped.facts) == (found.events, {"rounds": 2})


def test_out_is_the_published_direction() -> None:
    found = walk(lambda llm: DebateOnGraph(llm), ["1"], "Nairobi")
    assert found.prompts == []
    assert found.events == ["no relation leads on from the entities reached"]


@pytest.mark.parametrize("reply", [PROSE, "9", "-> mayor"])
def test_hostile_servers_end_it_with_events(reply: str) -> None:
    found = walk(stage(), [reply], "Nairobi")
    assert len(found.prompts) == 1
    assert not found.evidence.items
    assert found.events[-1] == "the model picked no relation; the search ended with what there is"


def test_a_debate_without_a_question_leaves_it() -> None:
    found = walk(stage(), ["1", PROSE, PROSE, PROSE, PROSE, "NONE"], "Nairobi")
    assert len(found.prompts) == 6
    assert found.prompts[0].partition("Entities")[0] == found.prompts[5].partition("Entities")[0]
    assert any("the debate ended without a question" in event for event in found.events)
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya"]
