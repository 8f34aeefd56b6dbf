"""Numbers that say how many there are of something: beds, `num_seats`."""

from __future__ import annotations

from graphbrick.language.stems import is_plural
from graphbrick.patterns.properties.sources import Source


def is_amount(source: Source) -> bool:
    """Return whether a number says how many there are of something, so that it is added up.

    Args:
        source: A property, such as `beds`, `num_seats`, and not `price` or `security_level`.
    """
    words, is_number = source.spoken.split(), source.literal is not None and not source.is_date
    return is_number and bool(words) and (is_plural(words[-1]) or words[0] in ("num", "number", "count"))
