"""One call to a chat model at a server: send, read, and leave out what the server refuses."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from graphbrick.core.trace import Event
from graphbrick.models.llm.http.connection import Connection
from graphbrick.models.llm.http.faults import ErrorReplyError, refusal_text
from graphbrick.models.llm.http.reader import ReplyReader
from graphbrick.models.llm.http.runtime import ModelRuntime
from graphbrick.models.llm.http.wire import SYSTEM, refused_by, request_json
from graphbrick.models.llm.messages import Reply, Request
from graphbrick.models.llm.replies.thinking import begins_json

if TYPE_CHECKING:
    import openai

_REPLACED = ("max_tokens", "stream_options", "n")  # sent by another name; asks for the tokens used; asked in turn
_FAILED = 500
_REFUSALS = frozenset({400, 404, 422, _FAILED, 501})


@dataclass(frozen=True)
class Caller:
    """A chat model at a server, as one batch of calls needs it.

    Attributes:
        runtime: The shared state of the session.
        connection: The server.
        model: The model's name there.
        temperature: The temperature of the replies.
    """

    runtime: ModelRuntime
    connection: Connection
    model: str
    temperature: float

    async def reply(self, request: Request, max_tokens: int, on_text: Callable[[str], None] | None) -> Reply:
        """Send a request and return the reply; its cost is left open.

        Args:
            request: The request.
            max_tokens: Longest reply, in tokens.
            on_text: Called with the pieces of the first choice as they come; the reply is streamed if it is given.
        """
        notes: list[str] = []
        start = time.perf_counter()
        reply = await self.connection.retry(
            self.runtime, lambda client: self._once(client, request, max_tokens, on_text), notes
        )
        return replace(reply, seconds=time.perf_counter() - start, notes=(*notes, *reply.notes))

    @property
    def samples_at_once(self) -> bool:
        """Whether the server may give several samples for one request, as far as is known."""
        return "n" not in self.runtime.refused.get((self.connection.address, self.model), {})

    async def _once(
        self, client: openai.AsyncOpenAI, request: Request, max_tokens: int, on_text: Callable[[str], None] | None
    ) -> Reply:
        """Try once. What the server refuses is left out, also in later calls of the session."""
        import openai

        refused = self.runtime.refused.setdefault((self.connection.address, self.model), {})
        habits = self.runtime.habits_of(self.connection.address, self.model)
        everything = request_json(
            request, self.model, self.temperature, max_tokens, stream=on_text is not None, without={}
        )
        while True:
            reader = ReplyReader(self.model, request, max_tokens, hold=habits.may_begin_within)
            body = request_json(
                request, self.model, self.temperature, max_tokens, stream=on_text is not None, without=refused
            )
            # Never for probabilities: candidates that are scored one by one would not be treated alike.
            if self.connection.reuses_prompts and not request.top_logprobs:
                body["extra_body"] = {**body.get("extra_body", {}), "cache_prompt": True}
            try:
                await self.connection.read(client, body, reader, on_text)
            except (openai.APIStatusError, ErrorReplyError) as error:
                name = "" if error.status_code not in _REFUSALS else refused_by(refusal_text(error), body)
                # llama.cpp answers 500 where the template of a model fails; errors with status 200 may have no other.
                is_passing = error.status_code == _FAILED and isinstance(error, openai.APIStatusError)
                if not name or (is_passing and name != SYSTEM):
                    raise
                refused[name] = self.connection.refusal(error)[:100]
                continue
            reply = reader.reply()
            habits.thinks |= any(choice.thought for choice in reply.choices)
            is_bound = request.schema and begins_json(reply.text)  # not every server keeps to a schema
            is_free = not (is_bound or request.grammar or request.top_logprobs)  # to begin with thoughts
            habits.may_begin_within = reader.begins_within_thoughts or (habits.may_begin_within and not is_free)
            left_out = [name for name in refused if name in everything and name not in _REPLACED]
            if SYSTEM in refused:
                left_out.append(SYSTEM)
            return replace(reply, adjustments=tuple(self._left_out(name, refused[name]) for name in left_out))

    def _left_out(self, name: str, reason: str) -> Event:
        """Return the note about what a request was sent without."""
        if name == SYSTEM:
            note = f"{self.model} has no role for instructions, so that they stand in the first question: {reason}"
            return Event(note, "request.system_merged")
        note = f"{self.model} does not know {name}, so that it was asked without: {reason}"
        return Event(note, "request.parameter_left_out", name=name)
