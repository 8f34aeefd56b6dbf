"""Recorded replies of model servers (SQLite), so that a run can be repeated without calling a model."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError, ModelError, NotRecordedError
from graphbrick.core.files.folders import user_folder
from graphbrick.core.files.replacing import replacing
from graphbrick.core.session import current_session
from graphbrick.models.llm.http.wire import message_json
from graphbrick.models.llm.messages import (
    Choice,
    Message,
    Part,
    Reply,
    Text,
    TokenLogprob,
    ToolCall,
    assistant,
    valid_text,
)
from graphbrick.models.llm.replies.thinking import answer_of

MODES = ("record", "replay", "off")
_SCHEMA = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, request TEXT, reply TEXT, kept_at REAL)"
_WAIT = 60.0  # seconds for another process that writes
_anew: ContextVar[bool] = ContextVar("graphbrick_asking_anew", default=False)


@contextmanager
def asking_anew() -> Iterator[None]:
    """Context manager in which new replies replace recorded ones; replaying is not affected."""
    token = _anew.set(True)
    try:
        yield
    finally:
        _anew.reset(token)


class ReplyCache:
    """A file of recorded replies, shared by threads and processes; see `current_cache`.

    A reply is found by the request: the address of the server, the model's name, the messages, the parameters and the
    schema; never a key. Replies that were recorded before addresses were part of the request are not found; `load`
    reads an export of them and gives them an address.

    Args:
        path: The file; made if there is none.
        mode: "record" gives a recorded reply if there is one, and records what is called for otherwise; "replay" gives
            recorded replies only, and any other call is an error.

    Raises:
        InputError: The file is something else, cannot be written, or is missing and to be replayed.
    """

    def __init__(self, path: str | Path, mode: str = "record") -> None:
        if mode not in ("record", "replay"):
            raise InputError(
                f"a cache of replies is for 'record' or 'replay', got {mode!r}", code="replies.bad_mode", mode=mode
            )
        self.path, self.mode = Path(path), mode
        if mode == "replay" and not self.path.is_file():
            raise InputError(
                "there are no recorded replies to replay; run with --cache record first",
                self.path,
                code="replies.none_recorded",
            )
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False, isolation_level=None)
            with self._locked():
                self._refuse_other_files()
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute(_SCHEMA)
        except (OSError, sqlite3.OperationalError) as error:
            raise InputError(
                f"replies cannot be recorded here: {error}; choose another file with --cache-file",
                self.path,
                code="replies.not_writable",
            ) from error

    def _refuse_other_files(self) -> None:
        """Raise InputError if the file is a database of something else, such as a study."""
        other = self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'replies'").fetchone()
        if other is not None:
            self._db.close()
            raise InputError(
                f"this is a database of something else (it has a table {other[0]!r}); choose another file with "
                "--cache-file",
                self.path,
                code="replies.other_database",
            )

    def get(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the recorded reply to a request; None if there is none.

        Raises:
            NotRecordedError: There is none, and the cache is replayed.
            ModelError: The recorded value is not a reply.
        """
        if _anew.get() and self.mode == "record":
            return None
        with self._locked():
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (_key(request),)).fetchone()
        if row is None and self.mode == "replay":
            raise NotRecordedError(
                f"{self.path} holds no reply of {request.get('model')!r} at {request.get('server')} to this call, and "
                "replaying makes no calls; record the same pipeline, graph and question first (--cache record)",
                code="replies.not_recorded",
                model=request.get("model"),
                server=request.get("server"),
            )
        if row is None:
            return None
        try:
            reply = json.loads(row[0])
        except (TypeError, ValueError):
            reply = None
        if not isinstance(reply, dict):
            raise ModelError(
                f"a recorded reply in {self.path} is damaged; record it again after graphbrick cache clear",
                code="replies.damaged_reply",
            )
        return reply

    def put(self, request: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        """Record a reply; one that is there already stays, except within `asking_anew`."""
        instead = "REPLACE" if _anew.get() else "IGNORE"
        row = (_key(request), _text(request), _text(reply), time.time())
        with self._locked():
            self._db.execute(f"INSERT OR {instead} INTO replies VALUES (?, ?, ?, ?)", row)

    def __len__(self) -> int:
        with self._locked():
            return int(self._db.execute("SELECT count(*) FROM replies").fetchone()[0])

    def export(self, target: Path) -> int:
        """Write all replies to a JSON Lines file, in the order of their keys; return how many there are."""
        with self._locked():
            rows = self._db.execute("SELECT request, reply FROM replies ORDER BY key").fetchall()
        with replacing(target) as out:
            out.writelines(f'{{"request": {request}, "reply": {reply}}}\n' for request, reply in rows)
        return len(rows)

    def load(self, source: Path, server: str = "") -> int:
        """Add the replies of an exported file, all or none; return how many are new.

        Args:
            source: The file that `export` wrote.
            server: Address for replies that were recorded before addresses were part of the request, such as
                "https://api.openai.com/v1", or "local" for `LocalLLM`. Empty ones among them are left out: a server
                may have sent something else.

        Raises:
            InputError: A line is not a reply, or has no address and none was given.
        """
        rows = []
        try:
            with source.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    rows += _exported(line, source, number, server)
        except UnicodeDecodeError as error:
            raise InputError(
                f"this is not an export of replies, which is UTF-8: {error}", source, code="replies.not_utf8"
            ) from error
        with self._locked():
            before = self._db.total_changes
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
            return self._db.total_changes - before

    def clear(self) -> int:
        """Remove all replies; return how many there were."""
        with self._locked():
            return self._db.execute("DELETE FROM replies").rowcount

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                reason = f"this is not a file of recorded replies, or it is damaged: {error}"
                raise InputError(reason, self.path, code="replies.not_a_file_of_replies") from error


def reply_json(reply: Reply) -> dict[str, Any]:
    """Return a reply as it is recorded; without what holds of this one call only."""
    return {
        "choices": [
            {
                "message": message_json(choice.message),
                "finish_reason": choice.finish_reason,
                "logprobs": [[t.token, t.logprob, [list(pair) for pair in t.top]] for t in choice.logprobs],
            }
            for choice in reply.choices
        ],
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "estimated": reply.estimated,
        "seconds": reply.seconds,
        "cost": reply.cost,
        "notes": list(reply.notes),
        "adjustments": list(reply.adjustments),
    } | ({"calls": reply.calls} if reply.calls > 1 else {})


def recorded_reply(recorded: Mapping[str, Any]) -> Reply:
    """Return the reply that `reply_json`, or an earlier version (one text, no finish reason), wrote.

    Raises:
        ModelError: It is not a reply.
    """
    try:
        if "text" in recorded:
            top = tuple((str(word), float(p)) for word, p in recorded.get("likeliest", ()))
            message = assistant(answer_of(valid_text(recorded["text"])))
            choices = [Choice(message, "stop", (TokenLogprob(*top[0], top),) if top else ())]
        else:
            choices = [_recorded_choice(choice) for choice in recorded["choices"]]
        names = ("tokens_in", "tokens_out", "seconds", "cost", "calls")
        numbers = {name: recorded[name] for name in names if name in recorded}
        if not choices or not all(isinstance(number, int | float) for number in numbers.values()):
            raise TypeError
        notes, adjustments = (tuple(map(str, recorded.get(name, ()))) for name in ("notes", "adjustments"))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            "a recorded reply is damaged; record it again after graphbrick cache clear", code="replies.not_a_reply"
        ) from error
    return Reply(
        tuple(choices), **numbers, estimated=bool(recorded.get("estimated")), notes=notes, adjustments=adjustments
    )


def _recorded_choice(choice: Mapping[str, Any]) -> Choice:
    message, calls = choice["message"], list[Part]()
    for call in message.get("tool_calls", ()):
        name, written = call["function"]["name"], call["function"]["arguments"]
        try:
            arguments = json.loads(written)
        except ValueError:
            arguments = None
        right = isinstance(arguments, dict)
        calls.append(ToolCall(call["id"], name, arguments if right else {}, "" if right else written))
    if not isinstance(message["content"], str):
        raise TypeError
    text = answer_of(message["content"])  # earlier versions recorded thoughts
    texts: list[Part] = [Text(text)] if text or not calls else []
    logprobs = (TokenLogprob(t, float(p), tuple((o, float(q)) for o, q in top)) for t, p, top in choice["logprobs"])
    return Choice(Message("assistant", (*texts, *calls)), str(choice["finish_reason"]), tuple(logprobs))


def default_path() -> Path:
    """Return where replies are recorded if no file is named."""
    return user_folder("GRAPHBRICK_CACHE") / "replies.sqlite"


def current_cache() -> ReplyCache | None:
    """Return the recorded replies of the current session; None if it records none.

    Example:
        >>> import tempfile
        >>> from graphbrick import LLM, Generate, Session, ShortestPaths
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> question = "Which currency is used in Kenya?"
        >>> with tempfile.TemporaryDirectory() as folder, ScriptedLLM(["Kenyan shilling"]) as server:
        ...     pipeline = ShortestPaths() >> Generate(LLM(base_url=server.base_url))
        ...     with Session(replies=f"{folder}/replies.sqlite"):
        ...         first, again = pipeline(tiny_graph(), question), pipeline(tiny_graph(), question)
        >>> first.texts == again.texts, len(server.requests), again.trace.ledger["cache_hits"]
        (True, 1, 1)
    """
    session = current_session()
    path = session.replies
    if path is None:
        return None
    return session.get(("recorded replies",), lambda: ReplyCache(path, session.reply_mode), close=ReplyCache.close)


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _key(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(request).encode("utf-8", "surrogatepass")).hexdigest()


def _exported(line: str, source: Path, number: int, server: str) -> list[tuple[str, str, str, float]]:
    """Return the row of one line of an export; none for an empty reply of unknown origin."""
    try:
        entry = json.loads(line)
        request, reply = entry["request"], entry["reply"]
        if not isinstance(request, dict) or not isinstance(reply, dict):
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = 'each line must be {"request": {...}, "reply": {...}}, as graphbrick cache export writes it'
        raise InputError(reason, source, number, line, code="replies.bad_line") from error
    if "server" not in request:
        if not server:
            reason = "this reply was recorded without the address of its server; give it with --server"
            raise InputError(reason, source, number, code="replies.no_server")
        request = request | {"server": server.rstrip("/")}
        if not (reply.get("text") or reply.get("vectors")):
            return []
    return [(_key(request), _text(request), _text(reply), time.time())]
