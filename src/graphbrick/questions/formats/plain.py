"""Reader for the plain format, for your own questions: JSON lines, or a table with the same columns."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator

from graphbrick.core.trace import DETAIL, event
from graphbrick.questions.formats.files import LEFT_OUT
from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

COLUMNS = ("id", "question", "seeds", "answers", "all_answers", "answer_names", "hops", "dataset")
"""Columns with a defined meaning; all other columns become facts."""

_REQUIRED = ("question", "answers")
_UNALIGNED = "answer_names"


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions of the plain format.

    ``question`` and ``answers`` are required; ``answers`` may be empty, and a question without answers is kept.
    ``seeds``, ``id``, ``hops``, ``dataset`` and ``answer_names`` are optional. Each entry of ``answer_names`` is the
    name of one answer, or a list of its name and aliases. ``all_answers``, if present, replaces ``answers``: it also
    contains answers that a cut-down graph has lost. Other columns become facts. In tables, ``|`` separates several
    values of a cell.

    Args:
        records: The records of the file.
        dataset: The data set of questions that do not name one.

    Raises:
        InputError: A column is missing or misspelt, or a value is of another type.
    """
    unaligned = 0
    first = None
    for record in records:
        first = first or record
        question = _question(record, dataset)
        unaligned += _UNALIGNED in question.facts
        yield question
    if first is not None and unaligned:
        event(
            f"{first.file}: {unaligned:,} questions have another number of answer_names than of answers; their names "
            "are kept as the fact answer_names",
            "plain.unaligned_names",
            DETAIL,
            n=unaligned,
        )


def _question(record: Record, dataset: str) -> Question:
    facts = _facts(record)
    column = "all_answers" if record.items("all_answers") else "answers"  # an empty list says nothing of all answers
    answers, names = _answers(record, column)
    if answers and not names and record.has("answer_names"):
        facts[_UNALIGNED] = "|".join(str(name) for name in record.items("answer_names"))
    return Question(
        id=record.text("id") if record.has("id") else str(record.number + 1),
        text=record.text("question"),
        seeds=record.texts("seeds"),
        answers=answers,
        answer_names=names,
        hops=record.whole_number("hops"),
        dataset=record.text("dataset") if record.has("dataset") else dataset,
        facts=facts,
    )


def _answers(record: Record, column: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the distinct answers and the names of each.

    The names are empty if they cannot be assigned to single answers.
    """
    answers = record.listed(column)
    names = [_names(record, entry) for entry in record.items("answer_names")]
    distinct = tuple(dict.fromkeys(answers))
    if len(names) == len(answers):
        return together(answers, names)
    return distinct, tuple(names) if len(names) == len(distinct) else ()


def together(answers: list[str], names: list[tuple[str, ...]]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Merge duplicate answers; return them in order with all distinct names of each.

    The names are empty if no answer has a name.

    >>> together(["m.1", "m.2", "m.1"], [("Iowa",), ("Kansas",), ("Iowa", "IA")])
    (('m.1', 'm.2'), (('Iowa', 'IA'), ('Kansas',)))
    """
    names_of: dict[str, dict[str, None]] = {}
    for answer, of_answer in zip(answers, names, strict=True):
        names_of.setdefault(answer, {}).update(dict.fromkeys(of_answer))
    lists = tuple(map(tuple, names_of.values()))
    return tuple(names_of), lists if any(lists) else ()


def _names(record: Record, entry: object) -> tuple[str, ...]:
    if isinstance(entry, list):
        return tuple(dict.fromkeys(record.checked(name, "answer_names") for name in entry))
    return (record.checked(entry, "answer_names"),)


def _fact(value: object) -> str:
    """Return a value as text: JSON, or the plain text of values JSON does not have, such as dates."""
    if isinstance(value, str | int | float | bool | list | dict):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _facts(record: Record) -> dict[str, str]:
    """Return the other columns as facts; refuse misspelt names of missing columns."""
    missing = [name for name in COLUMNS if name not in record.values]
    facts = {}
    for name, value in record.values.items():
        if name in COLUMNS or name in LEFT_OUT:
            continue
        meant = difflib.get_close_matches(name.casefold(), missing, n=1, cutoff=0.8)
        if meant:
            raise record.fault(
                f"there is no column {name!r}; call it {meant[0]!r} (the columns: {', '.join(COLUMNS)})",
                code="plain.misspelt_column",
                column=name,
                meant=meant[0],
            )
        if record.has(name):
            facts[name] = _fact(value)
    lost = next((name for name in _REQUIRED if name in missing), None)
    if lost == "answers" and "all_answers" in record.values:
        lost = None
    if lost is not None:
        raise record.fault(
            f"there is no column {lost!r}; plain questions have question, seeds and answers (given: "
            f"{', '.join(map(repr, record.values))})",
            code="plain.no_column",
            column=lost,
        )
    return facts
