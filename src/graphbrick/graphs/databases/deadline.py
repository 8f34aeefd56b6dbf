"""Deadlines for calls that a server may never answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T], give_up: Callable[[], object]) -> T:
    """Run a call with a time limit; return its result, or raise its error.

    Args:
        seconds: How long it may take.
        call: Runs in a thread of its own, which does not keep the process from ending.
        give_up: Called at the deadline, to break the connection that the call waits for.

    Raises:
        TimeoutError: It took longer.
    """
    outcome: dict[str, Any] = {}
    context = copy_context()

    def work() -> None:
        try:
            outcome["value"] = context.run(call)
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            outcome["error"] = error

    thread = threading.Thread(target=work, name="graphbrick-database", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        give_up()
        raise TimeoutError(f"no answer within {seconds:g} s")
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]  # type: ignore[no-any-return]
