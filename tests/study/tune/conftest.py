"""A tiny graph and questions about it."""

from __future__ import annotations

import pytest
from made_questions import made_questions

from graphbrick import Graph
from graphbrick.questions.question import Question
from graphbrick.testing import tiny_graph


@pytest.fixture(scope="module")
def graph() -> Graph:
    return tiny_graph()


@pytest.fixture(scope="module")
def questions(graph: Graph) -> tuple[Question, ...]:
    """The questions of `made_questions`."""
    return made_questions(graph)
