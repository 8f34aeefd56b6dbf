"""The recipes of generated queries, over scripted replies."""

from __future__ import annotations

from pathlib import Path

import pytest
from film_database import CypherFilms

from graphbrick import parse, recipe
from graphbrick.testing import ScriptedLLM

QUESTION = "Which films did Ridley Scott direct?"
BY_SCOTT = "MATCH (:Person {name: 'Ridley Scott'})-[:DIRECTED]->(f:Film) RETURN f.title"


@pytest.mark.parametrize(("name", "parts"), [("E1", {}), ("E2", {"embedder": "BM25()"})])
def test_a_query_recipe_answers_from_refined_rows(name: str, parts: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    films = CypherFilms(tmp_path / "films.lbdb")
    with ScriptedLLM(
        [BY_SCOTT, '{"numbers": [2]}', '{"answers": [{"answer": "Blade Runner", "paths": [1]}]}']
    ) as server:
        pipeline = recipe(name).pipeline(llm=f"LLM(base_url={server.base_url!r})", **parts)
        answer = pipeline(films, QUESTION)
        assert len(server.requests) == 3
    assert (answer.texts, answer.support) == (("Blade Runner",), ((0,),))
    assert answer.evidence.texts() == ["f.title: Blade Runner"]
    films.close()


@pytest.mark.parametrize(("name", "parts"), [("E1-TEXT", {}), ("E2-TEXT", {"embedder": "BM25()"})])
def test_a_second_model_writes_the_context_of_the_rows(name: str, parts: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    films = CypherFilms(tmp_path / "films.lbdb")
    with ScriptedLLM([BY_SCOTT]) as first, ScriptedLLM(["Ridley Scott directed Blade Runner [2]."]) as second:
        models = {"llm": f"LLM(base_url={first.base_url!r})", "writer": f"LLM(base_url={second.base_url!r})"}
        answer = recipe(name).pipeline(**models, **parts)(films, QUESTION)
        assert (len(first.requests), len(second.requests)) == (1, 1)
        assert "Blade Runner" in second.requests[0].prompt
    assert answer.texts == ("Ridley Scott directed Blade Runner [1].",)  # numbered by its sources
    assert "Blade Runner" in answer.evidence.texts()[answer.support[0][0]]
    films.close()


@pytest.mark.parametrize("name", ["E1", "E2", "E1-TEXT", "E2-TEXT", "E4-TEXT"])
def test_the_text_of_a_query_recipe_is_its_pipeline(name: str) -> None:
    assert parse(repr(recipe(name).pipeline())) == parse(recipe(name).shown)
