"""Asking a judge about what is not kept yet, so that the same call goes on where one was stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from graphbrick.core.compute import Progress
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.conversations import Usage
from graphbrick.models.llm.naming import name_of
from graphbrick.models.llm.reply_cache import asking_anew
from graphbrick.pipeline.budget import StoppedError


@contextmanager
def asking_rest(
    llm: ChatModel, usage: Usage, *, missing: int, total: int, what: str, retry: bool, watch: Progress
) -> Iterator[Callable[[], None]]:
    """Return, for the time of a block, the function that the block calls after each case that is done and kept.

    Args:
        llm: The model of the judge.
        usage: Takes the events of the calls.
        missing: Number of different cases to ask about.
        total: Number of different cases, with those whose values are kept.
        what: What a case is called in messages: "pairs".
        retry: Ask again, even if replies are recorded.
        watch: Called before the first case and after each.

    Raises:
        StoppedError: The budget is used up; the message says how many are done.
    """
    done = total - missing

    def one_more() -> None:
        nonlocal done
        done += 1
        watch("", done, total)

    watch("", done, total)
    try:
        with asking_anew() if retry else nullcontext(), record(Trace(), name_of(llm), "judge") as entry:
            yield one_more
    except StoppedError as error:
        raise StoppedError(f"{error}; {done:,} of {total:,} {what} are done, and the same call goes on") from error
    usage.events.update(entry.events)
