"""The judgements of a study that is open for writing."""

from __future__ import annotations

import json
from collections.abc import Iterable

from graphbrick.core.errors import InputError
from graphbrick.study.store.database import Database
from graphbrick.study.store.encoding import plain, to_json
from graphbrick.study.store.exchanges import pack
from graphbrick.study.store.records import StoredJudgement, Unjudged


class Judgements:
    """The table of judgements.

    Args:
        db: The study.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def require(self, judge: str, *, but: Iterable[int] = ()) -> None:
        """Refuse a judge other than the study's, because their figures could not be compared.

        Args:
            judge: The recipe text of the judge.
            but: Runs whose judgements will be removed.

        Raises:
            InputError: The study has another judge.
        """
        removed = set(but)
        for row in self._db.rows("SELECT DISTINCT run, judge FROM judgements ORDER BY run"):
            if row["judge"] != judge and row["run"] not in removed:
                raise InputError(
                    f"the study is judged by {row['judge']}, and has one judge only, so that its figures can be "
                    "compared; name that one or another file, or judge all of it anew with graphbrick judge --fresh",
                    self._db.path,
                    code="study.other_judge",
                    judge=row["judge"],
                )

    def known(self) -> dict[tuple[int, str], int]:
        """Return a run with a verdict for each question and first answer that have one."""
        rows = self._db.rows(
            "SELECT run, question, answers FROM judgements JOIN details USING (run, question) WHERE right IS NOT NULL"
        )
        return {(row["question"], _first(row["answers"])): row["run"] for row in rows}

    def missing(self, runs: Iterable[int] | None = None, questions: Iterable[int] | None = None) -> list[Unjudged]:
        """Return the answers without a judgement, if the question has gold answers and the pipeline answers.

        Args:
            runs: Only answers of these; None for all.
            questions: Only answers to these; None for all.
        """
        rows = self._db.rows(
            "SELECT results.run, results.question, text, answers, gold FROM results"
            " JOIN details USING (run, question) JOIN questions ON questions.id = results.question"
            " LEFT JOIN judgements ON judgements.run = results.run AND judgements.question = results.question"
            " WHERE judgements.run IS NULL AND json_extract(metrics, '$.hits_at_1') IS NOT NULL"
            " ORDER BY results.question, results.run"
        )
        wanted = {name: set(ids) for name, ids in (("run", runs), ("question", questions)) if ids is not None}
        return [
            Unjudged(
                *(row["run"], row["question"], row["text"], _first(row["answers"])),
                tuple(tuple(answer["names"]) for answer in json.loads(row["gold"])),
            )
            for row in rows
            if all(row[name] in ids for name, ids in wanted.items())
        ]

    def remove(self, runs: Iterable[int] | None = None, *, without_verdict: bool = False) -> None:
        """Remove judgements of some or all runs; with ``without_verdict``, only unread or failed ones."""
        condition = "right IS NULL" if without_verdict else "1"
        with self._db.transaction():
            if runs is None:
                self._db.execute(f"DELETE FROM judgements WHERE {condition}")
            for run in runs or ():
                self._db.execute(f"DELETE FROM judgements WHERE run = ? AND {condition}", (run,))

    def put(self, judgement: StoredJudgement) -> None:
        """Store a judgement; an existing one stays."""
        error = None if judgement.error is None else plain(judgement.error)
        packed = pack(judgement.exchanges) if judgement.exchanges else None
        with self._db.batch():
            self._db.execute(
                "INSERT OR IGNORE INTO judgements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(judgement.run, judgement.question, judgement.judge, judgement.right, judgement.by, error),
                    *(judgement.seconds, to_json(judgement.ledger), to_json(judgement.events), packed),
                ),
            )

    def copy(self, run: int, question: int, to: int) -> None:
        """Copy a judgement to another run that gave the same answer to the question."""
        with self._db.batch():
            self._db.execute(
                "INSERT OR IGNORE INTO judgements SELECT ?, question, judge, right, by, error, seconds, ledger, events,"
                " exchanges FROM judgements WHERE run = ? AND question = ?",
                (to, run, question),
            )


def _first(answers: str) -> str:
    """Return the first answer's text; SQLite cannot extract it, because it may hold a lone surrogate."""
    return next((str(answer["text"]) for answer in json.loads(answers)), "")
