"""Replies and streams of odd servers, and what becomes of them."""

from __future__ import annotations

import json
from typing import Any

from faults import told

from graphbrick import LLM
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.messages import Reply as ModelReply
from graphbrick.models.llm.messages import system, user
from graphbrick.testing import Reply, ScriptedLLM

USAGE = {"prompt_tokens": 9, "completion_tokens": 4}
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
THOUGHT = "maybe Oslo [2]"
ANSWER = "Alma Berg [1]"


def completion(message: Any, finish_reason: Any = "stop", **more: Any) -> str:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return json.dumps({"object": "chat.completion", "choices": [choice], "usage": USAGE} | more)


def chunk(delta: Any, finish_reason: Any = None, **more: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return json.dumps({"object": "chat.completion.chunk", "choices": [choice]} | more)


def events(*chunks: str, end: str = "data: [DONE]\n\n") -> Reply:
    return Reply(body="".join(f"data: {one}\n\n" for one in chunks) + end, content_type="text/event-stream")


def in_pieces(text: str, n: int = 3) -> list[str]:
    return [chunk({"content": text[i : i + n]}) for i in range(0, len(text), n)] + [chunk({}, "stop")]


def ask(reply: Reply | Any, model: str = "m", **parameters: Any) -> tuple[ModelReply, str, list[str]]:
    """Ask once, streamed if the reply is a stream; return the reply, what was streamed, and the codes of events."""
    pieces: list[str] = []
    is_stream = isinstance(reply, Reply) and reply.content_type == "text/event-stream"
    with ScriptedLLM(reply if callable(reply) else [reply]) as server, record(Trace(), "x", "generate") as entry:
        llm = LLM(model, base_url=server.base_url, retries=0, **parameters)
        answer = llm.ask([system("Be brief."), user("Who?")], on_token=pieces.append if is_stream else None)
    return answer, "".join(pieces), [code for code, _ in told(entry.events)]
