"""How many tokens a text takes, counted before it is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from graphbrick.core.errors import ModelError

_PIECE = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")
_A_MESSAGE = 5  # tokens that say whose message it is, and where it ends


def count_tokens(messages: Iterable[Mapping[str, str]], tokenizer: str = "") -> int:
    """The tokens that chat messages take.

    Args:
        messages: Each ``{"role": ..., "content": ...}``.
        tokenizer: A ``tokenizer.json``, or a model's name on the Hugging Face hub; empty for an estimate that is a
            little too high for texts in Latin letters: one token for every four bytes of a word, one for every digit
            and mark.

    Raises:
        ModelError: There is no such tokenizer, or the ``tokenizers`` library is missing.

    >>> count_tokens([{"role": "user", "content": "Which currency is used in Kenya?"}])
    15
    """
    return sum(_A_MESSAGE + text_tokens(message["content"], tokenizer) for message in messages)


def text_tokens(text: str, tokenizer: str = "") -> int:
    """The tokens that one text takes; see `count_tokens`."""
    if tokenizer:
        return len(_tokenizer(tokenizer).encode(text, add_special_tokens=False).ids)
    return sum(-(-len(piece.encode("utf-8", "replace")) // 4) for piece in _PIECE.findall(text))


@lru_cache(maxsize=4)
def _tokenizer(name: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelError("a tokenizer needs the tokenizers library: pip install 'graphbrick[minilm]'") from error
    try:
        return Tokenizer.from_file(name) if name.endswith(".json") else Tokenizer.from_pretrained(name)
    except Exception as error:  # the library raises plain Exception
        raise ModelError(f"the tokenizer {name!r} cannot be read: {error}") from error
