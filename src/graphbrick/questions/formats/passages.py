"""Readers for HotpotQA and MuSiQue in their original formats: questions over passages."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_FACTS = ("level", "type")


def read_hotpotqa(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions of HotpotQA; type and level are facts, the passages are not read.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        yield Question(
            id=record.text("_id"),
            text=record.text("question"),
            answers=(record.text("answer"),) if record.has("answer") else (),
            dataset=dataset,
            facts={name: record.text(name) for name in _FACTS if record.has(name)},
        )


def read_musique(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions of MuSiQue; hops are the steps of the question's decomposition.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        answers = (record.text("answer"),) if record.has("answer") else ()
        names = tuple(dict.fromkeys((*answers, *record.texts("answer_aliases"))))
        yield Question(
            id=record.text("id"),
            text=record.text("question"),
            answers=answers,
            answer_names=(names,) if answers else (),
            hops=len(record.items("question_decomposition")) or None,
            dataset=dataset,
            facts={"answerable": str(record.values["answerable"]).lower()} if record.has("answerable") else {},
        )
