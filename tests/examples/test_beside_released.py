"""The benchmark beside the released code of LEGO-GraphRAG, as far as it goes without that code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("tokenizers")

from beside_released import Found, Reader, Side, f1_of, line, main
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.testing import tiny_graph


def test_without_the_released_code_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["beside_released.py", str(tmp_path), "films.graph", "questions.jsonl"])
    main()
    assert capsys.readouterr().out.startswith("skipped: ")


def test_texts_become_paths_and_answers() -> None:
    reader = Reader(tiny_graph())
    text = "Kenya -> capital -> Nairobi"
    path = reader.path(text)
    assert path is not None
    assert path.text == text
    assert reader.path("Kenya -> capital -> Kampala") is None
    question = Question("1", "What is the capital of Kenya?", ("Kenya",), ("Nairobi",))
    (grounded,) = ground(reader.graph, [question]).questions
    assert f1_of(grounded, [path, None]) == 1
    assert f1_of(grounded, [None]) == 0


def test_a_line_compares_sets() -> None:
    a, b = "A -> r -> B", "A -> r -> C"
    ours = Found(frozenset("AB"), frozenset("AB"), (a, b), 2.0, 0.5, 3, 0.5)
    theirs = Found(frozenset("ABCD"), frozenset("AB"), (b,), 4.0, 1.0, 7, 1.0)
    cells = line("12", "as released", Side([ours], 100), Side([theirs], 200)).strip("| ").split(" | ")
    assert cells == [
        *("12", "as released", "1.00", "1.000", "0.500", "0.00", "1.000", "0.500", "0.500", "1.000"),
        *("2.000", "4.000", "1.500", "3.000", "3", "7", "100", "200"),
    ]
