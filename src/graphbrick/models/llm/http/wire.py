"""Writing requests for chat completions as the JSON of OpenAI-compatible servers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from graphbrick.models.llm.messages import Message, Request, Text, Tool, ToolCall, ToolResult

OPTIONAL = {
    "response_format": "response.?format|json.?(?:schema|mode|object)|structured.?output|guided.?(?:json|decoding)",
    "stream_options": "stream_options",
    "logprobs": "logprobs",
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "stop": r"\bstop\b",
    "n": r"['\"`]n['\"`]|\bn (?:must|should|has to|is not|> ?1)|multiple (?:choices|completions)",
}
"""Parameters that a server may refuse, each with a pattern of its names there; a call is then repeated without."""
SYSTEM = "system"
"""The name, among what a server refuses, of the role of instructions."""
_NO_SYSTEM = re.compile(
    r"system.{0,40}(?:role|prompt|message|instruction)|(?:role|developer.instruction).{0,40}system|\bsystem\b.{0,60}"
    r"(?:not|n't|un)|developer.{0,20}instruction|roles? must alternate|alternating|only (?:user|supports? user)",
    re.IGNORECASE | re.DOTALL,
)


def refused_by(text: str, body: Mapping[str, Any]) -> str:
    """Return what of a request a refusal speaks of: a parameter, or "system"; empty for none.

    >>> refused_by("'response_format.type' must be 'text'", {"response_format": {}})
    'response_format'
    >>> refused_by("System role not supported", {"messages": [{"role": "system"}]})
    'system'
    """
    for name, pattern in OPTIONAL.items():
        if name in body and re.search(pattern, text, re.IGNORECASE):
            return name
    roles = [message.get("role") for message in body.get("messages", ())]
    has_others = SYSTEM in roles or any(one == other for one, other in pairwise(roles))
    return SYSTEM if has_others and _NO_SYSTEM.search(text) else ""


def without_system(messages: Sequence[Message]) -> list[Message]:
    """Return messages without the role of instructions, for models that know users and assistants only.

    The instructions stand before the first message of the user; neighbours of one role are one message.

    >>> [(one.role, one.text) for one in without_system([Message("system", (Text("Be brief."),)),
    ...                                                  Message("user", (Text("Who?"),))])]
    [('user', 'Be brief.\\n\\nWho?')]
    """
    plain = [Message("user", one.parts) if one.role == SYSTEM else one for one in messages]
    merged: list[Message] = []
    for role, group in groupby(plain, key=lambda one: one.role):
        same = list(group)
        if role == "user" and len(same) > 1:
            same = [Message(role, (Text("\n\n".join(one.text for one in same)),))]
        merged += same
    return merged


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
    messages = without_system(request.messages) if SYSTEM in without else request.messages
    body: dict[str, Any] = {
        "model": model,
        "messages": [_sent_json(message) for message in messages],
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
