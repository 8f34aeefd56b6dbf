"""The check that long work makes from time to time, so that a budget or a cancellation can end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_check: ContextVar[Callable[[], None] | None] = ContextVar("graphbrick_limits", default=None)


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
