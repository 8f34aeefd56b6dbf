"""The recipes for graphs from text, over the real index of a novella, with scripted replies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphbrick import parse, recipe
from graphbrick.cli.pipelines import chosen_pipeline
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.testing import Request, ScriptedLLM
from graphbrick.text.documents.store import TextStore
from graphbrick.text.exchange.graphrag.importing import import_graphrag

NAMES = (
    "GRAPHRAG-BASIC", "GRAPHRAG-LOCAL", "GRAPHRAG-GLOBAL", "GRAPHRAG-DRIFT", "LAZY", "LIGHTRAG-LOCAL",
    "LIGHTRAG-GLOBAL", "LIGHTRAG-HYBRID", "LIGHTRAG-NAIVE", "LIGHTRAG-MIX", "VANILLA", "MICHAEL",
    "MICHAEL-REPAIRED", "HIPPORAG2",
)  # fmt: skip
LOCAL = {  # questions about single entities, and words that their evidence must have
    "Who is the mentor of Sam Rivera?": "Mercer",
    "What is the role of Taylor Cruz in the squad?": "Cruz",
    "What does Jordan Hayes examine?": "Hayes",
    "What is Operation: Dulce?": "Dulce",
    "What is in the mainframe room?": "mainframe",
}
GLOBAL = {  # questions about the whole story, and words that the reports read must have
    "What are the main themes of the story?": "Operation: Dulce",
    "Which people and groups are important?": "Paranormal Military Squad",
    "What is told about alien technology?": "alien",
    "Which conflicts are there between the characters?": "protocol",
    "Which places matter, and why?": "Dulce",
}


@pytest.fixture(scope="module")
def dulce(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    source = data_dir / "graphrag_dulce"
    if not source.is_dir():
        pytest.skip("no graphrag_dulce in the data folder")
    return import_graphrag(source, tmp_path_factory.mktemp("dulce") / "dulce.graph").graph


def says(request: Request) -> str:
    """A model that takes the first texts for the answer, and finds every passage relevant."""
    prompt = request.prompt
    if "YES or NO:" in prompt:
        return "YES"
    if "Texts:\n" in prompt and "Main question:" in prompt:
        return json.dumps({"answer": "The squad explores the base.", "score": 70, "texts": [1, 2], "follow_up": []})
    if "Texts:\n" in prompt:
        first = re.findall(r"^1\. (.*)$", prompt, re.MULTILINE)[0]
        return json.dumps({"points": [{"point": first[:200], "score": 80, "texts": [1]}]})
    if "Evidence:\n" in prompt:
        return "They explore the base [1]. It is dangerous [2, 99]."
    return json.dumps({"questions": ["Who explores the base?"]})


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM(says) as running:
        yield running


@pytest.fixture(scope="module")
def parts(server: ScriptedLLM) -> dict[str, str]:
    llm = f"LLM(base_url={server.base_url!r}, context=32000)"
    return {"embedder": f"LLMEmbedder(base_url={server.base_url!r})", "llm": llm, "writer": llm}


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_recipe_is_its_pipeline(name: str) -> None:
    found = recipe(name.lower())
    assert parse(repr(found.pipeline())) == parse(found.shown) == found.pipeline()
    assert found.uses_llm


@pytest.mark.parametrize("name", NAMES)
def test_the_named_model_writes_with_room_for_prose(name: str) -> None:
    text = repr(chosen_pipeline(None, name, [], "gpt-4.1"))
    assert "WriteAnswer(LLM(model='gpt-4.1', max_tokens=1500)" in text
    assert "LLM()" not in text


@pytest.mark.whole
@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_answers_with_places_that_open(name: str, dulce: TextGraph, parts: dict[str, str]) -> None:
    found = recipe(name)
    run = found.pipeline(**{part: parts[part] for part in found.parts}).run(
        dulce, "What does the squad do at the base?"
    )
    assert run.answer is not None
    assert run.answer.texts[0].startswith("They explore the base [1].")
    assert run.answer.support
    with TextStore(text_folder(dulce.place)) as store:
        for item in run.answer.evidence.items:
            for place in item.citations:
                document = store.document(place.document)
                assert document is not None
                assert place.section.startswith("Operation: Dulce")
                assert document[1][place.start : place.end].strip()
    assert run.answer.evidence.items[0].citations


@pytest.mark.shared
@pytest.mark.parametrize(("question", "word"), LOCAL.items())
def test_local_search_of_a_real_index(question: str, word: str, dulce: TextGraph, parts: dict[str, str]) -> None:
    run = recipe("graphrag-local").pipeline(embedder=parts["embedder"], writer=parts["writer"]).run(dulce, question)
    assert run.evidence is not None
    counts = run.evidence.counts()
    assert counts["entities"] == 10
    assert counts["triples"] > 10
    assert counts["passages"] >= 1
    assert any(word.casefold() in item.text.casefold() for item in run.evidence.items if item.kind == "entity")
    assert run.answer is not None
    assert run.answer.support


@pytest.mark.shared
@pytest.mark.parametrize(("question", "word"), GLOBAL.items())
def test_global_search_of_a_real_index(
    question: str, word: str, dulce: TextGraph, parts: dict[str, str], server: ScriptedLLM
) -> None:
    before = len(server.requests)
    run = recipe("graphrag-global").pipeline(writer=parts["writer"]).run(dulce, question)
    prompts = [request.prompt for request in server.requests[before:]]
    read = "\n".join(prompt for prompt in prompts if "Texts:\n" in prompt)
    assert word.casefold() in read.casefold()
    titles = [item.text.partition("\n")[0] for item in parse("Reports()").run(dulce, question).evidence.items]
    assert len(titles) == 9  # of ten communities one is divided
    assert all(title in read for title in titles)
    assert run.answer is not None
    assert run.answer.evidence.items[0].kind == "point"
    assert run.answer.evidence.items[0].citations[0].document == "dulce.txt"
