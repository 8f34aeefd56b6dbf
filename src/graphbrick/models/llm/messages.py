"""Requests to chat models and their replies: messages of typed parts, tools, requests, replies.

Nothing here depends on a wire format; `graphbrick.models.llm.http` turns these types into the JSON of a server
and back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from graphbrick.core.errors import ModelError

ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Text:
    """Text of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that a model asks for.

    Attributes:
        id: Identifier that the result refers to.
        name: Name of the tool.
        arguments: Arguments by name; empty if the model did not write a JSON object.
        invalid: The text that the model wrote instead of a JSON object; empty if the arguments could be read.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    invalid: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a tool, or the reason of its failure.

    Attributes:
        call_id: The `ToolCall.id` that this answers.
        text: The result as the model reads it.
    """

    call_id: str
    text: str


Part: TypeAlias = Text | ToolCall | ToolResult
"""One part of a message. Other kinds, such as images, can be added here and in `graphbrick.models.llm.http.wire`."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: "system", "user", "assistant" or "tool".
        parts: Its parts in order. Tool calls belong to "assistant"; a "tool" message holds one `ToolResult`.

    Example:
        >>> user("Which currency is used in Kenya?").text
        'Which currency is used in Kenya?'
    """

    role: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text parts, joined; for a "tool" message the result."""
        return "".join(part.text for part in self.parts if not isinstance(part, ToolCall))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


MessageLike: TypeAlias = Message | Mapping[str, str]
"""A `Message`, or a text message written as ``{"role": ..., "content": ...}``."""


def system(text: str) -> Message:
    """Return a message with instructions for the model."""
    return Message("system", (Text(text),))


def user(text: str) -> Message:
    """Return a message to the model."""
    return Message("user", (Text(text),))


def assistant(text: str) -> Message:
    """Return a message of the model, such as the reply of an example."""
    return Message("assistant", (Text(text),))


def tool_result(call: ToolCall, text: str) -> Message:
    """Return the message that tells the model what a tool returned."""
    return Message("tool", (ToolResult(call.id, text),))


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call.

    Attributes:
        name: Letters, digits, ``_`` and ``-``.
        description: Effect of the tool, and when to use it, for the model.
        schema: JSON schema of the arguments, of type "object".
    """

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """One call to a chat model.

    Attributes:
        messages: The conversation; given as any `MessageLike`, kept as `Message`, without characters that UTF-8 lacks.
        schema: JSON schema of the reply; None for free text.
        max_tokens: Longest reply in tokens, if shorter than that of the model.
        top_logprobs: How many of the likeliest tokens to report at each place of the reply, 0 to 20; 0 for none.
        tools: The tools that the model may call.
        n: How many replies to sample.
        stop: Texts at which the reply ends; they are not part of it.
        grammar: The grammar that the reply keeps to, in the GBNF of llama.cpp with the rule ``root``; empty for none.
            Servers without grammars refuse it or ignore it, so check the reply.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    top_logprobs: int = 0
    tools: tuple[Tool, ...] = ()
    n: int = 1
    stop: tuple[str, ...] = ()
    grammar: str = ""

    def __init__(
        self,
        messages: Iterable[MessageLike],
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        top_logprobs: int = 0,
        tools: Sequence[Tool] = (),
        n: int = 1,
        stop: Sequence[str] = (),
        grammar: str = "",
    ) -> None:
        if n < 1:
            raise ModelError(
                f"a request must ask for at least 1 reply, got n={n}; leave n out for one",
                code="request.no_replies",
                n=n,
            )
        values = (as_messages(messages), schema, max_tokens, top_logprobs, tuple(tools), n, tuple(stop), grammar)
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """One token of a reply with its log probability.

    Attributes:
        token: The token.
        logprob: Natural logarithm of its probability, at most 0.
        top: The likeliest tokens at this place with their log probabilities, likeliest first.
    """

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the replies to a request.

    Attributes:
        message: The message of the model, from "assistant".
        finish_reason: "stop", "length", "tool_calls", "content_filter" ...; empty if the server gave none, so that the
            reply may be cut.
        logprobs: One entry a token, if they were asked for and the server gives them.
        thought: Characters, or tokens where the server tells no more, of thoughts, which are not part of the message.
    """

    message: Message
    finish_reason: str = "stop"
    logprobs: tuple[TokenLogprob, ...] = ()
    thought: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Reply:
    """Everything that one call to a chat model gave.

    Attributes:
        choices: The replies, at least one.
        tokens_in: Tokens of the messages and tools.
        tokens_out: Tokens of all replies.
        estimated: Whether the tokens were counted here because the server did not report them.
        seconds: From the request to the end of the reply, retries included.
        cost: In US dollars.
        cached: Whether this is a recorded reply.
        notes: Notes for a reader of the result, such as that the reply was cut.
        adjustments: Parameters that the server refused, so that they were left out.
        calls: How many calls it took: several if the server gives one choice at a time.
        longest: The tokens that it was allowed, with those for thoughts; 0 if that is not known.
    """

    choices: tuple[Choice, ...]
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    seconds: float = 0.0
    cost: float = 0.0
    cached: bool = False
    notes: tuple[str, ...] = ()
    adjustments: tuple[str, ...] = ()
    calls: int = 1
    longest: int = 0

    @property
    def message(self) -> Message:
        """The first reply."""
        return self.choices[0].message

    @property
    def text(self) -> str:
        """The text of the first reply; empty if the model said nothing or refused, which is a note."""
        return self.message.text

    @property
    def lack(self) -> str:
        """Why the first reply holds nothing, and what to do; empty if it has text or tool calls."""
        first = self.choices[0]
        if first.message.text.strip() or first.message.tool_calls:
            return ""
        if not first.thought:
            return "the reply is empty"
        if not self.ran_out:
            return "the model wrote thoughts alone, or its server took all that it wrote for thoughts"
        more = max(4000, -(-2 * self.longest // 1000) * 1000)
        used = f"its {self.longest:,} tokens" if self.longest else "all its tokens"
        return f"the model used {used} to think; allow it more (--max-tokens {more}, or LLM(..., max_tokens={more}))"

    @property
    def ran_out(self) -> bool:
        """Return whether the first reply was cut within thoughts, before there was an answer."""
        first = self.choices[0]
        has_more = first.message.text.strip() or first.message.tool_calls
        return first.finish_reason == "length" and first.thought > 0 and not has_more

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of the first reply."""
        return self.message.tool_calls

    @property
    def is_complete(self) -> bool:
        """Return whether the server named a finish reason for every choice; only such replies are recorded."""
        return all(choice.finish_reason for choice in self.choices)


def as_messages(messages: Iterable[MessageLike]) -> tuple[Message, ...]:
    """Return messages as `Message`, with characters that cannot be sent (lone surrogates) replaced.

    Raises:
        ModelError: A message has an unknown role or is not a text, or one text is given in place of messages.

    >>> as_messages([{"role": "user", "content": "Who?"}])
    (Message(role='user', parts=(Text(text='Who?'),)),)
    """
    if isinstance(messages, str):
        raise ModelError(
            f"messages are a list, such as [{{'role': 'user', 'content': 'Who?'}}], got {messages!r:.80}",
            code="message.not_a_list",
        )
    return tuple(map(_as_message, messages))


def valid_text(text: str) -> str:
    """Return a text with lone surrogates replaced, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _as_message(message: MessageLike) -> Message:
    if not isinstance(message, Message):
        content = message.get("content")
        if not isinstance(content, str):
            raise ModelError(
                f"a message must be a Message or {{'role': ..., 'content': text}}, got content {content!r:.80}",
                code="message.not_a_message",
            )
        message = Message(str(message.get("role")), (Text(content),))
    if message.role not in ROLES:
        raise ModelError(
            f"the role of a message must be one of {', '.join(ROLES)}, got {message.role!r}",
            code="message.unknown_role",
            role=message.role,
        )
    return Message(message.role, tuple(map(_valid, message.parts)))


def _valid(part: Part) -> Part:
    if isinstance(part, Text):
        return Text(valid_text(part.text))
    return ToolResult(part.call_id, valid_text(part.text)) if isinstance(part, ToolResult) else part
