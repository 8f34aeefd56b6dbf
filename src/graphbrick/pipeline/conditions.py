"""Conditions on a run, which end a `Repeat`."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.run import Level, Run


class Condition(Brick):
    """A condition on a run. A brick derives from it and implements `holds`.

    Attributes:
        about: The level that it judges.
    """

    kind: ClassVar[str] = "condition"
    about: ClassVar[Level] = Level.EVIDENCE

    def accepts(self, level: Level) -> bool:
        """Return whether the condition can judge a run that has reached a level."""
        return level == self.about

    @abstractmethod
    def holds(self, run: Run) -> bool:
        """Return whether the condition holds; the run has reached the level ``about``."""
