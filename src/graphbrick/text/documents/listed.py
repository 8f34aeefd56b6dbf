"""What a line that ends with a colon introduces: the items of a list, code, paths, or a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.language.expressions.expression import Expression
from graphbrick.text.documents.table_rows import cells_of
from graphbrick.text.documents.wording import looks_like_code, plain_words

BULLET = Expression(r"^(?:[-*+•▪◦–●‣>]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
"""The mark of an item of a list."""

LONGEST_LIST = 400
"""Characters of a list that is quoted with the line that introduces it."""

_LONGEST_ITEM = 80  # characters of an item without a mark
_LEAST_CUT = 40  # characters of an item that is cut
_INTRODUCES = Expression(r"[:：]['\"*_`)»”]*\Z")
_ENDED = (".", "!", "?", ":", ";", "。", "！", "？", "：", "؟")
_BLANK = Expression(r"\n[ \t]*\n")
_FENCE = Expression(r"(?:```|~~~)[^\n]*")
_NAME = Expression(r"[^\s.!?]*[/\\\\~$%_=][^\s!?]*")  # such as a path


class Listed(NamedTuple):
    """A line with what it introduces.

    Attributes:
        text: Its words, with «…» if more follows.
        last: Index of the last sentence or line that belongs to it.
        end: Index after the last one that it introduces.
        is_list: Whether it introduces items with marks, and not lines, code or a sentence.
    """

    text: str
    last: int
    end: int
    is_list: bool


def introduces(line: str) -> bool:
    """Return whether a line ends with a colon.

    >>> introduces("The ports:"), introduces("**The ports:**"), introduces("Port: Galway")
    (True, True, False)
    """
    return _INTRODUCES.search(line.rstrip()) is not None


def with_items(text: str, ranges: Sequence[tuple[int, int]], i: int, n: int) -> Listed:
    """Return a line with the items that follow it, as many as there is room for.

    Items have marks, are code, or are short lines without a mark at their ends. Where none follows, the sentence that
    follows is what the line introduces.

    Args:
        text: The passage.
        ranges: Its sentences and lines.
        i: Index of the line that ends with a colon.
        n: Index after the last sentence or line that it may introduce, such as that of a heading.
    """
    is_list = i + 1 < len(ranges) and _kind(text, *ranges[i + 1]) == "item"
    ends = _items(text, ranges, i, min(n, len(ranges)))
    shown, last = plain_words(text[slice(*ranges[i])]), i
    for j in range(i + 1, ends):
        item = plain_words(_FENCE.sub(" ", text[slice(*ranges[j])]))
        if len(shown) + 1 + len(item) > LONGEST_LIST:
            room = LONGEST_LIST - len(shown)
            if last == i and room >= _LEAST_CUT:
                shown, last = f"{shown} {item[:room].rpartition(' ')[0]}", j
            return Listed(f"{shown} …" if last > i else shown, last, ends, is_list and last > i)
        shown, last = f"{shown} {item}".rstrip(), j
    return Listed(shown, last, ends, is_list and last > i)


def _items(text: str, ranges: Sequence[tuple[int, int]], i: int, n: int) -> int:
    """Return the index after the last item that a line introduces."""
    kind, indent = "", 0
    for j in range(i + 1, n):
        start, end = ranges[j]
        one = _kind(text, start, end)
        own = start - _line_start(text, start)
        is_inside = kind == "item" and one != "item" and own > indent  # a further sentence of an item
        is_apart = bool(kind) and _BLANK.search(text, ranges[j - 1][1], start) is not None
        is_alike = (
            not kind or one == kind == "item" or ({one, kind} <= {"line", "code"} and not (is_apart and one != kind))
        )
        if cells_of(text[start:end]) or not (is_inside or is_alike) or (is_apart and one == "line"):
            return j
        if not is_inside:
            kind, indent = one, own
        if kind == "text":
            return j + 1
    return n


def _kind(text: str, start: int, end: int) -> str:
    """Return what a line may be of a list: an item with a mark, code, a short line, or text."""
    raw = text[start:end]
    if len(_FENCE.findall(text[:start])) % 2 == 1 or _FENCE.match(raw):
        return "code"
    if BULLET.match(raw):
        return "item"
    if looks_like_code(raw) or _NAME.fullmatch(raw):
        return "code"
    is_line = not text[_line_start(text, start) : start].strip() and not text[end:].partition("\n")[0].strip()
    return "line" if is_line and len(raw) <= _LONGEST_ITEM and "\n" not in raw and not raw.endswith(_ENDED) else "text"


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1
