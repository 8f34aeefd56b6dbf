"""Shared parts of a session's calls to model servers: event loop, clients, limits, refused parameters.

Bricks are synchronous. What they wait for runs on one event loop in a thread of its own, so that many calls can be in
flight, each with a deadline, and so that one can be given up: a blocking read cannot.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import nullcontext
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from graphbrick.core.session import current_session
from graphbrick.pipeline.budget import Budget

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
_END = 5.0  # seconds that calls in flight may take to end when the session is closed


# What the names of models tell; what they reply tells more (`Habits`).
_THINKS = re.compile(
    r"\bo[1-9]\b|gpt-?[5-9]|gpt-oss|\br1\b|qwq|think|reason|magistral|qwen3|glm-?4\.[5-9]|nemotron|seed-oss|kimi-k2|"
    r"minimax-m|grok-[3-9]|hunyuan|exaone-deep|step-?3",
    re.IGNORECASE,
)
_DOES_NOT = re.compile(r"instruct|coder|chat|non?-?think|-it\b", re.IGNORECASE)
_APART = re.compile(r"gpt-?[3-9]|\bo[1-9]\b|claude|gemini|grok", re.IGNORECASE)  # their servers give thoughts apart
_PLAIN = re.compile(r"llama|mi[sx]tral|gemma-?[123]|phi-?[23]|qwen-?[12]|smollm|command-r|\.gguf", re.IGNORECASE)


@dataclass
class Habits:
    """What is known of the replies of a model: by its name, and by what it replied in this session.

    Attributes:
        thinks: Whether it thinks before it answers, in tokens that the server counts.
        may_begin_within: Whether a reply may begin within thoughts, closed by a mark that nothing opened.
        has_room: Whether the server lets a request have room for thoughts.
    """

    thinks: bool
    may_begin_within: bool
    has_room: bool = True

    @classmethod
    def of(cls, model: str) -> Habits:
        """Return what the name of a model tells.

        >>> Habits.of("gpt-4.1-mini"), Habits.of("deepseek-r1:8b")
        (Habits(thinks=False, may_begin_within=False, has_room=True),
         Habits(thinks=True, may_begin_within=True, has_room=True))
        """
        thinks = bool(_THINKS.search(model)) and not _DOES_NOT.search(model)
        is_plain = _PLAIN.search(model) or _DOES_NOT.search(model)
        return cls(thinks, not _APART.search(model) and (thinks or not is_plain))


class ModelRuntime:
    """The shared state of all model calls of a session; a forked process gets its own.

    Attributes:
        clients: Clients by address and key; their connections stay open between calls. Used on the loop only.
        limits: Semaphores that limit the calls in flight, by address, model and number. Used on the loop only.
        refused: Parameters that a server refused for a model, each with what it said.
        habits: What is known of the replies of each model, by address and name.
    """

    def __init__(self) -> None:
        self.clients: dict[tuple[str, str], openai.AsyncOpenAI] = {}
        self.limits: dict[tuple[str, str, int], asyncio.Semaphore] = {}
        self.refused: dict[tuple[str, str], dict[str, str]] = {}
        self.habits: dict[tuple[str, str], Habits] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="graphbrick-models", daemon=True)
        self._thread.start()

    def limit(self, address: str, model: str, parallel: int) -> asyncio.Semaphore:
        """Return the semaphore that keeps the calls in flight to a number."""
        return self.limits.setdefault((address, model, parallel), asyncio.Semaphore(parallel))

    def habits_of(self, address: str, model: str) -> Habits:
        """Return what is known of a model, to be changed when its replies tell more."""
        return self.habits.setdefault((address, model), Habits.of(model))

    def wait(self, work: Coroutine[Any, Any, T], budget: Budget | None) -> T:
        """Run a coroutine on the loop and wait for its result, as long as the budget lasts.

        Raises:
            StoppedError: The budget's time is over, or it was cancelled; the work is given up.
        """
        return self._wait(work, budget, lambda: None, lambda: None)

    def stream(
        self,
        work: Callable[[Callable[[str], None]], Coroutine[Any, Any, T]],
        budget: Budget | None,
        on_token: Callable[[str], None],
    ) -> T:
        """Run a coroutine that gives text piece by piece, and wait for its result.

        Args:
            work: Makes the coroutine, from the function that it is to call with every piece.
            budget: Limit of its cost and time.
            on_token: Called in the caller's thread with every piece. It may be slow, make calls itself, or raise, which
                gives up the work.

        Raises:
            StoppedError: As for `wait`.
        """
        pieces: SimpleQueue[str | None] = SimpleQueue()

        def read() -> None:
            while (piece := pieces.get()) is not None:
                on_token(piece)

        return self._wait(work(pieces.put), budget, read, lambda: pieces.put(None))

    def close(self) -> None:
        """Give up what still runs, close the clients, and end the loop."""
        try:
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(timeout=_END)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=_END)
            if not self._loop.is_running():
                self._loop.close()

    def _wait(
        self,
        work: Coroutine[Any, Any, T],
        budget: Budget | None,
        meanwhile: Callable[[], None],
        when_done: Callable[[], None],
    ) -> T:
        future = asyncio.run_coroutine_threadsafe(work if budget is None else _within(work, budget), self._loop)
        future.add_done_callback(lambda _: when_done())
        with nullcontext() if budget is None else budget.waiting_for(future):
            try:
                meanwhile()
                return future.result()
            except CancelledError:
                if budget is not None:
                    budget.check()
                raise
            except BaseException:
                future.cancel()  # also when somebody presses Ctrl-C
                raise

    async def _end(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for client in self.clients.values():
            await client.close()


def model_runtime() -> ModelRuntime:
    """Return the runtime of the current session."""
    return current_session().get(("model runtime",), ModelRuntime, close=ModelRuntime.close)


async def _within(work: Coroutine[Any, Any, T], budget: Budget) -> T:
    """Run the work until the time of a budget is over."""
    left = budget.left()
    try:
        return await asyncio.wait_for(work, None if left == float("inf") else max(left, 0.0))
    except TimeoutError:
        budget.check()
        raise
