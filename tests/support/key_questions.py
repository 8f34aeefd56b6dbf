"""Questions over a database with two people, whose answers do not depend on the type of the keys."""

from __future__ import annotations

from typing import Any

from graphbrick import BM25, Operators, PathAnswer, Patterns

QUESTIONS = ("How many people does Ada Rowe know?", "Does Ada Rowe know Bo Lind?", "Who does Ada Rowe know?")


def answers(graph: Any, **options: Any) -> list[tuple[str, ...]]:
    """Return the answers to each question."""
    pipeline = Operators(Patterns(BM25())) >> PathAnswer()
    return [pipeline(graph, question, **options).texts for question in QUESTIONS]
