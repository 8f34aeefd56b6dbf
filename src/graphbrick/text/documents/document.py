"""Documents as sources yield them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in the text of a document.

    Attributes:
        start: Offset of its first character in the text.
        level: 1 for the highest.
        title: Its words.
    """

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Document:
    """One document: the text that passages are cut from.

    Attributes:
        address: Path of its file, with ``#`` and the key of the row for a row of a table; unique.
        title: Its title; empty if it has none.
        text: The words, without markup that is not text. Passages are slices of it.
        headings: Its headings, by ascending start.
        note: What a user should know about how it was read; empty for nothing.
    """

    address: str
    title: str
    text: str
    headings: tuple[Heading, ...] = ()
    note: str = ""

    def digest(self) -> str:
        """Return the SHA-256 of title, text and headings."""
        headings = [(heading.start, heading.level, heading.title) for heading in self.headings]
        content = json.dumps([self.title, self.text, headings])  # escapes lone surrogates
        return hashlib.sha256(content.encode()).hexdigest()
