"""What a study that is being written has of judgements, and which answers lack one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Unjudged:
    """An answer that is to be judged.

    Attributes:
        run: The number of the run that gave it.
        question: The number of the question.
        text: The question.
        answer: The first answer; empty where there is none.
        gold: For each gold answer its names.
    """

    run: int
    question: int
    text: str
    answer: str
    gold: tuple[tuple[str, ...], ...]


class Judgements:
    """The judgements of a study.

    Args:
        db: The open file.
        path: Where it is.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db, self.path = db, path

    def require(self, judge: str, *, but: Iterable[int] = ()) -> None:
        """Refuse another judge than that of the study, whose figures could not be compared.

        Args:
            judge: The recipe text of the judge.
            but: Runs whose judgements are going to be forgotten.

        Raises:
            InputError: The study has another one.
        """
        left = set(but)
        others = self._rows("SELECT DISTINCT run, judge FROM judgements ORDER BY run")
        for row in others:
            if row["judge"] != judge and row["run"] not in left:
                raise InputError(
                    f"the study is judged by {row['judge']}, and has one judge only, so that its figures can be "
                    "compared; name that one or another file, or judge all of it anew with graphbrick judge --fresh",
                    self.path,
                )

    def kept(self) -> Iterator[tuple[int, int, str]]:
        """Yield run, question and first answer of each judgement with a verdict."""
        rows = self._rows(
            "SELECT run, question, answers FROM judgements JOIN details USING (run, question) WHERE right IS NOT NULL"
        )
        for row in rows:
            yield row["run"], row["question"], _first(row["answers"])

    def lacking(self, runs: Iterable[int] | None = None, questions: Iterable[int] | None = None) -> list[Unjudged]:
        """The answers without a judgement, of questions with gold answers and pipelines that answer.

        Args:
            runs: Only of these; None for all.
            questions: Only of these; None for all.
        """
        rows = self._rows(
            "SELECT results.run, results.question, text, answers, gold FROM results"
            " JOIN details USING (run, question) JOIN questions ON questions.id = results.question"
            " LEFT JOIN judgements ON judgements.run = results.run AND judgements.question = results.question"
            " WHERE judgements.run IS NULL AND json_extract(metrics, '$.hits_at_1') IS NOT NULL"
            " ORDER BY results.question, results.run"
        )
        chosen = {name: set(some) for name, some in (("run", runs), ("question", questions)) if some is not None}
        return [
            Unjudged(
                *(row["run"], row["question"], row["text"], _first(row["answers"])),
                tuple(tuple(answer["names"]) for answer in json.loads(row["gold"])),
            )
            for row in rows
            if all(row[name] in some for name, some in chosen.items())
        ]

    def _rows(self, query: str) -> list[dict[str, Any]]:
        found = self._db.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]


def _first(answers: str) -> str:
    """The first answer's text; SQLite cannot take it out itself, as it may hold half of a character."""
    return next((str(answer["text"]) for answer in json.loads(answers)), "")
