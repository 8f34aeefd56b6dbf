"""An SQLite database beside a graph, with a checksum and with errors that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from graphbrick.core.errors import GraphbrickError
from graphbrick.text.documents.sealing import seal, unseal

_VERSION = 1
_WAIT_SECONDS = 60.0
_DAMAGE = (sqlite3.Error, UnicodeDecodeError)  # the latter for texts that are none any more

SETTINGS = "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
"""The table of `Database.setting`."""


class Database:
    """One database; a context manager, which turns errors of the database into `GraphbrickError`.

    Args:
        folder: The folder; made if there is none.

    Raises:
        GraphbrickError: It cannot be written, is damaged, or is of another version.
    """

    file: ClassVar[str]
    """Name of the file."""
    layout: ClassVar[str] = SETTINGS
    """The tables of a new database."""
    schema: ClassVar[str] = ""
    """Further tables, each with IF NOT EXISTS, which databases of earlier versions may lack."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / self.file
        try:
            folder.mkdir(parents=True, exist_ok=True)
            unseal(self.path)
            self._db = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        except OSError as error:
            raise GraphbrickError(f"{folder} cannot be written ({error}); choose another place") from error
        except sqlite3.Error as error:
            raise self._failure(error) from error
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA foreign_keys = ON")
            self._db.execute("PRAGMA secure_delete = ON")  # what is deleted leaves no words behind
            self._create()
        except GraphbrickError:
            self._db.close()
            raise
        except _DAMAGE as error:
            self._db.close()
            raise self._failure(error) from error

    def anew(self) -> str:
        """Return what to do to make the database again, for errors."""
        return f"remove {self.folder} and index again"

    def _failure(self, error: Exception) -> GraphbrickError:
        """Return an error of the database with advice."""
        text = str(error)
        if "full" in text:
            advice = "the disk is full; free space and run the same command again, which goes on where it was"
        elif "locked" in text or "busy" in text:
            advice = f"another program holds it ({text}); wait until that is done"
        elif "I/O" in text or "readonly" in text or "unable to open" in text:
            advice = f"it cannot be read or written ({text}); check the space and the permissions of {self.folder}"
        else:
            advice = f"it cannot be used ({text}); if it is damaged, {self.anew()}"
        return GraphbrickError(f"{self.path}: {advice}", code="text_store.failed")

    def _create(self) -> None:
        with self.transaction():
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _VERSION):
                text = f"{self.path} has the format {version} instead of {_VERSION}; {self.anew()}"
                raise GraphbrickError(text, code="text_store.other_format", version=version)
            if version == 0:
                self._run(self.layout)
                self._db.execute(f"PRAGMA user_version = {_VERSION}")
            self._run(self.schema)

    def _run(self, statements: str) -> None:
        for statement in statements.split(";"):
            if statement.strip():
                self._db.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        has_changed = self._db.total_changes > 0
        if has_changed:
            unseal(self.path)  # a kill between the next two steps leaves the checksum of before
        self._db.close()
        if has_changed:
            seal(self.path)
        if isinstance(error, _DAMAGE):
            raise self._failure(error) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what the block writes at its end; nothing of it if it raises."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def setting(self, name: str) -> str | None:
        """Return the value of a setting; None if it was never set."""
        row = self._db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set(self, name: str, value: str) -> None:
        """Set a setting."""
        self._db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))
