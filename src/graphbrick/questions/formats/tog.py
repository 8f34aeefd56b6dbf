"""Reader for the question files of Think-on-Graph and Plan-on-Graph, such as ``cwq.json`` and ``SimpleQA.json``."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.questions.formats.plain import together
from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_FACTS = {"compositionality_type": "type", "relation": "relation", "sparql": "query"}
"""Fields that become facts, with the name of the fact."""


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; see `question`.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        yield question(record, dataset)


def question(record: Record, dataset: str) -> Question:
    """Return the question of a record with ``question``, ``answer`` and ``topic_entity``.

    Seeds are the keys of ``topic_entity``, in order; their names become the fact ``seed_names``. The answer is a name,
    a list of names, or an object of keys and names. The composition type, the relation and the query become the facts
    ``type``, ``relation`` and ``query``. Questions without ``ID`` have their 1-based number as id.

    Raises:
        InputError: A field is missing or of another type; the error gives the line.
    """
    if "topic_entity" not in record.values:
        record.text("topic_entity")  # raises the error for a missing field
    topics = record.inner("topic_entity").values
    seeds = {record.checked(key, "topic_entity"): name for key, name in topics.items()}
    answers, names = _answers(record)
    facts = {fact: record.text(field) for field, fact in _FACTS.items() if record.has(field)}
    if any(seeds.values()):
        facts["seed_names"] = "|".join(str(name or key) for key, name in seeds.items())
    return Question(
        id=record.text("ID") if record.has("ID") else str(record.number + 1),
        text=record.text("question"),
        seeds=tuple(seeds),
        answers=answers,
        answer_names=names,
        dataset=dataset,
        facts=facts,
    )


def _answers(record: Record) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the distinct answers and their names; the names are empty if the file gives names only."""
    field = "answer" if "answer" in record.values else "answers"
    if field not in record.values:
        raise record.fault("there is neither answer nor answers; every question needs one", code="tog.no_answer")
    value = record.values[field]
    if isinstance(value, dict):
        keys = [record.checked(key, field) for key in value]
        return together(keys, [(record.checked(name, field),) if name else () for name in value.values()])
    if value is None or value == "":
        return (), ()
    texts = [_text(record, entry, field) for entry in (value if isinstance(value, list) else [value])]
    return tuple(dict.fromkeys(texts)), ()


def _text(record: Record, value: object, field: str) -> str:
    """Return an answer as text; numbers with a point are written as in the file."""
    return record.checked(repr(value) if isinstance(value, float) else value, field)
