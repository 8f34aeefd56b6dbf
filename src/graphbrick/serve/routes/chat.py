"""OpenAI's chat API over the recipes, so that chat programs use graphs unchanged."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request, Response

from graphbrick.serve.conversation.answer_text import answer_text
from graphbrick.serve.conversation.talk import Talk, Told, meant_by, model_names, read_talk, usage
from graphbrick.serve.limits.streams import EventStream, gone
from graphbrick.serve.models import Chat
from graphbrick.serve.routes.common import Serving, id_of, log_of

router = APIRouter(prefix="/v1", tags=["chat"])
_STARTED = int(time.time())


@router.get("/models", summary="List the recipes as models")
async def models(service: Serving) -> dict[str, Any]:
    """Return every recipe of the server as a model: ``recipe``, or ``graph/recipe`` if there are several graphs."""
    return {"object": "list", "data": [_model(name) for name in model_names(service)]}


@router.get("/models/{name:path}", summary="One recipe as a model")
async def model(name: str, service: Serving) -> dict[str, Any]:
    """Return one model; 404 if there is none of this name."""
    meant_by(service, name)
    return _model(name)


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _STARTED, "owned_by": "graphbrick"}


@router.post("/chat/completions", summary="Answer the last message of a conversation")
async def completions(body: Chat, request: Request, service: Serving) -> Response:
    """Answer the last message of the user with a recipe, as OpenAI's API does.

    A message that speaks of earlier ones («And who is her husband?», «and of Kenya?») is completed first: by the
    recipe's language model, else by rules. The question as it was read is under ``graphbrick.conversation``.

    The reply's text has the answers with numbers, and under them the evidence. The whole run is under the key
    ``graphbrick``, of the reply or of the last piece of a stream. Messages of the system, and settings of language
    models, are not used: a recipe has its own.
    """
    talk = read_talk(service, body.model, body.messages, log_of(request), id_of(request))
    gate = service.gate(talk.inquiry.pipeline)
    head = {
        "id": f"chatcmpl-{secrets.token_hex(12)}",
        "created": int(time.time()),
        "model": body.model,
        "system_fingerprint": talk.inquiry.opened.hash or None,
    }
    if body.stream:
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        gate.check()  # as long as there is a status to say it with
        return EventStream(_pieces(talk, head, with_usage=with_usage))
    facts = await service.runner.call(talk.facts, gate, talk.inquiry.budget, lambda: gone(request.receive))
    message = {"role": "assistant", "content": answer_text(facts), "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": _reason(facts), "logprobs": None}
    reply = head | {"object": "chat.completion", "choices": [choice], "usage": _usage(facts), "graphbrick": facts}
    return Response(json.dumps(reply), media_type="application/json")


def _usage(facts: dict[str, Any]) -> dict[str, int]:
    read, written = usage(facts)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _reason(facts: dict[str, Any]) -> str:
    return "length" if facts.get("stopped") else "stop"


async def _pieces(talk: Talk, head: dict[str, Any], *, with_usage: bool) -> AsyncIterator[bytes]:
    """Yield the pieces of a streamed reply, ``[DONE]`` last; an error is a piece with ``error``."""
    head = head | {"object": "chat.completion.chunk"}

    def piece(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _data(head | {"choices": [choice]} | more)

    yield piece({"role": "assistant", "content": ""})
    async with aclosing(talk.told(lambda text: piece({"content": text}))) as parts:
        async for part in parts:
            if not isinstance(part, Told):
                yield part
            elif part.is_error:
                yield _data(part.facts)
            else:
                yield piece({"content": part.rest})
                yield piece({}, _reason(part.facts), graphbrick=part.facts)
                if with_usage:
                    yield _data(head | {"choices": [], "usage": _usage(part.facts)})
    yield b"data: [DONE]\n\n"


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()
