"""Judges that see what is true of a question: its stored answer, or the text of its document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from documents import write_documents
from rag_study import TEXTS, compare, script, systems

from graphbrick import LLM
from graphbrick.judge.rag.building import Documents
from graphbrick.judge.rag.experiment import evaluate_rag
from graphbrick.judge.rag.page import write_page
from graphbrick.judge.rag.questions import DOCUMENT, GLOBAL
from graphbrick.judge.rag.references import Reference
from graphbrick.judge.rag.tables import rows_of
from graphbrick.testing import ScriptedLLM


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "docs", TEXTS)


@pytest.mark.whole
def test_the_judge_sees_the_answer_or_the_document_unless_it_is_told_not_to(documents: Path, tmp_path: Path) -> None:
    with ScriptedLLM(lambda request: script(request).replace("What do towns share", "Where lies a town")) as server:
        study = compare(documents, tmp_path / "study", server)
        prompts = [one.prompt for one in server.requests if "You judge" in one.prompt]
        plain = compare(documents, tmp_path / "study", server, reference=False)
        later = [one.prompt for one in server.requests if "You judge" in one.prompt][len(prompts) :]
    assert {one.question.answers for one in study.asked["words"]} == {("Water.",), ()}
    overall = [prompt for prompt in prompts if "part 0?" in prompt]
    assert overall
    assert all("Reference: Water.\n\nAnswer: " in prompt and "is the right answer" in prompt for prompt in overall)
    kisumu = [prompt for prompt in prompts if "Question: Where does kisumu" in prompt]
    assert kisumu
    assert all("Kisumu is a port on Lake Victoria. Kisumu trades with Uganda.\n\nAnswer" in one for one in kisumu)
    assert len(later) == len(prompts)  # another kind of score
    assert not any("Reference:" in prompt for prompt in later)
    scores = [one.score for one in study.asked["first"] if one.score]
    assert {score.reference.split()[0] for score in scores} == {"answer", "document"}
    assert {one.score.reference for one in plain.asked["first"] if one.score} == {""}
    page = write_page(study, rows_of(study)).read_text()
    assert "beside question and answer the right answer (4 scores), the text of the document" in page
    assert "Peak memory of building" in page
    assert "question and answer only" in write_page(plain, rows_of(plain)).read_text()


@pytest.mark.whole
def test_published_questions_are_read_and_judged_by_the_name_of_a_file(documents: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.json"
    rows = [
        {"question": "Which town is a port?", "answer": "Kisumu."},
        {"doc": "kisumu.txt", "question": "Where does Kisumu lie?\n", "topic": "towns"},
    ]
    file.write_text(json.dumps([*rows, {"doc": "gone.txt", "question": "Which town trades?"}]))
    with ScriptedLLM(script) as server:
        llm = LLM("model", base_url=server.base_url)
        study = evaluate_rag(Documents([documents]), systems(), tmp_path / "study", questions=file, judge=llm)
        prompts = [one.prompt for one in server.requests]
    assert study.asked["words"][1].question.facts["topic"] == "towns"
    assert [one.question.facts["kind"] for one in study.asked["words"]] == [GLOBAL, DOCUMENT, DOCUMENT]
    assert sum("Reference: Kisumu." in prompt for prompt in prompts) == 2
    assert sum("Kisumu trades with Uganda.\n\nAnswer" in prompt for prompt in prompts if "Where does" in prompt) == 2
    assert study.notes == ["1 of 3 questions have neither an answer nor a document here, which a judge could see"]


def test_a_text_that_is_too_long_for_the_judge_is_cut_and_told() -> None:
    long = Reference.of_text("document", "x" * 13_000)
    assert (len(long.text), long.is_cut) == (12_000, True)
    assert long.name != Reference.of_text("document", "y" * 13_000).name
