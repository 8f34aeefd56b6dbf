"""Reading a study."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from graphbrick.core.errors import InputError
from graphbrick.core.files.zstd import zstd
from graphbrick.study.store.database import Database
from graphbrick.study.store.exchanges import unpack
from graphbrick.study.store.identity import Identity
from graphbrick.study.store.plans import Plan
from graphbrick.study.store.records import (
    FURTHER_JUDGE,
    Detail,
    EvaluationSession,
    GoldAnswer,
    QuestionFile,
    RatingJudge,
    Result,
    StoredAnswer,
    StoredJudgement,
    StoredPath,
    StoredRating,
    StudyQuestion,
    StudyRun,
    judge_score,
)
from graphbrick.study.store.showing import study_frame, study_html, study_text

T = TypeVar("T")
Row = dict[str, Any]

_WAIT = 5.0  # seconds to wait for a program that holds the file


class Study:
    """A file of results, open for reading; it may be written at the same time.

    Args:
        path: The file.

    Raises:
        InputError: There is no such file, it is not a study, or one of a newer version. Every method raises it if the
            file is locked or damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InputError(
                "this is a folder; name the file that graphbrick evaluate wrote", self.path, code="study.is_a_folder"
            )
        if not self.path.is_file():
            raise InputError("there is no such file; graphbrick evaluate makes one", self.path, code="study.no_file")
        self._db = Database(self.path, f"{self.path.absolute().as_uri()}?{_mode(self.path.resolve())}", timeout=_WAIT)
        try:
            self._version = self._db.version()
        except InputError:
            self._db.close()
            raise

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Study:
        """Open a study; errors as for the class."""
        return cls(path)

    def __repr__(self) -> str:
        return study_text(self)

    def _repr_html_(self) -> str:
        return study_html(self)

    def to_pandas(self) -> Any:
        """Return a table of pandas with a row for each run and question.

        It has the name of the run, the data set, id, text, hops, distance and answerable of the question, the error,
        the stage that lost the answer, seconds, numbers of answers and paths, each measure by its name, calls, tokens
        and cost, and the facts of the question by their names.

        Raises:
            GraphbrickError: pandas is not installed, or the study cannot be read.
        """
        return study_frame(self)

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def runs(self) -> list[StudyRun]:
        """Return all runs, in the order in which they began."""
        identity = "identity, digests" if self._version >= 3 else "NULL AS identity, NULL AS digests"
        query = (
            f"SELECT id, name, recipe, graph_path, graph_hash, linked, started, finished, {identity},"
            " (SELECT count(*) FROM asked WHERE run = runs.id) AS questions,"
            " (SELECT count(*) FROM asked JOIN results USING (run, question) WHERE asked.run = runs.id) AS done,"
            " (SELECT json_group_array(DISTINCT file) FROM asked JOIN questions ON questions.id = question"
            "  WHERE run = runs.id AND file IS NOT NULL) AS files,"
            " (SELECT json_group_array(DISTINCT sitting) FROM results WHERE run = runs.id) AS sessions"
            " FROM runs ORDER BY id"
        )
        return list(self._read(_run, query))

    def questions(self, run: int | None = None) -> list[StudyQuestion]:
        """Return all questions in their order, or those that one run has to answer."""
        where = "" if run is None else "WHERE id IN (SELECT question FROM asked WHERE run = ?)"
        query = (
            "SELECT id, graph_hash, dataset, name, text, hops, distance, answerable, seeds, missing_seeds, gold, facts,"
            f" file FROM questions {where} ORDER BY id"
        )
        return list(self._read(_question, query, () if run is None else (run,)))

    def results(self, run: int) -> list[Result]:
        """Return the results of a run so far, in the order of its questions."""
        scores: dict[int, float | None] | None = None
        if self.judge is not None:
            verdicts = self._db.rows("SELECT question, right, error FROM judgements WHERE run = ?", (run,))
            scores = {row["question"]: judge_score(row["right"], row["error"]) for row in verdicts}
        further = {
            judge: {one.question: one.score for one in self.judgements(run, words=False, further=judge)}
            for judge in self.further_judges
        }
        query = (
            "SELECT run, question, sitting AS session, error, lost_at, seconds, metrics, ledger, stage_seconds,"
            " n_answers, n_paths FROM results WHERE run = ? ORDER BY question"
        )
        return list(self._read(lambda row: _result(row, scores, further), query, (run,)))

    @property
    def judge(self) -> str | None:
        """The recipe text of the model that judges answers; None if there is no judge."""
        return None if self._version < 2 else self._db.value("SELECT judge FROM judgements LIMIT 1")

    @property
    def further_judges(self) -> list[str]:
        """The recipe texts of the models that judge answers beside `judge`, in the order of their first verdict."""
        if self._version < 5:
            return []
        rows = self._db.rows("SELECT judge FROM opinions GROUP BY judge ORDER BY min(rowid)")
        return [row["judge"] for row in rows]

    def judgements(self, run: int, *, words: bool = True, further: str = "") -> list[StoredJudgement]:
        """Return the judgements of a run's answers, by question.

        Args:
            run: The number of the run.
            words: Whether to return their exchanges.
            further: One of `further_judges`; empty for the judge of the study.
        """
        if self._version < (5 if further else 2):
            return []
        exchanges = "exchanges" if words else "NULL AS exchanges"
        columns = f"run, question, judge, right, by, error, seconds, ledger, events, {exchanges}"
        table, own = ("opinions", " AND judge = ?") if further else ("judgements", "")
        query = f"SELECT {columns} FROM {table} WHERE run = ?{own} ORDER BY question"
        return list(self._read(_judgement, query, (run, further) if further else (run,)))

    def judgement(self, run: int, question: int) -> StoredJudgement | None:
        """Return the judgement of one answer; None if it is not judged."""
        if self._version < 2:
            return None
        query = "SELECT * FROM judgements WHERE run = ? AND question = ?"
        return next(self._read(_judgement, query, (run, question)), None)

    def rating_judges(self) -> list[RatingJudge]:
        """Return the judges that rated answers by labels, in the order of their first call."""
        if self._version < 4:
            return []
        query = (
            "SELECT judges.id, identity, name, json_group_array(DISTINCT label) AS labels,"
            " (SELECT count(*) FROM ratings WHERE ratings.judge = judges.id) AS cases,"
            " sum(seconds) AS seconds, json_group_array(json(ledger)) AS ledgers,"
            " json_group_array(json(events)) AS events FROM judges"
            " JOIN rating_calls ON rating_calls.judge = judges.id GROUP BY judges.id ORDER BY judges.id"
        )
        return list(self._read(_rating_judge, query))

    def ratings(self, judge: int, label: str) -> list[StoredRating]:
        """Return the ratings of one judge by one label, by run and question."""
        if self._version < 4:
            return []
        query = (
            "SELECT run, question, label, probability, reason FROM ratings WHERE judge = ? AND label = ?"
            " ORDER BY run, question"
        )
        return list(self._read(lambda row: StoredRating(**row), query, (judge, label)))

    def details(self, run: int) -> Iterator[Detail]:
        """Yield the results of a run in words, in the order of its questions."""
        return self._read(_detail, f"{self._details()} WHERE run = ? ORDER BY question", (run,))

    def detail(self, run: int, question: int) -> Detail | None:
        """Return the result of one question in words; None if it is not done."""
        return next(self._read(_detail, f"{self._details()} WHERE run = ? AND question = ?", (run, question)), None)

    def sessions(self) -> list[EvaluationSession]:
        """Return all calls of `evaluate` and `judge_study`, in order."""
        query = "SELECT id, started, finished, ended, options, versions, machine FROM sittings ORDER BY id"
        return list(self._read(_session, query))

    def files(self) -> list[QuestionFile]:
        """Return the files that questions came from."""
        return list(self._read(lambda row: QuestionFile(**row), "SELECT id, path, sha256, questions FROM files"))

    def plans(self) -> list[Plan]:
        """Return what experiment files planned, in the order of their names."""
        if self._version < 5:
            return []
        query = "SELECT content FROM plans ORDER BY file"
        return list(self._read(lambda row: Plan.from_dict(json.loads(row["content"])), query))

    def _details(self) -> str:
        if self._version < 2:
            return "SELECT run, question, seeds, answers, paths, stages, NULL AS content FROM details"
        return (
            "SELECT run, question, seeds, answers, paths, stages, content FROM details"
            " LEFT JOIN exchanges USING (run, question)"
        )

    def _read(self, make: Callable[[Row], T], query: str, values: Iterable[Any] = ()) -> Iterator[T]:
        """Yield the rows of a query as values."""
        for row in self._db.rows(query, values):
            try:
                value = make(row)
            except (ValueError, TypeError, KeyError, zstd.ZstdError) as error:
                raise InputError(
                    f"the study is damaged: a row cannot be read ({type(error).__name__}: {error}); restore a copy, "
                    "or name another file",
                    self.path,
                    code="study.damaged_row",
                ) from error
            yield value


def _mode(path: Path) -> str:
    """Return how SQLite is to open a study.

    SQLite makes a file beside a study to read it, unless the study is declared immutable. Results that are still in the
    write-ahead log of a writer, or of one that was killed, would then be left out.
    """
    log = path.with_name(f"{path.name}-wal")
    is_written = log.exists() and log.stat().st_size > 0
    return "mode=ro" if is_written or os.access(path.parent, os.W_OK) else "immutable=1"


def _run(row: Row) -> StudyRun:
    files, sessions = (tuple(sorted(json.loads(row[name]))) for name in ("files", "sessions"))
    digests, text = row.pop("digests"), row["identity"]
    identity = None if text is None else Identity.of_stored(text, json.loads(digests))
    return StudyRun(**row | {"linked": bool(row["linked"]), "files": files, "sessions": sessions, "identity": identity})


def _question(row: Row) -> StudyQuestion:
    return StudyQuestion(
        **row
        | {
            "answerable": bool(row["answerable"]),
            "seeds": _pairs(row["seeds"]),
            "missing_seeds": tuple(json.loads(row["missing_seeds"])),
            "facts": json.loads(row["facts"]),
            "gold": tuple(GoldAnswer(**_tuples(gold)) for gold in json.loads(row["gold"])),
        }
    )


def _result(
    row: Row, scores: Mapping[int, float | None] | None, further: Mapping[str, Mapping[int, float | None]]
) -> Result:
    metrics = json.loads(row["metrics"])
    if scores is not None:
        metrics["judge_at_1"] = scores.get(row["question"])
    metrics |= {f"{FURTHER_JUDGE}{judge}": found.get(row["question"]) for judge, found in further.items()}
    precision = metrics.get("path_precision")
    if precision is not None:
        metrics.setdefault("path_hit", float(precision > 0))  # studies of older versions lack it
    stages = tuple(map(tuple, json.loads(row["stage_seconds"])))
    return Result(**row | {"metrics": metrics, "ledger": json.loads(row["ledger"]), "stage_seconds": stages})


def _judgement(row: Row) -> StoredJudgement:
    return StoredJudgement(
        **row
        | {
            "right": None if row["right"] is None else bool(row["right"]),
            "ledger": json.loads(row["ledger"]),
            "events": tuple(json.loads(row["events"])),
            "exchanges": unpack(row["exchanges"]),
        }
    )


def _rating_judge(row: Row) -> RatingJudge:
    ledgers = json.loads(row.pop("ledgers"))
    ledger = {name: sum(one.get(name, 0) for one in ledgers) for name in dict.fromkeys(chain(*ledgers))}
    events = tuple(dict.fromkeys(chain(*json.loads(row["events"]))))
    return RatingJudge(**row | {"labels": tuple(json.loads(row["labels"])), "ledger": ledger, "events": events})


def _detail(row: Row) -> Detail:
    return Detail(
        row["run"],
        row["question"],
        _pairs(row["seeds"]),
        tuple(StoredAnswer(**_tuples(answer)) for answer in json.loads(row["answers"])),
        tuple(StoredPath(**path) for path in json.loads(row["paths"])),
        tuple(json.loads(row["stages"])),
        unpack(row["content"]),
    )


def _session(row: Row) -> EvaluationSession:
    return EvaluationSession(**row | {key: json.loads(row[key]) for key in ("options", "versions", "machine")})


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((key, label) for key, label in json.loads(text))


def _tuples(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object with its lists as tuples."""
    return {name: tuple(entry) if isinstance(entry, list) else entry for name, entry in value.items()}
