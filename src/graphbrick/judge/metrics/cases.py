"""The cases that metrics are computed of: the answers of a study, or a file of JSON lines."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from graphbrick.core.errors import InputError
from graphbrick.judge.cases import cases_of
from graphbrick.judge.verdicts import Case
from graphbrick.questions.formats.files import read_json
from graphbrick.questions.formats.record import Record
from graphbrick.study.store.reader import Study

R = TypeVar("R")
# Names of fields, ours first; the others are those of data sets of RAGAS.
_QUESTION = ("question", "user_input")
_EVIDENCE = ("evidence", "contexts", "retrieved_contexts")
_ANSWER = ("answer", "response")
_REFERENCE = ("reference", "ground_truth", "ground_truths")
_LINES = frozenset({".jsonl", ".ndjson", ".json", ".gz", ".zst"})


class SystemCase(NamedTuple):
    """One case of one system.

    Attributes:
        system: The name of the system; empty if a file names none.
        id: Of the question: what systems that are compared have in common.
        case: The case; its correct answers are the reference.
    """

    system: str
    id: str
    case: Case


def by_system(cases: Sequence[SystemCase], results: Sequence[R]) -> dict[str, list[R]]:
    """Return the results of each system, in the order of first appearance."""
    listed: dict[str, list[R]] = {}
    for case, result in zip(cases, results, strict=True):
        listed.setdefault(case.system, []).append(result)
    return listed


def cases_in(place: Path) -> list[SystemCase]:
    """Return the cases of a study or of a file of JSON lines, by its name.

    Raises:
        InputError: It cannot be read, or has no cases.
    """
    if place.suffix.lower() in _LINES:
        return read_cases(place)
    with Study.open(place) as study:
        return study_cases(study)


def drawn(cases: list[SystemCase], n: int | None, seed: int) -> list[SystemCase]:
    """Return the cases of n random questions, the same for all systems; all for None."""
    ids = list(dict.fromkeys(one.id for one in cases))
    if n is None or n >= len(ids):
        return cases
    chosen = set(random.Random(seed).sample(ids, n))
    return [one for one in cases if one.id in chosen]


def study_cases(study: Study) -> list[SystemCase]:
    """Return every answer of a study, by question and run.

    The answer is all answers, one a line. The reference is the names of the gold answers without their aliases. Of the
    evidence a study keeps the first 32 items.

    Raises:
        InputError: Nothing is answered yet.
    """
    cases, listed = [], cases_of(study)
    references = {
        question.id: tuple(gold.names[0] if gold.names else gold.answer for gold in question.gold)
        for question in study.questions()
    }
    for one in listed:
        case = Case(one.text, one.evidence, one.answer_text, references[one.question])
        cases.append(SystemCase(one.system, "/".join(one.key), case))
    return cases


def read_cases(file: Path) -> list[SystemCase]:
    """Read a file of JSON lines, or of one JSON list, of objects with the fields

    - ``question``: a text,
    - ``evidence``: a list of texts, best first (may be missing),
    - ``answer``: a text (may be missing),
    - ``reference``: a text or a list of texts (may be missing),
    - ``system`` and ``id``: whose answer it is, and to which question (may be missing).

    The names of RAGAS (``user_input``, ``retrieved_contexts``, ``response``) do as well; other fields are not read.

    Raises:
        InputError: The file cannot be read, a line is not such an object, or there is none.

    Example:
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp()) / "cases.jsonl"
        >>> _ = file.write_text('{"question": "Who?", "evidence": ["Ada did."], "answer": "Ada", "reference": "Ada"}')
        >>> read_cases(file)[0].case
        Case(question='Who?', evidence=('Ada did.',), answer='Ada', gold=('Ada',))
    """
    cases = [_case(record) for record in read_json(file)]
    if not cases:
        reason = "there is no case in it; each line is an object with question, evidence, answer"
        raise InputError(reason, file, code="metric_cases.empty")
    return cases


def _case(record: Record) -> SystemCase:
    question, answer = _texts(record, _QUESTION), _texts(record, _ANSWER)
    if len(question) != 1:
        raise record.fault("each case needs a question, a text", code="metric_cases.no_question")
    case = Case(question[0], _texts(record, _EVIDENCE), "\n".join(answer), _texts(record, _REFERENCE))
    name = record.values.get("id")
    return SystemCase(str(record.values.get("system", "")), question[0] if name is None else str(name), case)


def _texts(record: Record, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of the first of some fields that is there."""
    name = next((name for name in names if record.values.get(name) is not None), names[0])
    value = record.values.get(name)
    values = [] if value is None else value if isinstance(value, list) else [value]
    texts = [one for one in values if isinstance(one, str)]
    if len(texts) < len(values):
        raise record.fault(
            f"{name} must be a text or a list of texts, got {value!r:.80}", code="metric_cases.not_texts", field=name
        )
    return tuple(text for text in texts if text.strip())
