"""OpenAI's Responses API over the recipes, for programs that no longer use its chat API."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request, Response

from graphbrick.serve.conversation.answer_text import answer_text
from graphbrick.serve.conversation.talk import Talk, Told, read_talk, usage
from graphbrick.serve.errors import ServeError
from graphbrick.serve.limits.streams import EventStream, gone, sse
from graphbrick.serve.models import ChatMessage, ResponseItem, ResponseRequest
from graphbrick.serve.routes.common import Serving, id_of, log_of

router = APIRouter(prefix="/v1", tags=["chat"])
_STORED = {
    "previous_response_id": "send the earlier messages in input",
    "conversation": "send the earlier messages in input",
    "prompt": "send the text of the prompt in input",
    "background": "read the reply as a stream",
}


@router.post("/responses", summary="Answer the last message of a conversation, by the Responses API")
async def responses(body: ResponseRequest, request: Request, service: Serving) -> Response:
    """Answer the last message of the user with a recipe, like ``/v1/chat/completions``.

    The whole run is under the key ``graphbrick`` of the response. Nothing is stored: a request with
    ``previous_response_id``, ``conversation``, ``prompt`` or ``background`` is refused; send all messages in ``input``.
    Tools, and settings of language models, are not used: a recipe has its own.
    """
    _refuse_stored(body)
    talk = read_talk(service, body.model, list(_messages(body)), log_of(request), id_of(request))
    head = _head(body)
    gate = service.gate(talk.inquiry.pipeline)
    if body.stream:
        gate.check()  # as long as there is a status to say it with
        return EventStream(_events(talk, head))
    facts = await service.runner.call(talk.facts, gate, talk.inquiry.budget, lambda: gone(request.receive))
    reply = _ended(head, _message(_id("msg"), answer_text(facts)), facts)
    return Response(json.dumps(reply), media_type="application/json")


def _refuse_stored(body: ResponseRequest) -> None:
    """Raise ServeError for what a server would have to keep of its clients."""
    for name, advice in _STORED.items():
        if getattr(body, name):
            error = ServeError(400, "nothing_stored", f"this server stores no responses, so leave out {name}; {advice}")
            error.param = name
            raise error


def _messages(body: ResponseRequest) -> Iterator[ChatMessage]:
    """Yield the input as messages of a chat; calls of tools and their results are left out."""
    if body.instructions:
        yield ChatMessage(role="system", content=body.instructions)
    if isinstance(body.input, str):
        yield ChatMessage(role="user", content=body.input)
        return
    for item in body.input:
        if item.type == "item_reference":
            error = ServeError(400, "nothing_stored", "this server stores no items; send the message itself in input")
            error.param = "input"
            raise error
        if item.type == "message" and item.role is not None:
            yield ChatMessage(role=item.role, content=_content(item))


def _content(item: ResponseItem) -> str | list[Any] | None:
    """Return the content of a message in the form of the chat API."""
    if not isinstance(item.content, list):
        return item.content
    kinds = {"output_text": "text"}
    return [part.model_copy(update={"type": kinds.get(part.type, part.type)}) for part in item.content]


def _id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(16)}"


def _head(body: ResponseRequest) -> dict[str, Any]:
    """Return the fields that a response has from its beginning."""
    return {
        "id": _id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "in_progress",
        "model": body.model,
        "instructions": body.instructions,
        "metadata": body.metadata or {},
        "output": [],
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": False,
        "previous_response_id": None,
        "store": False,
        "temperature": None,
        "top_p": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "none",
        "tools": [],
        "usage": None,
    }


def _message(name: str, text: str | None) -> dict[str, Any]:
    """Return the message of a response; without text, its beginning."""
    parts = [] if text is None else [_part(text)]
    status = "in_progress" if text is None else "completed"
    return {"id": name, "type": "message", "role": "assistant", "status": status, "content": parts}


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _ended(head: dict[str, Any], message: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Return a response with its message and usage; incomplete if a budget stopped the run."""
    read, written = usage(facts)
    stopped = facts.get("stopped")
    return head | {
        "status": "incomplete" if stopped else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if stopped else None,
        "output": [message],
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + written,
        },
        "graphbrick": facts,
    }


async def _events(talk: Talk, head: dict[str, Any]) -> AsyncIterator[bytes]:
    """Yield the events of a streamed response, ``response.completed`` or ``response.failed`` last."""
    name, number = _id("msg"), -1
    place = {"item_id": name, "output_index": 0, "content_index": 0}

    def event(kind: str, **facts: Any) -> bytes:
        nonlocal number
        number += 1
        return sse(kind, {"type": kind, "sequence_number": number} | facts)

    def delta(text: str) -> bytes:
        return event("response.output_text.delta", **place, delta=text, logprobs=[])

    yield event("response.created", response=head)
    yield event("response.in_progress", response=head)
    yield event("response.output_item.added", output_index=0, item=_message(name, None))
    yield event("response.content_part.added", **place, part=_part(""))
    async with aclosing(talk.told(delta)) as parts:
        async for part in parts:
            if not isinstance(part, Told):
                yield part
            elif part.is_error:
                error = {"code": part.facts["error"]["code"], "message": part.facts["error"]["message"]}
                yield event("response.failed", response=head | {"status": "failed", "error": error})
            else:
                text = part.streamed + part.rest
                yield delta(part.rest)
                yield event("response.output_text.done", **place, text=text, logprobs=[])
                yield event("response.content_part.done", **place, part=_part(text))
                yield event("response.output_item.done", output_index=0, item=_message(name, text))
                ended = _ended(head, _message(name, text), part.facts)
                yield event(f"response.{ended['status']}", response=ended)
