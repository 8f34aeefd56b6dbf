"""One event loop in a thread of its own, for what waits on servers.

Bricks are synchronous. What they wait for is sent from here, so that many calls can be in flight, each with its own
deadline, and so that one can be given up: a blocking read cannot.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from contextlib import nullcontext
from typing import Any, TypeVar

from graphbrick.pipeline.budget import Budget

T = TypeVar("T")

_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


def wait_for(work: Coroutine[Any, Any, T], budget: Budget | None) -> T:
    """Run a coroutine on the loop and wait for it, as long as a budget lasts.

    Raises:
        StoppedError: The budget's time is over, or it was cancelled; the work is given up then.
    """
    future = asyncio.run_coroutine_threadsafe(work if budget is None else _within(work, budget), _loop())
    with nullcontext() if budget is None else budget.waiting_for(future):
        try:
            return future.result()
        except CancelledError:
            if budget is not None:
                budget.check()
            raise
        except BaseException:
            future.cancel()  # also when somebody presses Ctrl-C
            raise


async def _within(work: Coroutine[Any, Any, T], budget: Budget) -> T:
    """The work, given up when the time of a budget is over."""
    left = budget.left()
    try:
        return await asyncio.wait_for(work, None if left == float("inf") else max(left, 0.0))
    except TimeoutError:
        budget.check()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    """The loop of this process: a thread is not carried over to a forked one."""
    global _running
    with _lock:
        if _running is None or _running[0] != os.getpid():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="graphbrick-models", daemon=True)
            thread.start()
            _running = os.getpid(), loop
            atexit.register(_end, os.getpid(), loop, thread)
        return _running[1]


def _end(process: int, loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Give up what still runs, and close the loop."""
    if process != os.getpid():
        return
    asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(timeout=5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(timeout=5)
    if not loop.is_running():
        loop.close()


async def _cancel_all() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
