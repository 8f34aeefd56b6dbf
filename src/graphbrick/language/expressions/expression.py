"""Regular expressions that cost nothing until they are needed.

A question is looked at by hundreds of wordings, nearly all of which are about something else. Compiling them takes
longer than answering, so an `Expression` is compiled when it is first used on a text that it may be found in: one that
has a word which every match needs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Matched: TypeAlias = re.Match[str]
Needed: TypeAlias = tuple[str, ...]

_ANY_CASE = "(?i)"


class Expression:
    """A regular expression with the methods of `re.Pattern`, compiled when it is first used.

    A text without the words that every match needs is not searched, and the expression is not compiled for it. An
    expression with an error raises it only then: a test compiles all of them.

    Args:
        pattern: The expression, as in `re.compile`.
        flags: Its flags.

    Example:
        >>> born = Expression(r"^(?:when|where) (was|were) (.+) born$")
        >>> born.needed
        (' born',)
        >>> born.sub(r"birth of \\2", "when was e0 born"), born.search("who leads e0")
        ('birth of e0', None)
    """

    __slots__ = ("_any_case", "_compiled", "_needed", "flags", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags
        self._compiled: re.Pattern[str] | None = None
        self._needed: Needed | None = None
        self._any_case = bool(flags & re.IGNORECASE) or pattern.startswith(_ANY_CASE)

    def __repr__(self) -> str:
        return f"Expression({self.pattern!r})"

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled expression."""
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self.flags)
        return self._compiled

    @property
    def needed(self) -> Needed:
        """Texts of which every match has one, in lower case if case is ignored; none if that is not known."""
        if self._needed is None:
            from graphbrick.language.expressions.needed_words import (
                needed_in,  # few questions are looked at in a small pipeline
            )

            needed = () if self.flags & re.VERBOSE else needed_in(self.pattern.removeprefix(_ANY_CASE))
            self._needed = tuple(one.lower() for one in needed) if self._any_case else needed
        return self._needed

    def may_match(self, text: str) -> bool:
        """Return whether a text has one of the words that a match needs."""
        needed = self.needed
        if self._any_case and needed:
            if not text.isascii():
                return True  # the Kelvin sign is a «k» for an expression
            text = text.lower()
        return not needed or any(one in text for one in needed)

    def made(self, match: Matched) -> bool:
        """Return whether a match is one of this expression."""
        return match.re is self._compiled

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> Matched | None:
        """As `re.Pattern.search`."""
        return self.compiled.search(text, start, end) if self.may_match(text) else None

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> Matched | None:
        """As `re.Pattern.match`."""
        return self.compiled.match(text, start, end) if self.may_match(text) else None

    def fullmatch(self, text: str) -> Matched | None:
        """As `re.Pattern.fullmatch`."""
        return self.compiled.fullmatch(text) if self.may_match(text) else None

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Matched]:
        """As `re.Pattern.finditer`."""
        return self.compiled.finditer(text, start, end) if self.may_match(text) else iter(())

    def findall(self, text: str) -> list[Any]:
        """As `re.Pattern.findall`."""
        return self.compiled.findall(text) if self.may_match(text) else []

    def sub(self, by: str | Callable[[Matched], str], text: str, count: int = 0) -> str:
        """As `re.Pattern.sub`."""
        return self.compiled.sub(by, text, count) if self.may_match(text) else text

    def subn(self, by: str | Callable[[Matched], str], text: str) -> tuple[str, int]:
        """As `re.Pattern.subn`."""
        return self.compiled.subn(by, text) if self.may_match(text) else (text, 0)

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        """As `re.Pattern.split`."""
        return self.compiled.split(text, maxsplit) if self.may_match(text) else [text]


__all__ = ["Expression"]
