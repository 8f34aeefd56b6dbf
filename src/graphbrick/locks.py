"""What must not run in two threads at once."""

from __future__ import annotations

import os
import threading


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
