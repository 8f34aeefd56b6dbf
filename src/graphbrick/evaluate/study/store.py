"""The file of a study: what was asked of which pipelines, and what came of it. SQLite, in WAL mode, so that it can be
read while it is written.

``PRAGMA application_id`` tells such a file from others, ``PRAGMA user_version`` is the version of the schema below. A
newer version of graphbrick reads the files of older ones, and adds what they lack when it writes them; JSON keys may be
added without a new version. Version 1 had neither exchanges nor judgements.

runs        one pipeline on one graph. The same pipeline (by its recipe text) on the same graph (by its hash), with
            seeds given or linked alike, is the same run, whenever it is taken up.
questions   a question with what one graph has of it. `dataset` and `name` (its id in the file) tell it from others.
asked       which questions a run was asked to answer.
results     one row for each question that a run is done with; a row is whole or not there.
details     the same in words: answers, paths, stages. Written together with its row of results.
exchanges   what was said to language models meanwhile, and what they replied; no row where that was not kept.
judgements  what a judge said of the first answer; a study has one judge, or none.
sittings    one for each call of `evaluate` or `judge`: when, where, with which versions and options.
files       the files that questions came from.

All but ids, numbers and plain texts are JSON. The JSON of a column is what the attribute of the same name in the
dataclasses of `evaluate.study.stored` holds; `metrics` are those of `evaluate.study.scoring`. The view
`scores` has the main measures as columns, for SQL by hand:

    SELECT runs.name, avg(scores.hits_at_1) FROM scores JOIN runs ON runs.id = scores.run GROUP BY runs.id
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.evaluate.study.exchanges import unpack
from graphbrick.evaluate.study.stored import (
    Detail,
    GoldAnswer,
    QuestionFile,
    Result,
    Sitting,
    StoredAnswer,
    StoredJudgement,
    StoredPath,
    StudyQuestion,
    StudyRun,
    judge_score,
)

VERSION = 2
APPLICATION = 0x67625374  # "gbSt"

_FIRST = """
CREATE TABLE sittings (
  id INTEGER PRIMARY KEY,
  started TEXT NOT NULL,        -- UTC, ISO 8601
  finished TEXT,                -- NULL where it was killed
  ended TEXT NOT NULL,          -- 'running', 'done', or why it stopped
  options TEXT NOT NULL,        -- JSON: limit, seed, workers, ...
  versions TEXT NOT NULL,       -- JSON: package: version
  machine TEXT NOT NULL         -- JSON: cpu, cores, memory, system, python
);
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  questions INTEGER NOT NULL,   -- how many it holds
  UNIQUE (path, sha256)
);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,    -- how tables call it, such as 'recipe 12'
  recipe TEXT NOT NULL,
  graph_path TEXT NOT NULL,
  graph_hash TEXT NOT NULL,
  linked INTEGER NOT NULL,      -- 1 where the seeds were looked for in the question, though the file gives them
  started TEXT NOT NULL,
  finished TEXT,                -- NULL while a question is left
  UNIQUE (recipe, graph_hash, linked)
);
CREATE TABLE questions (
  id INTEGER PRIMARY KEY,
  graph_hash TEXT NOT NULL,
  dataset TEXT NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  hops INTEGER,                 -- as stated by the file
  distance INTEGER,             -- hops from a seed to the nearest answer, NULL where there is none near
  answerable INTEGER NOT NULL,  -- 1 where the graph has a gold answer
  seeds TEXT NOT NULL,          -- JSON: [[key, label], ...]
  missing_seeds TEXT NOT NULL,  -- JSON: [name, ...]
  gold TEXT NOT NULL,           -- JSON: [{"answer": as in the file, "names": [...], "keys": [...]}, ...]
  facts TEXT NOT NULL,          -- JSON
  file INTEGER REFERENCES files (id),
  digest TEXT NOT NULL,         -- of what the file says, so that a changed question is noticed
  UNIQUE (graph_hash, dataset, name)
);
CREATE TABLE asked (
  run INTEGER NOT NULL REFERENCES runs (id),
  question INTEGER NOT NULL REFERENCES questions (id),
  PRIMARY KEY (run, question)
) WITHOUT ROWID;
CREATE TABLE results (
  run INTEGER NOT NULL REFERENCES runs (id),
  question INTEGER NOT NULL REFERENCES questions (id),
  sitting INTEGER NOT NULL REFERENCES sittings (id),
  error TEXT,                   -- NULL where the pipeline came to its end
  lost_at TEXT,                 -- see graphbrick.evaluate.metrics.lost; NULL without gold answers
  seconds REAL NOT NULL,
  metrics TEXT NOT NULL,        -- JSON: name: number, or null for what cannot be scored
  ledger TEXT NOT NULL,         -- JSON: calls, tokens_in, tokens_out, estimated, waited, cost, cache_hits
  stage_seconds TEXT NOT NULL,  -- JSON: [[stage, kind, seconds], ...]
  n_answers INTEGER NOT NULL,
  n_paths INTEGER NOT NULL,
  PRIMARY KEY (run, question)
);
CREATE TABLE details (
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  seeds TEXT NOT NULL,          -- JSON: [[key, label], ...] where the run started
  answers TEXT NOT NULL,        -- JSON: [{"text", "key", "right", "support": [text of a path, ...]}, ...], the first
  paths TEXT NOT NULL,          -- JSON: [{"text", "score", "source", "right"}, ...], the first of the evidence
  stages TEXT NOT NULL,         -- JSON: [{stage, kind, seconds, counts_in, counts_out, ..., facts, events}, ...]
  PRIMARY KEY (run, question)
);
CREATE VIEW scores AS SELECT run, question, error, lost_at, seconds,
  json_extract(metrics, '$.hits_at_1') AS hits_at_1, json_extract(metrics, '$.hit') AS hit,
  json_extract(metrics, '$.f1') AS f1, json_extract(metrics, '$.subgraph_recall') AS subgraph_recall,
  json_extract(metrics, '$.nodes') AS nodes, json_extract(metrics, '$.path_f1') AS path_f1,
  json_extract(ledger, '$.calls') AS calls, json_extract(ledger, '$.tokens_in') AS tokens_in,
  json_extract(ledger, '$.tokens_out') AS tokens_out, json_extract(ledger, '$.cost') AS cost FROM results;
"""
SINCE = {
    2: """
CREATE TABLE exchanges (
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  content BLOB NOT NULL,        -- see graphbrick.evaluate.study.exchanges
  PRIMARY KEY (run, question)
);
CREATE TABLE judgements (
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  judge TEXT NOT NULL,          -- the recipe text of the model
  right INTEGER,                -- NULL where the verdict could not be read, or the model failed
  by TEXT NOT NULL,             -- 'no answer', 'equality' or 'model'
  error TEXT,
  seconds REAL NOT NULL,
  ledger TEXT NOT NULL,         -- JSON, as of results
  events TEXT NOT NULL,         -- JSON: [text, ...]
  exchanges BLOB,               -- as of exchanges; NULL where that was not kept
  PRIMARY KEY (run, question)
);
"""
}
"""What each version added to the schema."""

SCHEMA = _FIRST + "".join(SINCE.values())


class Study:
    """A file of results, to read; it may be written meanwhile.

    Args:
        path: The file.

    Raises:
        InputError: There is no such file, it is no study, or one of a newer version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InputError("this is a folder; name the file that graphbrick evaluate wrote", self.path)
        if not self.path.is_file():
            raise InputError("there is no such file; graphbrick evaluate makes one", self.path)
        # Where nothing can be written beside it, it is read as a file that nobody else has open.
        kind = "mode=ro" if os.access(self.path.absolute().parent, os.W_OK) else "immutable=1"
        try:
            self._db = sqlite3.connect(f"{self.path.absolute().as_uri()}?{kind}", uri=True, check_same_thread=False)
            self._version = check_version(self._db, self.path)
        except sqlite3.DatabaseError as error:
            raise InputError(f"this is no study, or it is damaged: {error}", self.path) from error

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Study:
        """The study in a file; errors as for the class."""
        return cls(path)

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def runs(self) -> list[StudyRun]:
        """All runs, in the order in which they were begun."""
        rows = self._rows(
            "SELECT id, name, recipe, graph_path, graph_hash, linked, started, finished,"
            " (SELECT count(*) FROM asked WHERE run = runs.id) AS asked,"
            " (SELECT count(*) FROM asked JOIN results USING (run, question) WHERE asked.run = runs.id) AS done,"
            " (SELECT json_group_array(DISTINCT file) FROM asked JOIN questions ON questions.id = question"
            "  WHERE run = runs.id AND file IS NOT NULL) AS files,"
            " (SELECT json_group_array(DISTINCT sitting) FROM results WHERE run = runs.id) AS sittings"
            " FROM runs ORDER BY id"
        )
        return [
            StudyRun(
                **row
                | {"linked": bool(row["linked"])}
                | {name: tuple(sorted(json.loads(row[name]))) for name in ("files", "sittings")}
            )
            for row in rows
        ]

    def questions(self, run: int | None = None) -> list[StudyQuestion]:
        """All questions in their order, or those that a run is to answer."""
        chosen = "" if run is None else "WHERE id IN (SELECT question FROM asked WHERE run = ?)"
        rows = self._rows(
            "SELECT id, graph_hash, dataset, name, text, hops, distance, answerable, seeds, missing_seeds, gold, facts,"
            f" file FROM questions {chosen} ORDER BY id",
            () if run is None else (run,),
        )
        return [
            StudyQuestion(
                **row
                | {"answerable": bool(row["answerable"]), "seeds": _pairs(row["seeds"])}
                | {"missing_seeds": tuple(json.loads(row["missing_seeds"])), "facts": json.loads(row["facts"])}
                | {"gold": tuple(GoldAnswer(**_tuples(gold)) for gold in json.loads(row["gold"]))}
            )
            for row in rows
        ]

    def results(self, run: int) -> list[Result]:
        """The results of a run so far, in the order of its questions."""
        rows = self._rows(
            "SELECT run, question, sitting, error, lost_at, seconds, metrics, ledger, stage_seconds, n_answers, n_paths"
            " FROM results WHERE run = ? ORDER BY question",
            (run,),
        )
        judged: dict[int, float | None] | None = None
        if self.judge is not None:
            verdicts = self._rows("SELECT question, right, error FROM judgements WHERE run = ?", (run,))
            judged = {row["question"]: judge_score(row["right"], row["error"]) for row in verdicts}
        found = []
        for row in rows:
            metrics = json.loads(row["metrics"])
            if judged is not None:
                metrics["judge_at_1"] = judged.get(row["question"])
            stages = tuple(map(tuple, json.loads(row["stage_seconds"])))
            values = {"metrics": metrics, "ledger": json.loads(row["ledger"]), "stage_seconds": stages}
            found.append(Result(**row | values))
        return found

    @property
    def judge(self) -> str | None:
        """The recipe text of the model that judges answers; None where none has."""
        if self._version < 2:
            return None
        return next((row["judge"] for row in self._rows("SELECT judge FROM judgements LIMIT 1")), None)

    def judgements(self, run: int, *, words: bool = True) -> list[StoredJudgement]:
        """What the judge said of the answers of a run, by question; its exchanges only with ``words``."""
        if self._version < 2:
            return []
        columns = "run, question, judge, right, by, error, seconds, ledger, events"
        said = "exchanges" if words else "NULL AS exchanges"
        rows = self._rows(f"SELECT {columns}, {said} FROM judgements WHERE run = ? ORDER BY question", (run,))
        return list(map(judgement_of, rows))

    def judgement(self, run: int, question: int) -> StoredJudgement | None:
        """One of them; None where that answer is not judged."""
        if self._version < 2:
            return None
        rows = self._rows("SELECT * FROM judgements WHERE run = ? AND question = ?", (run, question))
        return next(map(judgement_of, rows), None)

    def details(self, run: int) -> Iterator[Detail]:
        """The results of a run in words, one after the other, in the order of its questions."""
        return map(_detail, self._rows(f"{self._details()} WHERE run = ? ORDER BY question", (run,)))

    def detail(self, run: int, question: int) -> Detail | None:
        """One of them; None where that question is not done."""
        rows = self._rows(f"{self._details()} WHERE run = ? AND question = ?", (run, question))
        return next(map(_detail, rows), None)

    def _details(self) -> str:
        """What details are selected by; the exchanges are there since version 2."""
        columns = "SELECT run, question, seeds, answers, paths, stages,"
        if self._version < 2:
            return f"{columns} NULL AS content FROM details"
        return f"{columns} content FROM details LEFT JOIN exchanges USING (run, question)"

    def sittings(self) -> list[Sitting]:
        """All calls of `evaluate`, in order."""
        rows = self._rows("SELECT id, started, finished, ended, options, versions, machine FROM sittings ORDER BY id")
        return [
            Sitting(**row | {key: json.loads(row[key]) for key in ("options", "versions", "machine")}) for row in rows
        ]

    def files(self) -> list[QuestionFile]:
        """The files that questions came from."""
        return [QuestionFile(**row) for row in self._rows("SELECT id, path, sha256, questions FROM files ORDER BY id")]

    def _rows(self, query: str, values: Iterable[Any] = ()) -> Iterator[dict[str, Any]]:
        """The rows of a query by the names of their columns."""
        try:
            found = self._db.execute(query, tuple(values))
            names = [column[0] for column in found.description]
            for row in found:
                yield dict(zip(names, row, strict=True))
        except sqlite3.DatabaseError as error:
            raise InputError(f"the study cannot be read: {error}", self.path) from error


def check_version(db: sqlite3.Connection, path: Path) -> int:
    """The schema version of a study.

    Raises:
        InputError: The database is no study, or one of a newer version.
    """
    application, version = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if application != APPLICATION:
        raise InputError("this is an SQLite file, but no study of graphbrick evaluate; name another one", path)
    if version > VERSION:
        raise InputError(
            f"the study has the schema version {version}, and this graphbrick reads up to {VERSION}; update graphbrick",
            path,
        )
    return int(version)


def judgement_of(row: Mapping[str, Any]) -> StoredJudgement:
    """A judgement from its row."""
    right = None if row["right"] is None else bool(row["right"])
    ledger, events = json.loads(row["ledger"]), tuple(json.loads(row["events"]))
    values = {"right": right, "ledger": ledger, "events": events, "exchanges": unpack(row["exchanges"])}
    return StoredJudgement(**{**row, **values})


def _detail(row: dict[str, Any]) -> Detail:
    return Detail(
        row["run"],
        row["question"],
        _pairs(row["seeds"]),
        tuple(StoredAnswer(**_tuples(answer)) for answer in json.loads(row["answers"])),
        tuple(StoredPath(**path) for path in json.loads(row["paths"])),
        tuple(json.loads(row["stages"])),
        unpack(row["content"]),
    )


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((key, label) for key, label in json.loads(text))


def _tuples(value: dict[str, Any]) -> dict[str, Any]:
    """The same with lists as tuples."""
    return {name: tuple(some) if isinstance(some, list) else some for name, some in value.items()}
