"""Numbers of things in words."""

from __future__ import annotations

_VOWELS = "aeiou"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1.

    >>> counted(1, "document"), counted(1200, "entity"), counted(0, "reply"), counted(2, "day")
    ('1 document', '1,200 entities', '0 replies', '2 days')
    """
    if number == 1:
        return f"1 {noun}"
    ends_in_y = noun.endswith("y") and noun[-2:-1] not in _VOWELS
    return f"{number:,} {noun[:-1]}ies" if ends_in_y else f"{number:,} {noun}s"
