"""Reader for SimpleQuestions: lines of subject, relation, object and question, separated by tabs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.questions.formats.files import read_lines
from graphbrick.questions.question import Question

_PREFIX = "www.freebase.com/"
_WIKIDATA = (r"Q\d+", r"[PR]\d+", r"Q\d+")


def is_line(line: str) -> bool:
    """Return whether a line begins like one of SimpleQuestions, over Freebase or Wikidata.

    >>> is_line("Q7251\\tP19\\tQ122744\\twhere was alan turing born"), is_line("what is it\\tthat")
    (True, False)
    """
    cells = [cell.strip() for cell in line.split("\t")]
    return cells[0].startswith(_PREFIX) or (len(cells) == 4 and _of_wikidata(cells))


def read(file: Path, dataset: str) -> Iterator[Question]:
    """Yield the questions; the subject is the seed, the object the answer, the relation the fact ``relation``.

    Keys of Freebase are as in other sets over it: ``m.04whkz5``. Keys of the version for Wikidata are kept as written;
    its relations ``R19`` are ``P19`` from the object to the subject. Ids are the numbers of the lines.

    Raises:
        InputError: A line does not have four columns, or the file cannot be read.
    """
    for number, line in read_lines(file):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != 4 or not cells[3] or not (_of_freebase(cells) or _of_wikidata(cells)):
            reason = (
                f"a line of SimpleQuestions has subject, relation and object ({_PREFIX}..., or Q7251, P19 and Q122744) "
                "and a question, separated by tabs"
            )
            raise InputError(reason, file, number, line, code="simplequestions.bad_line")
        subject, relation, object_ = (cell.removeprefix(_PREFIX).replace("/", ".") for cell in cells[:3])
        yield Question(
            str(number), cells[3], (subject,), (object_,), hops=1, dataset=dataset, facts={"relation": relation}
        )


def _of_freebase(cells: list[str]) -> bool:
    return all(cell.startswith(_PREFIX) for cell in cells[:3])


def _of_wikidata(cells: list[str]) -> bool:
    return all(re.fullmatch(pattern, cell) for pattern, cell in zip(_WIKIDATA, cells, strict=False))
