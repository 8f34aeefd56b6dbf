"""Items of evidence as the numbered lines of a prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from graphbrick.core import Item
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import MessageLike
from graphbrick.models.llm.replies.replies import numbered

_HEADINGS = {
    "path": "Paths",
    "entity": "Entities",
    "card": "Known of entities",
    "triple": "Triples",
    "row": "Rows of query results",
    "passage": "Passages",
    "report": "Reports on parts of the graph",
    "point": "Statements",
}
_ORDER = {kind: place for place, kind in enumerate(_HEADINGS)}
_LONGEST = 1000  # characters of a line


def by_kind(items: Sequence[Item]) -> list[Item]:
    """Return items in the order in which a prompt lists their kinds; of one kind in the order given."""
    return sorted(items, key=lambda item: _ORDER.get(item.kind, len(_ORDER)))


def listed(items: Sequence[Item], longest: Mapping[str, int]) -> list[str]:
    """Return the numbered line of each item, from 1, with a heading before the first item of each kind.

    Args:
        items: Items as `by_kind` orders them.
        longest: Most characters of a line of some kinds; 1,000 for others.
    """
    lines: list[str] = []
    for kind, group in groupby(items, key=lambda item: item.kind):
        texts = [item.text for item in group]
        rows = numbered(texts, longest=longest.get(kind, _LONGEST), first=len(lines) + 1).split("\n")
        rows[0] = f"{_HEADINGS.get(kind, kind.capitalize() + 's')}:\n{rows[0]}"
        if lines:
            rows[0] = f"\n{rows[0]}"
        lines += rows
    return lines


def n_fitting(llm: ChatModel, lines: Sequence[str], prompt: Callable[[Sequence[str]], Sequence[MessageLike]]) -> int:
    """Return how many of the first lines fit a model's context, with an event if that is not all.

    Args:
        llm: The model.
        lines: The lines.
        prompt: Returns the messages with some of the lines.
    """
    few, many = 0, len(lines)
    while few < many:  # the largest number that fits
        middle = (few + many + 1) // 2
        if llm.context_budget(prompt(lines[:middle])) >= 0:
            few = middle
        else:
            many = middle - 1
    if 0 < few < len(lines):
        event(
            f"only the first {few:,} of {len(lines):,} items of the evidence fit the model's context",
            "listing.items_cut",
            n=few,
            total=len(lines),
        )
    return few
