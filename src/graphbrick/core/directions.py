"""The directions in which triples can be walked."""

from __future__ import annotations

DIRECTIONS = ("both", "out", "in")


def follow(direction: str) -> tuple[bool, bool]:
    """Return whether a walk follows outgoing triples, and whether it follows incoming ones.

    >>> follow("both"), follow("in")
    ((True, True), (False, True))
    """
    return direction != "in", direction != "out"
