"""Asking a judge about what has no result yet: each result is stored at once, so that a later call goes on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.conversations import Usage
from graphbrick.models.llm.reply_cache import asking_anew
from graphbrick.pipeline.budget import StoppedError

T = TypeVar("T")
R = TypeVar("R")

Watch = Callable[[int, int], None]
"""Called with the number of items that are done, and of all."""


def _itself(item: Hashable) -> Hashable:
    return item


class Pending(Generic[T, R]):
    """Items that wait for the result of a judge; equal ones are asked about once and share the result.

    Args:
        put: Stores the result of one item at once: in a table of a study, or in a file of lines.
        key: What the judge is asked about an item; items with equal keys share a result. None for the item itself.
        known: Results of the store that new items share, by key.
        says: What a budget that ends adds to its message, with the fields ``left``, ``done`` and ``total``; empty for
            nothing.
        total: Number of all items, with those that the store has results of.
    """

    def __init__(
        self,
        put: Callable[[T, R], None],
        *,
        key: Callable[[T], Hashable] | None = None,
        known: Mapping[Any, R] | None = None,
        says: str = "",
        total: int = 0,
    ) -> None:
        self._put, self._says, self._total = put, says, total
        self._key: Callable[..., Hashable] = key or _itself
        self._known = dict(known or {})
        self._waiting: dict[Hashable, list[T]] = {}

    @property
    def left(self) -> int:
        """Number of items without a result."""
        return sum(map(len, self._waiting.values()))

    @property
    def done(self) -> int:
        """Number of items with a result."""
        return self._total - self.left

    def add(self, items: Iterable[T]) -> list[T]:
        """Take items that the store has no result of; return those to ask about.

        An item that is equal to one with a result gets that result now; one that is equal to a waiting one, later.
        """
        new = []
        for item in items:
            key = self._key(item)
            if key in self._known:
                self._put(item, self._known[key])
                continue
            if key not in self._waiting:
                new.append(item)
            self._waiting.setdefault(key, []).append(item)
        return new

    def put(self, item: T, result: R) -> None:
        """Store the result of an item, for all that are equal to it."""
        key = self._key(item)
        for one in self._waiting.pop(key):
            self._put(one, result)
        self._known[key] = result

    def ask(
        self,
        items: Sequence[T],
        results: Iterable[tuple[int, R]],
        *,
        retry: bool = False,
        watch: Watch = lambda done, total: None,
    ) -> list[str]:
        """Store each result as soon as it is there, and return the events of asking.

        Args:
            items: What `add` returned.
            results: Asks about items and yields the place and the result of each, in any order.
            retry: Whether recorded replies are not used.
            watch: Called after each result.

        Raises:
            StoppedError: The budget is used up; the message says how far it came.
        """
        try:
            with asking_anew() if retry else nullcontext(), record(Trace(), "judging", "judge") as entry:
                for place, result in results:
                    self.put(items[place], result)
                    watch(self.done, self._total)
        except StoppedError as error:
            raise self.stopped(str(error)) from error
        return entry.events

    def stopped(self, reason: str) -> StoppedError:
        """Return the error of a budget that has ended, with what is left."""
        says = self._says.format(left=self.left, done=self.done, total=self._total)
        return StoppedError(f"{reason}; {says}" if says else reason)


def ask_rest(
    missing: Sequence[T],
    results: Iterable[tuple[int, R]],
    put: Callable[[T, R], None],
    usage: Usage,
    *,
    what: str,
    total: int,
    retry: bool,
    watch: Watch,
) -> None:
    """Ask about what a file has no result of, and store each result.

    Args:
        missing: What has no result; all different.
        results: Asks about it and yields the place and the result of each, in any order.
        put: Stores a result.
        usage: Takes the events.
        what: What an item is called in messages: "pairs".
        total: Number of all items, with those that the file has results of.
        retry: Whether recorded replies are not used.
        watch: Called before the first result and after each.

    Raises:
        StoppedError: The budget is used up; the message says how far it came.
    """
    says = f"{{done:,}} of {{total:,}} {what} are done, and the same call goes on"
    pending = Pending[T, R](put, says=says, total=total)
    new = pending.add(missing)
    watch(pending.done, total)
    usage.events.update(pending.ask(new, results, retry=retry, watch=watch))
