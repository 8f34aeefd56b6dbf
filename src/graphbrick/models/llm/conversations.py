"""Ask a language model about many things, several at a time, and take every reply as it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Reply, Request
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending

K = TypeVar("K")
T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)

_REFUSED = frozenset((400, 413, 422))  # what servers answer to a single prompt that they do not like
_PASSING = frozenset(("server.timeout", "server.cut_reply", "server.not_a_completion", "server.unreadable_reply"))
_IN_A_ROW = 3  # faults of a server that end a run

Exchanged = tuple[Reply, StageTrace | None]
Conversation: TypeAlias = Generator[Request, str, R]
"""Yields requests, is sent the text of each reply, and returns the result."""


class RefusedError(Exception):
    """Failure of the last request alone, raised inside the conversation, which may still return.

    Attributes:
        may_pass: Whether the server failed, so that the same request may be answered later.
    """

    def __init__(self, reason: str, *, may_pass: bool = False) -> None:
        super().__init__(reason)
        self.may_pass = may_pass


class Asker(Protocol[T_contra, R_co]):
    """Source of a conversation about each subject."""

    @property
    def model(self) -> ChatModel:
        """The model that is asked."""
        ...

    def conversation(self, subject: T_contra, /) -> Conversation[R_co]:
        """Return the conversation about a subject."""
        ...

    def refused(self, reason: str) -> R_co:
        """Return the result for a subject whose prompt a server refused and whose conversation returns none."""
        ...


class Drafts(Protocol):
    """Store of the replies of unfinished conversations, so that none is paid for twice."""

    def draft(self, key: bytes, number: int) -> str | None:
        """Return a reply of an earlier, interrupted conversation; None if there is none."""
        ...

    def keep_draft(self, key: bytes, number: int, reply: str) -> None:
        """Keep a reply."""
        ...


@dataclass
class Usage:
    """Cost of calls to language models.

    Attributes:
        calls: Number of calls.
        tokens_in: Tokens read.
        tokens_out: Tokens written.
        cost: US dollars.
        cache_hits: Number of recorded replies that were used.
        events: Events of the calls, with the number of times.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    cache_hits: int = 0
    events: Counter[str] = field(default_factory=Counter)

    def add(self, entry: StageTrace) -> None:
        """Add the calls of a trace."""
        self.calls += entry.calls
        self.tokens_in += entry.tokens_in
        self.tokens_out += entry.tokens_out
        self.cost += entry.cost
        self.cache_hits += entry.cache_hits
        self.events.update(entry.events)

    def to_dict(self) -> dict[str, float]:
        """Return the figures as plain JSON types, without events."""
        return {name: getattr(self, name) for name in ("calls", "tokens_in", "tokens_out", "cost", "cache_hits")}


@dataclass
class _Talk(Generic[K, R]):
    """A conversation about one subject: its key, its generator, and its number of replies so far."""

    key: K
    conversation: Generator[Request, Any, R]
    replies: int = 0


def ask_about(
    asker: Asker[T, R],
    subjects: Iterable[tuple[K, T]],
    *,
    drafts: Drafts | None = None,
    usage: Usage | None = None,
    forgiving: bool = False,
) -> Iterator[tuple[K, R]]:
    """Yield the result for each subject as soon as its conversation ends.

    As many calls are in flight as the model takes in parallel. If one fails, or the budget is used up, the others are
    paid for already: their results are yielded before the error is raised.

    Args:
        asker: The source of the conversations.
        subjects: Key and subject of each conversation; read as they are needed. Keys are bytes if there are drafts.
        drafts: Replies of interrupted conversations.
        usage: The calls are added to it; None to count them in the running stage.
        forgiving: Whether a fault of the server ends one conversation only, unless it comes before the first reply or
            three times in a row.

    Raises:
        ModelError: The model cannot be asked.
        StoppedError: The budget is used up.
    """
    return _converse(
        asker.model, subjects, asker.conversation, asker.refused, lambda reply: reply.text, drafts=drafts, usage=usage,
        forgiving=forgiving,
    )  # fmt: skip


def _converse(
    model: ChatModel,
    subjects: Iterable[tuple[K, T]],
    begin: Callable[[T], Generator[Request, Any, R]],
    refused: Callable[[str], R],
    read: Callable[[Reply], Any],
    *,
    drafts: Drafts | None = None,
    usage: Usage | None = None,
    forgiving: bool = False,
) -> Iterator[tuple[K, R]]:
    """Hold the conversations of `ask_about`; ``read`` turns each reply into what a conversation is sent."""
    waiting: dict[Future[Exchanged], _Talk[K, R]] = {}
    rest = iter(subjects)
    failure: Exception | None = None
    outer = current_budget()
    budget = outer or Budget()  # so that calls in flight can be given up
    in_a_row = 0 if forgiving else _IN_A_ROW
    has_replied = False
    with ThreadPoolExecutor(model.parallel, "ask") as pool:

        def submit(request: Request) -> Future[Exchanged]:
            counted = usage is not None
            return pool.submit(copy_context().run, _exchange, model, request, None if outer else budget, counted)

        try:
            while True:
                while failure is None and len(waiting) < model.parallel and (subject := next(rest, None)) is not None:
                    talk = _Talk(subject[0], begin(subject[1]))
                    due = _go_on(talk, None, drafts)
                    if not isinstance(due, Request):
                        yield talk.key, due
                    else:
                        waiting[submit(due)] = talk
                if not waiting:
                    break
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    talk = waiting.pop(future)
                    try:
                        reply, entry = future.result()
                        if usage is not None and entry is not None:
                            usage.add(entry)
                        has_replied, in_a_row = True, 0 if forgiving else _IN_A_ROW
                        if reply.ran_out:  # there is nothing to go on with, and asking again would be the same
                            due = _ended(talk, RefusedError(reply.lack), refused)
                        else:
                            due = _go_on(talk, read(reply), drafts)
                    except (ModelError, StoppedError) as error:
                        in_a_row += 1
                        is_forgiven = _may_pass(error) and has_replied and in_a_row < _IN_A_ROW
                        if not (is_forgiven or _is_about_one_prompt(error)):
                            failure = failure or error
                            continue
                        due = _ended(talk, RefusedError(str(error), may_pass=is_forgiven), refused)
                    if not isinstance(due, Request):
                        yield talk.key, due
                    elif failure is None:
                        waiting[submit(due)] = talk
        except BaseException as error:
            if outer is None or isinstance(error, KeyboardInterrupt):  # others may still use the outer one
                budget.cancel()
            raise
    if failure is not None:
        raise failure


def _ended(talk: _Talk[K, R], error: RefusedError, refused: Callable[[str], R]) -> R:
    """Return the result of a conversation after a refusal: its own, else that of ``refused``."""
    try:
        talk.conversation.throw(error)
    except StopIteration as end:
        result: R = end.value
        return result
    except RefusedError:  # it has nothing yet
        return refused(str(error))
    raise RuntimeError("a conversation asked again after its request was refused")


def _exchange(model: ChatModel, request: Request, budget: Budget | None, counted: bool) -> Exchanged:
    """Return the reply to a request, and its trace if it is counted apart from the running stage."""
    with nullcontext() if budget is None else spending(budget):
        if not counted:
            return model.ask_all([request])[0], None
        with record(Trace(), repr(model), "ask") as entry:
            return model.ask_all([request])[0], entry


def _go_on(talk: _Talk[K, R], reply: Any, drafts: Drafts | None) -> Request | R:
    """Return the next request of a conversation, or its result; use replies of an interruption first.

    Args:
        talk: The conversation.
        reply: The value sent into it; a text if there are drafts, None at its beginning.
        drafts: Replies of interrupted conversations.
    """
    key = talk.key if isinstance(talk.key, bytes) else b""
    while True:
        try:
            request = next(talk.conversation) if reply is None else talk.conversation.send(reply)
        except StopIteration as end:
            result: R = end.value
            return result
        if reply is not None and drafts is not None:
            drafts.keep_draft(key, talk.replies - 1, reply)
        reply = None if drafts is None else drafts.draft(key, talk.replies)
        talk.replies += 1
        if reply is None:
            return request


def _is_about_one_prompt(error: Exception) -> bool:
    """Return whether a server refused this prompt only, such as by its content filter, or gave no reply to it."""
    has_no_reply = isinstance(error, ModelError) and error.code == "server.no_choices"
    return has_no_reply or getattr(error.__cause__, "status_code", None) in _REFUSED


def _may_pass(error: Exception) -> bool:
    """Return whether an error is a fault of the server that may not come again."""
    status = getattr(error.__cause__, "status_code", 0)
    return (isinstance(error, ModelError) and error.code in _PASSING) or status in (408, 409, 425, 429) or status >= 500


def each_reply(llm: ChatModel, requests: Sequence[Request]) -> Iterator[tuple[int, str | ModelError]]:
    """Yield the text of each reply as soon as it arrives, with the index of its request.

    The error of a prompt that the server refuses, such as by its content filter, is yielded in place of a text. Other
    errors are those of `ask_about`.

    Args:
        llm: The model.
        requests: The requests.
    """
    for place, reply in each_whole_reply(llm, requests):
        yield place, reply if isinstance(reply, ModelError) else reply.text


def each_whole_reply(
    llm: ChatModel, requests: Sequence[Request], *, usage: Usage | None = None
) -> Iterator[tuple[int, Reply | ModelError]]:
    """Yield replies like `each_reply`, with their log probabilities and all choices.

    Args:
        llm: The model.
        requests: The requests.
        usage: As for `ask_about`.
    """
    return _converse(llm, enumerate(requests), _one_reply, ModelError, lambda reply: reply, usage=usage)


def _one_reply(request: Request) -> Generator[Request, Reply, Reply | ModelError]:
    """Ask one request and return its reply."""
    return (yield request)
