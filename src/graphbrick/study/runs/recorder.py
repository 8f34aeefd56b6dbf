"""Writer of a study: one process at a time; results are committed once a second, and at once where they come slowly."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import remove_lock
from graphbrick.pipeline.identity import without_code
from graphbrick.study.runs.question_graphs import StudyGraph
from graphbrick.study.runs.stored_questions import StoredQuestions
from graphbrick.study.store.database import Database
from graphbrick.study.store.encoding import plain, to_json
from graphbrick.study.store.exchanges import pack
from graphbrick.study.store.identity import Identity, content_of
from graphbrick.study.store.judgements import Judgements
from graphbrick.study.store.plans import Plan
from graphbrick.study.store.ratings import Ratings
from graphbrick.study.store.records import Detail, Result
from graphbrick.study.store.schema import APPLICATION, FIRST, SINCE, VERSION

_WAIT = 60.0  # seconds to wait for a reader that holds the file
_OF_ANSWERS = ("details", "exchanges", "judgements", "opinions", "ratings", "results")


class Recorder:
    """A study that is open for writing.

    Args:
        path: The file; created if there is none.

    Raises:
        InputError: Another process writes it, it is not a study, or it cannot be written. Every method raises it if the
            disk is full or the file is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InputError(
                "this is a folder; name a file such as runs.sqlite", self.path, code="recorder.is_a_folder"
            )
        place = self.path.resolve()  # the same lock by whatever link the study is named
        self._lock_file = place.with_name(f".{place.name}.lock")
        try:
            self._lock = claim(self._lock_file)
        except BlockingIOError as error:
            raise InputError(
                "another evaluation writes this study now; wait until it is done, or name another file",
                self.path,
                code="recorder.in_use",
            ) from error
        except OSError as error:
            raise InputError(
                f"the study cannot be written: {error.strerror or error}", self.path, code="recorder.not_writable"
            ) from error
        try:
            self._db = Database(self.path, self.path.absolute().as_uri(), timeout=_WAIT)
            self._prepare()
        except InputError:
            self._unlock()
            raise
        self.judgements = Judgements(self._db)
        self.ratings = Ratings(self._db)
        self.questions = StoredQuestions(self._db)

    def _prepare(self) -> None:
        """Create the tables of a new file, or add what a file of an older version lacks."""
        is_new = not self._db.value("SELECT count(*) FROM sqlite_master")
        version = 0 if is_new else self._db.version()
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if version < VERSION:
            steps = "".join(SINCE[since] for since in range(max(version, 1) + 1, VERSION + 1))
            with self._db.transaction():
                for statement in _statements(f"{FIRST if is_new else ''}{steps}"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: object) -> None:
        try:
            self.close()
        except InputError:
            if error is None:  # otherwise the first error is the one to report
                raise

    def close(self) -> None:
        """Commit what was written, close the file and release the lock."""
        try:
            self._db.commit()
        finally:
            self._db.close()
            self._unlock()

    def _unlock(self) -> None:
        remove_lock(self._lock_file)
        self._lock.release()

    # Sessions and runs

    @contextmanager
    def session(
        self, options: Mapping[str, Any], versions: Mapping[str, str], machine: Mapping[str, Any]
    ) -> Iterator[int]:
        """Context manager for one evaluation session; gives its number and records why it ended."""
        number = self.begin(options, versions, machine)
        try:
            yield number
        except BaseException as error:
            with suppress(InputError):  # if the file cannot be written, the first error says so
                self.end(number, _reason(error))
            raise
        self.end(number, "done")

    def begin(self, options: Mapping[str, Any], versions: Mapping[str, str], machine: Mapping[str, Any]) -> int:
        """Add an evaluation session; return its number."""
        return self._db.insert(
            "INSERT INTO sittings (started, ended, options, versions, machine) VALUES (?, 'running', ?, ?, ?)",
            (now(), *(to_json(part) for part in (options, versions, machine))),
        )

    def end(self, session: int, ended: str) -> None:
        """Record how an evaluation session ended: "done", or why it stopped."""
        with self._db.transaction():
            self._db.execute("UPDATE sittings SET finished = ?, ended = ? WHERE id = ?", (now(), plain(ended), session))

    def run(self, name: str, recipe: str, graph: StudyGraph, *, linked: bool, identity: Identity | None = None) -> int:
        """Return the number of the run of a pipeline on a graph; added if it is new.

        Args:
            name: Its name in tables. If another run has it, "on" and the graph are appended where that run is on a
                graph of another name, else a number. Empty for "pipeline" and the number of the run.
            recipe: The recipe text of the pipeline.
            graph: The graph.
            linked: Whether seeds are linked although the file gives them.
            identity: Everything that changes the results of the pipeline; None for its recipe text alone.
        """
        identity = identity or Identity(recipe)
        key = plain(identity.stored)
        digests = to_json(dict(identity.files))
        content = content_of(graph)
        same = "graph_hash = ? AND linked = ?", (content, linked)
        number = self._db.value(f"SELECT id FROM runs WHERE identity = ? AND {same[0]}", (key, *same[1]))
        if number is not None:
            return int(number)
        # Runs of older versions are known by their recipe text, or without what is beside the graph, or without the
        # source of plug-ins; the first continuation gives them their identity.
        older = "(identity IS NULL AND recipe = ? OR identity IN (?, ?, ?))"
        old = replace(identity, text=without_code(identity.text))
        texts = identity.text, old.text, old.stored
        number = self._db.value(f"SELECT id FROM runs WHERE {older} AND {same[0]}",
                                (recipe, *map(plain, texts), *same[1]))  # fmt: skip
        if number is not None:
            self._db.execute("UPDATE runs SET identity = ?, digests = ? WHERE id = ?", (key, digests, number))
            return int(number)
        taken = {
            row["name"]: Path(row["graph_path"]).stem for row in self._db.rows("SELECT name, graph_path FROM runs")
        }
        name = plain(name) or f"pipeline {self._db.value('SELECT coalesce(max(id), 0) FROM runs') + 1}"
        stem = Path(graph.place).stem
        on_graph = [f"{name} on {stem}"] if taken.get(name, stem) != stem else []
        names = chain([name], on_graph, (f"{name} ({n})" for n in count(2)))
        free = next(text for text in names if text not in taken)
        return self._db.insert(
            "INSERT INTO runs (name, recipe, graph_path, graph_hash, linked, started, identity, digests)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (free, recipe, plain(str(graph.place)), content, linked, now(), key, digests),
        )

    def forget(self, runs: Iterable[int], *, errors_only: bool = False) -> None:
        """Remove the results of some runs, so that their questions are asked again.

        With ``errors_only``, remove only results with an error.
        """
        condition, tables = "run = ?", [*_OF_ANSWERS, "asked"]
        if errors_only:
            condition += " AND question IN (SELECT question FROM results WHERE run = ? AND error IS NOT NULL)"
            tables.remove("asked")
        with self._db.transaction():
            for run in runs:
                for table in tables:
                    self._db.execute(f"DELETE FROM {table} WHERE {condition}", [run] * condition.count("?"))

    def ask(self, run: int, questions: Iterable[int]) -> set[int]:
        """Assign questions to a run; return those that it has not answered yet."""
        numbers = set(questions)
        with self._db.transaction():
            for number in numbers:
                self._db.execute("INSERT OR IGNORE INTO asked VALUES (?, ?)", (run, number))
            self._close_run(run)
        return numbers - {row["question"] for row in self._db.rows("SELECT question FROM results WHERE run = ?", [run])}

    # Results

    def put(self, result: Result, detail: Detail) -> None:
        """Store the result of a question; an existing one stays."""
        error = None if result.error is None else plain(result.error)
        with self._db.batch():
            added = self._db.execute(
                "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(result.run, result.question, result.session, error, result.lost_at, result.seconds),
                    *(to_json(part) for part in (result.metrics, result.ledger, result.stage_seconds)),
                    *(result.n_answers, result.n_paths),
                ),
            )
            if added.rowcount:
                answers, paths = ([asdict(part) for part in parts] for parts in (detail.answers, detail.paths))
                self._db.execute(
                    "INSERT INTO details VALUES (?, ?, ?, ?, ?, ?)",
                    (result.run, result.question, *map(to_json, (detail.seeds, answers, paths, detail.stages))),
                )
                if detail.exchanges:
                    packed = pack(detail.exchanges)
                    self._db.execute("INSERT INTO exchanges VALUES (?, ?, ?)", (result.run, result.question, packed))

    def commit(self) -> None:
        """Write what was stored so far; a kill after that loses nothing of it."""
        self._db.commit()

    def opinions(self, judge: str) -> Judgements:
        """Return the judgements of a further judge.

        Raises:
            InputError: It is the judge of the study.
        """
        if self._db.value("SELECT count(*) FROM judgements WHERE judge = ?", (plain(judge),)):
            raise InputError(
                f"{judge} is the judge of this study already; name a further one",
                self.path,
                code="study.same_judge",
                judge=judge,
            )
        return Judgements(self._db, judge)

    def plan(self, plan: Plan) -> None:
        """Store what an experiment file planned, in place of what a file of the same name planned before."""
        with self._db.transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO plans VALUES (?, ?)", (plain(Path(plan.file).name), to_json(plan.to_dict()))
            )

    def close_runs(self, runs: Iterable[int]) -> None:
        """Record for each run whether it has answered all its questions."""
        with self._db.transaction():
            for run in runs:
                self._close_run(run)

    def _close_run(self, run: int) -> None:
        left = self._db.value(
            "SELECT count(*) FROM asked LEFT JOIN results USING (run, question)"
            " WHERE asked.run = ? AND results.run IS NULL",
            (run,),
        )
        self._db.execute(
            "UPDATE runs SET finished = CASE WHEN ? THEN NULL ELSE coalesce(finished, ?) END WHERE id = ?",
            (left > 0, now(), run),
        )


def now() -> str:
    """Return the time, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "stopped by Ctrl-C"
    text = re.sub(r"\s+", " ", str(error)) if isinstance(error, GraphbrickError) else repr(error)
    return text[:500]


def _statements(script: str) -> list[str]:
    """Split a script into statements, each of which ends a line with its semicolon."""
    return [statement for statement in re.split(r";\s*$", script, flags=re.MULTILINE) if statement.strip()]
