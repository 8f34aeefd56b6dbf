"""Reader for WebQSP and CWQ as prepared for RoG: id, question, answer, q_entity, a_entity, graph."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; seeds and answers are labels, as in RoG.

    The answers come from ``answer``, as in RoG's scorer; ``a_entity`` has the same answers, or only those in the
    question's subgraph. The subgraph is not read; questions run on your own graph.

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
