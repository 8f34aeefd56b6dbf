"""The headings of a web page, and the terms of its lists of definitions."""

from __future__ import annotations

from typing import Any

from graphbrick.text.documents.document import Heading

_SIGNATURE = ".descname, .sig-name"  # in the name of what Sphinx describes: an option, a function, a variable
_LONGEST_TERM = 80  # characters of a term that stands on a line with its definition
_ENDS = (".", "!", "?", "…", "？")


def is_signature(node: Any) -> bool:
    """Return whether a term is the name of a thing that is described, which is a section of its own."""
    return node.css_first(_SIGNATURE) is not None


def is_short_term(term: str) -> bool:
    """Return whether a term may stand on a line with its definition, and is no question or sentence."""
    return len(term) <= _LONGEST_TERM and not term.endswith(_ENDS)


class Sections:
    """The headings of a page; what follows a described thing belongs to the section around it again.

    Attributes:
        headings: The headings, by their places.
    """

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self._open: list[tuple[int, str]] = []  # level and title of the headings above
        self._lists: list[int] = []  # the level of the section around each list of definitions
        self._is_after = False  # a thing that is described

    def heading(self, start: int, level: int, title: str) -> None:
        """Add a heading."""
        self._close(level - 1)
        self._open.append((level, title))
        self.headings.append(Heading(start, level, title))
        self._is_after = False

    def begin_list(self) -> None:
        """Begin a list of definitions."""
        self._lists.append(self._open[-1][0] if self._open else 0)

    def end_list(self) -> None:
        """End a list of definitions, and the sections in it."""
        if self._lists:
            self._is_after |= self._close(self._lists.pop())

    def described(self, start: int, title: str) -> bool:
        """Add a described thing as a heading; false, and none, where no section is around it."""
        if not self._lists or not self._lists[-1]:
            return False
        self.heading(start, self._lists[-1] + 1, title)
        return True

    def text(self, start: int) -> None:
        """Go on with the section around the things that were described."""
        if self._is_after and self._open:
            self.headings.append(Heading(start, *self._open[-1]))
        self._is_after = False

    def _close(self, level: int) -> bool:
        """Close the sections below a level; return whether there were any."""
        n = len(self._open)
        self._open = [one for one in self._open if one[0] <= level]
        return len(self._open) < n
