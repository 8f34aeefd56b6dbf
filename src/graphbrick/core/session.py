"""Sessions own what is opened once and shared: models, clients, caches, indexes and locks.

A session imports nothing above it: the module that knows how to open a thing calls `Session.get` with a key and a
function that opens it. See ``docs/adr/0017-session.md``.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar, Token
from functools import partial
from multiprocessing import parent_process, util
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from graphbrick.core.errors import GraphbrickError

T = TypeVar("T")
Key: TypeAlias = tuple[Hashable, ...]
"""The kind of the thing, such as "onnx model", then what tells it from others of its kind."""

_EMPTY: Any = object()
_log = logging.getLogger("graphbrick")


class _Slot:
    """The place of one opened thing, with its own lock, so that opening it blocks nothing else."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.lock = threading.RLock()
        self.value: Any = _EMPTY
        self.close: Callable[[Any], None] | None = None


class Session:
    """Owner of everything that runs share; safe for threads, and empty in a new process.

    As a context manager it is the current session inside the block, and is closed at the end of it. To use it for
    several blocks, call `activate` and close it later. Runs outside any block share a default session, which is closed
    when the process ends.

    Args:
        replies: File of recorded replies of language models (SQLite); None to record nothing.
        reply_mode: "record" (use recorded replies, and record new ones) or "replay" (use recorded replies only).
        vectors_mb: Megabytes of embeddings kept beside each graph for each model; None for ``GRAPHBRICK_VECTORS_MB``,
            or 4096.
        threads: Threads of a model that runs on the processor, at least 1; None for all cores.

    Example:
        >>> from graphbrick import PathAnswer, Session, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> with Session() as session:
        ...     answer = (ShortestPaths() >> PathAnswer())(tiny_graph(), "What is the capital of Kenya?")
        >>> session.closed
        True
    """

    def __init__(
        self, *, replies: str | Path | None = None, reply_mode: str = "record", vectors_mb: int | None = None,
        threads: int | None = None,
    ) -> None:  # fmt: skip
        if reply_mode not in ("record", "replay"):
            raise GraphbrickError(
                f"Session reply_mode must be 'record' or 'replay', got {reply_mode!r}; try 'record'",
                code="session.bad_reply_mode",
            )
        if vectors_mb is not None and (not isinstance(vectors_mb, int) or vectors_mb < 0):
            raise GraphbrickError(
                f"Session vectors_mb must be a whole number from 0, got {vectors_mb!r}; try 4096",
                code="session.bad_vectors_mb",
            )
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            text = f"Session threads must be a whole number from 1, got {threads!r}; try 1"
            raise GraphbrickError(text, code="session.bad_threads")
        self.replies = None if replies is None else Path(replies)
        self.reply_mode, self.vectors_mb, self.threads = reply_mode, vectors_mb, threads
        self.closed = False
        self._tokens: list[Token[Session | None]] = []
        self._begin()
        _sessions.add(self)

    def _begin(self) -> None:
        """Start with nothing opened and fresh locks."""
        self._lock = threading.RLock()
        self._slots: dict[Hashable, dict[Key, _Slot]] = {}  # by their kinds
        self._slots_of: WeakKeyDictionary[Any, dict[Hashable, dict[Key, _Slot]]] = WeakKeyDictionary()
        self._opened: list[_Slot] = []  # those with something to close, in the order they were opened

    def get(
        self,
        key: Key,
        make: Callable[[], T],
        *,
        of: object = None,
        close: Callable[[T], None] | None = None,
        usable: Callable[[T], bool] | None = None,
        at_most: int | None = None,
    ) -> T:
        """Return the thing opened under a key, or open it; threads with the same key wait.

        A failure of ``make`` is passed on, and the next caller tries again.

        Args:
            key: The kind of the thing, then what tells it from others of its kind.
            make: Opens it. It may ask the session for other things.
            of: The object that the thing belongs to, such as a graph, told apart by identity or equality. The thing is
                let go when that object is collected; it must not refer to the object.
            close: Called with the thing when the session is closed, and before it is replaced.
            usable: If it returns False for the opened thing, that is closed and opened again.
            at_most: How many things of this kind are held; beyond that, the least recently used one is let go. It is
                not closed, since another thread may use it.

        Raises:
            GraphbrickError: The session is closed.
        """
        slot = self._slot(key, of, at_most)
        value = slot.value
        if value is not _EMPTY and (usable is None or usable(value)):
            return value  # type: ignore[no-any-return]
        with slot.lock:
            if slot.value is not _EMPTY:
                if usable is None or usable(slot.value):
                    return slot.value  # type: ignore[no-any-return]
                self._let_go(slot)
            value = make()
            with self._lock:
                if not self.closed:
                    slot.value, slot.close = value, close
                    if close is not None:
                        self._opened.append(slot)
                    return value
        if close is not None:
            close(value)
        raise self._closed_error()

    def opened(self, kind: str) -> list[Any]:
        """Return what is open of a kind (the first part of its key), in no particular order."""
        with self._lock:
            tables = [self._slots, *self._slots_of.values()]
            slots = [slot for table in tables for slot in table.get(kind, {}).values()]
        return [value for slot in slots if (value := slot.value) is not _EMPTY]

    def drop(self, key: Key, of: object = None) -> None:
        """Close what is open under a key and forget it; nothing happens if there is no such thing."""
        with self._lock:
            slot = (self._slots if of is None else self._slots_of.get(of, {})).get(key[0], {}).get(key)
        if slot is not None:
            with slot.lock:
                self._let_go(slot)

    def close(self) -> None:
        """Close everything, last opened first, and refuse further use; a second call does nothing.

        If closing one thing fails, the others are closed all the same, and then the error is raised.
        """
        with self._lock:
            if self.closed:
                return
            self.closed = True
            opened = self._opened
            self._begin()
        with ExitStack() as stack:
            for slot in opened:
                assert slot.close is not None
                stack.callback(slot.close, slot.value)

    @contextmanager
    def activate(self) -> Iterator[Session]:
        """Make this the current session inside a block, without closing it at the end."""
        if self.closed:
            raise self._closed_error()
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)

    def __enter__(self) -> Session:
        if self.closed:
            raise self._closed_error()
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._tokens.pop())
        self.close()

    def __reduce__(self) -> tuple[Callable[..., Session], tuple[Any, ...]]:
        # Another process gets the settings and opens things for itself.
        settings = {name: getattr(self, name) for name in ("replies", "reply_mode", "vectors_mb", "threads")}
        return partial(Session, **settings), ()

    def _slot(self, key: Key, of: object, at_most: int | None) -> _Slot:
        with self._lock:
            if self.closed:
                raise self._closed_error()
            table = self._slots if of is None else self._slots_of.setdefault(of, {})
            same = table.setdefault(key[0], {})  # a dict keeps the order: the least recently used is the first
            same[key] = slot = same.pop(key, None) or _Slot(key)
            while at_most is not None and len(same) > at_most:
                del same[next(iter(same))]
            return slot

    def _let_go(self, slot: _Slot) -> None:
        with self._lock:
            value, close = slot.value, slot.close
            slot.value, slot.close = _EMPTY, None
            if slot not in self._opened:
                return  # there is nothing to close, or the session was closed meanwhile, and the value with it
            self._opened.remove(slot)
        if close is not None:
            close(value)

    def _closed_error(self) -> GraphbrickError:
        return GraphbrickError(
            "this session is closed, so it opens nothing any more; keep the call inside its `with` block, or make a "
            "new Session()",
            code="session.closed",
        )

    def _after_fork(self) -> None:
        """Start empty in a forked process: what was opened belongs to the parent, and any lock may be held."""
        # Never collected: closing a client, a server or a database here would disturb the parent.
        _inherited.append((self._slots, list(self._slots_of.values()), self._opened))
        self._begin()


_sessions: WeakSet[Session] = WeakSet()
_inherited: list[Any] = []
_current: ContextVar[Session | None] = ContextVar("graphbrick_session", default=None)
_default: Session | None = None
_default_lock = threading.Lock()


def current_session() -> Session:
    """Return the session of the enclosing ``with`` block, or the default one of this process."""
    session = _current.get()
    return session if session is not None else _default_session()


def set_default_session(session: Session) -> None:
    """Make a session the default one of this process, as a worker does with the session of its parent.

    A default session that was open is closed.
    """
    global _default
    with _default_lock:
        previous, _default = _default, session
    if previous is not None and previous is not session:
        previous.close()


def _default_session() -> Session:
    global _default
    with _default_lock:
        if _default is None or _default.closed:
            _default = Session()
        return _default


# The default session at the end of a process, and all sessions in a forked one


@atexit.register
def _close_default() -> None:
    if _default is not None:
        try:
            _default.close()
        except GraphbrickError as error:
            _log.warning("%s", error)


def _after_fork() -> None:
    global _default_lock
    _default_lock = threading.Lock()
    for session in list(_sessions):
        session._after_fork()


def _close_at_end_of_worker(_: object = None) -> None:
    util.Finalize(None, _close_default, exitpriority=0)  # workers of multiprocessing end without running atexit


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_after_fork)
util.register_after_fork(_sessions, _close_at_end_of_worker)
if parent_process() is not None:
    _close_at_end_of_worker()
