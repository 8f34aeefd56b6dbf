"""WebQSP and CWQ as prepared for RoG and used by many since: id, question, answer, q_entity, a_entity, graph."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.evaluate.datasets.question import Question
from graphbrick.evaluate.datasets.record import Record


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; seeds and answers are labels, as RoG keys entities by their names.

    The answers are those of ``answer``, which its scorer uses; ``a_entity`` holds the same, or those that its subgraph
    has. The subgraph of each question is not read: the graph is one's own.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        column = "answer" if record.has("answer") else "a_entity"
        yield Question(
            id=record.text("id"),
            text=record.text("question"),
            seeds=record.texts("q_entity"),
            answers=record.texts(column),
            dataset=dataset,
        )
