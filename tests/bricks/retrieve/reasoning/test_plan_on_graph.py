"""Plan-on-Graph step by step: sub-goals, notes, verdicts, going back, limits, and hostile servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path as File
from typing import Any

import pytest
from faults import told
from reasoning import PROSE, purpose, walk

from graphbrick import BM25, LLM, PlanOnGraph, build

GOALS = "the country with the capital Nairobi\nits currency"
NO = '{"enough": false, "answer": ""}'


def stage(**parameters: Any) -> Callable[[LLM], PlanOnGraph]:
    return lambda llm: PlanOnGraph(llm, BM25(), **parameters)


def test_goals_relations_notes_verdict_and_going_on() -> None:
    replies = [GOALS, "1", '{"1": "Kenya"}', NO, "NONE", "2", '{"2": "Kenyan shilling"}',
               '{"enough": true, "answer": "kenyan shilling"}']  # fmt: skip
    found = walk(stage(), replies, "Nairobi")
    kinds = [purpose(prompt) for prompt in found.prompts]
    assert kinds == ["Names", "Numbers", "Notes", "Verdict", "Numbers", "Numbers", "Notes", "Verdict"]
    assert "1. the country with the capital Nairobi\n2. its currency" in found.prompts[1]
    assert "1. unknown\n2. unknown" in found.prompts[1]
    assert "1. Kenya\n2. unknown" in found.prompts[5]
    assert "Reached last: Kenya\nSeen before:\n1. Nairobi" in found.prompts[4]
    assert found.facts == {"rounds": 2, "backtracks": 0}
    assert found.evidence.texts()[0].endswith("Kenyan shilling")
    assert found.events == []


def test_going_back_offers_the_relations_not_followed_there() -> None:
    replies = [GOALS, "1", "{}", NO, "2", '{"1": "x"}', NO, "1", "NONE", "1", '{"1": "x"}', NO]
    found = walk(stage(max_hops=3), replies, "Uganda", "Rwanda")
    assert found.facts["backtracks"] <= 5
    texts = [prompt for prompt in found.prompts if prompt.endswith("Relations:") or "Path so far: Uganda\n" in prompt]
    first = texts[0].partition("Relations:")[2]
    for again in texts[1:]:
        assert len(again.partition("Relations:")[2]) < len(first)


def test_backtracks_are_limited() -> None:
    def script(request: Any) -> str:
        said = {"Names": GOALS, "Notes": '{"1": "x"}', "Verdict": NO}
        return said.get(purpose(request.prompt), "1")

    never = walk(stage(backtracks=0), script, "Kenya")
    assert not any("Seen before" in prompt for prompt in never.prompts)
    once = walk(stage(backtracks=1), script, "Kenya")
    assert sum("Seen before" in prompt for prompt in once.prompts) == 1
    assert once.facts["backtracks"] == 1
    assert len(once.prompts) > len(never.prompts)


def test_what_was_found_half_way_is_the_evidence_but_not_what_is_never_enough() -> None:
    half = [GOALS, "1", '{"1": "Kenya"}', NO, "1", "NONE", "NONE"]  # it goes back to Nairobi, where no relation is left
    found = walk(stage(if_never_enough="drop"), half, "Nairobi")
    kinds = [purpose(prompt) for prompt in found.prompts]
    assert kinds == ["Names", "Numbers", "Notes", "Verdict", "Numbers", "Numbers"]
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya"]
    assert told(found.events)[-1] == ("plan_on_graph.half_way", {})
    assert found.facts == {"rounds": 1, "backtracks": 1}
    never = [GOALS, "1", '{"1": "Kenya"}', NO]
    found = walk(stage(if_never_enough="drop", max_hops=1), never, "Nairobi")
    assert not found.evidence.items
    assert told(found.events) == [("rounds.not_enough", {"reached": "facts", "rounds": 1})]


def test_numbers_are_followed_without_a_choice(tmp_path: File) -> None:
    graph = build([("film", "year", year) for year in ("1999", "2001")], tmp_path / "years.graph")
    replies = [GOALS, "1", '{"1": "x"}', '{"enough": true, "answer": "2001"}']
    found = walk(stage(), replies, "film", graph=graph)
    assert [purpose(prompt) for prompt in found.prompts] == ["Names", "Numbers", "Notes", "Verdict"]
    assert found.evidence.texts() == ["film -> year -> 2001", "film -> year -> 1999"]


def test_only_a_name_on_the_paths_ends_it() -> None:
    invented = '{"enough": true, "answer": "the crown of Atlantis"}'
    found = walk(stage(max_hops=1), [GOALS, "1", '{"1": "Kenya"}', invented], "Nairobi")
    assert told(found.events)[0] == ("plan_on_graph.answer_off_paths", {"texts": ("the crown of Atlantis",)})
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya"]


@pytest.mark.parametrize(
    "answer", ['"Uganda, Rwanda"', '"Uganda and others"', '["Atlantis", "Uganda"]', '"Kenya; Uganda."']
)
def test_several_answers_end_it_if_one_is_a_name_on_the_paths(answer: str) -> None:
    replies = [GOALS, "1", '{"1": "x"}', f'{{"enough": true, "answer": {answer}}}']
    question = "Which countries border Kenya?"
    found = walk(stage(if_never_enough="drop"), replies, "Kenya", question=question)
    assert len(found.prompts) == 4
    assert found.events == []
    assert "Kenya -> borders -> Uganda" in found.evidence.texts()


def test_a_verdict_in_words_counts() -> None:
    replies = [GOALS, "1", '{"1": "x"}', '{"enough": "Yes", "answer": "Kenya"}']
    assert walk(stage(), replies, "Nairobi").events == []
    replies[-1] = '{"enough": "no", "answer": ""}'
    assert told(walk(stage(max_hops=1), replies, "Nairobi").events) == [
        ("rounds.not_enough", {"reached": "facts", "rounds": 1})
    ]


def test_what_was_chosen_is_evidence_and_goes_on_in_turns_of_the_relations(tmp_path: File) -> None:
    triples = [("film", "year", str(1990 + i)) for i in range(9)]
    triples += [("film", "starred", name) for name in ("Ann", "Bob", "Cyd")] + [("Ann", "spouse", "Dan")]
    graph = build(triples, tmp_path / "film.graph")
    replies = [GOALS, "1, 2", "1, 3", '{"1": "x"}', NO, "NONE", *["1"] * 9]
    found = walk(stage(max_hops=2, width=2), replies, "film", graph=graph)
    assert found.evidence.texts()[-11:] == [
        "film -> year -> 1990", "film -> starred -> Ann", "film -> year -> 1991", "film -> starred -> Cyd",
        *[f"film -> year -> {year}" for year in range(1992, 1999)],
    ]  # fmt: skip
    assert "Reached last: 1990; Ann; 1991; Cyd\n" in found.prompts[5]
    assert ("plan_on_graph.width", {"n": 4, "total": 11}) in told(found.events)
    assert "11. film -> year -> 1998\n" in found.prompts[3]  # noted, too


def test_entities_of_a_hub_are_drawn_before_their_names_are_scored(tmp_path: File) -> None:
    rated: list[int] = []

    class Counting(BM25):
        def rate(self, query: str, texts: Sequence[str]) -> Any:
            rated.append(len(texts))
            return super().rate(query, texts)

    graph = build([("hub", "has", f"part {i}") for i in range(1_200)], tmp_path / "hub.graph")
    replies = [GOALS, "1", "1", '{"1": "x"}', '{"enough": true, "answer": "hub"}']
    found = [walk(lambda llm: PlanOnGraph(llm, Counting()), replies, "hub", graph=graph) for _ in range(2)]
    assert rated == [1_000, 1_000]
    assert told(found[0].events)[0] == ("plan_on_graph.drawn", {"n": 1000, "total": 1200, "move": "-> has"})
    assert found[0].evidence.texts() == found[1].evidence.texts()


def test_many_entities_are_cut_by_the_scorer(tmp_path: File) -> None:
    triples = [("film", "starred", f"actor {i}") for i in range(80)] + [("film", "starred", "currency expert")]
    graph = build(triples, tmp_path / "crowd.graph")
    replies = [GOALS, "1", "1, 2, 3, 4, 5", "{}", NO, "NONE", "NONE"]
    found = walk(stage(width=2), replies, "film", graph=graph)
    assert "1. currency expert\n" in found.prompts[2]
    assert "70. " in found.prompts[2]
    assert "71. " not in found.prompts[2]
    assert len(found.evidence) == 2
    assert ("plan_on_graph.best_shown", {"n": 70, "total": 81, "move": "-> starred"}) in told(found.events)


def test_a_server_of_prose_ends_it_with_events() -> None:
    found = walk(stage(), [PROSE], "Nairobi")
    assert [purpose(prompt) for prompt in found.prompts] == ["Names", "Numbers"]
    assert not found.evidence.items
    assert any("no candidate could be read" in event for event in found.events)


@pytest.mark.parametrize(("goals", "unread"), [("NONE", 0), ("<think>hm</think>", 1)])
def test_each_unread_reply_counts_once(goals: str, unread: int) -> None:
    replies = [goals, "1", '{"1": "x"}', '{"enough": true, "answer": "Kenya"}']
    found = walk(stage(), replies, "Nairobi")
    assert found.facts.get("unread_replies", 0) == unread
    assert ("plan_on_graph.no_goals", {}) in told(found.events)


def test_prose_after_the_relations_keeps_the_notes_and_goes_on() -> None:
    replies = [GOALS, "1", PROSE, PROSE, PROSE, PROSE]
    found = walk(stage(max_hops=2), replies, "Nairobi")
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya"]
    assert ("plan_on_graph.no_notes", {}) in told(found.events)
    assert ("plan_on_graph.no_verdict", {}) in told(found.events)
    assert found.facts["unread_replies"] == 4  # notes, verdict, whether to go back, and relations


def test_invented_numbers_are_not_followed() -> None:
    found = walk(stage(), [GOALS, "7"], "Nairobi")
    assert len(found.prompts) == 2
    assert not found.evidence.items
    assert any("but the candidates are 1 to 1" in event for event in found.events)
