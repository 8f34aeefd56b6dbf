"""The cases that metrics are computed of: the answers of a study, or a file of JSON lines."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import InputError
from graphbrick.evaluate.datasets.files import read_lines
from graphbrick.evaluate.judge.cases import cases_of
from graphbrick.evaluate.judge.verdicts import Case
from graphbrick.evaluate.study.reader import Study

# Names of fields, ours first; the others are those of data sets of RAGAS.
_QUESTION = ("question", "user_input")
_EVIDENCE = ("evidence", "contexts", "retrieved_contexts")
_ANSWER = ("answer", "response")
_REFERENCE = ("reference", "ground_truth", "ground_truths")
_LINES = frozenset({".jsonl", ".ndjson", ".gz", ".zst"})


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
    """Return the cases of n questions drawn at random, the same for all systems; all for None or fewer questions."""
    ids = list(dict.fromkeys(one.id for one in cases))
    if n is None or n >= len(ids):
        return cases
    chosen = set(random.Random(seed).sample(ids, n))
    return [one for one in cases if one.id in chosen]


def study_cases(study: Study) -> list[SystemCase]:
    """Return every answer of a study, by question and run.

    The answer is all answers, one a line. The reference is the names of the gold answers without their aliases. Of the
    evidence a study keeps the first 10 items.

    Raises:
        InputError: Nothing is answered yet.
    """
    references = {
        question.id: tuple(gold.names[0] if gold.names else gold.answer for gold in question.gold)
        for question in study.questions()
    }
    found = []
    for one in cases_of(study):
        case = Case(one.text, one.evidence, one.answer_text, references[one.question])
        found.append(SystemCase(one.system, "/".join(one.key), case))
    return found


def read_cases(file: Path) -> list[SystemCase]:
    """Read a file of JSON lines, each an object with the fields

    - ``question``: a text,
    - ``evidence``: a list of texts, best first (may be missing),
    - ``answer``: a text (may be missing),
    - ``reference``: a text or a list of texts (may be missing),
    - ``system`` and ``id``: whose answer it is, and to which question (may be missing).

    The names of RAGAS (``user_input``, ``retrieved_contexts``, ``response``) do as well; other fields are not read.

    Raises:
        InputError: The file cannot be read, a line is no such object, or there is none.

    Example:
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp()) / "cases.jsonl"
        >>> _ = file.write_text('{"question": "Who?", "evidence": ["Ada did."], "answer": "Ada", "reference": "Ada"}')
        >>> read_cases(file)[0].case
        Case(question='Who?', evidence=('Ada did.',), answer='Ada', gold=('Ada',))
    """
    cases = [_read(file, number, line) for number, line in read_lines(file)]
    if not cases:
        raise InputError("there is no case in it; each line is an object with question, evidence, answer", file)
    return cases


def _read(file: Path, number: int, line: str) -> SystemCase:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error}); each line is one object", file, number, line) from error
    if not isinstance(fields, dict):
        raise InputError("the line is not an object with question, evidence, answer, reference", file, number, line)
    question = _texts(fields, _QUESTION, file, number)
    if len(question) != 1:
        raise InputError("each line needs a question, a text", file, number, line)
    answer = _texts(fields, _ANSWER, file, number)
    case = Case(
        question[0],
        tuple(_texts(fields, _EVIDENCE, file, number)),
        "\n".join(answer),
        tuple(_texts(fields, _REFERENCE, file, number)),
    )
    name = fields.get("id")
    return SystemCase(str(fields.get("system", "")), str(name) if name is not None else question[0], case)


def _texts(fields: Mapping[str, object], names: tuple[str, ...], file: Path, number: int) -> list[str]:
    """Return the texts of the first of some fields that is there."""
    name = next((name for name in names if fields.get(name) is not None), names[0])
    value = fields.get(name)
    values = [] if value is None else value if isinstance(value, list) else [value]
    texts = [one for one in values if isinstance(one, str)]
    if len(texts) < len(values):
        raise InputError(f"{name} must be a text or a list of texts, got {value!r:.80}", file, number)
    return [text for text in texts if text.strip()]
