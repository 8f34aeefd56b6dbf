"""Replies of model servers kept on disk, so that a run can be repeated to the letter without calling anything."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError, ModelError

MODES = ("record", "replay", "off")
_SCHEMA = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, request TEXT, reply TEXT, kept_at REAL)"
_WAIT = 60.0  # seconds for another process that writes


class ReplyCache:
    """A file of replies (SQLite), shared by threads and processes.

    A reply is found by what was asked: the model's name, the messages, the parameters and the schema, but not the
    address of the server, and never a key.

    Args:
        path: The file; made where there is none.
        mode: "record" gives a kept reply where there is one, and keeps what is called for otherwise; "replay" gives
            kept replies only, and any other call is an error.

    Raises:
        InputError: The file is something else, cannot be written, or is not there to be replayed.
    """

    def __init__(self, path: str | Path, mode: str = "record") -> None:
        if mode not in ("record", "replay"):
            raise InputError(f"a cache of replies is for 'record' or 'replay', got {mode!r}")
        self.path, self.mode = Path(path), mode
        if mode == "replay" and not self.path.is_file():
            raise InputError("there are no kept replies to replay; run with --cache record first", self.path)
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False, isolation_level=None)
            with self._guarded():
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute(_SCHEMA)
        except (OSError, sqlite3.OperationalError) as error:
            raise InputError(f"replies cannot be kept here: {error}", self.path) from error

    def get(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The kept reply to a request.

        Raises:
            ModelError: There is none, and the cache is replayed.
        """
        with self._guarded():
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (_key(request),)).fetchone()
        if row is None and self.mode == "replay":
            raise ModelError(
                f"{self.path} holds no reply of {request.get('model')!r} to this call, and replaying makes no calls; "
                "record the same pipeline, graph and question first (--cache record)"
            )
        return None if row is None else json.loads(row[0])

    def put(self, request: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        """Keep a reply; one that is there already stays."""
        row = (_key(request), _text(request), _text(reply), time.time())
        with self._guarded():
            self._db.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", row)

    def __len__(self) -> int:
        with self._guarded():
            return int(self._db.execute("SELECT count(*) FROM replies").fetchone()[0])

    def export(self, target: Path) -> int:
        """Write all replies to a JSON Lines file, in the order of their keys; their number."""
        with self._guarded():
            rows = self._db.execute("SELECT request, reply FROM replies ORDER BY key").fetchall()
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            with part.open("w", encoding="utf-8") as out:
                for request, reply in rows:
                    out.write(f'{{"request": {request}, "reply": {reply}}}\n')
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return len(rows)

    def load(self, source: Path) -> int:
        """Take over the replies of an exported file, all or none; the number that are new."""
        rows = []
        try:
            with source.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    rows.append(_exported(line, source, number))
        except UnicodeDecodeError as error:
            raise InputError(f"an export of replies is UTF-8: {error}", source) from error
        with self._guarded():
            before = self._db.total_changes
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
            return self._db.total_changes - before

    def clear(self) -> int:
        """Remove all replies; their number."""
        with self._guarded():
            return self._db.execute("DELETE FROM replies").rowcount

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise InputError(f"this is no file of kept replies, or it is damaged: {error}", self.path) from error


def default_path() -> Path:
    """Where replies are kept when no file is named."""
    from platformdirs import user_cache_path

    given = os.environ.get("GRAPHBRICK_CACHE")
    return (Path(given) if given else user_cache_path("graphbrick")) / "replies.sqlite"


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _key(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(request).encode("utf-8", "surrogatepass")).hexdigest()


def _exported(line: str, source: Path, number: int) -> tuple[str, str, str, float]:
    """One line of an export as a row."""
    try:
        entry = json.loads(line)
        request, reply = entry["request"], entry["reply"]
        if not isinstance(request, dict) or not isinstance(reply, dict):
            raise TypeError
    except (ValueError, TypeError, KeyError) as error:
        reason = 'each line must be {"request": {...}, "reply": {...}}, as graphbrick cache export writes it'
        raise InputError(reason, source, number, line) from error
    return _key(request), _text(request), _text(reply), time.time()


_current: ContextVar[ReplyCache | None] = ContextVar("graphbrick_replies", default=None)


@contextmanager
def keeping_replies(cache: ReplyCache) -> Iterator[ReplyCache]:
    """Record or replay what models reply to the runs inside.

    Example:
        >>> import tempfile
        >>> from graphbrick import LLM, Generate, ShortestPaths
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> ask = "Which currency is used in Kenya?"
        >>> with tempfile.TemporaryDirectory() as folder, ScriptedLLM(["Kenyan shilling"]) as server:
        ...     pipeline = ShortestPaths() >> Generate(LLM(base_url=server.base_url))
        ...     with keeping_replies(ReplyCache(f"{folder}/replies.sqlite")) as cache:
        ...         first, again = pipeline(tiny_graph(), ask), pipeline(tiny_graph(), ask)
        ...     cache.close()
        >>> first.texts == again.texts, len(server.requests), again.trace.ledger["cache_hits"]
        (True, 1, 1)
    """
    token = _current.set(cache)
    try:
        yield cache
    finally:
        _current.reset(token)


def current_cache() -> ReplyCache | None:
    """The cache that holds here."""
    return _current.get()
