"""Limits on runs at the same time: free places, a queue of bounded length, and a refusal beyond it."""

from __future__ import annotations

import asyncio

from graphbrick.serve.errors import ServeError


class Gate:
    """Limit on runs at the same time: further runs wait in the order they came, and too many are refused.

    Args:
        places: Runs at the same time.
        queue: Requests that may wait.
        name: Name of the runs, for the error.
    """

    def __init__(self, places: int, queue: int, name: str) -> None:
        self.places, self.queue, self.name = places, queue, name
        self.running = 0
        self.waiting = 0
        self._free = asyncio.Semaphore(places)
        self._mean_seconds = 0.1  # of the last runs

    @property
    def is_full(self) -> bool:
        """Return whether a further run has to wait."""
        return self._free.locked()

    def check(self) -> None:
        """Refuse a further request if too many wait already.

        Raises:
            ServeError: 429; ``Retry-After`` is an estimate.
        """
        if self._free.locked() and self.waiting >= self.queue:
            seconds = max(1, round(self._mean_seconds * self.waiting / self.places))
            raise ServeError(
                429,
                "busy",
                f"{self.running} {self.name} are running and {self.waiting} wait; try again in {seconds} seconds",
                {"Retry-After": str(seconds)},
            )

    async def enter(self) -> None:
        """Wait for a place.

        Raises:
            ServeError: 429, as `check` does.
        """
        self.check()
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        self.running += 1

    def leave(self, seconds: float) -> None:
        """Free the place of a run that took so many seconds."""
        self.running -= 1
        self._mean_seconds += 0.1 * (seconds - self._mean_seconds)
        self._free.release()
