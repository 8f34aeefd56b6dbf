"""What every chat model is, wherever it runs: asked with messages, it replies, and what that cost is on the ledger."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import Any

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import Exchange, count_exchange, event
from graphbrick.llm.background import wait_for
from graphbrick.llm.conversation import Heard, Reply, Request, Talk, readable
from graphbrick.llm.openai_client import Connection
from graphbrick.llm.prices import Hosted
from graphbrick.llm.reply_cache import ReplyCache, current_cache
from graphbrick.llm.tokens import count_tokens, text_tokens
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.budget import Budget, current_budget

_gates: dict[tuple[str, str, int], asyncio.Semaphore] = {}


class ChatModel(Brick):
    """A language model that is asked with messages. `LLM` talks to a server, `LocalLLM` runs on this machine.

    Every call goes through `ask_all`: it looks into the cache of replies, keeps to the budget, limits the calls in
    flight, and writes calls, tokens, seconds, cost, prompt and reply into the trace.
    """

    model: str
    temperature: float
    max_tokens: int
    structured: bool
    tokenizer: str = ""

    @property
    @abstractmethod
    def parallel(self) -> int:
        """Calls in flight at the same time."""

    def complete(self, messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None) -> str:
        """The model's reply to some messages, each ``{"role": ..., "content": ...}``.

        Args:
            messages: The messages, at least one.
            schema: The JSON schema that the reply keeps to, where the server offers that; elsewhere it is only asked
                for by the words of the messages, so that a reply is always read with tolerance.

        Raises:
            ModelError: There is no such model, or the server is away, refuses, or does not answer in time.
            StoppedError: The budget does not hold the call.
        """
        return self.ask_all([Request(readable(messages), schema)])[0].text

    def ask_all(self, requests: Sequence[Request], *, heard: Heard | None = None) -> list[Reply]:
        """The replies to several requests, of which up to ``parallel`` are in flight at the same time.

        Args:
            requests: What to ask.
            heard: Called with every piece of a reply as it comes, in another thread; with the whole of a kept reply.

        Returns:
            One reply a request, in the order of the requests.

        Raises:
            ModelError: A request is too long for the model, or fails; the others are given up then.
            StoppedError: The budget does not hold them all; those that it held are on the ledger.
        """
        cache = current_cache()
        replies = [self._kept(cache, request, heard) for request in requests]
        lacking = [i for i, reply in enumerate(replies) if reply is None]
        if lacking:
            asked = [replace(requests[i], schema=requests[i].schema if self.structured else None) for i in lacking]
            for request in asked:
                self._require_room(request)
            done: dict[int, Reply] = {}
            try:
                self._send_all(asked, done, heard)
            finally:
                for i, reply in sorted(done.items()):
                    replies[lacking[i]] = reply
                    self._account(requests[lacking[i]], reply)
                    if cache is not None:
                        cache.put(self._identity(requests[lacking[i]]), asdict(reply))
        return [reply for reply in replies if reply is not None]

    def room(self, messages: Sequence[Mapping[str, str]]) -> int:
        """The tokens that are free beside some messages and the longest reply; below 0 where they do not fit."""
        return self.context_tokens() - self.max_tokens - self.tokens(messages)

    def tokens(self, messages: Sequence[Mapping[str, str]]) -> int:
        """The tokens of some messages: counted by the model's tokenizer where that is known, else estimated."""
        return count_tokens(messages, self.tokenizer)

    @abstractmethod
    def context_tokens(self) -> int:
        """The tokens that the model reads and writes at most."""

    @abstractmethod
    def connection(self) -> Connection:
        """Where the model is, now.

        Raises:
            ModelError: There is no such model.
        """

    @abstractmethod
    def price(self) -> Hosted | None:
        """What the model costs; None where that is not known."""

    def _kept(self, cache: ReplyCache | None, request: Request, heard: Heard | None) -> Reply | None:
        """The kept reply to a request."""
        kept = None if cache is None else cache.get(self._identity(request))
        if kept is None:
            return None
        reply = Reply.of(kept)
        if heard is not None:
            heard(reply.text)
        self._account(request, replace(reply, cached=True))
        return replace(reply, cached=True)

    def _identity(self, request: Request) -> dict[str, Any]:
        """What a reply depends on."""
        return {"model": self.model, "temperature": self.temperature, **self._asked(request)}

    def _asked(self, request: Request) -> dict[str, Any]:
        return {
            "messages": [dict(message) for message in request.messages],
            "max_tokens": min(self.max_tokens, request.max_tokens or self.max_tokens),
            "schema": request.schema if self.structured else None,
            "likeliest": request.likeliest,
        }

    def _require_room(self, request: Request) -> None:
        room = self.room(request.messages)
        if room < 0:
            raise ModelError(
                f"{self!r} has room for {self.context_tokens():,} tokens, of which {self.max_tokens:,} are for the "
                f"reply, but the prompt takes about {self.context_tokens() - self.max_tokens - room:,}; give it less "
                "(a smaller n or per_call), or raise context where the model holds more"
            )

    def _send_all(self, requests: Sequence[Request], done: dict[int, Reply], heard: Heard | None) -> None:
        """Send requests and wait for all; the replies are put into ``done`` as they come."""
        budget = current_budget()
        if budget is not None:
            budget.check()
            if budget.usd is not None and self.price() is None:
                raise ModelError(
                    f"a budget in dollars needs the price of {self.model!r}; write it into a file that "
                    "GRAPHBRICK_PRICES names, or give the budget in tokens"
                )
        talk = Talk(self.connection(), self.model, self.temperature)
        wait_for(self._all(talk, requests, done, budget, heard), budget)

    async def _all(
        self,
        talk: Talk,
        requests: Sequence[Request],
        done: dict[int, Reply],
        budget: Budget | None,
        heard: Heard | None,
    ) -> None:
        gate = _gate(talk.connection.shown, self.model, self.parallel)

        async def one(i: int, request: Request) -> None:
            async with gate:
                done[i] = await self._within(budget, talk, request, heard)

        tasks = [asyncio.create_task(one(i, request)) for i, request in enumerate(requests)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _within(self, budget: Budget | None, talk: Talk, request: Request, heard: Heard | None) -> Reply:
        """One reply, of which the most it may cost is set aside before."""
        longest = min(self.max_tokens, request.max_tokens or self.max_tokens)
        tokens_in, price = self.tokens(request.messages), self.price() or Hosted()
        aside = tokens_in + longest, price.cost(tokens_in, longest)
        if budget is not None:
            await budget.set_aside(*aside)
        used_tokens, used_usd = 0, 0.0
        try:
            reply = await talk.reply(request, longest, heard)
            if reply.estimated:
                reply = replace(reply, tokens_in=tokens_in, tokens_out=text_tokens(reply.text, self.tokenizer))
            reply = replace(reply, cost=price.cost(reply.tokens_in, reply.tokens_out))
            used_tokens, used_usd = reply.tokens_in + reply.tokens_out, reply.cost
            return reply
        finally:
            if budget is not None:
                await budget.settle(*aside, used_tokens, used_usd)

    def _account(self, request: Request, reply: Reply) -> None:
        """Write a reply into the trace of the running stage."""
        count_exchange(
            Exchange(
                self.model,
                [dict(message) for message in request.messages],
                reply.text,
                reply.tokens_in,
                reply.tokens_out,
                reply.estimated,
                reply.seconds,
                reply.cost,
                reply.cached,
            )
        )
        for note in reply.notes:
            event(note)
        if self.price() is None and not reply.cached:
            event(f"no price is known for {self.model}, so that its cost counts as 0 (GRAPHBRICK_PRICES names a table)")


def _gate(server: str, model: str, parallel: int) -> asyncio.Semaphore:
    """What limits the calls in flight, for all runs of this process."""
    return _gates.setdefault((server, model, parallel), asyncio.Semaphore(parallel))


_listener: ContextVar[Heard | None] = ContextVar("graphbrick_listener", default=None)


@contextmanager
def hearing(listener: Callable[[str], None]) -> Iterator[None]:
    """Call a function with every piece of the answer that a language model writes in the runs inside, as it comes.

    The function is called in another thread. Only the generate stage is heard: what models say in other stages is no
    answer.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def current_listener() -> Heard | None:
    """What hears the answer here."""
    return _listener.get()
