"""Asking a judge about cases without a result; each result is stored at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from graphbrick.core.compute import Progress, silent
from graphbrick.models.llm.reply_cache import asking_anew
from graphbrick.pipeline.budget import StoppedError

T = TypeVar("T")
R = TypeVar("R")

DONE = "{{done:,}} of {{total:,}} {} are done, and the same call goes on"
"""Message of a budget that ends, about items that are called ``{}``."""


class Pending(Generic[T, R]):
    """Items that wait for the result of a judge; equal ones are asked about once and share the result.

    Args:
        put: Stores the result of one item: in a table of a study, or in a file of lines.
        items: Items that the store has no result of.
        key: What the judge is asked about an item; items with equal keys share a result. None for the item itself.
        known: Results of the store that new items share, by key.
        total: Number of all items, with those that the store has results of.
        says: What is added to the message of a budget that ends, with the fields ``left``, ``done`` and ``total``;
            empty for nothing.

    Attributes:
        new: The first ones of ``items`` with their keys, to ask about.
    """

    def __init__(
        self,
        put: Callable[[T, R], None],
        items: Iterable[T] = (),
        *,
        key: Callable[[T], Hashable] | None = None,
        known: Mapping[Any, R] | None = None,
        total: int = 0,
        says: str = "",
    ) -> None:
        self._put, self._says, self._total = put, says, total
        self._key: Callable[[Any], Hashable] = key or (lambda item: item)
        self._known = dict(known or {})
        self._waiting: dict[Hashable, list[T]] = {}
        self.new = self.add(items)

    @property
    def left(self) -> int:
        """Number of items without a result."""
        return sum(map(len, self._waiting.values()))

    @property
    def done(self) -> int:
        """Number of items with a result."""
        return self._total - self.left

    def add(self, items: Iterable[T]) -> list[T]:
        """Take more items and return those to ask about; the others share the result of an equal one."""
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
        results: Iterable[tuple[int, R]],
        *,
        retry: bool = False,
        progress: Progress = silent,
    ) -> None:
        """Store each result as soon as it is there.

        Args:
            results: Asks about ``new`` and yields the place and the result of each, in any order.
            retry: Whether recorded replies are not used.
            progress: Called after each result.

        Raises:
            StoppedError: The budget is used up; the message says how far it came.
        """
        try:
            with asking_anew() if retry else nullcontext():
                for place, result in results:
                    self.put(self.new[place], result)
                    progress("", self.done, self._total)
        except StoppedError as error:
            raise self.stopped(error) from error

    def stopped(self, error: BaseException) -> StoppedError:
        """Return the error of a budget that has ended, with what is left."""
        says = self._says.format(left=self.left, done=self.done, total=self._total)
        return StoppedError(
            f"{error}; {says}" if says else str(error),
            code="judge_pending.stopped",
            left=self.left,
            done=self.done,
            total=self._total,
        )
