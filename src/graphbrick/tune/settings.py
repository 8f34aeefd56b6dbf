"""What a search is asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from graphbrick.core.errors import InputError
from graphbrick.tune.aims import Aim


@dataclass(frozen=True)
class Settings:
    """What a search is asked for.

    Attributes:
        aims: What to aim at.
        metric: The measure that counts as quality, such as "hits_at_1" or "f1".
        seconds: Time for all of it.
        pipelines: Pipelines to try at most; None for as many as the time allows.
        link: Whether seeds are found in the questions.
        workers: Questions answered at once.
        seed: Of the random numbers.
        at_random: Whether pipelines are drawn evenly; for comparison.
    """

    aims: tuple[Aim, ...] = (Aim("quality", {}),)
    metric: str = "hits_at_1"
    seconds: float = 1_800.0
    pipelines: int | None = None
    link: bool = False
    workers: int = 1
    seed: int = 0
    at_random: bool = False

    def __post_init__(self) -> None:
        if not self.aims:
            raise InputError('a search needs an aim; try "quality"')
        if not 0 < self.seconds < math.inf:
            raise InputError(
                f"the time of a search must be a number of seconds above 0, got {self.seconds!r}; try 1800"
            )
        if self.pipelines is not None and self.pipelines < 1:
            raise InputError(f"a search tries at least 1 pipeline, got {self.pipelines}; try 100")
