"""Tokens of texts, counted before a call is made, and cutting texts to the context of a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import event
from graphbrick.models.llm.messages import Message, MessageLike, ToolCall, as_messages, user

if TYPE_CHECKING:
    from graphbrick.models.llm.chat import ChatModel

_PIECE = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")
_TOKENS_A_MESSAGE = 5  # they say whose message it is, and where it ends


def count_tokens(messages: Iterable[MessageLike], tokenizer: str = "") -> int:
    """Return the tokens that chat messages take.

    Args:
        messages: Messages, or ``{"role": ..., "content": ...}``.
        tokenizer: A ``tokenizer.json``, or a model's name on the Hugging Face hub; empty for an estimate that is a
            little too high for texts in Latin letters: one token for every four bytes of a word, one for every digit
            and mark.

    Raises:
        ModelError: There is no such tokenizer, or the ``tokenizers`` library is missing.

    >>> count_tokens([{"role": "user", "content": "Which currency is used in Kenya?"}])
    15
    """
    return sum(_TOKENS_A_MESSAGE + text_tokens(_all_text(message), tokenizer) for message in as_messages(messages))


def text_tokens(text: str, tokenizer: str = "") -> int:
    """Return the tokens that one text takes; see `count_tokens`."""
    if tokenizer:
        return len(_tokenizer(tokenizer).encode(text, add_special_tokens=False).ids)
    return sum(-(-len(piece.encode("utf-8", "replace")) // 4) for piece in _PIECE.findall(text))


def _all_text(message: Message) -> str:
    """Return the texts of a message, with those of its tool calls."""
    texts = (
        f"{part.name} {part.invalid or json.dumps(part.arguments)}" if isinstance(part, ToolCall) else part.text
        for part in message.parts
    )
    return " ".join(texts)


@lru_cache(maxsize=4)
def _tokenizer(name: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelError(
            "a tokenizer needs the tokenizers library: pip install 'graphbrick[minilm]'", code="tokenizer.not_installed"
        ) from error
    try:
        return Tokenizer.from_file(name) if name.endswith(".json") else Tokenizer.from_pretrained(name)
    except Exception as error:  # the library raises plain Exception
        raise ModelError(
            f"the tokenizer {name!r} cannot be read ({error}); give the path of a tokenizer.json",
            code="tokenizer.unreadable",
            name=name,
        ) from error


def line_tokens(llm: ChatModel, lines: Sequence[str]) -> list[int]:
    """Return the tokens of each line in a prompt of numbered lines, its number and line end included."""
    nothing = llm.tokens([user("")]) - 1
    return [llm.tokens([user(f"{len(lines)}. {line}")]) - nothing for line in lines]


def fitting(llm: ChatModel, messages: Sequence[MessageLike], lines: Sequence[str]) -> int:
    """Return how many of the first numbered lines fit the context beside the messages.

    Args:
        llm: The model that is asked.
        messages: The prompt without the lines.
        lines: The lines to list, without their numbers.
    """
    budget = llm.context_budget(messages)
    return sum(total <= budget for total in accumulate(line_tokens(llm, lines)))


def cut_to_budget(llm: ChatModel, lines: Sequence[str], budget: int) -> tuple[list[str], list[int]]:
    """Cut each line to a number of tokens, with an event if any was cut.

    Returns:
        The lines, and the tokens that each takes.
    """
    shortened, sizes, cut = list(lines), line_tokens(llm, lines), 0
    for i, line in enumerate(lines):
        while sizes[i] > budget and shortened[i]:
            length = min(len(shortened[i]) * max(budget, 0) // sizes[i], len(shortened[i]) - 1)
            shortened[i] = shortened[i][:length]
            sizes[i] = line_tokens(llm, shortened[i : i + 1])[0]
        cut += shortened[i] != line
    if cut:
        event(
            f"{cut:,} texts do not fit the context of {llm.model} and were cut to {max(budget, 0):,} tokens",
            "llm.texts_cut_to_context",
            cut=cut,
            tokens=max(budget, 0),
        )
    return shortened, sizes


def pack(sizes: Sequence[int], budget: int, most: int) -> list[range]:
    """Split a sequence into as few parts as possible, each of at most ``most`` items and within a budget.

    The parts are of about the same length if that needs no further part. A thing larger than the budget is alone.

    >>> pack([1, 1, 1, 1], budget=10, most=3), pack([8, 1, 1, 1], budget=8, most=3)
    ([range(0, 2), range(2, 4)], [range(0, 1), range(1, 4)])
    """
    packed, first, total = list[range](), 0, 0
    for i, size in enumerate(sizes):
        if i > first and (total + size > budget or i - first == most):
            packed.append(range(first, i))
            first, total = i, 0
        total += size
    if sizes:
        packed.append(range(first, len(sizes)))
    n, k = len(sizes), len(packed)
    even = [range(n * i // k, n * (i + 1) // k) for i in range(k)]
    return even if all(sum(sizes[i] for i in part) <= budget for part in even) else packed
