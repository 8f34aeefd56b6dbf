"""The command line called from a test: what it printed and its exit code."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


def refused(result: Result, *parts: str) -> None:
    """Assert a user error: exit code 1, one line, no traceback, nothing on standard output."""
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    for part in parts:
        assert part in result.err
