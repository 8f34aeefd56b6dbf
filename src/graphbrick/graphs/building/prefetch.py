"""Reading ahead in another thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_AHEAD = 3


def prefetched(values: Iterable[T]) -> Iterator[T]:
    """Yield the same values, producing up to three of them ahead in another thread.

    An exception raised while producing a value is raised again here, at the same point of the sequence. The thread
    ends after the last value, or when the generator is closed.
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
        except BaseException as error:  # noqa: BLE001  # raised again in the consumer's thread
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
