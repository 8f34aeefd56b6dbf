"""Reader for ComplexWebQuestions in its original format: a list of objects, each with a SPARQL query."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphbrick.questions.formats import tog
from graphbrick.questions.formats.plain import together
from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_MID = re.compile(r"\bns:([mg]\.[0-9A-Za-z_]+)")


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; seeds are the entities in the SPARQL query, in order of appearance.

    The file does not list seeds, so all published systems take them from the query. Entities of type constraints, such
    as "country", are included. The published test file has no ``answers``: its questions are kept, without gold
    answers. The composition type is stored as the fact ``type``. Records of Think-on-Graph's ``cwq.json``, which have
    ``topic_entity`` and ``answer``, are read as in `graphbrick.questions.formats.tog`.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        if "topic_entity" in record.values and not record.has("answers"):
            yield tog.question(record, dataset)
            continue
        if record.has("answer") and not record.has("answers"):
            raise record.fault(
                "there is 'answer' but neither 'answers' nor 'topic_entity'; this is neither the published file of the "
                "data set nor that of Think-on-Graph",
                code="cwq.no_answers",
            )
        answers: list[str] = []
        names: list[tuple[str, ...]] = []
        for answer in record.objects("answers"):
            called = _called(answer)
            if not called and not answer.has("answer_id"):
                raise record.fault("an answer has neither answer_id nor answer", code="cwq.empty_answer")
            answers.append(answer.text("answer_id") if answer.has("answer_id") else called[0])
            names.append(called)
        distinct, other_names = together(answers, names)
        sparql = record.text("sparql") if record.has("sparql") else ""
        kind = {"type": record.text("compositionality_type")} if record.has("compositionality_type") else {}
        yield Question(
            id=record.text("ID"),
            text=record.text("question"),
            seeds=tuple(dict.fromkeys(_MID.findall(sparql))),
            answers=distinct,
            answer_names=other_names,
            dataset=dataset,
            facts=kind,
        )


def _called(answer: Record) -> tuple[str, ...]:
    """Return the name and the aliases of an answer; the name is null if Freebase has none."""
    value = answer.values.get("answer")
    names = value if isinstance(value, list) else [value]
    all_names = [*names, *answer.items("aliases")]
    return tuple(dict.fromkeys(answer.checked(name, "answer") for name in all_names if name not in (None, "")))
