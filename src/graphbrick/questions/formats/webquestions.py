"""Reader for WebQuestions in its original format: a Freebase page and a LISP list of answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_SPLIT = re.compile(r"train|dev|test")
_ANSWER = re.compile(r'\(description\s+(?:"(.*?)"|([^"()\s][^()]*?))\s*\)')
_REST = re.compile(r"\s*\(list\s*\)\s*")


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; answers are names, not keys, and there are no seeds.

    The Freebase page that a question was made for is the fact ``page``, such as ``justin_bieber``. It is neither a key
    nor a label, so the seeds must come from the linker. Ids consist of split and 0-based number, such as ``train-0``.

    Raises:
        InputError: A field is missing, or the list of answers cannot be read.
    """
    for record in records:
        split = _SPLIT.search(record.file.name)
        page = record.text("url").rstrip("/").rpartition("/")[2] if record.has("url") else ""
        yield Question(
            id=f"{split[0] if split else record.file.name.split('.')[0]}-{record.number}",
            text=record.text("utterance"),
            answers=tuple(dict.fromkeys(_answers(record))),
            dataset=dataset,
            facts={"page": page} if page else {},
        )


def _answers(record: Record) -> list[str]:
    """Return the texts of ``(list (description "Jazmyn Bieber") (description Mobile))``."""
    if not record.has("targetValue"):
        return []
    value = record.text("targetValue")
    if not _REST.fullmatch(_ANSWER.sub("", value)):
        raise record.fault(
            f'targetValue must be like (list (description "a name") (description name)), got {value!r}',
            code="webquestions.bad_target",
        )
    texts = (quoted or bare for quoted, bare in _ANSWER.findall(value))
    return [record.checked(re.sub(r'\\(["\\])', r"\1", text), "targetValue") for text in texts]
