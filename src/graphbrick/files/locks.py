"""What must not run in two threads, or in two processes, at once."""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import suppress
from pathlib import Path


class ForkLock:
    """A lock that is free in a forked process, whatever thread of the parent held it."""

    def __init__(self) -> None:
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


AST = ForkLock()
"""Held while `ast` parses, as numpy does to read the head of an array file too.

CPython 3.11 counts the recursion in one place for all threads and can fail with a SystemError when two parse at once.
"""


def claim(file: Path) -> int:
    """Lock a file until the descriptor that returns is closed, or the process ends however it ends.

    Raises:
        BlockingIOError: Another process has it.
    """
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever had it removed the file at its end: then this one is locked in vain.
            with suppress(FileNotFoundError):
                if file.stat().st_ino == os.fstat(descriptor).st_ino:
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
