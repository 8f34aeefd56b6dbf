"""What fits a prompt: counted before the call, so that it is not found out by an error."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from graphbrick.core.trace import event
from graphbrick.llm.chat import ChatModel


def line_tokens(llm: ChatModel, lines: Sequence[str]) -> list[int]:
    """The tokens that each line takes in a prompt of numbered lines, the number and the end of the line included."""
    nothing = llm.tokens([_said("")]) - 1
    return [llm.tokens([_said(f"{len(lines)}. {line}")]) - nothing for line in lines]


def fitting(llm: ChatModel, messages: Sequence[dict[str, str]], lines: Sequence[str]) -> int:
    """How many of the first of some numbered lines fit beside the messages that they are to stand in.

    Args:
        llm: The model that is asked.
        messages: The prompt without the lines.
        lines: What is to be listed; without their numbers.
    """
    room = llm.room(messages)
    return sum(total <= room for total in accumulate(line_tokens(llm, lines)))


def cut_to_room(llm: ChatModel, lines: Sequence[str], room: int) -> tuple[list[str], list[int]]:
    """Lines of which each takes at most some tokens, and the tokens of each; that some were cut is an event."""
    kept, sizes, cut = list(lines), line_tokens(llm, lines), 0
    for i, line in enumerate(lines):
        while sizes[i] > room and kept[i]:
            kept[i] = kept[i][: min(len(kept[i]) * max(room, 0) // sizes[i], len(kept[i]) - 1)]
            sizes[i] = line_tokens(llm, kept[i : i + 1])[0]
        cut += kept[i] != line
    if cut:
        event(f"{cut:,} texts do not fit the context of {llm.model} and were cut to {max(room, 0):,} tokens")
    return kept, sizes


def parts(sizes: Sequence[int], room: int, most: int) -> list[range]:
    """Things in a row in as few parts as possible, each of at most ``most`` of them and with a sum within ``room``.

    The parts are of about the same length where that needs no further part. A thing larger than the room is alone.

    >>> parts([1, 1, 1, 1], room=10, most=3), parts([8, 1, 1, 1], room=8, most=3)
    ([range(0, 2), range(2, 4)], [range(0, 1), range(1, 4)])
    """
    packed, first, sum_of_part = list[range](), 0, 0
    for i, size in enumerate(sizes):
        if i > first and (sum_of_part + size > room or i - first == most):
            packed.append(range(first, i))
            first, sum_of_part = i, 0
        sum_of_part += size
    if sizes:
        packed.append(range(first, len(sizes)))
    n, k = len(sizes), len(packed)
    even = [range(n * i // k, n * (i + 1) // k) for i in range(k)]
    return even if all(sum(sizes[i] for i in part) <= room for part in even) else packed


def _said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}
