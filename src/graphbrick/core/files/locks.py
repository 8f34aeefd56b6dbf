"""Locks between threads that are free after a fork, and locks between processes."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from filelock import FileLock


class ForkLock:
    """A lock between threads that is always free in a forked process, even if the parent held it."""

    def __init__(self) -> None:
        self._renew()
        _fork_locks.add(self)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_fork_locks: WeakSet[ForkLock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_fork_locks):
        lock._renew()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_renew_all)

AST = ForkLock()
"""Held while `ast` parses; numpy also uses `ast` to read the header of an array file.

CPython 3.11 shares one recursion counter between threads and can fail with a SystemError if two threads parse at once.
"""


def claim(file: Path, *, wait: bool = False) -> FileLock:
    """Lock a file against other processes and threads.

    Args:
        file: The lock file, created if it is missing. Remove it only while it is locked.
        wait: Whether to wait until the lock is free.

    Returns:
        The held lock. It is released by ``release()``, at the end of a ``with`` block, when it is garbage-collected,
        and when the process ends, even if it is killed.

    Raises:
        BlockingIOError: Another process or thread holds the lock.
        OSError: The file cannot be created.
    """
    from filelock import FileLock, Timeout

    file.parent.stat()  # raise if the folder is missing; filelock would create it
    lock = FileLock(file, thread_local=False)
    try:
        lock.acquire(blocking=wait, poll_interval=0.02)
    except Timeout as error:
        raise BlockingIOError(f"{file} is locked by another process") from error
    return lock
