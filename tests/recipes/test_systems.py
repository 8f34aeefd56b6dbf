"""The recipes of published systems: each answers a question over scripted replies, and says where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from onnx_models import write_embedder
from reasoning import PROSE, QUESTION, purpose

from graphbrick import EmbeddingModel, PathTowers, WrittenRelations, parse, recipe
from graphbrick.cli.pipelines import recipe_parts
from graphbrick.core.errors import PipelineError
from graphbrick.learn.train.patterns.relation_writer import train_writer
from graphbrick.learn.train.patterns.towers import train_towers
from graphbrick.questions.question import Question
from graphbrick.recipes import published
from graphbrick.testing import ScriptedLLM, tiny_graph

ROOT = Path(__file__).parents[2]


def _walks() -> ModuleType:
    """The scripts of docs/published.md, which are tested here."""
    spec = spec_from_file_location("walks", ROOT / "docs" / "walks.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WALKS = _walks()
SCRIPTS = WALKS.SCRIPTS
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


def test_every_system_has_a_script_and_a_paragraph() -> None:
    assert list(SCRIPTS) == list(WALKS.ABOUT)
    assert set(SCRIPTS) == {*SYSTEMS, "GRAPH-COT", "SEARCH-ON-GRAPH"}


@pytest.mark.parametrize("name", ["TOG", "SEARCH-ON-GRAPH"])
def test_the_walk_of_the_docs_has_every_call_and_the_answer(name: str) -> None:
    lines = WALKS.lines(WALKS.run(name))
    assert "\n".join(lines) in (ROOT / "docs" / "published.md").read_text("utf-8"), "run: make docs"
    assert sum(line.startswith("model sees:") for line in lines) == len(SCRIPTS[name])
    assert lines[-1] == "answer:      Kenyan shilling"
    if name == "TOG":
        assert lines[:2] == [
            "model sees:  Entity: Nairobi | Path so far: Nairobi | Relations: | 1. <- capital | Points:",
            "  and says:  1: 100",
        ]


@pytest.mark.whole
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_answers_a_question_of_two_hops(name: str, trained: Mapping[str, str]) -> None:
    with ScriptedLLM(SCRIPTS[name]) as server:
        answer = recipe(name).pipeline(**parts_of(name, server, trained))(tiny_graph(), QUESTION, seeds=["Nairobi"])
        assert len(server.requests) == len(SCRIPTS[name])
    expected = "Kenya" if name == "STRUCTGPT" else "Kenyan shilling"  # it takes one step only
    assert answer.texts == (expected,)
    assert not answer.from_model
    assert expected in answer.evidence.texts()[0]


@pytest.mark.parametrize("name", [*SYSTEMS, "GRAPH-COT", "SEARCH-ON-GRAPH"])
def test_the_answer_prompt_of_a_system_has_no_way_out(name: str, trained: Mapping[str, str]) -> None:
    with ScriptedLLM(SCRIPTS[name]) as server:
        recipe(name).pipeline(**parts_of(name, server, trained))(tiny_graph(), QUESTION, seeds=["Nairobi"])
        assert "give the best that they hold" in server.requests[-1].prompt
        assert "NOT IN THE PATHS" not in server.requests[-1].prompt
    assert "prompt='paths'" in recipe(name).note


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


@pytest.mark.parametrize("name", ["KB-BINDER", "GCR"])
def test_one_model_on_the_command_line_takes_all_places(name: str) -> None:
    parts = recipe_parts(name, [], "gpt-4.1")
    pipeline = recipe(name).pipeline(**parts)
    assert "gpt-4.1-mini" not in repr(pipeline)
    assert "LocalLLM" not in repr(pipeline)
    assert ("LLM('gpt-4.1', temperature=0.3)" in repr(pipeline).replace("model=", "")) == (name == "KB-BINDER")
    brick = recipe_parts(name, [], "LLM('gpt-4.1', structured=False)")
    assert brick["llm"] == "LLM(model='gpt-4.1', structured=False)"


@pytest.mark.parametrize("name", ["ROG", "DOG"])
def test_the_model_answers_by_itself_where_the_search_gives_nothing(name: str, trained: Mapping[str, str]) -> None:
    never = {
        "ROG": ["2 > 2", "Kenyan shilling"],
        "DOG": ["1", "NO", "a", "b", "c?"] * 2 + ["1", "NO", "Kenyan shilling"],
    }
    with ScriptedLLM(never[name]) as server:
        answer = recipe(name).pipeline(**parts_of(name, server, trained))(tiny_graph(), QUESTION, seeds=["Nairobi"])
        assert len(server.requests) == len(never[name])
    assert (answer.texts, answer.from_model) == (("Kenyan shilling",), True)
    assert not answer.evidence.items


def test_an_unknown_name_lists_every_system() -> None:
    with pytest.raises(PipelineError) as raised:
        recipe("POGO")
    assert all(name in str(raised.value) for name in SYSTEMS)
