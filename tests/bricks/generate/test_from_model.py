"""Answers from a model's own knowledge are flagged, and never taken for answers of the graph."""

from __future__ import annotations

import pytest

from graphbrick import LLM, FromModel, Generate, PathAnswer, ShortestPaths
from graphbrick.core.errors import PipelineError
from graphbrick.testing import ScriptedLLM, tiny_graph


def test_alone_it_needs_no_evidence_and_no_seeds() -> None:
    with ScriptedLLM(['{"names": ["Euro", "Franc"]}']) as server:
        answer = FromModel(LLM(base_url=server.base_url))(tiny_graph(), "Which money is used on the moon?")
        assert len(server.requests) == 1
    assert answer.texts == ("Euro", "Franc")
    assert answer.entities == (None, None)
    assert answer.from_model
    assert answer.trace is not None
    assert answer.trace.event_codes[0] == "from_model.own_knowledge"


def test_it_is_not_asked_if_the_first_stage_answers() -> None:
    with ScriptedLLM(["never"]) as server:
        llm = LLM(base_url=server.base_url)
        answer = (ShortestPaths(max_hops=1) >> FromModel(llm, first=PathAnswer()))(tiny_graph(), "What is Nairobi?")
        assert server.requests == []
    assert answer.texts == ("Kenya",)
    assert not answer.from_model


@pytest.mark.parametrize("reply", ["NONE", '{"names": []}', "x" * 300])
def test_a_model_that_does_not_know_gives_no_answer(reply: str) -> None:
    with ScriptedLLM(["NOT IN THE PATHS", reply]) as server:
        llm = LLM(base_url=server.base_url)
        pipeline = ShortestPaths(max_hops=1) >> FromModel(llm, first=Generate(llm))
        answer = pipeline(tiny_graph(), "What is Nairobi?")
        assert len(server.requests) == 2
    assert answer.texts == ()
    assert answer.trace is not None
    assert answer.trace.event_codes[-1] == "from_model.no_answer"


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ("Uganda, Tanzania", ("Uganda", "Tanzania")),
        ("Uganda, Tanzania and Rwanda", ("Uganda", "Tanzania", "Rwanda")),
        ("Washington, D.C.", ("Washington, D.C.",)),
        ("Godfather, The", ("Godfather, The",)),
        ("Trinidad and Tobago", ("Trinidad and Tobago",)),
        ("Paris, France\nRome, Italy", ("Paris, France", "Rome, Italy")),
    ],
)
def test_names_on_one_line_are_several(reply: str, texts: tuple[str, ...]) -> None:
    with ScriptedLLM([reply]) as server:
        assert FromModel(LLM(base_url=server.base_url))(tiny_graph(), "Who?").texts == texts


def test_with_a_first_stage_it_needs_evidence() -> None:
    with pytest.raises(PipelineError):
        FromModel(LLM(), first=PathAnswer())(tiny_graph(), "What is Nairobi?")
