"""The pages of a plain text: between form feeds, or between lines that stand at the same distance from each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from graphbrick.text.sources.pdf_pages import Page, joined_pages

_LEAST_PAGES = 4
_LONGEST_LINE = 110  # characters of a line that pages repeat
_LENGTHS = range(20, 151)  # lines of a page
_SAME = 3  # lines by which the lengths of pages differ
_MOST = 0.75  # share of the pages that have the usual length and the next number
_NUMBER = re.compile(r"\d{1,4}")
_MOST_NUMBERS = 3  # in a line


def without_pages(text: str) -> tuple[str, str]:
    """Return a text without what its pages repeat, but for once, and a note of it.

    A text without form feeds has pages only if a sentence goes on from one to the next; else the lines may be titles.
    """
    if "\f" in text:
        pages = text.split("\f")
    else:
        lines = text.split("\n")
        starts = _starts(lines)
        if not starts:
            return text, ""
        if len(lines) - starts[-1] < starts[0]:  # they are at the feet of pages
            starts = [start + 1 for start in starts]
        pages = ["\n".join(lines[one:two]) for one, two in pairwise([0, *starts, len(lines)])]
    whole = (Page(number, page) for number, page in enumerate(pages, 1) if page.strip())
    joined = joined_pages(whole, joins_words=False)
    is_cut = "\f" in text or joined.n_going_on
    return (joined.text, joined.note) if joined.note and is_cut else (text, "")


def _starts(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines that pages repeat with another number, or as they are; none without pages."""
    places: dict[str, list[tuple[int, int]]] = {}
    for i, line in enumerate(lines):
        is_alone = (i == 0 or not lines[i - 1].strip()) and (i + 1 == len(lines) or not lines[i + 1].strip())
        if not is_alone or not 0 < len(line.strip()) <= _LONGEST_LINE:
            continue
        words = " ".join(line.split())
        places.setdefault(words, []).append((i, -1))
        for number in list(_NUMBER.finditer(words))[:_MOST_NUMBERS]:
            key = f"{words[: number.start()]}\f{words[number.end() :]}"
            places.setdefault(key, []).append((i, int(number[0])))
    groups = [[i for i, _ in group] for group in places.values() if _are_pages(group)]
    return max(groups, key=len, default=[])


def _are_pages(group: Sequence[tuple[int, int]]) -> bool:
    """Return whether lines stand at one distance from each other, and count up where they have numbers."""
    if len(group) < _LEAST_PAGES:
        return False
    steps = [two[0] - one[0] for one, two in pairwise(group)]
    usual = median(steps)
    is_regular = sum(abs(step - usual) <= _SAME for step in steps) >= _MOST * len(steps)
    counts = [two[1] == one[1] + 1 for one, two in pairwise(group)]
    return int(usual) in _LENGTHS and is_regular and (group[0][1] < 0 or sum(counts) >= _MOST * len(counts))
