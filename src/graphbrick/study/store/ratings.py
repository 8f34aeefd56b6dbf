"""The ratings of a study that is open for writing: probabilities of labels of answers, by judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from graphbrick.study.store.database import Database
from graphbrick.study.store.encoding import plain, to_json
from graphbrick.study.store.records import StoredRating


class Ratings:
    """The tables of ratings.

    Args:
        db: The study.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def judge(self, identity: str, name: str) -> int:
        """Return the number of a judge; add it if it is new, and give it the name."""
        with self._db.transaction():
            self._db.execute(
                "INSERT INTO judges (identity, name) VALUES (?, ?) ON CONFLICT DO UPDATE SET name = excluded.name",
                (plain(identity), plain(name)),
            )
        return int(self._db.value("SELECT id FROM judges WHERE identity = ?", (plain(identity),)))

    def remove(self, judge: int, labels: Collection[str], *, unread_only: bool) -> None:
        """Remove a judge's ratings by some labels with their cost, or only those without probability."""
        condition = " AND probability IS NULL" if unread_only else ""
        with self._db.transaction():
            for label in labels:
                self._db.execute(f"DELETE FROM ratings WHERE judge = ? AND label = ?{condition}", (judge, label))
                if not unread_only:
                    self._db.execute("DELETE FROM rating_calls WHERE judge = ? AND label = ?", (judge, label))

    def rated(self, judge: int, label: str) -> dict[tuple[int, int], StoredRating]:
        """Return the ratings of a judge by one label, by run and question."""
        rows = self._db.rows(
            "SELECT run, question, label, probability, reason FROM ratings WHERE judge = ? AND label = ?",
            (judge, label),
        )
        return {(row["run"], row["question"]): StoredRating(**row) for row in rows}

    def put(
        self,
        judge: int,
        session: int,
        label: str,
        ratings: Sequence[StoredRating],
        *,
        cases: int,
        seconds: float,
        ledger: Mapping[str, float],
        events: Sequence[str],
    ) -> None:
        """Store the ratings of cases that a judge got in one call, all or none.

        Args:
            judge: The number of the judge.
            session: The number of the evaluation session.
            label: The label.
            ratings: A rating of each answer; answers that are the same have one each.
            cases: Number of cases in the call.
            seconds: Time it took.
            ledger: Calls, tokens and cost.
            events: Remarks.
        """
        with self._db.transaction():
            call = self._db.insert(
                "INSERT INTO rating_calls (judge, label, sitting, cases, seconds, ledger, events)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (judge, label, session, cases, seconds, to_json(ledger), to_json(events)),
            )
            for one in ratings:
                self._db.execute(
                    "INSERT OR IGNORE INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (one.run, one.question, judge, label, one.probability, plain(one.reason), call),
                )
