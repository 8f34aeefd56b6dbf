"""Long computations: the threads they may use, the check that ends them, and their progress."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[str, float, float | None], None]
"""Called with the name of a step, how much of it is done, and how much there is; None or 0 if that is not known.

An empty name is the whole work. How much may be a number of things, of bytes, or a share of 1.
"""

_watch: ContextVar[Progress] = ContextVar("graphbrick_watch", default=lambda step, done, total: None)
_check: ContextVar[Callable[[], None] | None] = ContextVar("graphbrick_limits", default=None)
_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS")


def usable_cores() -> int:
    """Return how many processors this process may run on, at least 1.

    >>> usable_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cores_of_worker(workers: int) -> int:
    """Return how many cores each of several processes may use: all threads together are as many as there are cores."""
    return max(1, usable_cores() // workers)


@contextmanager
def blas_threads(n: int) -> Iterator[None]:
    """Limit the threads of BLAS to ``n`` inside a block or decorated function, for the whole process.

    Small matrices are multiplied faster by one thread: waiting for the others takes longer than the work, above all
    where several processes compute at once. A number that the user has set in the environment, such as
    ``OPENBLAS_NUM_THREADS``, is left alone. Only libraries that are loaded already are limited, so import them first.

    Args:
        n: Threads, at least 1.

    Example:
        >>> import numpy as np
        >>> with blas_threads(1):
        ...     product = np.ones((2, 2)) @ np.ones((2, 2))
    """
    if any(os.environ.get(name) for name in _VARIABLES):
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=n, user_api="blas"):
        yield


def check_limits() -> None:
    """Raise if the current work must stop; otherwise return at once.

    Long loops call this a few times a second: between two slices of a kernel, or every thousand objects. It is also
    where Python handles Ctrl-C, which compiled code never does.
    """
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def limited_by(check: Callable[[], None]) -> Iterator[None]:
    """Make `check_limits` call ``check`` inside this context; ``check`` raises when the work must stop."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def silent(step: str, done: float, total: float | None) -> None:
    """Report no progress."""


def report(step: str, done: float, total: float | None = None) -> None:
    """Tell who watches the current work what it does now; nobody does by default.

    Long loops call this a few times a second, as bricks have no progress to report to.
    """
    _watch.get()(step, done, total)


@contextmanager
def watched_by(progress: Progress) -> Iterator[None]:
    """Make `report` call ``progress`` inside this context."""
    token = _watch.set(progress)
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def watched_part(name: str, total: float | None = None, *, before: float = 0) -> Iterator[None]:
    """Report the steps inside this context as those of a part of the current work, as `part_of` does."""
    with watched_by(part_of(_watch.get(), name, total, before=before)):
        yield


class TimeLeft:
    """Estimates how long a step still takes, from how fast it went so far."""

    _MEASURED = 1.0  # seconds of a step, after which its speed is known

    def __init__(self) -> None:
        self._step, self._first, self._since = "", 0.0, 0.0

    def __call__(self, step: str, done: float, total: float | None) -> float | None:
        """Return the seconds left of a step; None as long as that is unknown. See `Progress` for the arguments."""
        now = time.monotonic()
        if step != self._step or done < self._first:
            self._step, self._first, self._since = step, done, now
        spent = now - self._since
        if not total or done <= self._first or spent < self._MEASURED:
            return None
        return (total - done) * spent / (done - self._first)


def part_of(progress: Progress, name: str, total: float | None = None, *, before: float = 0) -> Progress:
    """Return the progress of a part of some work: its steps are reported under the name of the part.

    Args:
        progress: Progress of the whole work.
        name: Name of the part; empty for the whole work.
        total: How much there is in the part; by default what is reported.
        before: How much of the part was done before.

    >>> part_of(lambda *told: print(told), "learning", 9)("", 3, None)
    ('learning', 3, 9)
    >>> part_of(lambda *told: print(told), "films")("reading", 3, 4)
    ('films: reading', 3, 4)
    """

    def report(step: str, done: float, of: float | None) -> None:
        progress(": ".join(filter(None, (name, step))), before + done, total or of or None)

    return report
