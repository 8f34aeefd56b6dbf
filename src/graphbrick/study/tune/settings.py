"""Settings of a search."""

from __future__ import annotations

import math
from dataclasses import dataclass

from graphbrick.core.errors import InputError
from graphbrick.study.metrics.linking_metrics import LINKING_METRICS
from graphbrick.study.runs.scoring import CONFIDENCE, METRICS, SIZES
from graphbrick.study.tune.aims import Aim

MEASURES = tuple(name for name in METRICS if name not in (CONFIDENCE, *SIZES))
"""Measures from 0 to 1 in which more is better."""
_MOST_WORKERS = 1024


@dataclass(frozen=True)
class Settings:
    """Settings of a search.

    Attributes:
        aims: Aims of the search.
        metric: The measure that counts as quality, from 0 to 1, such as "hits_at_1" or "f1" (`MEASURES`).
        seconds: Time for all of it.
        pipelines: Pipelines to try at most; None for as many as the time allows.
        link: Whether seeds are found in the questions.
        workers: Questions answered at once, 1 to 1024.
        seed: Seed of the random numbers, at least 0.
        at_random: Whether pipelines are drawn evenly; for comparison.
        only_compared: Whether winners are compared with the first known pipeline, and it is never recommended itself.
    """

    aims: tuple[Aim, ...] = (Aim("quality", {}),)
    metric: str = "hits_at_1"
    seconds: float = 1_800.0
    pipelines: int | None = None
    link: bool = False
    workers: int = 1
    seed: int = 0
    at_random: bool = False
    only_compared: bool = False

    def __post_init__(self) -> None:
        if not self.aims:
            raise InputError('a search needs an aim; try "quality"', code="tune.no_aim")
        if not 0 < self.seconds < math.inf:
            raise InputError(
                f"the time of a search must be a number of seconds above 0, got {self.seconds!r}; try 1800",
                code="tune.bad_seconds",
                seconds=self.seconds,
            )
        if self.pipelines is not None and self.pipelines < 1:
            raise InputError(
                f"a search tries at least 1 pipeline, got {self.pipelines}; try 100",
                code="tune.bad_pipelines",
                pipelines=self.pipelines,
            )
        if not 1 <= self.workers <= _MOST_WORKERS:
            raise InputError(
                f"the workers of a search must be 1 to {_MOST_WORKERS}, got {self.workers}; try 1",
                code="tune.bad_workers",
                workers=self.workers,
            )
        if self.seed < 0:
            raise InputError(
                f"the seed of a search must be at least 0, got {self.seed}; try 0", code="tune.bad_seed", seed=self.seed
            )
        if self.metric not in MEASURES:
            raise InputError(
                f"a search needs a measure from 0 to 1, got {self.metric!r}; there are {', '.join(MEASURES)}",
                code="tune.bad_metric",
                metric=self.metric,
            )
        if self.metric in LINKING_METRICS and not self.link:
            raise InputError(
                f"{self.metric!r} is about the seeds found in questions; search with linking (--link)",
                code="tune.needs_linking",
                metric=self.metric,
            )
