"""Conditions on a run, which end a `Repeat`."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.run import Level, Run


class Condition(Brick):
    """Says whether a run has what is wanted. A brick derives from it and implements `holds`.

    Attributes:
        about: The level that it judges.
    """

    kind: ClassVar[str] = "condition"
    about: ClassVar[Level] = Level.EVIDENCE

    def accepts(self, level: Level) -> bool:
        """Whether this can judge a run of a level."""
        return level == self.about

    @abstractmethod
    def holds(self, run: Run) -> bool:
        """Whether the run has what is wanted; it has reached the level that this is about."""
