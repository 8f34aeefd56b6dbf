"""Answers that are sentences stand on lines of their own in a message; names stand side by side."""

from __future__ import annotations

from graphbrick.serve.conversation.answer_text import answers_line


def test_sentences_stand_on_lines_and_names_side_by_side() -> None:
    names = {"answers": [{"text": "Kenya", "support": []}, {"text": "Uganda", "support": []}], "support": []}
    assert answers_line(names) == "Kenya, Uganda"
    sentence = "Lake Victoria is the largest lake of Africa, and borders three countries."
    lines = {"answers": [{"text": sentence, "support": []}, {"text": "Kenya has lakes.", "support": []}], "support": []}
    assert answers_line(lines) == f"{sentence}\nKenya has lakes."
