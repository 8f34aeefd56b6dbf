"""Runs of pipelines in threads, within a budget and the machine's limits, until the client leaves."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from graphbrick.core.errors import BrickError, GraphbrickError
from graphbrick.core.session import Session
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.serve.errors import ServeError
from graphbrick.serve.limits.gate import Gate
from graphbrick.serve.options import ServeOptions

T = TypeVar("T")
_log = logging.getLogger("graphbrick.serve")

GRACE = 5.0
"""Seconds for which work may go on after its time, until it looks at the clock; then the client gets an error."""
_LOOKUPS = 4  # short look-ups at the same time, beside runs
_QUERIES = 4  # at the same time, in processes of their own


class ClientLeftError(ServeError):
    """The client closed the connection; nobody reads the reply."""

    def __init__(self) -> None:
        super().__init__(499, "client_left", "the client closed the connection")


class Runner:
    """Threads that do the work of requests.

    Args:
        options: Limits.
        session: The owner of models and other shared state of runs.
    """

    def __init__(self, options: ServeOptions, session: Session) -> None:
        self._options, self._session = options, session
        self.kernels = Gate(options.kernels, options.queue, "runs")
        self.models = Gate(options.model_runs, options.queue, "runs with a language model")
        self.lookups = Gate(_LOOKUPS, options.queue, "look-ups")
        self.queries = Gate(max(options.kernels, _QUERIES), options.queue, "queries")
        self.changes = Gate(1, options.queue, "changes")  # of a graph, which may wait for one another
        gates = (self.kernels, self.models, self.lookups, self.queries, self.changes)
        places = sum(gate.places for gate in gates)
        self._pool = ThreadPoolExecutor(places, thread_name_prefix="graphbrick-run")

    def budget(self, limits: dict[str, Any] | None = None) -> Budget:
        """Return the budget of one request, at most what the server allows.

        Args:
            limits: ``seconds``, ``tokens`` and ``usd`` of the request; None for the limits of the server.
        """
        limits = limits or {}

        def least(name: str) -> Any:
            both = (limits.get(name), getattr(self._options, name))
            return min((limit for limit in both if limit is not None), default=None)

        return Budget(tokens=least("tokens"), usd=least("usd"), seconds=least("seconds"))

    async def call(
        self, work: Callable[[], T], gate: Gate, budget: Budget, left: Callable[[], Awaitable[None]] | None = None
    ) -> T:
        """Do work in a thread and return its result.

        Args:
            work: The work; it runs in the session of the server and under the budget.
            gate: Which limit it counts for. Its place is free again when the work has really ended.
            budget: Its limits; the time spent waiting for a place does not count.
            left: Returns when the client has left.

        Raises:
            ServeError: 429, too many wait; 504, it took too long; 499, the client left.
            GraphbrickError: The work failed.
        """
        leaving = None if left is None else asyncio.ensure_future(left())
        try:
            await self._enter(gate, leaving)
            done = self._start(work, gate, budget)
            waiting: set[asyncio.Future[Any]] = {done} if leaving is None else {done, leaving}
            longest = None if budget.seconds is None else budget.seconds + GRACE
            await asyncio.wait(waiting, timeout=longest, return_when=asyncio.FIRST_COMPLETED)
            if done.done():
                return done.result()
            if leaving is not None and leaving.done():
                raise ClientLeftError
            raise ServeError(504, "timeout", f"the run took more than {budget.seconds:g} seconds; ask for less")
        finally:
            budget.cancel()  # of what still runs, as nobody waits for it
            if leaving is not None:
                leaving.cancel()

    async def _enter(self, gate: Gate, leaving: asyncio.Future[None] | None) -> None:
        """Wait for a place, or for the client to leave."""
        if leaving is None or not gate.is_full:
            await gate.enter()
            return
        entering = asyncio.ensure_future(gate.enter())
        try:
            await asyncio.wait({entering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if entering.done() and entering.exception() is None:
                gate.leave(0.0)
            entering.cancel()
            raise
        if entering.done():
            entering.result()
            return
        entering.cancel()
        raise ClientLeftError

    def _start(self, work: Callable[[], T], gate: Gate, budget: Budget) -> asyncio.Future[T]:
        """Begin work in a thread; its place is given back when it ends, whoever still waits for it."""
        start = time.monotonic()

        def within() -> T:
            with self._session.activate(), spending(budget):
                return work()

        def ended(future: asyncio.Future[T]) -> None:
            gate.leave(time.monotonic() - start)
            if not future.cancelled():
                future.exception()  # it is looked at, so that nobody warns about one that nobody waits for

        done = asyncio.get_running_loop().run_in_executor(self._pool, within)
        done.add_done_callback(ended)
        return done

    def close(self) -> None:
        """Let the threads end; work that has not begun is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def told_failure(error: BaseException, request: str) -> GraphbrickError:
    """Return an error of a request that its client may see, and log the reason of one that it may not.

    Args:
        error: The error.
        request: The id of the request, under which the log has the reason.
    """
    failure = failure_of(error)
    if failure is not error:
        _log.error("request %s failed", request, exc_info=error)
    return failure


def failure_of(error: BaseException) -> GraphbrickError:
    """Return an error of a run that a client may see; others hide their words, which may hold anything."""
    if isinstance(error, BrickError) and not isinstance(error.__cause__, MemoryError):
        text = f"{error.values['stage']} failed with {error.values['type']}; the log of the server has the reason under"
        return ServeError(500, "brick_failed", f"{text} the id of this request")
    if isinstance(error, GraphbrickError) and not isinstance(error, BrickError):
        return error
    if isinstance(error, MemoryError | BrickError):
        return ServeError(503, "memory", "the server has not enough memory for this; ask for less")
    if isinstance(error, RecursionError):
        return ServeError(400, "too_deep", "the request is nested too deeply")
    return ServeError(500, "internal", "the server failed; its log has the reason under the id of this request")
