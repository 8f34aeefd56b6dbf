"""A few processes that answer requests about one thing, started when they are needed and used again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from graphbrick.core.compute import check_limits
from graphbrick.core.workers.worker import Worker, WorkerFault

_TICK = 0.1  # seconds between two looks whether the current work must stop


class Pool:
    """Processes that answer requests at the same time, one each. One that died is replaced by the next request.

    Args:
        start: Starts a process.
        most: Most processes; further requests wait.
    """

    def __init__(self, start: Callable[[], Worker], most: int) -> None:
        self._start, self._most = start, most
        self._changed = threading.Condition()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._starting = 0
        self.is_closed = False

    def ask(self, request: Any, seconds: float, longest: int) -> Any:
        """Return the answer to a request; see `Worker.ask`. Waiting for a process may take as long as the request."""
        while True:
            try:
                return self._asked(self._taken(seconds), request, seconds, longest)
            except WorkerFault as fault:
                if fault.kind != "idle":
                    raise

    def _asked(self, worker: Worker, request: Any, seconds: float, longest: int) -> Any:
        try:
            return worker.ask(request, seconds, longest)
        finally:
            with self._changed:
                self._busy.discard(worker)
                if worker.is_alive and not self.is_closed:
                    self._idle.append(worker)
                else:
                    worker.close()
                self._changed.notify()

    def _taken(self, seconds: float) -> Worker:
        """Return a process that does nothing else."""
        last = time.monotonic() + seconds
        with self._changed:
            while True:
                if self.is_closed:
                    raise WorkerFault("ended", "closed")
                while self._idle:
                    worker = self._idle.pop()
                    if worker.is_alive:
                        self._busy.add(worker)
                        return worker
                    worker.close()
                if len(self._busy) + self._starting < self._most:
                    self._starting += 1
                    break
                if time.monotonic() > last:
                    raise WorkerFault("busy")
                self._changed.wait(_TICK)
                check_limits()
        started = list[Worker]()
        try:
            started.append(self._start())
        finally:
            with self._changed:
                self._starting -= 1
                self._busy.update(started)
                self._changed.notify()
        if self.is_closed:
            started[0].close()
        return started[0]

    @property
    def idle(self) -> int:
        """The number of processes that wait for a request."""
        return len(self._idle)

    def processes(self) -> list[int]:
        """Return the ids of the processes that run."""
        with self._changed:
            return [worker.pid for worker in (*self._idle, *self._busy) if worker.is_alive]

    def close(self) -> None:
        """End all processes; requests that run fail."""
        with self._changed:
            self.is_closed = True
            workers = [*self._idle, *self._busy]
            self._idle.clear()
        for worker in workers:
            worker.close()
