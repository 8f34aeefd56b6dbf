"""What was said to language models, as it is kept in a study: JSON, packed with Zstandard."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import zstandard

from graphbrick.core.trace import StageTrace
from graphbrick.evaluate.study.stored import StoredExchange


def exchanges_of(stages: Iterable[StageTrace]) -> tuple[StoredExchange, ...]:
    """All exchanges of some stages, in order."""
    return tuple(
        StoredExchange(
            place,
            said.model,
            tuple((message["role"], message["content"]) for message in said.messages),
            *(said.reply, said.tokens_in, said.tokens_out, said.seconds, said.cached),
        )
        for place, stage in enumerate(stages)
        for said in stage.exchanges
    )


def pack(exchanges: Sequence[StoredExchange]) -> bytes:
    """Exchanges as bytes.

    >>> unpack(pack([StoredExchange(0, "m", (("user", "Why?"),), "Because", 2, 1, 0.5, False)]))[0].reply
    'Because'
    """
    rows = [[e.stage, e.model, e.messages, e.reply, e.tokens_in, e.tokens_out, e.seconds, e.cached] for e in exchanges]
    return zstandard.compress(json.dumps(rows, separators=(",", ":")).encode())


def unpack(content: bytes | None) -> tuple[StoredExchange, ...]:
    """The exchanges that `pack` made bytes of; none where there are none."""
    if content is None:
        return ()
    rows = json.loads(zstandard.decompress(content))
    return tuple(
        StoredExchange(stage, model, tuple((role, text) for role, text in messages), *rest)
        for stage, model, messages, *rest in rows
    )
