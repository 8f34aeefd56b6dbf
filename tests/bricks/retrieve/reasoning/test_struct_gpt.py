"""StructGPT step by step: one relation, conditions on mediators, the iterative form, and hostile servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from faults import told
from reasoning import PROSE, purpose, walk

from graphbrick import LLM, Graph, StructGPT, build

MARRIED = "Who was Ann married to in 1990?"


@pytest.fixture(scope="module")
def couples(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    triples = []
    for i, (name, year) in enumerate((("Bob", "1990"), ("Carl", "2001"), ("Dan", "2001")), 1):
        mediator = f"m.0{i}"
        triples += [("Ann", "marriage", mediator), (mediator, "spouse", name), (mediator, "from", year)]
        triples += [(name, "born in", f"city {i}")]
    triples += [("Ann", "born in", "Oslo")]
    return build(triples, tmp_path_factory.mktemp("couples") / "couples.graph")


def stage(**parameters: Any) -> Callable[[LLM], StructGPT]:
    return lambda llm: StructGPT(llm, **parameters)


def test_one_relation_through_a_mediator_then_conditions(couples: Graph) -> None:
    found = walk(stage(), ["2", "1"], "Ann", graph=couples, question=MARRIED)
    assert [purpose(prompt) for prompt in found.prompts] == ["Number", "Numbers"]
    listed = "1. -> marriage -> from\n2. -> marriage -> spouse\n3. -> born in"
    assert listed in found.prompts[0]
    # Conditions are about mediators, the most frequent first; those that all facts meet are not shown.
    assert "1. [-> from: 2001]\n2. [-> from: 1990]\n" in found.prompts[1]
    assert found.evidence.texts() == [
        "Ann -> marriage -> m.02 -> spouse -> Carl",
        "Ann -> marriage -> m.03 -> spouse -> Dan",
    ]
    assert found.events == []
    assert found.facts == {"rounds": 1}


def test_without_mediators_no_condition_is_asked_for(couples: Graph) -> None:
    found = walk(stage(), ["3"], "Ann", graph=couples, question=MARRIED)
    assert found.evidence.texts() == ["Ann -> born in -> Oslo"]
    assert len(found.prompts) == 1


def test_conditions_on_entities_only_if_they_are_wanted(couples: Graph) -> None:
    def prompts(conditions: str) -> list[str]:
        return walk(stage(conditions=conditions), ["1", "NONE"], "2001", graph=couples).prompts

    assert len(prompts("none")) == len(prompts("mediators")) == 1  # the mediators of 2001 differ in nothing else
    assert "1. [-> born in: city 2]\n2. [-> born in: city 3]" in prompts("always")[-1]


def test_conditions_that_no_fact_meets_are_not_used(couples: Graph) -> None:
    found = walk(stage(), ["2", "1, 2"], "Ann", graph=couples)
    assert len(found.evidence) == 3
    assert told(found.events) == [("struct_gpt.no_fact", {"conditions": 2})]


def test_north_is_no_no(couples: Graph) -> None:
    """The released script takes any reply with "no" in it for «no conditions»."""
    found = walk(stage(), ["2", "2. [-> from: 1990] (north)"], "Ann", graph=couples)
    assert found.evidence.texts() == ["Ann -> marriage -> m.01 -> spouse -> Bob"]


def test_the_iterative_form_asks_whether_that_is_enough(couples: Graph) -> None:
    found = walk(stage(rounds=8), ["2", "2", "NO", "1", "YES"], "Ann", graph=couples)
    assert [purpose(prompt) for prompt in found.prompts] == ["Number", "Numbers", "YES or NO", "Number", "YES or NO"]
    assert found.evidence.texts() == [
        "Ann -> marriage -> m.01 -> spouse -> Bob -> born in -> city 1",
        "Ann -> marriage -> m.01 -> spouse -> Bob",
    ]
    never = walk(stage(rounds=2, conditions="none"), ["2", "NO", "1", "NO"], "Ann", graph=couples)
    assert told(never.events) == [("rounds.not_enough", {"reached": "facts", "rounds": 2})]


def test_many_facts_are_cut(couples: Graph) -> None:
    found = walk(stage(triples=2, conditions="none"), ["2"], "Ann", graph=couples)
    assert len(found.evidence) == 2
    assert told(found.events) == [("facts.cut", {"n": 2, "relation": "-> marriage -> spouse", "reason": "triples"})]


@pytest.mark.parametrize("reply", [PROSE, "9", "NONE", "-> mother of"])
def test_hostile_servers_end_it_with_events(couples: Graph, reply: str) -> None:
    found = walk(stage(rounds=8), [reply], "Ann", graph=couples)
    assert len(found.prompts) == 1
    assert not found.evidence.items
    assert told(found.events)[-1] == ("facts.none_picked", {})


def test_conditions_that_cannot_be_read_leave_all_facts(couples: Graph) -> None:
    found = walk(stage(), ["2", PROSE], "Ann", graph=couples)
    assert len(found.evidence) == 3
    assert any("no candidate could be read" in event for event in found.events)
