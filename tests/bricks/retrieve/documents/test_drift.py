"""DRIFT search over a small imported index."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from faults import told
from graphrag_output import write_output

from graphbrick import LLM, Drift, Point, Query, Subgraph, parse
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.embedders.llm_embedder import LLMEmbedder
from graphbrick.testing import Request, ScriptedLLM
from graphbrick.text.exchange.graphrag.importing import import_graphrag

MAIN = "What is traded on the lake?"


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    folder = tmp_path_factory.mktemp("lakes")
    return import_graphrag(write_output(folder / "output"), folder / "lakes.graph").graph


@pytest.fixture(scope="module")
def embedder() -> Iterator[LLMEmbedder]:
    with ScriptedLLM(["-"]) as server:
        yield LLMEmbedder(base_url=server.base_url)


def asked(request: Request) -> str:
    """The question of a call, after the main question."""
    return re.findall(r"^Question: (.*)$", request.prompt, re.MULTILINE)[-1]


def reply(answer: str, score: int, texts: list[int], *follow_up: str) -> str:
    return json.dumps({"answer": answer, "score": score, "texts": texts, "follow_up": list(follow_up)})


def says(request: Request) -> str:
    if "Example:" in request.prompt:
        return "Tea is traded."
    question = asked(request)
    if question == MAIN:
        return reply("The reports speak of tea.", 40, [1], "Who grows tea?", "Where is the port?", MAIN)
    if question == "Who grows tea?":
        return reply("Kericho grows tea.", 90, [1, 99], "who grows TEA", "Where is tea sold?")
    if question == "Where is the port?":
        return reply("", 0, [])
    return "I do not know."


def drift(server: ScriptedLLM, embedder: LLMEmbedder, **more: int) -> Drift:
    return Drift(LLM(base_url=server.base_url), embedder, **more)  # type: ignore[arg-type]


def test_follow_up_questions_lead_to_points_with_places(lakes: TextGraph, embedder: LLMEmbedder) -> None:
    with ScriptedLLM(says) as server, record(Trace(), "Drift", "retrieve") as stage:
        found = drift(server, embedder, parts=1).retrieve(Query(MAIN), Subgraph(lakes))
        questions = [asked(request) for request in server.requests if "Example:" not in request.prompt]
    assert questions[0] == MAIN  # then those of each round, together
    assert sorted(questions[1:3]) == ["Where is the port?", "Who grows tea?"]
    assert questions[3:] == ["Where is tea sold?"]  # none is asked twice
    assert [(item.text, item.score) for item in found.items] == [
        ("Kericho grows tea.", 0.9),
        ("The reports speak of tea.", 0.4),
    ]
    assert all(isinstance(item, Point) and item.citations[0].document == "lakes.md" for item in found.items)
    assert ("drift.unread_replies", {"n": 1, "total": 1}) in told(stage.events)


@pytest.mark.whole
def test_rounds_and_width_bound_the_calls(lakes: TextGraph, embedder: LLMEmbedder) -> None:
    def endless(request: Request) -> str:
        if "Example:" in request.prompt:
            return "Something."
        return reply("Something.", 50, [1], *(f"{asked(request)} {letter}?" for letter in "abcde"))

    with ScriptedLLM(endless) as server:
        drift(server, embedder, parts=2, rounds=2, width=3).retrieve(Query(MAIN), Subgraph(lakes))
        assert len(server.requests) == 1 + 2 + 2 * 3


def test_the_best_answers_follow_up_questions_come_first(lakes: TextGraph, embedder: LLMEmbedder) -> None:
    def script(request: Request) -> str:
        if "Example:" in request.prompt:
            return "Something."
        if asked(request) == MAIN:
            is_lake = "The lake: " in request.prompt
            return reply("Lake." if is_lake else "Tea.", 10 if is_lake else 80, [1], "lake?" if is_lake else "tea?")
        return reply(asked(request), 5, [])

    with ScriptedLLM(script) as server:
        drift(server, embedder, parts=2, rounds=1, width=1).retrieve(Query(MAIN), Subgraph(lakes))
        assert asked(server.requests[-1]) == "tea?"


def test_an_answer_that_is_given_twice_has_its_best_score(lakes: TextGraph, embedder: LLMEmbedder) -> None:
    def script(request: Request) -> str:
        if "Example:" in request.prompt:
            return "Something."
        return reply("Tea.", 80, []) if "The lake: " in request.prompt else reply("Tea.", 40, [])

    with ScriptedLLM(script) as server:
        found = drift(server, embedder, parts=2, rounds=0).retrieve(Query(MAIN), Subgraph(lakes))
    assert [(item.text, item.score) for item in found.items] == [("Tea.", 0.8)]


@pytest.mark.parametrize(("score", "expected"), [('"70"', [0.7]), ("NaN", []), ("true", []), ("1e400", [])])
def test_scores_in_another_form(score: str, expected: list[float], lakes: TextGraph, embedder: LLMEmbedder) -> None:
    with ScriptedLLM([f'{{"answer": "Tea.", "score": {score}, "texts": ["1"], "follow_up": []}}']) as server:
        found = drift(server, embedder, parts=1).retrieve(Query(MAIN), Subgraph(lakes))
    assert [item.score for item in found.items] == expected
    assert all(item.citations for item in found.items)


def test_one_answer_from_the_points(lakes: TextGraph, embedder: LLMEmbedder) -> None:
    def script(request: Request) -> str:
        return "Tea of Kericho [1]." if "Statements:" in request.prompt else says(request)

    with ScriptedLLM(script) as server:
        llm = f"LLM(base_url={server.base_url!r})"
        answer = parse(f"Drift({llm}, {embedder!r}, parts=1) >> WriteAnswer({llm})")(lakes, MAIN)
    assert answer.texts == ("Tea of Kericho [1].",)
    assert answer.evidence.texts() == ["Kericho grows tea."]
