"""Writing a study: one process at a time, each question at once, so that a kill loses a second of work at most."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.evaluate.datasets import GroundedQuestion, Question
from graphbrick.evaluate.judge.judgements import Judgements
from graphbrick.evaluate.study.exchanges import pack
from graphbrick.evaluate.study.store import APPLICATION, SCHEMA, SINCE, VERSION, check_version
from graphbrick.evaluate.study.stored import Detail, Result, StoredJudgement
from graphbrick.files.locks import claim
from graphbrick.graphs.graph import Graph

_COMMIT_SECONDS = 1.0
_WAIT = 60.0  # seconds for a reader that holds the file


class Recorder:
    """A study that is open for writing.

    Args:
        path: The file; made where there is none.

    Raises:
        InputError: Another process writes it, it is no study, or it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InputError("this is a folder; name a file such as runs.sqlite", self.path)
        self._lock_file = self.path.with_name(f".{self.path.name}.lock")
        try:
            self._lock = claim(self._lock_file)
        except BlockingIOError as error:
            raise InputError(
                "another evaluation writes this study now; wait until it is done, or name another file", self.path
            ) from error
        except OSError as error:
            raise InputError(f"the study cannot be written: {error.strerror or error}", self.path) from error
        try:
            self._db = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._unlock()
            raise InputError(f"this is no study, or it cannot be written: {error}", self.path) from error
        except InputError:
            self._unlock()
            raise
        self._begun = 0.0
        self.judgements = Judgements(self._db, self.path)

    def _prepare(self) -> None:
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        version = check_version(self._db, self.path) if tables else VERSION
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if not tables:
            self._db.executescript(
                f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {SCHEMA} COMMIT;"
            )
        for since in range(version + 1, VERSION + 1):
            self._db.executescript(f"BEGIN; {SINCE[since]} PRAGMA user_version = {since}; COMMIT;")

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Commit what was put, and let others write."""
        self.commit()
        self._db.close()
        self._unlock()

    def _unlock(self) -> None:
        with suppress(FileNotFoundError):
            self._lock_file.unlink()
        self._lock.release()

    # What is asked

    def begin(self, options: dict[str, Any], versions: dict[str, str], machine: dict[str, Any]) -> int:
        """A new sitting; its number."""
        texts = (_json(part) for part in (options, versions, machine))
        added = self._db.execute(
            "INSERT INTO sittings (started, ended, options, versions, machine) VALUES (?, 'running', ?, ?, ?)",
            (now(), *texts),
        )
        return int(added.lastrowid or 0)

    def end(self, sitting: int, ended: str) -> None:
        """How a sitting ended: "done", or why it stopped."""
        with self._transaction():
            self._db.execute("UPDATE sittings SET finished = ?, ended = ? WHERE id = ?", (now(), ended, sitting))

    @contextmanager
    def sitting(self, options: dict[str, Any], versions: dict[str, str], machine: dict[str, Any]) -> Iterator[int]:
        """A sitting that ends with what is inside, and says why."""
        number = self.begin(options, versions, machine)
        try:
            yield number
        except BaseException as error:
            self.end(number, _reason(error))
            raise
        self.end(number, "done")

    def file(self, path: Path, checksum: str, questions: int) -> int:
        """The number of a file of questions."""
        self._db.execute(
            "INSERT OR IGNORE INTO files (path, sha256, questions) VALUES (?, ?, ?)",
            (_plain(str(path)), checksum, questions),
        )
        row = self._db.execute("SELECT id FROM files WHERE path = ? AND sha256 = ?", (_plain(str(path)), checksum))
        return int(row.fetchone()[0])

    def run(self, name: str, recipe: str, graph: Graph, *, linked: bool) -> int:
        """The number of a run; a new one where this pipeline was not run on this graph before.

        Args:
            name: How tables are to call it, with a number behind it where another run is called so; empty for
                "pipeline" and the number of the run.
            recipe: The text of the pipeline.
            graph: The graph.
            linked: Whether seeds are looked for though the file gives them.
        """
        identity = (recipe, graph.hash, linked)
        found = self._db.execute(
            "SELECT id FROM runs WHERE recipe = ? AND graph_hash = ? AND linked = ?", identity
        ).fetchone()
        if found is not None:
            return int(found[0])
        taken = {row[0] for row in self._db.execute("SELECT name FROM runs")}
        (last,) = self._db.execute("SELECT coalesce(max(id), 0) FROM runs").fetchone()
        name = _plain(name) or f"pipeline {last + 1}"
        free = next(text for text in chain([name], (f"{name} ({n})" for n in count(2))) if text not in taken)
        added = self._db.execute(
            "INSERT INTO runs (name, recipe, graph_path, graph_hash, linked, started) VALUES (?, ?, ?, ?, ?, ?)",
            (free, recipe, _plain(str(graph.place)), graph.hash, linked, now()),
        )
        return int(added.lastrowid or 0)

    def forget(self, runs: Iterable[int], *, errors_only: bool = False) -> None:
        """Remove the results of some runs, or only those that are an error, so that their questions are asked again."""
        chosen = "run = ? AND question IN (SELECT question FROM results WHERE run = ? AND error IS NOT NULL)"
        tables = ("details", "exchanges", "judgements", "results", *(() if errors_only else ("asked",)))
        with self._transaction():
            for run in runs:
                values = (run, run) if errors_only else (run,)
                for table in tables:
                    self._db.execute(f"DELETE FROM {table} WHERE {chosen if errors_only else 'run = ?'}", values)

    def known(self, graph: Graph, questions: Sequence[Question]) -> dict[int, GroundedQuestion]:
        """Those of the questions that were asked on this graph before, by their place, as they were found in it.

        Raises:
            InputError: A question of the same data set and id was another one, and results of it are kept.
        """
        found: dict[int, GroundedQuestion] = {}
        for place, question in enumerate(questions):
            row = self._db.execute(
                "SELECT id, digest, distance, seeds, missing_seeds, gold FROM questions"
                " WHERE graph_hash = ? AND dataset = ? AND name = ?",
                (graph.hash, _plain(question.dataset), _plain(question.id)),
            ).fetchone()
            if row is None:
                continue
            number, digest, distance, seeds, missing, gold = row
            if digest != digest_of(question):
                self._replaced(number, question)
                continue
            answers = json.loads(gold)
            found[place] = GroundedQuestion(
                question,
                seeds=tuple(graph.entity(key) for key, _ in json.loads(seeds)),
                gold=tuple(tuple(graph.entity(key) for key in answer["keys"]) for answer in answers),
                names=tuple(tuple(answer["names"]) for answer in answers),
                missing_seeds=tuple(json.loads(missing)),
                distance=distance,
            )
        return found

    def _replaced(self, number: int, question: Question) -> None:
        """Forget a question that is another one by now, if no result stands on it."""
        with self._transaction():
            (results,) = self._db.execute("SELECT count(*) FROM results WHERE question = ?", (number,)).fetchone()
            if results:
                raise InputError(
                    f"the question {question.id!r} of {question.dataset!r} is not what it was when this study asked it "
                    f"({results} results); evaluate all its pipelines anew with --fresh, or name another file",
                    self.path,
                )
            self._db.execute("DELETE FROM asked WHERE question = ?", (number,))
            self._db.execute("DELETE FROM questions WHERE id = ?", (number,))

    def add(self, graph: Graph, questions: Sequence[GroundedQuestion], files: Sequence[int | None]) -> list[int]:
        """The numbers of questions; those that are not there yet are added, each with the number of its file."""
        numbers = []
        with self._transaction():
            for found, file in zip(questions, files, strict=True):
                question = found.question
                self._db.execute(
                    "INSERT OR IGNORE INTO questions (graph_hash, dataset, name, text, hops, distance, answerable,"
                    " seeds, missing_seeds, gold, facts, file, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(graph.hash, _plain(question.dataset), _plain(question.id), _plain(question.text)),
                        *(question.hops, found.distance, found.answerable),
                        *(_json([(graph.key(seed), graph.label(seed)) for seed in found.seeds]),),
                        *(_json(found.missing_seeds), _gold(graph, found), _json(dict(question.facts))),
                        *(file, digest_of(question)),
                    ),
                )
                row = self._db.execute(
                    "SELECT id FROM questions WHERE graph_hash = ? AND dataset = ? AND name = ?",
                    (graph.hash, _plain(question.dataset), _plain(question.id)),
                )
                numbers.append(int(row.fetchone()[0]))
        return numbers

    def ask(self, run: int, questions: Iterable[int]) -> set[int]:
        """Let a run answer questions; those that are left to do."""
        with self._transaction():
            rows = [(run, question) for question in questions]
            self._db.executemany("INSERT OR IGNORE INTO asked VALUES (?, ?)", rows)
            self._close_run(run)
        done = {row[0] for row in self._db.execute("SELECT question FROM results WHERE run = ?", (run,))}
        return {question for _, question in rows} - done

    # What came of it

    def put(self, result: Result, detail: Detail) -> None:
        """Keep what came of a question; a result that is there already stays."""
        self._begin()
        error = None if result.error is None else _plain(result.error)
        kept = self._db.execute(
            "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(result.run, result.question, result.sitting, error, result.lost_at, result.seconds),
                *(_json(part) for part in (result.metrics, result.ledger, result.stage_seconds)),
                *(result.n_answers, result.n_paths),
            ),
        )
        if kept.rowcount:
            answers = [
                {"text": said.text, "key": said.key, "right": said.right, "support": said.support}
                for said in detail.answers
            ]
            paths = [
                {"text": path.text, "score": path.score, "source": path.source, "right": path.right}
                for path in detail.paths
            ]
            self._db.execute(
                "INSERT INTO details VALUES (?, ?, ?, ?, ?, ?)",
                (detail.run, detail.question, *(_json(part) for part in (detail.seeds, answers, paths, detail.stages))),
            )
            if detail.exchanges:
                values = (detail.run, detail.question, pack(detail.exchanges))
                self._db.execute("INSERT INTO exchanges VALUES (?, ?, ?)", values)
        self._commit_in_time()

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            self._begun = time.monotonic()

    def _commit_in_time(self) -> None:
        if time.monotonic() - self._begun > _COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Make sure of what was put."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")

    # What a judge says of it

    def forget_judgements(self, runs: Iterable[int] | None = None, *, errors_only: bool = False) -> None:
        """Remove the judgements of some runs, or of all; with ``errors_only`` just those without a verdict."""
        chosen = "right IS NULL" if errors_only else "1"
        with self._transaction():
            if runs is None:
                self._db.execute(f"DELETE FROM judgements WHERE {chosen}")
            for run in runs or ():
                self._db.execute(f"DELETE FROM judgements WHERE run = ? AND {chosen}", (run,))

    def put_judgement(self, found: StoredJudgement) -> None:
        """Keep what a judge said; a judgement that is there already stays."""
        self._begin()
        error = None if found.error is None else _plain(found.error)
        packed = pack(found.exchanges) if found.exchanges else None
        self._db.execute(
            "INSERT OR IGNORE INTO judgements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(found.run, found.question, found.judge, found.right, found.by, error, found.seconds),
                *(_json(found.ledger), _json(found.events), packed),
            ),
        )
        self._commit_in_time()

    def copy_judgement(self, run: int, question: int, to: int) -> None:
        """Let the judgement of one run hold for another one, which gave the same answer to that question."""
        self._begin()
        self._db.execute(
            "INSERT OR IGNORE INTO judgements SELECT ?, question, judge, right, by, error, seconds, ledger, events,"
            " exchanges FROM judgements WHERE run = ? AND question = ?",
            (to, run, question),
        )
        self._commit_in_time()

    def close_runs(self, runs: Iterable[int]) -> None:
        """Note for each run whether it is done with all its questions."""
        self.commit()
        with self._transaction():
            for run in runs:
                self._close_run(run)

    def _close_run(self, run: int) -> None:
        (left,) = self._db.execute(
            "SELECT count(*) FROM asked LEFT JOIN results USING (run, question)"
            " WHERE asked.run = ? AND results.run IS NULL",
            (run,),
        ).fetchone()
        self._db.execute(
            "UPDATE runs SET finished = CASE WHEN ? THEN NULL ELSE coalesce(finished, ?) END WHERE id = ?",
            (left > 0, now(), run),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.commit()
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def now() -> str:
    """The time, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _reason(error: BaseException) -> str:
    """Why a sitting ended."""
    if isinstance(error, KeyboardInterrupt):
        return "stopped by Ctrl-C"
    said = re.sub(r"\s+", " ", str(error)) if isinstance(error, GraphbrickError) else repr(error)
    return said[:500]


def digest_of(question: Question) -> str:
    """A checksum of what a file says of a question, but for its facts, which change no result."""
    said = (question.text, question.seeds, question.answers, question.answer_names, question.hops)
    return hashlib.sha256(_json(said).encode()).hexdigest()


def _gold(graph: Graph, found: GroundedQuestion) -> str:
    rows = zip(found.question.answers, found.names, found.gold, strict=True)
    return _json(
        [
            {"answer": answer, "names": names, "keys": [graph.key(entity) for entity in entities]}
            for answer, names, entities in rows
        ]
    )


def _json(value: object) -> str:
    """JSON in ASCII: a label may hold half of a character, which SQLite does not take."""
    return json.dumps(value, separators=(",", ":"))


def _plain(text: str) -> str:
    """A text that SQLite takes: halves of characters, as badly decoded names have them, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()
