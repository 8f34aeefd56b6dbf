"""Reader for MetaQA in its original format.

Each line has a question with its seed in brackets, a tab, and the answers separated by ``|``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.questions.formats.files import read_lines
from graphbrick.questions.question import Question

_HOPS = re.compile(r"([1-9])[-_]?hop")
_SPLIT = re.compile(r"train|dev|test")
_RELATIONS = {
    "director": "directed_by", "writer": "written_by", "actor": "starred_actors", "year": "release_year",
    "genre": "has_genre", "tags": "has_tags", "tag": "has_tags", "language": "in_language",
    "imdbrating": "has_imdb_rating", "imdbvotes": "has_imdb_votes",
}  # fmt: skip


def read(file: Path, dataset: str) -> Iterator[Question]:
    """Yield the questions of a ``qa_*.txt`` file, vanilla or paraphrased.

    The number of hops comes from the name of the folder (``1-hop``) or of the file. The relation pattern, the fact
    ``pattern``, comes from ``qa_*_qtype.txt`` in the same or the parent folder, if that file exists. Ids consist of
    split, hops and 0-based line, such as ``dev-1-0``.

    Args:
        file: The file, plain or compressed.
        dataset: Name of the data set.

    Raises:
        InputError: A line has no tab, an unclosed bracket or an empty answer, or the type file has a different number
            of lines.
    """
    hops, split = _hops(file), _SPLIT.search(file.name)
    stem = "-".join([split[0] if split else file.name.split(".")[0], *([str(hops)] if hops else [])])
    types = _types(file)
    number = -1
    for number, (line, text) in enumerate(read_lines(file)):
        question_text, tab, answered = text.strip("\r\n").partition("\t")
        if not tab or "\t" in answered:
            raise InputError(
                "a line of MetaQA is a question, one tab, and answers between |",
                file,
                line,
                text,
                code="metaqa.bad_line",
            )
        answers = [answer.strip() for answer in answered.split("|")] if answered.strip() else []
        if not all(answers):
            raise InputError(
                "one of the answers is empty; is there a | too many?", file, line, text, code="metaqa.empty_answer"
            )
        question, seeds = _marked(question_text, file, line)
        if types and number >= len(types):
            break
        yield Question(
            id=f"{stem}-{number}",
            text=question,
            seeds=tuple(dict.fromkeys(seeds)),
            answers=tuple(dict.fromkeys(answers)),
            hops=hops,
            dataset=dataset,
            facts={"pattern": types[number]} if types else {},
        )
    if types and len(types) != number + 1:
        raise InputError(
            f"the file of question types beside it has {len(types):,} lines, not as many as this",
            file,
            code="metaqa.other_types",
            n=len(types),
        )


def relation_steps(pattern: str) -> tuple[tuple[str, bool], ...]:
    """Return the relations of a MetaQA question type, and whether each runs head to tail.

    Raises:
        InputError: The pattern is not a question type of MetaQA.

    >>> relation_steps("director_to_movie_to_genre")
    (('directed_by', False), ('has_genre', True))
    """
    steps = []
    for here, there in pairwise(pattern.split("_to_")):
        relation = _RELATIONS.get(there if here == "movie" else here)
        if relation is None or "movie" not in (here, there):
            raise InputError(
                f"{pattern!r} is not a question type of MetaQA, such as director_to_movie_to_genre",
                code="metaqa.bad_type",
                type=pattern,
            )
        steps.append((relation, here == "movie"))  # the head of every relation is a film
    return tuple(steps)


def _hops(file: Path) -> int | None:
    """Return the number of hops in the name of the file or of a parent folder."""
    for name in (file.name, file.parent.name, file.parent.parent.name):
        match = _HOPS.search(name.casefold())
        if match:
            return int(match[1])
    return None


def _types(file: Path) -> list[str]:
    """Return the relation pattern of each question; an empty list if there is no type file."""
    name = file.name.replace(".txt", "_qtype.txt", 1)
    for folder in (file.parent, file.parent.parent):
        if name != file.name and (folder / name).is_file():
            return [line.strip() for _, line in read_lines(folder / name)]
    return []


def _marked(text: str, file: Path, line: int) -> tuple[str, list[str]]:
    """Return the question without the brackets around its seeds, and the seeds.

    A seed's name may itself contain brackets.
    """
    plain, seeds, depth, start = [], [], 0, 0
    for at, letter in enumerate(text):
        if letter == "[":
            depth += 1
            if depth == 1:
                start = at + 1
                continue
        elif letter == "]":
            depth -= 1
            if depth == 0:
                seeds.append(text[start:at].strip())
                continue
            if depth < 0:
                break
        plain.append(letter)
    if depth or not all(seeds):
        raise InputError(
            "the brackets around the seed do not close, or hold nothing", file, line, text, code="metaqa.bad_brackets"
        )
    question = "".join(plain).strip()
    if not question:
        raise InputError("the question is empty", file, line, text, code="metaqa.no_question")
    return question, seeds
