"""The words of Cypher: how names are written, and what differs between databases."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """Words that differ between Cypher databases; ``{}`` stands for a variable.

    Attributes:
        handle: The internal id of a node.
        type: The type of a relation.
        text: A value as text.
    """

    handle: str = "id({})"
    type: str = "type({})"
    text: str = "toString({})"


def quoted(name: str) -> str:
    """Return a name as Cypher writes it.

    >>> quoted("largest city"), quoted("a`b")
    ('`largest city`', '`a``b`')
    """
    return "`" + name.replace("`", "``") + "`"
