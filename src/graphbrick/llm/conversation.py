"""One request to a chat model and its reply, over an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from graphbrick.core.errors import ModelError
from graphbrick.llm.openai_client import Connection, CutError

if TYPE_CHECKING:
    import openai

Heard: TypeAlias = Callable[[str], None]
"""What is called with the pieces of a reply."""

# Parameters that a server may not know, by what its refusal says; what is sent in the place of each.
_OPTIONAL = ("response_format", "stream_options", "logprobs", "temperature", "max_tokens")
_REFUSALS = frozenset({400, 404, 422, 501})
_refused: dict[tuple[str, str], frozenset[str]] = {}


@dataclass(frozen=True)
class Request:
    """What a chat model is asked.

    Attributes:
        messages: Each ``{"role": ..., "content": ...}``.
        schema: The JSON schema of the reply; None for text.
        max_tokens: Longest reply where it is shorter than that of the model.
        likeliest: How many of the likeliest first words to report, with their log-probabilities; at most 20.
    """

    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    likeliest: int = 0


@dataclass(frozen=True)
class Reply:
    """What a chat model replied.

    Attributes:
        text: Its words; empty where it said nothing or refused, which is a note.
        tokens_in: Tokens of the messages.
        tokens_out: Tokens of the reply.
        estimated: Whether the server did not say how many tokens there were.
        seconds: From the request to the end of the reply, further tries included.
        cost: In US dollars.
        cached: Whether it was kept.
        likeliest: The likeliest first words with the natural logarithm of their probability, likeliest first.
        notes: What a reader of the result should know, such as that the reply was cut.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    seconds: float = 0.0
    cost: float = 0.0
    cached: bool = False
    likeliest: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Reply:
        """The reply that was kept as JSON.

        Raises:
            ModelError: It is no reply.
        """
        try:
            given = {f.name: kept[f.name] for f in fields(cls) if f.name in kept}
            given["likeliest"] = tuple((str(word), float(p)) for word, p in given.get("likeliest", ()))
            given["notes"] = tuple(map(str, given.get("notes", ())))
            if not isinstance(given["text"], str):
                raise TypeError
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("a kept reply is damaged; record it again after graphbrick cache clear") from error
        return cls(**given)


@dataclass
class _Words:
    """What was read of a reply so far."""

    text: str = ""
    refusal: str = ""
    finish: str = ""
    usage: tuple[int, int] | None = None
    likeliest: tuple[tuple[str, float], ...] = ()
    notes: list[str] = field(default_factory=list)


def readable(messages: Sequence[Mapping[str, str]]) -> tuple[Mapping[str, str], ...]:
    """Messages that can be sent: a badly decoded name may hold lone surrogates."""
    return tuple({k: v.encode("utf-8", "replace").decode() for k, v in message.items()} for message in messages)


@dataclass(frozen=True)
class Talk:
    """A chat model at a server."""

    connection: Connection
    model: str
    temperature: float

    async def reply(self, request: Request, longest: int, heard: Heard | None) -> Reply:
        """Ask, and read the reply.

        Args:
            request: What to ask.
            longest: Longest reply, in tokens.
            heard: What is called with the pieces of the reply; the reply is streamed where it is given.
        """
        notes: list[str] = []
        start = time.perf_counter()
        words = await self.connection.ask(lambda client: self._once(client, request, longest, heard, notes), notes)
        notes += words.notes
        if words.finish == "length" and not request.likeliest:  # there only the first word counts
            notes.append(f"the reply of {self.model} was cut at {longest} tokens")
        elif words.finish == "content_filter":
            notes.append(f"the reply of {self.model} was cut by the server's content filter")
        if words.refusal:
            notes.append(f"{self.model} refused: {words.refusal[:200]!r}")
        elif not words.text:
            notes.append(f"{self.model} gave an empty reply")
        if words.usage is None:
            notes.append(f"{self.model} did not report the tokens it used; they are estimated")
        tokens_in, tokens_out = words.usage or (0, 0)
        return Reply(
            words.text,
            tokens_in,
            tokens_out,
            estimated=words.usage is None,
            seconds=time.perf_counter() - start,
            likeliest=words.likeliest,
            notes=tuple(notes),
        )

    async def _once(
        self, client: openai.AsyncOpenAI, request: Request, longest: int, heard: Heard | None, notes: list[str]
    ) -> _Words:
        """One try; what the server does not know is left out, noted and remembered."""
        import openai

        which = (self.connection.shown, self.model)
        while True:
            body = self._body(request, longest, streamed=heard is not None)
            try:
                if heard is None:
                    whole = client.chat.completions.create(**body)
                    return self._read(await asyncio.wait_for(whole, self.connection.timeout))
                return await self._stream(client, body, heard)
            except openai.APIStatusError as error:
                said = str(error.message)
                known = _refused.get(which, frozenset())
                named = [name for name in _OPTIONAL if name in said and name in body and name not in known]
                if error.status_code not in _REFUSALS or not named:
                    raise
                _refused[which] = known | {named[0]}
                if named[0] != "max_tokens":
                    notes.append(f"{self.model} does not know {named[0]}, so that it was asked without: {said[:100]}")

    def _body(self, request: Request, longest: int, *, streamed: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(request.messages),
            "temperature": self.temperature,
            "max_tokens": longest,
        }
        if request.schema is not None:
            named = {"name": "reply", "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        if request.likeliest:
            body |= {"logprobs": True, "top_logprobs": request.likeliest}
        if streamed:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        for name in _refused.get((self.connection.shown, self.model), ()):
            if body.pop(name, None) is not None:
                # Newer models of OpenAI have another name for it; the others are left out.
                body |= {"max_completion_tokens": longest} if name == "max_tokens" else {}
                if name == "logprobs":
                    body.pop("top_logprobs")
        return body

    async def _stream(self, client: openai.AsyncOpenAI, body: dict[str, Any], heard: Heard) -> _Words:
        """Read a reply piece by piece."""
        import openai

        words = _Words()
        stream = await asyncio.wait_for(client.chat.completions.create(**body), self.connection.timeout)
        pieces = aiter(stream)
        try:
            while True:
                try:
                    chunk = await asyncio.wait_for(anext(pieces), self.connection.timeout)
                except StopAsyncIteration:
                    break
                before = len(words.text)
                self._take(words, chunk, of="delta")
                if len(words.text) > before:
                    heard(words.text[before:])
        except (openai.APIError, TimeoutError, OSError) as error:
            if not words.text or isinstance(error, openai.APIStatusError):
                raise
            # What was heard cannot be taken back, so that it is not tried again.
            stalled = f"nothing more came for {self.connection.timeout:g} s" if isinstance(error, TimeoutError) else ""
            raise CutError(stalled or f"the connection was lost ({type(error).__name__})") from error
        finally:
            await stream.close()
        if not words.finish and words.text:
            words.notes.append(f"the stream of {self.model} ended without saying that it was complete")
        return words

    def _read(self, reply: object) -> _Words:
        """Read a whole reply."""
        words = _Words()
        self._take(words, reply, of="message")
        return words

    def _take(self, words: _Words, reply: Any, *, of: str) -> None:
        """Add what a reply or a piece of one says; the client hands over whatever the server sent, of any type."""
        try:
            choice = reply.choices[0] if len(reply.choices) else None
            message = getattr(choice, of) if choice else None
            if choice and message is None and of == "message":
                raise TypeError("a choice without a message")
            text = (message.content or "") if message else ""
            refusal = getattr(message, "refusal", None) or ""
            if choice and choice.finish_reason:
                words.finish = str(choice.finish_reason)
            if reply.usage:
                words.usage = int(reply.usage.prompt_tokens or 0), int(reply.usage.completion_tokens or 0)
            if not words.likeliest and choice is not None and getattr(choice, "logprobs", None):
                first = next((t for t in choice.logprobs.content or () if t.token.strip()), None)
                if first is not None:
                    words.likeliest = tuple((str(t.token), float(t.logprob)) for t in first.top_logprobs)
        except (AttributeError, TypeError, ValueError) as error:
            url = self.connection.shown
            raise ModelError(f"{url} gave a reply that is no chat completion; is it the right address?") from error
        if not isinstance(text, str):
            raise ModelError(f"{self.connection.shown} gave a reply whose content is no text but {text!r:.80}")
        words.text += text
        words.refusal += str(refusal)
