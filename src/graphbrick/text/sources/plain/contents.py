"""The table of contents of a plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphbrick.text.sources.plain.titles import NUMBERED, number_of

_LEADERS = re.compile(r"(?P<title>.*\S)[ \t]*(?:\.[ \t]?){3,}[ \t]*(?:\d{1,4}|[ivxlc]{1,7})[ \t]*\Z", re.IGNORECASE)
_NAMES = frozenset(
    (
        "contents|table of contents|toc|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|contenido|sumário|"
        "indice|inhoud|inhoudsopgave|innehåll|indhold|sisällys|spis treści|obsah|содержание|оглавление|目次|目录|차례"
    ).split("|")
)
_LEAST = 3  # entries without a title above them
_LEAST_TITLES = 0.3  # share of these that come again as titles, as the goods of a list of prices do not
_LONGEST = 300  # characters of an entry
_COMPARED = 20  # letters of a title, which may be wrapped elsewhere


def without_contents(lines: Sequence[str]) -> tuple[list[str], int]:
    """Return lines without a table of contents, and the number of its lines with text.

    Its entries have leaders to the numbers of pages, or are numbered titles that come again later. Without a heading
    such as «Contents», some of those with leaders must come again too.
    """
    last: dict[object, int] = {}  # the last line with a title, with its number and without it
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
        last[_compared(line if match is None else match["title"], "")] = i
    out: list[str] = []
    n = i = 0
    while i < len(lines):
        entries, titles, end = _run(lines, keys, last, i)
        is_named = is_name(lines[i])
        if entries >= (1 if is_named else _LEAST) and (is_named or titles >= _LEAST_TITLES * entries):
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


def _led(line: str) -> str:
    """Return the title from which dots lead to the number of a page, without its own number; empty for none."""
    match = _LEADERS.match(line) if len(line) <= _LONGEST else None
    numbered = NUMBERED.match(match["title"]) if match else None
    return (numbered["title"] if numbered else match["title"]) if match else ""


def is_name(line: str) -> bool:
    """Return whether a line is the title of a table of contents."""
    return " ".join(line.casefold().strip(" \t:=-*#").split()) in _NAMES


def _run(lines: Sequence[str], keys: Sequence[object], last: dict[object, int], start: int) -> tuple[int, int, int]:
    """Return how many entries follow each other from a line, how many come again, and the line after them."""
    entries, titles, end, i = 0, 0, start, start
    if is_name(lines[start]):
        i = start + 1
        while i < len(lines) and (not lines[i].strip() or not lines[i].strip(" \t=-*~")):
            i += 1
    elif keys[start] is None and not _led(lines[start]):
        return 0, 0, start
    indent = -1
    while i < len(lines):
        line = lines[i]
        if line.strip():
            own = len(line) - len(line.lstrip())
            led = _led(line)
            is_title = last.get(_compared(led, "") if led else keys[i], -1) > i
            is_entry = bool(led) or is_title
            goes_on = entries > 0 and own > indent and bool(lines[i - 1].strip()) and keys[i] is None
            if not is_entry and not goes_on:
                break
            if is_entry:
                entries, titles, indent = entries + 1, titles + is_title, own
            end = i + 1
        i += 1
    return entries, titles, end
