"""The base class of scorers that read the steps of relation patterns and estimate their confidence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from graphbrick.core import Reading, Step
from graphbrick.models.scorers.scorer import Scorer


class PatternReader(Scorer):
    """Base class of scorers that need only the steps of a relation pattern, not its text.

    `Patterns` asks such a scorer for more than scores: which relations mean the same both ways, and how likely the best
    pattern is the right one.
    """

    @abstractmethod
    def rate_steps(
        self, query: str, starts: Sequence[str], patterns: Sequence[tuple[Step, ...]]
    ) -> npt.NDArray[np.float64]:
        """Return the score of each relation pattern, float64 [patterns].

        Args:
            query: The question.
            starts: The label of the entity where each pattern starts.
            patterns: The steps of each.
        """

    @property
    @abstractmethod
    def symmetric(self) -> frozenset[str]:
        """Labels of the relations whose two directions mean the same, such as «spouse»."""

    @abstractmethod
    def confidence(self, query: str, read: Callable[[], Sequence[Reading]]) -> float | None:
        """Return the probability that the best reading of a question is right; None if it is not estimated.

        Args:
            query: The question.
            read: Returns the best patterns around the seeds, best first; may return none.
        """


def symmetric_relations(scorer: Scorer) -> frozenset[str]:
    """Return the labels of the relations that a scorer takes for symmetric; none if it learned none."""
    return scorer.symmetric if isinstance(scorer, PatternReader) else frozenset()
