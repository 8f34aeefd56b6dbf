"""Whether a column, or a property of a database, holds the names of something, by what it is called."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PARTS = {"first", "last", "middle", "given", "family", "maiden", "file", "column", "table"}


def last_words(name: str) -> tuple[str, str]:
    """Return the last word of the name of a column and the one before it, in lower case; empty for none.

    >>> last_words("CompanyName"), last_words("first_name"), last_words("CustomerID"), last_words("filename")
    (('name', 'company'), ('name', 'first'), ('id', 'customer'), ('filename', ''))
    """
    words = ["", "", *_WORDS.findall(name)]
    return words[-1].casefold(), words[-2].casefold()


def is_name_of(name: str) -> bool:
    """Return whether a column holds the names of something: ``CompanyName``, but neither ``FirstName`` nor a file's."""
    word, before = last_words(name)
    return word == "name" and before not in _PARTS
