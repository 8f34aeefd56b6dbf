"""The recipes of published systems: each answers a question over scripted replies, and says where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from grammar_texts import texts_of
from onnx_models import write_embedder
from reasoning import PROSE, QUESTION, purpose

from graphbrick import EmbeddingModel, PathTowers, WrittenRelations, parse, recipe
from graphbrick.evaluate.datasets import Question
from graphbrick.recipes import published
from graphbrick.testing import Request, ScriptedLLM, tiny_graph
from graphbrick.train import train_towers, train_writer

NO = '{"enough": false, "answer": ""}'


def path_writer(request: Request) -> str:
    if "grammar" in request.body:
        allowed = texts_of(request.body["grammar"])
        return allowed[0]
    return "Kenyan shilling"


SCRIPTS: dict[str, list[str] | Callable[[Request], str]] = {
    "ROG": ["<- capital -> currency", "Kenyan shilling [1]"],
    "TOG": ["1: 100", "NO", "2: 100", "YES", "Kenyan shilling [1]"],
    "GCR": path_writer,
    "KB-BINDER": ['(JOIN (R currency) (JOIN capital "Nairobi"))', "Kenyan shilling [1]"],
    "KELP": ["Kenyan shilling [1]"],
    "GSR": ["Kenyan shilling [1]"],
    "STRUCTGPT": ["1", "Kenya [1]"],
    "STRUCTGPT-ITERATIVE": ["1", "NO", "2", "YES", "Kenyan shilling [1]"],
    "POG": [
        "the country\nits currency",
        "1",
        '{"1": "Kenya"}',
        NO,
        "NONE",
        "2",
        '{"2": "Kenyan shilling"}',
        '{"enough": true, "answer": "Kenyan shilling"}',
        "Kenyan shilling [1]",
    ],
    "DOG": [
        "1",
        "NO",
        "Currency of Kenya?",
        "It is right.",
        "Which currency is used in Kenya?",
        "2",
        "YES",
        "Kenyan shilling [1]",
    ],
}
SYSTEMS = [name for name, found in published().items() if found.group == "systems"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What has to be trained on questions of the graph."""
    folder = tmp_path_factory.mktemp("trained")
    table = {"currency": (1.0, 0.0), "capital": (0.0, 1.0)}
    embedder = EmbeddingModel(
        str(write_embedder(folder, table).parent), query_prefix="currency ", text_prefix="currency "
    )
    questions = [Question("1", QUESTION, ("Nairobi",), ("Kenyan shilling",))]
    train_towers(tiny_graph(), questions, folder / "towers", embedder=embedder, epochs=5)
    train_writer(tiny_graph(), questions, folder / "writer", embedder=embedder, max_hops=2, epochs=60)
    return {
        "two_towers": repr(PathTowers(str(folder / "towers"))),
        "relation_writer": repr(WrittenRelations(str(folder / "writer"), beams=1)),
    }


def model_of(server: ScriptedLLM) -> str:
    return f"LLM(base_url={server.base_url!r}, structured=False, parallel=1)"


def parts_of(name: str, server: ScriptedLLM, trained: Mapping[str, str]) -> dict[str, str]:
    parts = {part: model_of(server) for part in recipe(name).parts if part.endswith("llm")}
    parts |= {part: text for part, text in trained.items() if part in recipe(name).parts}
    return parts | ({"embedder": "BM25()"} if "embedder" in recipe(name).parts else {})


def test_every_system_has_a_script() -> None:
    assert set(SCRIPTS) == set(SYSTEMS)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_answers_a_question_of_two_hops(name: str, trained: Mapping[str, str]) -> None:
    with ScriptedLLM(SCRIPTS[name]) as server:
        answer = recipe(name).pipeline(**parts_of(name, server, trained))(tiny_graph(), QUESTION, seeds=["Nairobi"])
        if isinstance(SCRIPTS[name], list):
            assert len(server.requests) == len(SCRIPTS[name])  # type: ignore[arg-type]
    expected = "Kenya" if name == "STRUCTGPT" else "Kenyan shilling"  # it takes one step only
    assert answer.texts == (expected,)
    assert not answer.from_model
    assert expected in answer.evidence.texts()[0]


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "GCR"])
def test_a_system_survives_a_server_of_prose_and_says_so(name: str, trained: Mapping[str, str]) -> None:
    with ScriptedLLM([PROSE]) as server:
        answer = recipe(name).pipeline(**parts_of(name, server, trained))(tiny_graph(), QUESTION, seeds=["Nairobi"])
        assert 1 <= len(server.requests) <= 20
        assert purpose(server.requests[0].prompt)
    assert answer.trace is not None
    assert answer.trace.events


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_says_where_it_comes_from(name: str) -> None:
    found = recipe(name)
    assert found == recipe(name.lower())
    assert found.source
    assert found.setting
    assert found.note
    assert found.paper
    assert found.uses_llm
    if not found.needs:
        assert parse(repr(found.pipeline())) == parse(found.shown)
