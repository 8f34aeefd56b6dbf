"""Questions of a chat about where the answer before stands, and for more of that document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphbrick import index, parse
from graphbrick.serve.conversation.standalone import standalone
from graphbrick.serve.conversation.turns import Conversation, of_last_answer, read_conversation
from graphbrick.serve.models import ChatMessage


def _read(question: str, reply: str, last: str) -> Conversation:
    user, assistant = ChatMessage(role="user", content=question), ChatMessage(role="assistant", content=reply)
    return read_conversation([user, assistant, ChatMessage(role="user", content=last)])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does it say that?", "When does the pool close?"),
        ("and in which document is that written?", "When does the pool close?"),
        ("Show me the source, please", "When does the pool close?"),
        ("Wo steht das?", "When does the pool close?"),
        ("Summarise that page.", "Summarise docs/hours.md"),
        ("show me more", "Summarise docs/hours.md"),
        ("Where is that?", ""),
        ("Tell me more about Galway", ""),
    ],
)
def test_questions_about_where_the_last_answer_stands(question: str, expected: str) -> None:
    reply = (
        "At noon. [1]\n\n[1] It closes at noon (in summer). (docs/hours.md, Hours (pool), characters 0-40)\n\n"
        "Taken as: When does the pool close?"
    )
    turns = _read("And when does it close?", reply, question).turns
    assert turns[0].document == "docs/hours.md"
    assert of_last_answer(question, turns) == expected
    assert of_last_answer(question, [replace(turns[0], document="")]) == ""


def test_a_question_about_where_a_refused_answer_stands_is_refused_again() -> None:
    reply = "No answer: not in these documents, as far as their words tell: confidence 0.10, and 0.50 is needed"
    turns = _read("What does it cost?", reply, "Where does it say that?").turns
    assert of_last_answer("Where does it say that?", turns) == "What does it cost?"
    assert of_last_answer("show me more", turns) == ""


def test_such_a_question_is_completed_by_rules(tmp_path: Path) -> None:
    (tmp_path / "hours.md").write_text("The pool closes at noon.\n")
    graph = index([tmp_path], tmp_path / "a.graph").graph
    reply = "At noon. [1]\n\n[1] The pool closes at noon. (hours.md, characters 0-24)"
    conversation = _read("When does the pool close?", reply, "Summarise that page")
    pipeline = parse("Overview(Passages()) >> Quote(BM25(), n=3)")
    read = standalone(graph, pipeline, conversation)
    assert (read.question, read.by) == ("Summarise hours.md", "rules")
    assert read.stage is not None
    assert pipeline(graph, read.question).texts[1] == "The pool closes at noon."
