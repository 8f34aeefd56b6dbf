"""Ask a language model many things, and take each reply as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context

from graphbrick.core.errors import ModelError
from graphbrick.llm.chat import ChatModel
from graphbrick.llm.messages import Reply, Request
from graphbrick.pipeline.budget import StoppedError

_REFUSED = frozenset((400, 413, 422))  # what servers answer to a single prompt that they do not like


def each_reply(llm: ChatModel, requests: Sequence[Request]) -> Iterator[tuple[int, str | ModelError]]:
    """Yield the text of each reply as soon as it is there, with the place of its request, so that it can be kept.

    As many calls are in flight as the model takes in parallel. The error of a prompt that the server refuses, such as
    by its content filter, is yielded in place of a text. After any other error no further call begins; the replies to
    those in flight are yielded, as they are paid for, and then the error is raised.

    Args:
        llm: The model.
        requests: The requests.

    Raises:
        ModelError: The model cannot be asked.
        StoppedError: The budget is used up.
    """
    failure: Exception | None = None
    left = iter(enumerate(requests))
    waiting: dict[Future[list[Reply]], int] = {}
    with ThreadPoolExecutor(llm.parallel, "ask") as pool:
        while True:
            while failure is None and len(waiting) < llm.parallel and (one := next(left, None)) is not None:
                waiting[pool.submit(copy_context().run, llm.ask_all, [one[1]])] = one[0]
            if not waiting:
                break
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                place = waiting.pop(future)
                try:
                    yield place, future.result()[0].text
                except (ModelError, StoppedError) as error:
                    if isinstance(error, ModelError) and is_about_one_prompt(error):
                        yield place, error
                    else:
                        failure = failure or error
    if failure is not None:
        raise failure


def is_about_one_prompt(error: Exception) -> bool:
    """Whether a server refused one prompt, such as by its content filter, so that others may be answered."""
    return getattr(error.__cause__, "status_code", None) in _REFUSED
