"""One call to a chat model at a server: send, read, and leave out what the server refuses."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from graphbrick.core.trace import Event
from graphbrick.models.llm.http.connection import Connection
from graphbrick.models.llm.http.runtime import ModelRuntime
from graphbrick.models.llm.http.wire import OPTIONAL, ReplyReader, request_json
from graphbrick.models.llm.messages import Reply, Request

if TYPE_CHECKING:
    import openai

_REFUSALS = frozenset({400, 404, 422, 501})


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

    async def _once(
        self, client: openai.AsyncOpenAI, request: Request, max_tokens: int, on_text: Callable[[str], None] | None
    ) -> Reply:
        """Try once. A parameter that the server refuses is left out, also in later calls of the session."""
        import openai

        refused = self.runtime.refused.setdefault((self.connection.address, self.model), {})
        everything = request_json(
            request, self.model, self.temperature, max_tokens, stream=on_text is not None, without={}
        )
        while True:
            reader = ReplyReader(self.model, request, max_tokens)
            body = request_json(
                request, self.model, self.temperature, max_tokens, stream=on_text is not None, without=refused
            )
            # Never for probabilities: candidates that are scored one by one would not be treated alike.
            if self.connection.reuses_prompts and not request.top_logprobs:
                body["extra_body"] = {**body.get("extra_body", {}), "cache_prompt": True}
            try:
                await self.connection.read(client, body, reader, on_text)
            except openai.APIStatusError as error:
                message = str(error.message)
                named = [name for name in OPTIONAL if name in message and name in body]
                if error.status_code not in _REFUSALS or not named:
                    raise
                refused[named[0]] = self.connection.refusal(error)[:100]
                continue
            # max_tokens is sent by another name, and stream_options only asks for the tokens used.
            left_out = [name for name in refused if name in everything and name not in ("max_tokens", "stream_options")]
            return replace(reader.reply(), adjustments=tuple(self._left_out(name, refused[name]) for name in left_out))

    def _left_out(self, name: str, reason: str) -> Event:
        """Return the note about a parameter that a request was sent without."""
        note = f"{self.model} does not know {name}, so that it was asked without: {reason}"
        return Event(note, "request.parameter_left_out", name=name)
