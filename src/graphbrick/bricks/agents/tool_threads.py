"""Running the tool calls of one step at the same time, with a time limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Generic, TypeVar

from graphbrick.core.compute import check_limits

T = TypeVar("T")

_MOST_AT_ONCE = 8
_POLL = 0.05  # seconds between two looks at the limits of the run


class _Work(Generic[T]):
    """One call in a thread of its own, which does not keep the process from ending."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call, self._context = call, copy_context()
        self.done = threading.Event()
        self.results: list[T] = []
        self.error: BaseException | None = None

    def start(self) -> None:
        threading.Thread(target=self._run, name="graphbrick-tool", daemon=True).start()

    def _run(self) -> None:
        try:
            self.results.append(self._context.run(self._call))
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            self.error = error
        finally:
            self.done.set()


def run_at_once(calls: Sequence[Callable[[], T]], seconds: float, too_slow: Callable[[int], T]) -> list[T]:
    """Return the results of calls, in their order; at most eight run at the same time.

    Args:
        calls: The calls. A call that is given up goes on in its thread, and what it returns is lost.
        seconds: How long one call may take.
        too_slow: Returns what stands for a call that took longer, given its place.

    Raises:
        StoppedError: The budget of the run is used up; calls that run are given up.
        BaseException: What the first call that failed has raised.
    """
    results: list[T] = []
    for at in range(0, len(calls), _MOST_AT_ONCE):
        works = [_Work(call) for call in calls[at : at + _MOST_AT_ONCE]]
        for work in works:
            work.start()
        end = time.monotonic() + seconds
        for i, work in enumerate(works, at):
            while not work.done.wait(min(_POLL, max(end - time.monotonic(), 0))) and time.monotonic() < end:
                check_limits()
            if not work.done.is_set():
                results.append(too_slow(i))
            elif work.error is not None:
                raise work.error
            else:
                results += work.results
    return results
