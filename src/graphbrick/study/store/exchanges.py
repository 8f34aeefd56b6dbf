"""Prompts and replies of language models as a study stores them: JSON, compressed with Zstandard."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from graphbrick.core.files.zstd import zstd
from graphbrick.core.trace import StageTrace
from graphbrick.study.store.records import StoredExchange


def exchanges_of(stages: Iterable[StageTrace]) -> tuple[StoredExchange, ...]:
    """Return the exchanges of stages, in order."""
    return tuple(
        StoredExchange(
            index,
            exchange.model,
            tuple(
                (message["role"], _with_calls(message["content"], message.get("tool_calls")))
                for message in exchange.messages
            ),
            *(
                _with_calls(exchange.reply, exchange.tool_calls),
                exchange.tokens_in,
                exchange.tokens_out,
                exchange.seconds,
                exchange.cached,
            ),
        )
        for index, stage in enumerate(stages)
        for exchange in stage.exchanges
    )


def _with_calls(text: str, tool_calls: list[dict[str, Any]] | None) -> str:
    """Return a text with the calls of tools below it."""
    return f"{text}\n{json.dumps(tool_calls, ensure_ascii=False)}".lstrip() if tool_calls else text


def pack(exchanges: Sequence[StoredExchange]) -> bytes:
    """Return exchanges as bytes.

    >>> unpack(pack([StoredExchange(0, "m", (("user", "Why?"),), "Because", 2, 1, 0.5, False)]))[0].reply
    'Because'
    """
    rows = [[e.stage, e.model, e.messages, e.reply, e.tokens_in, e.tokens_out, e.seconds, e.cached] for e in exchanges]
    return zstd.compress(json.dumps(rows, separators=(",", ":")).encode())


def unpack(content: bytes | None) -> tuple[StoredExchange, ...]:
    """Return the exchanges that `pack` wrote; none for None."""
    if content is None:
        return ()
    rows = json.loads(zstd.decompress(content))
    return tuple(
        StoredExchange(stage, model, tuple((role, text) for role, text in messages), *rest)
        for stage, model, messages, *rest in rows
    )
