"""The base of all chat models: requests in, replies out, with cache, budget, limits and trace."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from graphbrick.core.errors import ModelError
from graphbrick.models.llm.context_budget import count_tokens, text_tokens
from graphbrick.models.llm.http.wire import message_json, tool_json
from graphbrick.models.llm.messages import MessageLike, Reply, Request, Tool
from graphbrick.pipeline.brick import Brick

# What talks to servers and keeps replies is imported when a model is called: most pipelines name the type only.
if TYPE_CHECKING:
    from graphbrick.models.llm.http.connection import Connection
    from graphbrick.models.llm.prices import Hosted
    from graphbrick.models.llm.reply_cache import ReplyCache
    from graphbrick.models.llm.sending import OnToken

_on_token: ContextVar[OnToken | None] = ContextVar("graphbrick_on_token", default=None)


class ChatModel(Brick):
    """A language model that replies to messages. `LLM` talks to a server, `LocalLLM` runs on this machine.

    Every call goes through `ask_all`: it looks into the recorded replies, keeps to the budget, limits the calls in
    flight, and writes calls, tokens, seconds, cost, prompt and reply into the trace.
    """

    model: str
    temperature: float
    max_tokens: int
    structured: bool
    tokenizer: str = ""
    asks_model: ClassVar[bool] = True
    samples_at_once: ClassVar[bool] = True
    """True if the server gives several samples for one request."""

    @property
    @abstractmethod
    def parallel(self) -> int:
        """Calls in flight at the same time."""

    def complete(self, messages: Sequence[MessageLike], *, schema: Mapping[str, Any] | None = None) -> str:
        """Return the text of the model's reply; see `ask`."""
        return self.ask(messages, schema=schema).text

    def ask(
        self,
        messages: Sequence[MessageLike],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        n: int = 1,
        top_logprobs: int = 0,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
        on_token: OnToken | None = None,
    ) -> Reply:
        """Return the model's reply to a conversation.

        Args:
            messages: The conversation, at least one message.
            tools: Tools that the model may call; its calls are in `Reply.tool_calls`.
            schema: JSON schema that the reply keeps to, if the server offers that; elsewhere only the words of the
                messages ask for it, so that replies are always read with tolerance.
            n: How many replies to sample, with a temperature above 0.
            top_logprobs: How many of the likeliest tokens to report for each token of the reply, 0 to 20.
            max_tokens: Longest reply in tokens, if shorter than that of the model.
            stop: Texts at which the reply ends, if the server offers that; they are not part of it.
            on_token: Called with every piece of the reply as it comes.

        Raises:
            ModelError: There is no such model, or the server is away, refuses, or does not answer in time.
            StoppedError: The budget does not hold the call.

        Example:
            >>> from graphbrick import LLM
            >>> from graphbrick.models.llm.messages import system, user
            >>> from graphbrick.testing import ScriptedLLM
            >>> with ScriptedLLM(["four"]) as server:
            ...     LLM(base_url=server.base_url).ask([system("Be short."), user("Two and two?")]).text
            'four'
        """
        request = Request(messages, schema, max_tokens, top_logprobs, tools, n, stop)
        return self.ask_all([request], on_token=on_token)[0]

    def ask_all(self, requests: Sequence[Request], *, on_token: OnToken | None = None) -> list[Reply]:
        """Return the replies to several requests, up to ``parallel`` of them in flight at the same time.

        Args:
            requests: The requests.
            on_token: Called in this thread with every piece of a reply as it comes, and with the whole of a recorded
                one. It may be slow and may make calls itself.

        Returns:
            One reply a request, in the order of the requests.

        Raises:
            ModelError: A request is too long for the model, or fails; the others are given up then.
            StoppedError: The budget does not hold them all; those that it held are on the ledger.
        """
        from graphbrick.models.llm.reply_cache import current_cache, reply_json
        from graphbrick.models.llm.sending import account, send_all

        cache = current_cache()
        replies = [self._recorded(cache, request, on_token) for request in requests]
        missing = [i for i, reply in enumerate(replies) if reply is None]
        if missing:
            sent = [replace(requests[i], schema=requests[i].schema if self.structured else None) for i in missing]
            for request in sent:
                self._require_fit(request)
            done: dict[int, Reply] = {}
            try:
                send_all(self, sent, done, on_token)
            finally:
                for i, reply in sorted(done.items()):
                    replies[missing[i]] = reply
                    account(self, requests[missing[i]], reply)
                    if cache is not None and reply.is_complete:
                        cache.put(self._identity(requests[missing[i]]), reply_json(reply))
        return [reply for reply in replies if reply is not None]

    def context_budget(self, messages: Sequence[MessageLike]) -> int:
        """Return the tokens left beside messages and the longest reply; below 0 if they do not fit."""
        return self.context_tokens() - self.max_tokens - self.tokens(messages)

    def tokens(self, messages: Sequence[MessageLike]) -> int:
        """Return the tokens of messages: counted by the model's tokenizer if that is known, else estimated."""
        return count_tokens(messages, self.tokenizer)

    @abstractmethod
    def context_tokens(self) -> int:
        """Return how many tokens the model reads and writes at most."""

    @abstractmethod
    def connection(self) -> Connection:
        """Return where the model is now.

        Raises:
            ModelError: There is no such model.
        """

    @abstractmethod
    def address(self) -> str:
        """Return what tells this model from one of the same name elsewhere, for recorded replies."""

    @abstractmethod
    def price(self) -> Hosted | None:
        """Return what the model costs; None if that is not known."""

    def _recorded(self, cache: ReplyCache | None, request: Request, on_token: OnToken | None) -> Reply | None:
        """Return the recorded reply to a request; None if there is none."""
        recorded = None if cache is None else cache.get(self._identity(request))
        if recorded is None:
            return None
        from graphbrick.models.llm.reply_cache import recorded_reply
        from graphbrick.models.llm.sending import account

        reply = replace(recorded_reply(recorded), cached=True)
        if on_token is not None:
            on_token(reply.text)
        account(self, request, reply)
        return reply

    def _identity(self, request: Request) -> dict[str, Any]:
        """Return everything that a reply depends on."""
        identity = {
            "server": self.address(),
            "model": self.model,
            "temperature": self.temperature,
            "messages": [message_json(message) for message in request.messages],
            "max_tokens": self.longest(request),
            "schema": request.schema if self.structured else None,
            "likeliest": request.top_logprobs,
        }
        if request.tools:
            identity["tools"] = [tool_json(tool) for tool in request.tools]
        if request.stop:
            identity["stop"] = list(request.stop)
        if request.grammar:
            identity["grammar"] = hashlib.sha256(request.grammar.encode()).hexdigest()  # of up to a megabyte
        return identity | ({"n": request.n} if request.n > 1 else {})

    def longest(self, request: Request) -> int:
        """Return the tokens of the longest reply to a request."""
        return min(self.max_tokens, request.max_tokens or self.max_tokens)

    def tokens_in(self, request: Request) -> int:
        """Return the tokens of a request with its tools."""
        tools = json.dumps([tool_json(tool) for tool in request.tools]) if request.tools else ""
        return self.tokens(request.messages) + text_tokens(tools, self.tokenizer)

    def _require_fit(self, request: Request) -> None:
        prompt, context = self.tokens_in(request), self.context_tokens()
        if prompt + self.max_tokens > context:
            raise ModelError(
                f"{self!r} has room for {context:,} tokens, of which {self.max_tokens:,} are for the "
                f"reply, but the prompt takes about {prompt:,}; give it less "
                "(a smaller n or per_call), or raise context where the model holds more",
                code="llm.prompt_too_long",
                context=context,
                reply=self.max_tokens,
                prompt=prompt,
            )


@contextmanager
def streaming(on_token: OnToken) -> Iterator[None]:
    """Context manager that passes every piece of the answer that a language model writes to a callback.

    The callback is called in the thread of the run. It may be slow, and may call models or run pipelines itself: those
    are not streamed to it. Only the generate stage is streamed: what models say in other stages is not an answer.
    """
    token = _on_token.set(on_token)
    try:
        yield
    finally:
        _on_token.reset(token)


def current_on_token() -> OnToken | None:
    """Return the token callback of the enclosing `streaming` block, which does not stream to itself."""
    on_token = _on_token.get()
    if on_token is None:
        return None

    def outside(piece: str) -> None:
        token = _on_token.set(None)
        try:
            on_token(piece)
        finally:
            _on_token.reset(token)

    return outside
