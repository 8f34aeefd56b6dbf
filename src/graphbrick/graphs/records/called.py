"""Whether a column, or a property of a database, holds the names of something, by what it is called."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_KINDS = (
    "full|long|short|official|legal|formal|registered|common|com|popular|vernacular|scientific|latin|botanical|accepted|"
    "native|local|english|international|original|alternative|alternate|alt|other|former|old|previous|preferred|display|"
    "trade|trading|stage|pen|web|code|nick|real|complete"
)
_LANGUAGES = "en|de|fr|es|it|pt|nl|sv|da|nb|fi|pl|cs|ru|uk|zh|ja|ko|ar|he|tr|el|hu|ro"
_OTHER_NAME = re.compile(
    rf"(?:{_KINDS})+(?:names?|titles?)|(?:names?|titles?)(?:(?:{_KINDS})+|{_LANGUAGES})|nicks?|aka|(?:also)?knownas"
)
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


def is_other_name(name: str) -> bool:
    """Return whether a column holds further names of what the row is about, such as its official or native name.

    >>> [is_other_name(one) for one in ("full_name", "nameOfficial", "shortTitle", "name_de", "nickname", "aka")]
    [True, True, True, True, True, True]
    >>> [is_other_name(one) for one in ("name", "first_name", "ShipName", "position_title", "name_id", "filename")]
    [False, False, False, False, False, False]
    """
    return _OTHER_NAME.fullmatch("".join(_WORDS.findall(name)).casefold()) is not None
