"""The kinds of sentences that questions ask for."""

from __future__ import annotations

import time

import pytest

from graphbrick.bricks.generate.answer_kinds import answer_pattern


@pytest.mark.parametrize(
    ("sentence", "defines"),
    [
        ("Galway is a port.", True),
        ("The well-known port of Galway is old.", True),
        ("- A keeper (of boats) is a person.", True),
        ("- Galway is a port.", True),
        ("He says that in the long years before the war it is old.", False),
        ("Galway has a port.", False),
    ],
)
def test_a_sentence_that_defines(sentence: str, defines: bool) -> None:
    pattern = answer_pattern("What is Galway?")
    assert pattern is not None
    assert bool(pattern.search(sentence)) == defines


@pytest.mark.parametrize("sentence", ["-" * 70, "- " * 70, "a-" * 70, "--a--" * 30, "=" * 70 + " x-"])
def test_lines_of_signs_take_no_time(sentence: str) -> None:
    pattern = answer_pattern("What is the current version?")
    assert pattern is not None
    start = time.perf_counter()
    pattern.search(sentence)
    assert time.perf_counter() - start < 1
