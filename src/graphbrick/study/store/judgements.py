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
    """The judgements of the study's judge, or of a further one.

    Args:
        db: The study.
        further: The recipe text of a further judge; empty for the judge of the study.
    """

    def __init__(self, db: Database, further: str = "") -> None:
        self._db, self._table = db, "opinions" if further else "judgements"
        self._values = (plain(further),) if further else ()
        self._of = f" AND {self._table}.judge = ?" if further else ""

    def require(self, judge: str, *, but: Iterable[int] = ()) -> None:
        """Refuse a judge other than the study's, because their figures could not be compared.

        Args:
            judge: The recipe text of the judge.
            but: Runs whose judgements will be removed.

        Raises:
            InputError: The study has another judge, or this one beside it.
        """
        if self._db.value("SELECT count(*) FROM opinions WHERE judge = ?", (plain(judge),)):
            raise InputError(
                f"{judge} is a further judge of this study already; name another one, or another file",
                self._db.path,
                code="study.already_further_judge",
                judge=judge,
            )
        removed = set(but)
        for row in self._db.rows("SELECT DISTINCT run, judge FROM judgements ORDER BY run"):
            if row["judge"] != judge and row["run"] not in removed:
                raise InputError(
                    f"the study is judged by {row['judge']}, and has one judge only, so that its figures can be "
                    "compared; name that one or another file, add this one beside it with graphbrick judge --further, "
                    "or judge all of it anew with graphbrick judge --fresh",
                    self._db.path,
                    code="study.other_judge",
                    judge=row["judge"],
                )

    def known(self) -> dict[tuple[int, str], int]:
        """Return a run with a verdict for each question and first answer that have one."""
        rows = self._db.rows(
            f"SELECT run, question, answers FROM {self._table} JOIN details USING (run, question)"
            f" WHERE right IS NOT NULL{self._of}",
            self._values,
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
            f" LEFT JOIN {self._table} AS told ON told.run = results.run AND told.question = results.question"
            f"{self._of.replace(self._table, 'told')}"
            " WHERE told.run IS NULL AND json_extract(metrics, '$.hits_at_1') IS NOT NULL"
            " ORDER BY results.question, results.run",
            self._values,
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
        """Remove judgements of some or all runs; with ``without_verdict``, only unread or failed ones.

        Those of all runs by the judge of the study go with those of further judges, which stand beside them.
        """
        condition = f"{'right IS NULL' if without_verdict else '1'}{self._of}"
        with self._db.transaction():
            if runs is None:
                self._db.execute(f"DELETE FROM {self._table} WHERE {condition}", self._values)
                if not (self._of or without_verdict):
                    self._db.execute("DELETE FROM opinions")
            for run in runs or ():
                self._db.execute(f"DELETE FROM {self._table} WHERE run = ? AND {condition}", (run, *self._values))

    def put(self, judgement: StoredJudgement) -> None:
        """Store a judgement; an existing one stays."""
        error = None if judgement.error is None else plain(judgement.error)
        packed = pack(judgement.exchanges) if judgement.exchanges else None
        with self._db.batch():
            self._db.execute(
                f"INSERT OR IGNORE INTO {self._table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(judgement.run, judgement.question, judgement.judge, judgement.right, judgement.by, error),
                    *(judgement.seconds, to_json(judgement.ledger), to_json(judgement.events), packed),
                ),
            )

    def copy(self, run: int, question: int, to: int) -> None:
        """Copy a judgement to another run that gave the same answer to the question."""
        with self._db.batch():
            self._db.execute(
                f"INSERT OR IGNORE INTO {self._table} SELECT ?, question, judge, right, by, error, seconds, ledger,"
                f" events, exchanges FROM {self._table} WHERE run = ? AND question = ?{self._of}",
                (to, run, question, *self._values),
            )


def _first(answers: str) -> str:
    """Return the first answer's text; SQLite cannot extract it, because it may hold a lone surrogate."""
    return next((str(answer["text"]) for answer in json.loads(answers)), "")
