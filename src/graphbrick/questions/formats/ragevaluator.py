"""Reader for the questions of RagEvaluator (Klaasse, Lockhorst and De Bleecker, 2025): ``questions.json``."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_FIELDS = ("question", "answer", "doc")


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions: about all documents with ``answer``, or about the document that ``doc`` names.

    Their facts are ``kind`` ("global" or "document") and ``document``, as for questions that ``graphbrick rag`` writes,
    and all other columns.

    Args:
        records: The records of the file.
        dataset: The data set.

    Raises:
        InputError: A record has no question, or neither an answer nor a document.
    """
    for record in records:
        document = record.text("doc") if record.has("doc") else ""
        others = {
            name: str(value) for name, value in record.values.items() if name not in _FIELDS and value is not None
        }
        yield Question(
            str(record.number + 1),
            record.text("question").strip(),
            answers=(record.text("answer").strip(),) if record.has("answer") or not document else (),
            dataset=dataset,
            facts=others | ({"kind": "document", "document": document} if document else {"kind": "global"}),
        )
