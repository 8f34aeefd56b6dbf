"""Chat completions of OpenAI-compatible servers: writing requests as JSON and reading replies.

Servers send all kinds of things with status 200. Whatever is not a chat completion is an error that shows its
beginning; a number or a text of the wrong kind never ends more than the one call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import Event
from graphbrick.models.llm.messages import (
    Choice,
    Message,
    Part,
    Reply,
    Request,
    Text,
    TokenLogprob,
    Tool,
    ToolCall,
    ToolResult,
    valid_text,
)

OPTIONAL = ("response_format", "stream_options", "logprobs", "temperature", "max_tokens", "stop")
"""Parameters that a server may refuse; a call is then repeated without."""
_LARGEST_LINE = 16_000_000  # bytes of one event of a stream
_CHARACTERS_A_TOKEN = 128  # the longest tokens of the vocabularies in use are runs of that many spaces
_MOST_TOKENS = 2**53
_IMPOSSIBLE = -9999.0  # log probability; servers write this, -3.4e38 or -Infinity for a probability of 0


class NotACompletionError(GraphbrickError):
    """A server sent something that is not a chat completion.

    Attributes:
        came: The beginning of what it sent.
    """

    def __init__(self, message: str, came: str = "") -> None:
        super().__init__(message)
        self.came = came


# Writing


def message_json(message: Message) -> dict[str, Any]:
    """Return a message as it is sent to servers and shown in traces.

    >>> message_json(Message("user", (Text("Who?"),)))
    {'role': 'user', 'content': 'Who?'}
    """
    sent: dict[str, Any] = {"role": message.role, "content": message.text}
    for part in message.parts:
        if isinstance(part, ToolResult):
            sent["tool_call_id"] = part.call_id
    if message.tool_calls:
        sent["tool_calls"] = [_call_json(call) for call in message.tool_calls]
    return sent


def tool_json(tool: Tool) -> dict[str, Any]:
    """Return a tool as it is sent to servers."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)}
    return {"type": "function", "function": function}


def request_json(
    request: Request, model: str, temperature: float, max_tokens: int, *, stream: bool, without: Mapping[str, str]
) -> dict[str, Any]:
    """Return the body of a request.

    Args:
        request: The request.
        model: The model's name at the server.
        temperature: The temperature.
        max_tokens: Longest reply, in tokens.
        stream: Whether the reply is to come piece by piece.
        without: Names of `OPTIONAL` parameters that the server refuses.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [_sent_json(message) for message in request.messages],
        "temperature": temperature,
        "max_tokens": max_tokens,
    }
    if request.schema is not None:
        named = {"name": "reply", "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    if request.tools:
        body["tools"] = [tool_json(tool) for tool in request.tools]
    if request.n > 1:
        body["n"] = request.n
    if request.stop:
        body["stop"] = list(request.stop)
    if request.grammar:
        # llama.cpp reads the first, vLLM the second and, before 0.12, the third; each ignores what it does not know.
        body["extra_body"] = {
            "grammar": request.grammar,
            "structured_outputs": {"grammar": request.grammar},
            "guided_grammar": request.grammar,
        }
    if request.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    for name in without:
        if body.pop(name, None) is not None:
            # Newer models of OpenAI have another name for it; the others are left out.
            body |= {"max_completion_tokens": max_tokens} if name == "max_tokens" else {}
            if name == "logprobs":
                body.pop("top_logprobs")
    return body


def _sent_json(message: Message) -> dict[str, Any]:
    """Return a message as it is sent; llama.cpp and vLLM refuse arguments that are not an object."""
    sent = message_json(message)
    for call, written in zip(message.tool_calls, sent.get("tool_calls", ()), strict=False):
        if call.invalid:
            written["function"]["arguments"] = "{}"
    return sent


def _call_json(call: ToolCall) -> dict[str, Any]:
    arguments = call.invalid or json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


# Reading


@dataclass
class _Part:
    """One choice while it is being read."""

    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: list[tuple[dict[str, str], list[str]]] = field(default_factory=list)  # id and name; arguments
    places: dict[int, int] = field(default_factory=dict)  # of the last call with each index
    finish_reason: str = ""
    logprobs: list[TokenLogprob] = field(default_factory=list)


class ReplyReader:
    """Reader of one reply, from a whole body (`add_body`) or from the pieces of a stream (`add_stream`).

    Args:
        model: The model's name, for notes.
        request: The request that it answers.
        max_tokens: Longest reply that it was asked for.
    """

    def __init__(self, model: str, request: Request, max_tokens: int) -> None:
        self._model, self._request, self._max_tokens = model, request, max_tokens
        self._choices: dict[int, _Part] = {}
        self._usage: tuple[int, int] | None = None
        self._length = 0  # characters of everything that the model wrote
        self._line = b""
        self._start = b""  # the beginning of what came last, for errors
        self.ended = False

    @property
    def length(self) -> int:
        """Characters that the model wrote so far, in text, tool calls and reasoning."""
        return self._length

    def add_body(self, body: bytes) -> list[str]:
        """Read a whole reply.

        Returns:
            The text of the first choice.

        Raises:
            NotACompletionError: It is something else.
        """
        self.ended = True
        return self._add(self._parse(body), "message")

    def add_stream(self, data: bytes) -> list[str]:
        """Read the next bytes of a stream of server-sent events.

        Returns:
            The new pieces of text of the first choice.

        Raises:
            NotACompletionError: The stream holds something else, or does not stop.
        """
        self._start = self._start or data[:1000]
        *lines, self._line = (self._line + data).replace(b"\r\n", b"\n").split(b"\n")
        if len(self._line) > _LARGEST_LINE:
            raise self._fault(f"sent more than {_LARGEST_LINE:,} bytes without the end of a line")
        return [text for line in lines for text in self._event(line)]

    def end_stream(self) -> None:
        """Read the last line of a stream that has ended.

        Raises:
            NotACompletionError: No part of a reply came.
        """
        self._event(self._line)
        if not self._choices:
            raise self._fault()

    def reply(self) -> Reply:
        """Return what was read, with notes about what is missing. The cost and the seconds are left open.

        Raises:
            NotACompletionError: There is neither a reply nor a reason why it ended.
        """
        notes: list[str] = []
        parts = [self._choices[i] for i in sorted(self._choices)]
        if not any(part.finish_reason or part.text or part.calls or part.refusal for part in parts):
            raise self._fault()
        choices = tuple(self._choice(part, notes) for part in parts)
        if len(choices) < self._request.n:
            n, gave = self._request.n, len(choices)
            notes.append(
                Event(f"{self._model} was asked for {n} replies and gave {gave}", "reply.too_few", n=n, gave=gave)
            )
        if self._usage is None:
            note = f"{self._model} did not report the tokens it used; they are estimated"
            notes.append(Event(note, "reply.tokens_estimated"))
        tokens_in, tokens_out = self._usage or (0, 0)
        return Reply(choices, tokens_in, tokens_out, estimated=self._usage is None, notes=tuple(notes))

    def _choice(self, part: _Part, notes: list[str]) -> Choice:
        model, text, refusal = self._model, valid_text("".join(part.text)), valid_text("".join(part.refusal))
        if not part.finish_reason:
            note = f"the reply of {model} ended without a finish_reason: it may be cut, and is not recorded"
            notes.append(Event(note, "reply.no_finish_reason"))
        elif part.finish_reason == "length" and not self._request.top_logprobs:  # there only the first word counts
            note = f"the reply of {model} was cut at {self._max_tokens} tokens"
            notes.append(Event(note, "reply.cut", tokens=self._max_tokens))
        elif part.finish_reason == "content_filter":
            notes.append(Event(f"the reply of {model} was cut by the server's content filter", "reply.filtered"))
        calls = [self._call(i, call, notes) for i, call in enumerate(part.calls)]
        if refusal:
            notes.append(Event(f"{model} refused: {refusal[:200]!r}", "reply.refusal", refusal=refusal))
        elif not text and not calls:
            notes.append(Event(f"{model} gave an empty reply", "reply.empty"))
        parts: list[Part] = [Text(text), *calls] if text or not calls else [*calls]
        return Choice(Message("assistant", tuple(parts)), part.finish_reason, tuple(part.logprobs))

    def _call(self, number: int, call: tuple[dict[str, str], list[str]], notes: list[str]) -> ToolCall:
        names, pieces = call
        name, written = names.get("name", ""), valid_text("".join(pieces))
        if self._request.tools and name not in {tool.name for tool in self._request.tools}:
            note = f"{self._model} called the tool {name!r}, which it was not offered"
            notes.append(Event(note, "reply.unknown_tool", tool=name))
        arguments: object = None
        try:
            # A surrogate may also be written as an escape within the arguments.
            arguments = _without_surrogates(json.loads(written or "{}", strict=False))
        except (ValueError, RecursionError) as error:
            reason = str(error)
        else:
            reason = f"got {type(arguments).__name__}"
        identifier = names.get("id") or f"call_{number}"
        if isinstance(arguments, dict):
            return ToolCall(identifier, name, arguments)
        note = (
            f"{self._model} called the tool {name!r} with arguments that are not a JSON object ({reason[:80]}): "
            f"{written[:200]!r}"
        )
        notes.append(Event(note, "reply.bad_arguments", tool=name))
        return ToolCall(identifier, name, invalid=written)

    def _event(self, line: bytes) -> list[str]:
        """Read one line of a stream; return new texts of the first choice."""
        name, _, value = line.partition(b":")
        value = value.strip()
        if name != b"data" or not value or self.ended:
            return []
        if value == b"[DONE]":
            self.ended = True
            return []
        return self._add(self._parse(value), "delta")

    def _parse(self, data: bytes) -> Mapping[str, Any]:
        self._start = data[:1000]
        try:
            value = json.loads(data)
        except (ValueError, RecursionError) as error:  # ValueError: also bytes that are not UTF-8
            raise self._fault() from error
        if not isinstance(value, dict):
            raise self._fault()
        return value

    def _add(self, value: Mapping[str, Any], key: str) -> list[str]:
        """Add a body ("message") or a piece of one ("delta"); return new texts of the first choice."""
        choices, new = value.get("choices"), list[str]()
        if not isinstance(choices, list) or (key == "message" and not choices):
            raise self._fault()
        self._usage = _usage(value.get("usage")) or self._usage
        for place, choice in enumerate(choices):
            message = choice.get(key) if isinstance(choice, dict) else None
            if not isinstance(choice, dict) or not isinstance(message, dict | (type(None) if key == "delta" else dict)):
                raise self._fault()
            index = choice.get("index", place)
            part = self._choices.setdefault(index if isinstance(index, int) else place, _Part())
            if choice.get("finish_reason"):
                part.finish_reason = valid_text(str(choice["finish_reason"]))
            part.logprobs += _logprobs(choice.get("logprobs"))
            if message:
                text = self._text(message, "content")
                refusal = self._text(message, "refusal")
                part.text += [text] if text else []
                part.refusal += [refusal] if refusal else []
                self._text(message, "reasoning_content")  # it counts as writing, but is not part of the reply
                self._add_calls(part, message.get("tool_calls"), is_whole=key == "message")
                if part is self._choices.get(0) and text:
                    new.append(valid_text(text))
        if key == "delta":
            self._check_length()
        return new

    def _add_calls(self, part: _Part, calls: object, *, is_whole: bool) -> None:
        """Add calls or pieces of them; servers of Gemini and Ollama give all calls of a reply the index 0."""
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict):
                raise self._fault()
            index = call.get("index") if isinstance(call.get("index"), int) else place
            known = part.places.get(index)
            other = known is not None and call.get("id") not in (None, "", part.calls[known][0].get("id"))
            if known is None or is_whole or (other and function.get("name")):
                part.places[index] = len(part.calls)
                part.calls.append(({}, []))
            names, pieces = part.calls[part.places[index]]
            for name, value in (("id", call.get("id")), ("name", function.get("name"))):
                if isinstance(value, str) and value:
                    names.setdefault(name, valid_text(value))
            arguments = function.get("arguments")
            # Some servers send the arguments as an object.
            piece = arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""
            pieces.append(piece)
            self._length += len(piece)

    def _text(self, message: Mapping[str, Any], key: str) -> str:
        text = message.get(key) or ""
        if not isinstance(text, str):
            raise self._fault(f"gave a reply whose {key} is not a text")
        self._length += len(text)
        return text

    def _check_length(self) -> None:
        """Raise if a stream is longer than any reply of that many tokens; a whole body ends by the deadline."""
        longest = (self._max_tokens + 8) * _CHARACTERS_A_TOKEN * self._request.n
        if self._length > longest:
            raise self._fault(
                f"gave a reply that does not stop: it was asked for at most {self._max_tokens} tokens and sent "
                f"{self._length:,} characters"
            )

    def _fault(self, what: str = "gave a reply that is not a chat completion; is it the right address?") -> Exception:
        return NotACompletionError(what, " ".join(self._start.decode("utf-8", "replace").split()))


def _usage(usage: object) -> tuple[int, int] | None:
    """Return the tokens read and written; None unless both are sensible numbers."""
    if not isinstance(usage, dict):
        return None
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens", 0)]
    right = [isinstance(count, int | float) and 0 <= count < _MOST_TOKENS for count in counts]
    return (int(counts[0]), int(counts[1])) if all(right) else None


def _logprobs(logprobs: object) -> Sequence[TokenLogprob]:
    """Return the log probabilities of tokens, without those that are not numbers."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    tokens = []
    for entry in content if isinstance(content, list) else ():
        pair = _pair(entry)
        if pair is not None:
            others = entry.get("top_logprobs")
            top = [_pair(other) for other in (others if isinstance(others, list) else ())]
            tokens.append(TokenLogprob(*pair, tuple(other for other in top if other is not None)))
    return tokens


def _pair(entry: object) -> tuple[str, float] | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("token"), str):
        return None
    logprob = entry.get("logprob")
    if not isinstance(logprob, int | float) or not logprob <= 1e-6:  # some round 1 to a little more
        return None
    return valid_text(entry["token"]), max(float(logprob), _IMPOSSIBLE)


def _without_surrogates(value: object) -> object:
    """Return a JSON value with the lone surrogates in its texts replaced; they may be written as escapes."""
    return json.loads(valid_text(json.dumps(value, ensure_ascii=False)))
