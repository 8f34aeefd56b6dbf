"""OpenAI's chat API over the recipes, so that chat programs use graphs unchanged."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response

from graphbrick.core.errors import LinkError
from graphbrick.core.trace import Trace
from graphbrick.models.llm.chat import streaming
from graphbrick.recipes import all_recipes
from graphbrick.serve.asking import Inquiry, reply_of, run_of, usage_of
from graphbrick.serve.conversation.answer_text import CANNOT, answer_text, answers_line, sources
from graphbrick.serve.conversation.standalone import standalone
from graphbrick.serve.conversation.turns import Conversation, read_conversation
from graphbrick.serve.errors import not_found
from graphbrick.serve.limits.streams import Channel, EventStream, gone
from graphbrick.serve.models import Chat
from graphbrick.serve.routes.common import Serving, id_of, log_of
from graphbrick.serve.service import Service

router = APIRouter(prefix="/v1", tags=["chat"])
_STARTED = int(time.time())


@router.get("/models", summary="List the recipes as models")
async def models(service: Serving) -> dict[str, Any]:
    """Return every recipe of the server as a model: ``recipe``, or ``graph/recipe`` if there are several graphs."""
    return {"object": "list", "data": [_model(name) for name in _names(service)]}


@router.get("/models/{name:path}", summary="One recipe as a model")
async def model(name: str, service: Serving) -> dict[str, Any]:
    """Return one model; 404 if there is none of this name."""
    _meant(service, name)
    return _model(name)


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _STARTED, "owned_by": "graphbrick"}


def _names(service: Service) -> list[str]:
    opened = [hosted.now for hosted in service.graphs.values()]
    if len(opened) == 1:
        return list(opened[0].recipes)
    return [f"{one.name}/{recipe}" for one in opened for recipe in one.recipes]


def _meant(service: Service, name: str) -> tuple[str | None, str | None]:
    """Return the graph and the recipe that a model's name means; None for the default."""
    graph, slash, recipe = name.partition("/")
    if slash and graph in service.graphs and recipe in service.graphs[graph].now.recipes:
        return graph, recipe
    if not slash and (name in service.graph().recipes or name.upper() in all_recipes()):
        return None, name
    if not slash and name in service.graphs:
        return name, None
    raise not_found("model", name, _names(service))


@router.post("/chat/completions", summary="Answer the last message of a conversation")
async def completions(body: Chat, request: Request, service: Serving) -> Response:
    """Answer the last message of the user with a recipe, as OpenAI's API does.

    A message that speaks of earlier ones («And who is her husband?», «and of Kenya?») is completed first: by the
    recipe's language model, else by rules. The question as it was read is under ``graphbrick.conversation``.

    The reply's text has the answers with numbers, and under them the evidence. The whole run is under the key
    ``graphbrick``, of the reply or of the last piece of a stream. Messages of the system, and settings of language
    models, are not used: a recipe has its own.
    """
    graph, recipe = _meant(service, body.model)
    opened = service.graph(graph)
    pipeline = service.pipeline(opened, recipe=recipe)
    conversation = read_conversation(body.messages)
    inquiry = Inquiry(opened, pipeline, conversation.question, (), service.runner.budget())
    gate = service.gate(pipeline)
    log_of(request)["graph"] = opened.name
    head = {
        "id": f"chatcmpl-{secrets.token_hex(12)}",
        "created": int(time.time()),
        "model": body.model,
        "system_fingerprint": opened.hash or None,
    }
    if body.stream:
        usage = body.stream_options is not None and body.stream_options.include_usage
        gate.check()  # as long as there is a status to say it with
        return EventStream(_pieces(service, inquiry, conversation, head, request, with_usage=usage))
    facts = await service.runner.call(
        lambda: _answered(service, inquiry, conversation, request), gate, inquiry.budget, lambda: gone(request.receive)
    )
    message = {"role": "assistant", "content": answer_text(facts), "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": _reason(facts), "logprobs": None}
    reply = head | {"object": "chat.completion", "choices": [choice], "usage": _usage(facts), "graphbrick": facts}
    return Response(json.dumps(reply), media_type="application/json")


def _answered(service: Service, inquiry: Inquiry, conversation: Conversation, request: Request) -> dict[str, Any]:
    """Return the run as JSON; in a chat, a question that names nothing of the graph is answered so."""
    read = standalone(inquiry.opened.graph, inquiry.pipeline, conversation)
    inquiry = replace(inquiry, question=read.question, seeds=read.seeds, before=read.stage)
    told = {"conversation": read.to_dict()} if read.by else {}
    try:
        run = run_of(inquiry)
    except LinkError as error:
        log_of(request)["no_entity"] = True
        reply = service.reply_to(error, id_of(request)).body["error"]
        return {
            "answers": [{"text": f"{CANNOT}: {reply['message']}.", "key": None, "support": []}],
            "support": [],
            "readings": reply["readings"],
            "trace": Trace([] if read.stage is None else [read.stage]).to_dict(),
            "error": reply,
        } | told
    log_of(request).update(usage_of(run))
    return reply_of(inquiry, run) | told


def _usage(facts: dict[str, Any]) -> dict[str, int]:
    """Return the tokens of language models; 0 if none was asked."""
    ledger = facts["trace"]["ledger"]
    read, written = int(ledger.get("tokens_in", 0)), int(ledger.get("tokens_out", 0))
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _reason(facts: dict[str, Any]) -> str:
    return "length" if facts.get("stopped") else "stop"


async def _pieces(
    service: Service,
    inquiry: Inquiry,
    conversation: Conversation,
    head: dict[str, Any],
    request: Request,
    *,
    with_usage: bool,
) -> AsyncIterator[bytes]:
    """Yield the pieces of a streamed reply, ``[DONE]`` last; an error is a piece with ``error``."""
    head = head | {"object": "chat.completion.chunk"}
    channel, written = Channel(asyncio.get_running_loop()), list[str]()

    def piece(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _data(head | {"choices": [choice]} | more)

    def on_token(text: str) -> None:
        written.append(text)
        channel.put(piece({"content": text}))

    def work() -> dict[str, Any]:
        with streaming(on_token):
            return _answered(service, inquiry, conversation, request)

    yield piece({"role": "assistant", "content": ""})
    done = asyncio.ensure_future(service.runner.call(work, service.gate(inquiry.pipeline), inquiry.budget))
    try:
        async for part in channel.until(done):
            yield part
        error = done.exception()
        if error is not None:
            reply = service.reply_to(error, id_of(request))
            log_of(request)["error"] = reply.body["error"]["code"]  # the status was sent before it was known
            yield _data(reply.body)
        else:
            facts = done.result()
            yield piece({"content": ("" if written else answers_line(facts)) + sources(facts)})
            yield piece({}, _reason(facts), graphbrick=facts)
            if with_usage:
                yield _data(head | {"choices": [], "usage": _usage(facts)})
        yield b"data: [DONE]\n\n"
    finally:
        if not done.done():
            done.cancel()
        await asyncio.gather(done, return_exceptions=True)


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()
