"""The parameters of walks, and how far they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

BUCKETS = 8
"""Classes of scores for each factor of two: the k-th score is known by its class."""

FACTOR = 1e4  # residuals per triple down to this fraction of the largest are pushed in a step
GONE = 1e-12  # a residual mass that changes no digit of a score


class WalkProgress(NamedTuple):
    """The progress of the walks of a set.

    Attributes:
        left: The residual mass; sum of absolute values.
        given: Settled and residual mass; less than 1 where walks came to dead ends.
        worst: Largest residual per triple.
        kth: The k-th highest score so far, at most a tenth too low; 0 if there are fewer.
        edges: Triples walked.
    """

    left: float
    given: float
    worst: float
    kth: float
    edges: int

    def error_bound(self, restart: float) -> float:
        """Return the bound on the sum of absolute errors of the scores."""
        return 2 * (1 - restart) * self.left / self.given


Threshold = Callable[[WalkProgress], float]
"""Gives the residual per triple that need not be pushed any more; infinite when a set is done."""


class Way(NamedTuple):
    """The parameters of walks.

    Attributes:
        restart: Probability of going back to the start.
        reversible: True if walks follow triples in both directions.
        row_length: Most targets in a chunk of a row.
    """

    restart: float
    reversible: bool
    row_length: int

    @property
    def omega(self) -> float:
        """The share of its residual that an entity moves; 1 more than its share of what it moved before."""
        return 2 / (1 + math.sqrt(1 - (1 - self.restart) ** 2)) if self.reversible else 1.0


def limits(far: dict[int, WalkProgress], threshold: Threshold) -> dict[int, float]:
    """Return the residual per triple above which each unfinished set pushes in the next step."""
    found = {}
    for number, progress in far.items():
        end = threshold(progress)
        if progress.worst > end and progress.left >= GONE:
            found[number] = max(end, progress.worst / FACTOR)
    return found
