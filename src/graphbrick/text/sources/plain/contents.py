"""The table of contents of a plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphbrick.text.sources.plain.titles import NUMBERED, number_of

_LEADERS = re.compile(r".*\S[ \t]*(?:\.[ \t]?){3,}[ \t]*(?:\d{1,4}|[ivxlc]{1,7})[ \t]*\Z", re.IGNORECASE)
_NAMES = frozenset(
    (
        "contents|table of contents|toc|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|contenido|sumário|"
        "indice|inhoud|inhoudsopgave|innehåll|indhold|sisällys|spis treści|obsah|содержание|оглавление|目次|目录|차례"
    ).split("|")
)
_LEAST = 3  # entries without a title above them
_LONGEST = 300  # characters of an entry
_COMPARED = 20  # letters of a title, which may be wrapped elsewhere


def without_contents(lines: Sequence[str]) -> tuple[list[str], int]:
    """Return lines without a table of contents, and the number of its lines with text.

    Its entries have leaders to the numbers of pages, or are numbered titles that come again later.
    """
    last: dict[object, int] = {}  # the last line with a title
    keys: list[object] = []
    for i, line in enumerate(lines):
        match = NUMBERED.match(line)
        after = lines[i + 1] if i + 1 < len(lines) and not NUMBERED.match(lines[i + 1]) else ""
        key = (
            None
            if match is None or not match["title"].strip()
            else (number_of(match), _compared(match["title"], after))
        )
        keys.append(key)
        if key is not None:
            last[key] = i
    out: list[str] = []
    n = i = 0
    while i < len(lines):
        entries, end = _run(lines, keys, last, i)
        is_named = is_name(lines[i])
        if entries >= (1 if is_named else _LEAST):
            n += sum(bool(line.strip()) for line in lines[i:end])
            i = end
            while i < len(lines) and not lines[i].strip() and (not out or not out[-1].strip()):
                i += 1  # one blank line is enough
            continue
        out.append(lines[i])
        i += 1
    return out, n


def _compared(title: str, after: str) -> str:
    """Return the beginning of a title, which the line after it may go on with, as it is compared."""
    return "".join(sign for sign in f"{title}{after}".casefold() if sign.isalnum())[:_COMPARED]


def _has_leaders(line: str) -> bool:
    """Return whether dots lead from a title to the number of a page."""
    return len(line) <= _LONGEST and _LEADERS.match(line) is not None


def is_name(line: str) -> bool:
    """Return whether a line is the title of a table of contents."""
    return " ".join(line.casefold().strip(" \t:=-*#").split()) in _NAMES


def _run(lines: Sequence[str], keys: Sequence[object], last: dict[object, int], start: int) -> tuple[int, int]:
    """Return the number of entries that follow each other from a line, and the line after them."""
    entries, end, i = 0, start, start
    if is_name(lines[start]):
        i = start + 1
        while i < len(lines) and (not lines[i].strip() or not lines[i].strip(" \t=-*~")):
            i += 1
    elif keys[start] is None and not _has_leaders(lines[start]):
        return 0, start
    indent = -1
    while i < len(lines):
        line = lines[i]
        if line.strip():
            own = len(line) - len(line.lstrip())
            is_entry = _has_leaders(line) or (keys[i] is not None and last[keys[i]] > i)
            goes_on = entries > 0 and own > indent and bool(lines[i - 1].strip()) and keys[i] is None
            if not is_entry and not goes_on:
                break
            if is_entry:
                entries, indent = entries + 1, own
            end = i + 1
        i += 1
    return entries, end
