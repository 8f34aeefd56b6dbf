"""ComplexWebQuestions as its authors publish it: a list of objects, each with a SPARQL query."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphbrick.evaluate.datasets.plain import together
from graphbrick.evaluate.datasets.question import Question
from graphbrick.evaluate.datasets.record import Record

_MID = re.compile(r"\bns:([mg]\.[0-9A-Za-z_]+)")


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; the seeds are the entities that the SPARQL query names, in order of appearance.

    The file names no seeds by itself, and all systems take them from the query; entities of a type constraint, such as
    "country", are among them. The published test file has no ``answers``: its questions are kept, without gold. The
    type of the composition is the fact ``type``.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        if record.has("answer") and not record.has("answers"):
            raise record.fault("there is 'answer' but no 'answers'; this is not the published file of the data set")
        answers: list[str] = []
        names: list[tuple[str, ...]] = []
        for answer in record.objects("answers"):
            called = _called(answer)
            if not called and not answer.has("answer_id"):
                raise record.fault("an answer has neither answer_id nor answer")
            answers.append(answer.text("answer_id") if answer.has("answer_id") else called[0])
            names.append(called)
        distinct, some = together(answers, names)
        sparql = record.text("sparql") if record.has("sparql") else ""
        kind = {"type": record.text("compositionality_type")} if record.has("compositionality_type") else {}
        yield Question(
            id=record.text("ID"),
            text=record.text("question"),
            seeds=tuple(dict.fromkeys(_MID.findall(sparql))),
            answers=distinct,
            answer_names=some,
            dataset=dataset,
            facts=kind,
        )


def _called(answer: Record) -> tuple[str, ...]:
    """Return the name and the aliases of an answer; in the web a null stands where Freebase knows no name."""
    value = answer.values.get("answer")
    names = value if isinstance(value, list) else [value]
    some = [*names, *answer.items("aliases")]
    return tuple(dict.fromkeys(answer.checked(name, "answer") for name in some if name not in (None, "")))
