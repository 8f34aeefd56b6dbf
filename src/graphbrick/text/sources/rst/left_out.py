"""What is left out of a text in reStructuredText or MyST."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from graphbrick.language.counting import counted

_SHOWN = 5  # kinds of directives that a note names


@dataclass
class LeftOut:
    """Counts of what was left out.

    Attributes:
        comments: Number of words in comments.
        targets: Number of targets of links.
        directives: Number of directives without text, by name.
        bad: Number of places that are not valid and stay as they are.
    """

    comments: int = 0
    targets: int = 0
    directives: Counter[str] = field(default_factory=Counter)
    bad: int = 0

    def note(self) -> str:
        """Return what was left out in words; empty for nothing."""
        names = sorted(self.directives, key=lambda name: (-self.directives[name], name))
        shown = ", ".join(f"{name} ({self.directives[name]:,})" for name in names[:_SHOWN])
        more = f" and {len(names) - _SHOWN:,} other kinds" if len(names) > _SHOWN else ""
        notes = [
            f"{counted(self.comments, 'word')} of comments left out" if self.comments else "",
            f"{counted(self.targets, 'link target')} left out" if self.targets else "",
            f"directives without text left out: {shown}{more}" if names else "",
            f"{counted(self.bad, 'place')} not valid reStructuredText, read as it stands" if self.bad else "",
        ]
        return "; ".join(filter(None, notes))
