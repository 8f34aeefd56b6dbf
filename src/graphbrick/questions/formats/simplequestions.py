"""Reader for SimpleQuestions: lines of subject, relation, object and question over Freebase, separated by tabs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.questions.formats.files import read_lines
from graphbrick.questions.question import Question

PREFIX = "www.freebase.com/"
"""The beginning of the first three columns."""


def read(file: Path, dataset: str) -> Iterator[Question]:
    """Yield the questions; the subject is the seed, the object the answer, the relation the fact ``relation``.

    Keys are as in other sets over Freebase: ``m.04whkz5``. Ids are the numbers of the lines.

    Raises:
        InputError: A line has not four columns, or the file cannot be read.
    """
    for number, line in read_lines(file):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != 4 or not all(cell.startswith(PREFIX) for cell in cells[:3]) or not cells[3]:
            reason = f"a line of SimpleQuestions has subject, relation and object ({PREFIX}...) and a question"
            raise InputError(reason, file, number, line, code="simplequestions.bad_line")
        subject, relation, object_ = (cell.removeprefix(PREFIX).replace("/", ".") for cell in cells[:3])
        yield Question(
            str(number), cells[3], (subject,), (object_,), hops=1, dataset=dataset, facts={"relation": relation}
        )
