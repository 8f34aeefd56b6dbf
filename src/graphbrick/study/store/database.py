"""The SQLite file of a study, with errors of one line that name the file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.study.store.schema import APPLICATION, VERSION

_COMMIT_SECONDS = 1.0
"""Seconds after which a batch is committed: this much work is lost at most."""


class Database:
    """An open study file.

    Args:
        path: The file.
        uri: Address for SQLite, with its options.
        timeout: Seconds to wait for a lock of another program.

    Raises:
        InputError: The file cannot be opened.
    """

    def __init__(self, path: Path, uri: str, *, timeout: float) -> None:
        self.path, self._batch_began = path, 0.0
        with self._errors():
            self._db = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)

    def close(self) -> None:
        """Close the file; what was not committed is lost."""
        self._db.close()

    def execute(self, sql: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Run one statement.

        Raises:
            InputError: The file is locked, damaged or cannot be written, or the disk is full.
        """
        with self._errors():
            return self._db.execute(sql, tuple(values))

    def script(self, sql: str) -> None:
        """Run several statements."""
        with self._errors():
            self._db.executescript(sql)

    def rows(self, sql: str, values: Iterable[Any] = ()) -> Iterator[dict[str, Any]]:
        """Yield the rows of a query, by the names of the columns."""
        cursor = self.execute(sql, values)
        names = [column[0] for column in cursor.description]
        while True:
            with self._errors():
                row = cursor.fetchone()
            if row is None:
                return
            yield dict(zip(names, row, strict=True))

    def value(self, sql: str, values: Iterable[Any] = ()) -> Any:
        """Return the first column of the first row; None if there is no row."""
        return next((next(iter(row.values())) for row in self.rows(sql, values)), None)

    def insert(self, sql: str, values: Iterable[Any]) -> int:
        """Run an INSERT; return the id of the new row."""
        return int(self.execute(sql, values).lastrowid or 0)

    def version(self) -> int:
        """Return the schema version.

        Raises:
            InputError: The database is not a study, or one of a newer version.
        """
        if self.value("PRAGMA application_id") != APPLICATION:
            raise InputError(
                "this is an SQLite file, but not a study of graphbrick evaluate; name another one",
                self.path,
                code="study.other_database",
            )
        version = int(self.value("PRAGMA user_version"))
        if version > VERSION:
            raise InputError(
                f"the study has the schema version {version}, and this graphbrick reads up to {VERSION}; "
                "update graphbrick",
                self.path,
                code="study.newer_version",
                version=version,
            )
        return version

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Context manager for statements of a transaction that is committed within a second."""
        if not self._db.in_transaction:
            self.execute("BEGIN IMMEDIATE")
            self._batch_began = time.monotonic()
        yield
        if time.monotonic() - self._batch_began > _COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Commit the open batch, if any."""
        if self._db.in_transaction:
            self.execute("COMMIT")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Context manager for statements that are written together or not at all."""
        self.commit()
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.commit()
        except BaseException:
            if self._db.in_transaction:  # SQLite has rolled back by itself if the disk is full
                self.execute("ROLLBACK")
            raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            reason, code = _reason(error)
            raise InputError(reason, self.path, code=code) from error


def _reason(error: sqlite3.Error) -> tuple[str, str]:
    """Return what is wrong with the file and what to do, and the code of the error."""
    text = str(error)
    if "locked" in text or "busy" in text:
        reason = f"another program holds the study ({text}); close that program, or wait until it is done"
        return reason, "study.locked"
    if "full" in text:
        reason = "the disk is full; free space, and the same command goes on (results written so far are kept)"
        return reason, "study.disk_full"
    if "readonly" in text or "unable to open" in text or "disk I/O" in text:
        reason = f"the study cannot be read or written: {text}; check the disk and the permissions of file and folder"
        return reason, "study.no_access"
    return f"this is not a study, or it is damaged: {text}; name another file, or restore a copy", "study.damaged"
