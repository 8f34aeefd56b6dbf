"""What a regular expression needs of a text: words without which it has no match there."""

from __future__ import annotations

import re
from typing import TypeAlias

Needed: TypeAlias = tuple[str, ...]

_MOST = 40  # words of which one is needed; more cost as much as the expression
_NOWHERE: Needed = ()  # nothing is known to be needed


def needed_in(pattern: str) -> Needed:
    """Return texts of which every match of an expression has one, the longest that are found; none if not known.

    >>> needed_in(r"\\b(?:sells?|suppl(?:y|ies)) us\\b"), needed_in(r"(?:ever)? so far"), needed_in(r"\\d+ ?%?")
    (('sell', 'suppl'), (' so far',), ())
    >>> needed_in(r"^(?:how many|number of) [a-z]+$")
    ('how many', 'number of')
    """
    if re.match(r"\(\?[a-z-]", pattern):
        return _NOWHERE  # flags
    needed, _ = _Reading(pattern).branches(0)
    return needed


class _Reading:
    """Reads an expression from left to right for texts that its matches need."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def branches(self, at: int) -> tuple[Needed, int]:
        """Return what the alternatives from a place on need together, and the place of the bracket behind them."""
        every = list[Needed]()
        while True:
            needed, at = self.sequence(at)
            every.append(needed)
            if self.pattern[at : at + 1] != "|":
                break
            at += 1
        known = all(every) and sum(map(len, every)) <= _MOST
        return (tuple(dict.fromkeys(one for needed in every for one in needed)) if known else _NOWHERE), at

    def sequence(self, at: int) -> tuple[Needed, int]:
        """Return what one alternative needs, and the place behind it."""
        best, run = _NOWHERE, ""
        while at < len(self.pattern) and self.pattern[at] not in "|)":
            plain = _PLAIN.match(self.pattern, at)
            if plain is not None:
                run += plain[0]
                at = plain.end()
                continue
            text, needed, end = self.item(at)
            least, after = self.repeats(end)
            if text and least == 1 and after == end:
                run += text
                at = after
                continue
            if text and least:  # «s+» has one, and maybe more
                run += text
            best, run = _better(best, (run,) if run else _NOWHERE), ""
            best, at = _better(best, needed if least else _NOWHERE), after
        return _better(best, (run,) if run else _NOWHERE), at

    def item(self, at: int) -> tuple[str, Needed, int]:
        """Return the character at a place, or what a group there needs, and the place behind it."""
        char = self.pattern[at]
        if char == "\\":
            letter = self.pattern[at + 1]
            return ("" if letter.isalnum() else letter), _NOWHERE, at + 2
        if char == "[":
            found = _CLASS.match(self.pattern, at)
            return "", _NOWHERE, found.end() if found else len(self.pattern)
        if char == "(":
            return self.group(at)
        return ("" if char in ".^$" else char), _NOWHERE, at + 1

    def group(self, at: int) -> tuple[str, Needed, int]:
        """Return what a group needs, and the place behind it; nothing for what may not follow or comes before."""
        start = _GROUP.match(self.pattern, at)
        is_plain = self.pattern[at + 1 : at + 2] != "?"
        needed, end = self.branches(at + 1 if is_plain or start is None else start.end())
        return "", needed if is_plain or start is not None else _NOWHERE, end + 1

    def repeats(self, at: int) -> tuple[int, int]:
        """Return how often at least the item before a place stands there, 0 or 1, and the place behind that."""
        found = _REPEATS.match(self.pattern, at)
        if found is None:
            return 1, at
        return int(found[0][0] == "+" or bool(re.match(r"\{[1-9]", found[0]))), found.end()


_PLAIN = re.compile(r"[^\\\[(.^$|)?*+{]+(?![?*+{])")  # characters that stand for themselves, once each
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"\(\?(?::|=|>|<=|P<\w+>)")  # those whose match is a part of the match, or stands beside it
_REPEATS = re.compile(r"(?:[?*+]|\{\d*,?\d*\})[?+]?")


def _better(one: Needed, other: Needed) -> Needed:
    """Return the texts that fewer questions have: the longer ones."""
    if not one or not other:
        return one or other
    worth, others = (min(map(len, map(str.strip, texts))) for texts in (one, other))
    return other if (others, -len(other)) > (worth, -len(one)) else one


__all__ = ["Needed", "needed_in"]
