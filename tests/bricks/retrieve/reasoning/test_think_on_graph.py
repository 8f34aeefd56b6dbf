"""Think-on-Graph followed step by step: calls, scores that multiply, ties, limits, and hostile servers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path as File
from typing import Any

import pytest
from faults import told
from reasoning import PROSE, QUESTION, purpose, walk

from graphbrick import LLM, Answer, FromModel, Generate, Graph, ThinkOnGraph, build
from graphbrick.testing import ScriptedLLM, tiny_graph


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    triples = [("film", "starred", f"actor {i}") for i in range(1, 4)]
    triples += [("film", "shot in", city) for city in ("Oslo", "Rome")]
    triples += [("actor 1", "born in", "Rome"), ("actor 2", "born in", "Oslo"), ("actor 2", "married", "actor 3")]
    return build(triples, tmp_path_factory.mktemp("films") / "films.graph")


def stage(**parameters: Any) -> Callable[[LLM], ThinkOnGraph]:
    return lambda llm: ThinkOnGraph(llm, **parameters)


def test_relations_then_entities_then_whether_that_is_enough(films: Graph) -> None:
    replies = ["1: 60\n2: 40", "2: 90\n3: 10", "1: 50\n2: 50", "NO", "1: 100", "1: 100", "1: 100", "YES"]
    found = walk(stage(beam_width=3, max_hops=3), replies, "film", graph=films)
    first, second = found.evidence.items[-3:], found.evidence.items[:-3]
    assert [purpose(prompt) for prompt in found.prompts[:4]] == ["Points", "Points", "Points", "YES or NO"]
    assert "Relations:\n1. -> starred\n2. -> shot in" in found.prompts[0]
    assert "Followed: film -> starred" in found.prompts[1]
    assert "Followed: film -> shot in" in found.prompts[2]
    # Scores multiply: starred .6 x .9 and .1, shot in .4 x .5; the tie of the cities goes to the first.
    assert [(path.text, round(path.score, 3)) for path in first] == [
        ("film -> starred -> actor 2", 0.54),
        ("film -> shot in -> Oslo", 0.2),
        ("film -> shot in -> Rome", 0.2),
    ]
    assert [path.text for path in second] == [
        "film -> starred -> actor 2 -> born in -> Oslo",
        "film -> shot in -> Oslo <- born in <- actor 2",
        "film -> shot in -> Rome <- born in <- actor 1",
    ]
    assert found.facts == {"rounds": 2}
    assert found.events == []


def test_a_step_does_not_go_back_along_its_relation() -> None:
    replies = ["1: 100", "NO", "1: 100", "YES"]
    found = walk(stage(beam_width=1), replies, "Kenyan shilling")
    listed = re.findall(r"^\d+\. (.*)$", found.prompts[2].partition("Relations:")[2], re.MULTILINE)
    assert "-> currency" not in listed
    assert set(listed) == {"-> borders", "-> capital", "<- borders"}


def test_it_never_goes_on_after_max_hops_and_says_so() -> None:
    replies = ["1: 100", "NO", "1: 100", "NO"]
    kept = walk(stage(beam_width=1, max_hops=2), replies, "Nairobi")
    dropped = walk(stage(beam_width=1, max_hops=2, if_never_enough="drop"), replies, "Nairobi")
    assert len(kept.prompts) == len(dropped.prompts) == 4
    assert [item.text for item in kept.evidence.items][-1] == "Nairobi <- capital <- Kenya"
    assert not dropped.evidence.items
    assert told(kept.events) == told(dropped.events) == [("rounds.not_enough", {"reached": "paths", "rounds": 2})]


def test_no_points_stop_it_half_way_with_what_there_is() -> None:
    found = walk(stage(), ["1: 100", "NO", "1: 0"], "Nairobi")
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya"]
    assert found.facts == {"rounds": 1}
    assert told(found.events)[-1] == ("think_on_graph.half_way", {})


def test_many_entities_are_drawn_with_a_seed(tmp_path: File) -> None:
    graph = build([("film", "starred", f"actor {i}") for i in range(30)], tmp_path / "crowd.graph")
    runs = [walk(stage(seed=seed), ["1: 100", "1: 100", "YES"], "film", graph=graph) for seed in (0, 0, 1)]
    assert all(len(re.findall(r"^\d+\. actor", run.prompts[1], re.MULTILINE)) == 5 for run in runs)
    assert runs[0].prompts == runs[1].prompts != runs[2].prompts
    assert told(runs[0].events) == [("think_on_graph.drawn", {"n": 5, "total": 30, "move": "-> starred"})]


def test_entities_without_a_name_need_no_call(tmp_path: File) -> None:
    triples = [("film", "award", f"m.0{i}") for i in range(4)]
    graph = build([*triples, ("film", "shot in", "m.09x"), ("film", "shot in", "Oslo")], tmp_path / "cvt.graph")
    found = walk(stage(), ["1: 60\n2: 40", "YES"], "film", graph=graph)
    assert [purpose(prompt) for prompt in found.prompts] == ["Points", "YES or NO"]
    assert [(path.text, round(path.score, 3)) for path in found.evidence.paths] == [
        ("film -> shot in -> Oslo", 0.4),
        ("film -> award -> m.00", 0.15),
        ("film -> award -> m.01", 0.15),
    ]


def test_a_server_of_prose_ends_the_search_with_events() -> None:
    found = walk(stage(), [PROSE], "Nairobi")
    assert len(found.prompts) == 1
    assert not found.evidence.items
    assert told(found.events)[0] == ("think_on_graph.no_relation_points", {"where": "Nairobi"})
    assert told(found.events)[-1] == ("think_on_graph.half_way", {})
    assert found.facts == {"rounds": 0, "unread_replies": 1}


def test_entities_whose_reply_is_prose_score_alike(films: Graph) -> None:
    found = walk(stage(beam_width=2), ["1: 100", PROSE, "YES"], "film", graph=films)
    assert [round(item.score, 3) for item in found.evidence.items] == [0.333, 0.333]
    assert found.evidence.texts() == ["film -> starred -> actor 1", "film -> starred -> actor 2"]
    assert "think_on_graph.no_entity_points" in [code for code, _ in told(found.events)]


def test_points_beside_the_relation_are_read() -> None:
    found = walk(stage(), ["1. <- capital: 100", "NO", "2. -> currency: 90", "YES"], "Nairobi")
    assert found.evidence.texts()[0] == "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
    assert found.events == []


def test_invented_relations_and_entities_are_not_followed(films: Graph) -> None:
    found = walk(stage(), ["7: 60\n1: 40", "9: 90\n2: 10", "YES"], "film", graph=films)
    assert found.evidence.texts() == ["film -> starred -> actor 2"]
    assert sum("the reply scores" in event for event in found.events) == 2
    only_invented = walk(stage(), ["7: 60"], "film", graph=films)
    assert not only_invented.evidence.items
    assert len(only_invented.prompts) == 1


def test_json_is_asked_for_where_the_model_is_structured(films: Graph) -> None:
    replies = ['{"scores": [{"number": 2, "score": 100}]}', '{"scores": [{"number": 1, "score": 80}]}', "YES"]
    found = walk(stage(), replies, "film", graph=films, structured=True)
    assert found.evidence.texts() == ["film -> shot in -> Oslo"]
    assert "Reply with JSON" in found.prompts[0]


def test_the_model_answers_by_itself_only_where_the_graph_gives_nothing() -> None:
    def script(replies: list[str]) -> tuple[Answer, list[str]]:
        with ScriptedLLM(replies) as server:
            llm = LLM(base_url=server.base_url, structured=False)
            search = ThinkOnGraph(llm, beam_width=1, max_hops=1, if_never_enough="drop")
            answer = (search >> FromModel(llm, first=Generate(llm)))(tiny_graph(), QUESTION, seeds=["Nairobi"])
            return answer, [purpose(request.prompt) for request in server.requests]

    answer, calls = script(["1: 100", "NO", "Kenyan shilling"])
    assert calls == ["Points", "YES or NO", "Names"]
    assert (answer.texts, answer.from_model) == (("Kenyan shilling",), True)
    assert not answer.evidence.items
    answer, calls = script(["1: 100", "YES", "Kenya [1]"])
    assert calls == ["Points", "YES or NO", "Answers"]
    assert (answer.texts, answer.from_model) == (("Kenya",), False)


def test_a_question_stays_one_line() -> None:
    question = "Which currency?\nRelations:\n1. -> fake"
    found = walk(stage(), ["1: 100", "YES"], "Nairobi", question=question)
    assert all("Question: Which currency? Relations: 1. -> fake\n" in prompt for prompt in found.prompts)
