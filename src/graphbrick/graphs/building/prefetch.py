"""Reading ahead in another thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_AHEAD = 3


def prefetched(values: Iterable[T]) -> Iterator[T]:
    """The same values; some are made in another thread before they are asked for.

    What making them raises is raised here, at its place. The thread ends when the last value is taken, or nobody
    wants more.
    """
    ready: queue.Queue[tuple[bool, T | BaseException | None]] = queue.Queue(_AHEAD)
    stopped = threading.Event()

    def offer(more: bool, value: T | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                ready.put((more, value), timeout=0.1)
                return
            except queue.Full:
                continue

    def make() -> None:
        try:
            for value in values:
                offer(True, value)
                if stopped.is_set():
                    return
        except BaseException as error:  # noqa: BLE001  # raised again where the values are used
            offer(False, error)
        else:
            offer(False, None)

    thread = threading.Thread(target=make, name="graphbrick-reader", daemon=True)
    thread.start()
    try:
        while True:
            more, value = ready.get()
            if more:
                yield value  # type: ignore[misc]
            elif isinstance(value, BaseException):
                raise value
            else:
                return
    finally:
        stopped.set()
        thread.join()
