"""Changes of single pieces of a text, applied together."""

from __future__ import annotations


class Edits:
    """Replacements in a text, by the offsets of the text as it was.

    Args:
        text: The text.

    Attributes:
        changes: A sentence about each.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: dict[tuple[int, int], str] = {}
        self.changes: list[str] = []

    def replace(self, start: int, end: int, new: str, change: str = "") -> None:
        """Replace the characters from ``start`` to ``end`` and record the change in words."""
        self._pieces[start, end] = new
        if change:
            self.changes.append(change)

    def forget(self) -> None:
        """Take back all replacements."""
        self._pieces.clear()
        self.changes.clear()

    def applied(self) -> str:
        """Return the text with all replacements."""
        text = self._text
        for (start, end), new in sorted(self._pieces.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return text
