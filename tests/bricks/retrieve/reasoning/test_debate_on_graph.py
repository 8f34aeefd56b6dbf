"""Debate on Graph step by step: relations, sufficiency, a debate of three roles, and hostile servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import told
from reasoning import PROSE, purpose, walk

from graphbrick import LLM, DebateOnGraph, build


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
    assert told(found.events) == [("debate_on_graph.question", {"question": SHORT})]
    assert found.facts == {"rounds": 2}


def test_any_number_of_relations_in_the_order_of_the_reply() -> None:
    found = walk(stage(), ["2, 1", "YES"], "Kenya")
    assert [path.steps[0].relation for path in found.evidence.paths] == ["capital", "borders"]


def test_it_ends_after_its_rounds_without_a_last_debate() -> None:
    replies = ["1", "NO", "a?", "right", SHORT, "1", "NO"]
    found = walk(stage(rounds=2), replies, "Nairobi")
    assert len(found.prompts) == 7
    assert told(found.events)[-1] == ("rounds.not_enough", {"reached": "facts", "rounds": 2})
    assert len(found.evidence) == 2
    dropped = walk(stage(rounds=2, if_never_enough="drop"), replies, "Nairobi")
    assert not dropped.evidence.items
    assert (dropped.events, dropped.facts) == (found.events, {"rounds": 2})


def test_out_is_the_published_direction() -> None:
    found = walk(lambda llm: DebateOnGraph(llm), ["1"], "Nairobi")
    assert found.prompts == []
    assert told(found.events) == [("facts.no_relation", {})]


@pytest.mark.parametrize("reply", [PROSE, "9", "-> mayor"])
def test_hostile_servers_end_it_with_events(reply: str) -> None:
    found = walk(stage(), [reply], "Nairobi")
    assert len(found.prompts) == 1
    assert not found.evidence.items
    assert told(found.events)[-1] == ("facts.none_picked", {})


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("what is the currency of Kenya", "what is the currency of Kenya"),  # as questions of MetaQA are written
        (f'"{SHORT}"', SHORT),
        (f"Final question: {SHORT}", SHORT),
        (f"**The shortened question is:**\n“{SHORT}”", SHORT),
        (f"It lost nothing.\n{SHORT}", SHORT),
        ("Who directed Alien: Covenant?", "Who directed Alien: Covenant?"),
    ],
)
def test_any_line_is_the_question(reply: str, question: str) -> None:
    found = walk(stage(rounds=2), ["1", "NO", "a", "b", reply, "2", "YES"], "Nairobi")
    assert f"Question: {question}\n" in found.prompts[5]
    assert told(found.events) == [("debate_on_graph.question", {"question": question})]


def test_many_relations_share_the_facts_of_a_round(tmp_path: Path) -> None:
    triples = [("hub", f"r{i}", f"end {i} {j}") for i in range(5) for j in range(30)] + [("hub", "few", "one")]
    graph = build(triples, tmp_path / "hub.graph")
    found = walk(stage(), ["1, 2, 3, 4, 5, 6", "YES"], "hub", graph=graph)
    assert len(found.evidence) == 5 * 19 + 1
    assert told(found.events)[0] == ("facts.cut", {"n": 19, "relation": "-> r0", "reason": "about 100 of a round"})
    assert "hub -> few -> one" in found.evidence.texts()


@pytest.mark.parametrize("long", ["", "NONE", f"{PROSE} " * 10])
def test_a_debate_without_a_question_leaves_it(long: str) -> None:
    found = walk(stage(), ["1", PROSE, PROSE, PROSE, long, "NONE"], "Nairobi")
    assert len(found.prompts) == 6
    assert found.prompts[0].partition("Entities")[0] == found.prompts[5].partition("Entities")[0]
    assert ("debate_on_graph.no_question", {}) in told(found.events)
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya"]
