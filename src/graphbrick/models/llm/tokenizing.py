"""The tokens of texts as llama.cpp's server cuts them, for grammars that name tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphbrick.core.errors import ModelError
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.http.runtime import model_runtime
from graphbrick.models.llm.sending import tell
from graphbrick.pipeline.budget import current_budget

if TYPE_CHECKING:
    import openai


def tokens_at_server(llm: ChatModel, texts: Sequence[str]) -> list[list[int]]:
    """Return the numbers of the tokens of each text, as the server of a model cuts it.

    Args:
        llm: The model. Its server is llama.cpp's, as for `LocalLLM`: it answers ``/tokenize`` beside ``/v1``.
        texts: The texts.

    Raises:
        ModelError: The server is away, or does not tell tokens.
        StoppedError: The budget's time is over.
    """
    runtime, connection, notes = model_runtime(), llm.connection(), list[str]()
    address = f"{connection.address.removesuffix('/v1')}/tokenize"

    async def one(text: str) -> object:
        async def ask(client: openai.AsyncOpenAI) -> object:
            body = {"content": text, "add_special": False, "parse_special": False}  # a text is not an instruction
            call = client.post(address, cast_to=object, body=body)
            return await asyncio.wait_for(call, connection.timeout)

        return await connection.retry(runtime, ask, notes)

    async def all_texts() -> list[object]:
        return [await one(text) for text in texts]

    try:
        replies = runtime.wait(all_texts(), current_budget())
    except ModelError as error:
        raise ModelError(f"{_without(llm, address)} ({error})", code="tokenize.unreachable") from error
    tell(notes)
    return [_tokens(reply, _without(llm, address)) for reply in replies]


def token_grammar(tokens: Sequence[int]) -> str:
    """Return the grammar of the one reply that consists of these tokens.

    >>> token_grammar([3838, 374])
    'root ::= <[3838]> <[374]>'
    """
    return f"root ::= {' '.join(f'<[{token}]>' for token in tokens)}"


def _tokens(reply: object, fault: str) -> list[int]:
    tokens = reply.get("tokens") if isinstance(reply, dict) else None
    if not isinstance(tokens, list) or not all(type(token) is int and token >= 0 for token in tokens):
        raise ModelError(fault, code="tokenize.no_tokens")
    return tokens


def _without(llm: ChatModel, address: str) -> str:
    return (
        f"{llm.model}'s server does not tell how it cuts texts into tokens at {address}; use LocalLLM(), or a server "
        "of llama.cpp"
    )
