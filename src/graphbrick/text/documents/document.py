"""Documents as sources yield them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
class Record:
    """The other columns of a row of a table whose text is a document.

    Attributes:
        table: Name of the table, such as "tickets".
        name: Its title, or else its key.
        key: Its key.
        values: Values by column as plain JSON types: texts, numbers, booleans and lists of these.
        is_raw: Whether the values are texts of a table without types, so that a build decides their kinds.
    """

    table: str
    name: str
    key: str
    values: Mapping[str, Any]
    is_raw: bool

    def to_json(self) -> str:
        """Return it as JSON."""
        return json.dumps([self.table, self.name, self.key, self.values, self.is_raw])


@dataclass(frozen=True, slots=True)
class Document:
    """One document: the text that passages are cut from.

    Attributes:
        address: Path of its file, with ``#`` and the key of the row for a row of a table; unique.
        title: Its title; empty if it has none.
        text: The words, without markup that is not text. Passages are slices of it.
        headings: Its headings, by ascending start.
        note: What a user should know about how it was read; empty for nothing.
        record: The other columns of a row of a table; None for other documents, and without any.
    """

    address: str
    title: str
    text: str
    headings: tuple[Heading, ...] = ()
    note: str = ""
    record: Record | None = None

    def digest(self) -> str:
        """Return the SHA-256 of title, text and headings."""
        headings = [(heading.start, heading.level, heading.title) for heading in self.headings]
        content = json.dumps([self.title, self.text, headings])  # escapes lone surrogates
        return hashlib.sha256(content.encode()).hexdigest()
