"""Reading ahead in another thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_AHEAD = 3


def prefetched(values: Iterable[T]) -> Generator[T]:
    """Yield the same values, producing up to three of them ahead in another thread.

    An exception raised while producing a value is raised again here, at the same point of the sequence. The thread
    ends after the last value, or when the generator is closed, and closes the producer.
    """
    producer, end = iter(values), object()
    thread = ThreadPoolExecutor(1, thread_name_prefix="graphbrick-reader")
    ahead = deque(thread.submit(next, producer, end) for _ in range(_AHEAD))
    try:
        while (value := ahead.popleft().result()) is not end:
            ahead.append(thread.submit(next, producer, end))
            yield value  # type: ignore[misc]
    finally:
        for waiting in ahead:
            waiting.cancel()
        if isinstance(producer, Generator):  # what it has open is closed in the thread that opened it
            thread.submit(producer.close)
        thread.shutdown()
