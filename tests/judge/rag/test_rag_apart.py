"""What an evaluation on documents must keep apart: questions with one id, and systems with one pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from documents import write_documents
from faults import fails

from graphbrick import LLM, parse
from graphbrick.core.errors import InputError
from graphbrick.judge.rag.building import Documents
from graphbrick.judge.rag.experiment import evaluate_rag
from graphbrick.judge.rag.scores import Scores, score_answers
from graphbrick.judge.rag.systems import RagSystem
from graphbrick.testing import ScriptedLLM

TEXTS = {
    "nairobi.txt": "Nairobi is the capital of Kenya. The Green City lies near Mount Kenya.",
    "kisumu.txt": "Kisumu is a port on Lake Victoria. Kisumu trades with Uganda.",
}
WORDS = RagSystem("words", parse("Passages(n=2) >> Quote(BM25(), n=1, around=0)"))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "docs", TEXTS)


def test_another_file_of_questions_with_the_same_ids(documents: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text('{"question": "Where is the port?", "answers": []}\n')
    second.write_text('{"question": "What is the capital of Kenya?", "answers": []}\n')
    evaluate_rag(Documents([documents]), [WORDS], tmp_path / "study", questions=first)
    study = evaluate_rag(Documents([documents]), [WORDS], tmp_path / "study", questions=second)
    found = [(one.question.text, one.answer) for one in study.asked["words"]]
    assert found == [("What is the capital of Kenya?", "Nairobi is the capital of Kenya.")]


def test_a_score_is_that_of_a_question_not_of_its_id(tmp_path: Path) -> None:
    file = tmp_path / "scores.jsonl"
    row = {"system": "a", "question": "1", "answer": "Here.", "judge": "J", "score": 5}
    file.write_text(json.dumps(row) + "\n")  # of an older version, which kept no text
    rows = [("a", "1", "Where?", "Here."), ("a", "2", "Who?", "Me.")]
    with ScriptedLLM(['{"reason": "", "score": 90}', '{"reason": "", "score": 10}']) as server:
        llm = LLM("m", base_url=server.base_url)
        assert [one.score for one in score_answers(rows, llm, "J", Scores(file))] == [5, 90]
        other = [("a", "2", "Who else?", "Me.")]
        assert [one.score for one in score_answers(other, llm, "J", Scores(file))] == [10]
        assert [one.score for one in score_answers([*rows, *other], llm, "J", Scores(file))] == [5, 90, 10]
        assert len(server.requests) == 2


def test_a_system_without_an_answer_is_refused_before_anything_is_built(documents: Path, tmp_path: Path) -> None:
    with fails("rag.no_answer_stage", InputError, name="paths"):
        evaluate_rag(
            Documents([documents]), [RagSystem("paths", parse("PPR() >> ShortestPaths()"))], tmp_path / "study"
        )
    assert not (tmp_path / "study").exists()


@pytest.mark.whole
def test_systems_that_differ_only_in_their_reports_answer_apart(documents: Path, tmp_path: Path) -> None:
    pytest.importorskip("graspologic_native")
    questions, text = tmp_path / "q.jsonl", "Reports() >> Quote(BM25(), n=1, around=0)"
    questions.write_text('{"question": "What is common?", "answers": []}\n')
    report = {"title": "Towns", "summary": "What is common is that these are towns.", "rating": 5, "findings": []}
    with ScriptedLLM(lambda request: json.dumps(report)) as server:
        llm = LLM("model", base_url=server.base_url)
        both = [
            RagSystem.of_text("sentences", text, reports=True),
            RagSystem("model", parse(text), communities=True, reports=True, reporter=llm),
        ]
        together = evaluate_rag(Documents([documents]), both, tmp_path / "both", questions=questions).asked
        alone = evaluate_rag(Documents([documents]), both[1:], tmp_path / "alone", questions=questions).asked
    assert [one.answer for one in together["model"]] == [one.answer for one in alone["model"]]
    assert together["model"][0].answer != together["sentences"][0].answer
