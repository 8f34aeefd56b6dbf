"""Limits on what runs may spend on language models, and a way to stop runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from graphbrick.core.compute import limited_by
from graphbrick.core.errors import GraphbrickError, InputError

if TYPE_CHECKING:
    import asyncio

    from graphbrick.core import Evidence

_EXAMPLE = "tokens=20000,usd=0.05,seconds=60"


class StoppedError(GraphbrickError):
    """Raised when a budget or a call of `Budget.cancel` stops a run.

    Attributes:
        evidence: The evidence of the stage until then; None if the stage does not report it.
    """

    evidence: Evidence | None = None


class Budget:
    """A limit on tokens, dollars or seconds, for one run or for many at the same time.

    A call is made only if its longest reply still fits. The most it may cost is reserved before the call, and what it
    did not use is released afterwards. So no limit is ever exceeded, however many calls are made at once. Seconds count
    from the start of `spending`; when they are over, calls in flight are given up and no further stage begins.

    Args:
        tokens: Tokens sent to and written by language models, at least 1.
        usd: US dollars, above 0; needs a price for every model that is called.
        seconds: Wall-clock time, above 0.

    Attributes:
        spent_tokens: Tokens used so far.
        spent_usd: Dollars spent so far.
    """

    def __init__(self, *, tokens: int | None = None, usd: float | None = None, seconds: float | None = None) -> None:
        for name, limit in (("tokens", tokens), ("usd", usd), ("seconds", seconds)):
            if limit is not None and not 0 < limit < float("inf"):
                raise InputError(
                    f"the budget's {name} must be a number above 0, got {limit!r}; try {_EXAMPLE}",
                    code="budget.bad_limit",
                    name=name,
                )
        self.tokens, self.usd, self.seconds = tokens, usd, seconds
        self.spent_tokens, self.spent_usd = 0, 0.0
        self._aside_tokens, self._aside_usd, self._open = 0, 0.0, 0
        self._start: float | None = None
        self._cancelled = False
        self._waiting = set[Future[Any]]()
        self._lock = threading.Lock()
        self._settled: list[asyncio.Future[None]] = []

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Return the budget that a text names.

        >>> Budget.parse("tokens=20000,usd=0.05").usd
        0.05
        """
        limits: dict[str, Any] = {}
        for part in text.split(","):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if name not in ("tokens", "usd", "seconds") or not equals or name in limits:
                raise InputError(
                    f"a budget names tokens, usd or seconds, each once, got {part!r}; try {_EXAMPLE}",
                    code="budget.bad_name",
                    part=part,
                )
            try:
                limits[name] = int(value.replace("_", "")) if name == "tokens" else float(value)
            except ValueError:
                raise InputError(
                    f"the budget's {name} must be a number, got {value!r}; try {_EXAMPLE}",
                    code="budget.not_a_number",
                    name=name,
                ) from None
        return cls(**limits)

    def begin(self) -> None:
        """Start the clock; a second call changes nothing."""
        if self._start is None:
            self._start = time.monotonic()

    def cancel(self) -> None:
        """Stop all runs under this budget, from any thread; calls in flight are given up."""
        with self._lock:
            self._cancelled = True
            waiting = list(self._waiting)
        for future in waiting:
            future.cancel()

    def check(self) -> None:
        """Raise `StoppedError` if the time is over or `cancel` was called."""
        if self._cancelled:
            raise StoppedError("the run was cancelled", code="budget.cancelled")
        if self.seconds is not None and self.left() <= 0:
            text = f"the budget of {self.seconds:g} seconds is used up"
            raise StoppedError(text, code="budget.time_over", seconds=self.seconds)

    def left(self) -> float:
        """Return the seconds that are left; infinite without a limit."""
        if self.seconds is None:
            return float("inf")
        return self.seconds - (time.monotonic() - (self._start or time.monotonic()))

    @contextmanager
    def waiting_for(self, future: Future[Any]) -> Iterator[None]:
        """Cancel a future when `cancel` is called inside the block."""
        with self._lock:
            self._waiting.add(future)
            cancelled = self._cancelled
        try:
            if cancelled:
                future.cancel()
            yield
        finally:
            with self._lock:
                self._waiting.discard(future)

    async def set_aside(self, tokens: int, usd: float) -> None:
        """Reserve the most that a call may cost; wait for calls in flight if only they could release enough.

        Raises:
            StoppedError: It does not fit, or the run was stopped.
        """
        while True:
            with self._lock:
                self.check()
                reason = self._too_much(tokens, usd)
                if not reason:
                    self._aside_tokens += tokens
                    self._aside_usd += usd
                    self._open += 1
                    return
                if not self._open:
                    raise StoppedError(reason, code="budget.call_too_large")
                import asyncio  # loaded already, as this runs in a loop

                settled = asyncio.get_running_loop().create_future()
                self._settled.append(settled)
            await settled

    async def settle(self, tokens: int, usd: float, used_tokens: int, used_usd: float) -> None:
        """Release what was reserved for a call, and count what it used."""
        with self._lock:
            self._aside_tokens -= tokens
            self._aside_usd -= usd
            self._open -= 1
            self.spent_tokens += used_tokens
            self.spent_usd += used_usd
            waiting, self._settled = self._settled, []
        for settled in waiting:  # of several event loops: each session has one
            loop = settled.get_loop()
            if not loop.is_closed():
                loop.call_soon_threadsafe(_wake, settled)

    def _too_much(self, tokens: int, usd: float) -> str:
        """Return why a call does not fit; empty if it does."""
        if self.tokens is not None and self.spent_tokens + self._aside_tokens + tokens > self.tokens:
            return (
                f"the budget of {self.tokens:,} tokens does not hold the next call: {self.spent_tokens:,} are used, "
                f"and it takes up to {tokens:,}"
            )
        if self.usd is not None and self.spent_usd + self._aside_usd + usd > self.usd:
            return (
                f"the budget of ${self.usd:g} does not hold the next call: ${self.spent_usd:.4f} are spent, and "
                f"it costs up to ${usd:.4f}"
            )
        return ""


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():  # it may be cancelled
        future.set_result(None)


_current: ContextVar[Budget | None] = ContextVar("graphbrick_budget", default=None)


@contextmanager
def spending(budget: Budget) -> Iterator[Budget]:
    """Keep all runs inside to a budget, long work inside a stage too (`graphbrick.core.compute`).

    Example:
        >>> from graphbrick import PathAnswer, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> with spending(Budget(tokens=20_000)):
        ...     run = (ShortestPaths() >> PathAnswer()).run(tiny_graph(), "What is the capital of Kenya?")
        >>> run.stopped is None
        True
    """
    budget.begin()
    token = _current.set(budget)
    try:
        with limited_by(budget.check):
            yield budget
    finally:
        _current.reset(token)


def current_budget() -> Budget | None:
    """Return the budget of the running code; None without one."""
    return _current.get()


def check_budget() -> None:
    """Raise `StoppedError` if the current budget is used up; long work calls this between its steps."""
    budget = _current.get()
    if budget is not None:
        budget.check()
