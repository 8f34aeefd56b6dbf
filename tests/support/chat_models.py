"""Requests to scripted servers, and what a model replied and recorded."""

from __future__ import annotations

from graphbrick import LLM
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.llm.messages import Reply as ModelReply
from graphbrick.models.llm.messages import Request as ModelRequest
from graphbrick.testing import ScriptedLLM

KEY = "sk-secret-0123456789"
ASK = [{"role": "user", "content": "How much is two and two?"}]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
QUESTION = "Which currency is used in Kenya?"


def llm(server: ScriptedLLM, **parameters: object) -> LLM:
    given = {"max_tokens": 9, "timeout": 60.0, "retries": 0} | parameters
    return LLM("some-chat-model", base_url=server.base_url, **given)  # type: ignore[arg-type]


def asked(text: str = "How much?", **parameters: object) -> ModelRequest:
    return ModelRequest([{"role": "user", "content": text}], **parameters)  # type: ignore[arg-type]


def recorded(model: LLM, *requests: ModelRequest) -> tuple[list[ModelReply], StageTrace]:
    with record(Trace(), repr(model), "generate") as entry:
        replies = model.ask_all(requests or [asked()])
    return replies, entry
