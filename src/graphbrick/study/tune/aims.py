"""Aims of a search: the best quality, alone or within limits on time, tokens and cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphbrick.core.errors import InputError

_LIMIT = re.compile(r"(?P<what>latency|tokens|cost)\s*<=?\s*\$?(?P<value>\d*\.?\d+)\s*(?P<unit>ms|s)?")
_EXAMPLE = '"quality", "latency<50ms" or "latency<50ms,cost<0.001"'


class Figures(NamedTuple):
    """Quality and cost of a pipeline over the questions that it has answered.

    Attributes:
        quality: Mean of the measure that is searched by.
        seconds: Median time of a question.
        tokens: Mean tokens a question, sent to and written by models.
        usd: Mean dollars a question.
        n: Number of questions.
    """

    quality: float
    seconds: float
    tokens: float
    usd: float
    n: int


@dataclass(frozen=True)
class Aim:
    """The best quality within limits.

    Attributes:
        text: As the user wrote it.
        limits: The highest figure allowed, by its name in `Figures`; empty for the best quality at any cost.
    """

    text: str
    limits: Mapping[str, float]

    @classmethod
    def parse(cls, text: str) -> Aim:
        """Return the aim that a text names: ``quality``, or limits joined by commas.

        Raises:
            InputError: The text is not an aim.

        >>> Aim.parse("latency<50ms, cost<0.001").limits
        {'seconds': 0.05, 'usd': 0.001}
        """
        limits: dict[str, float] = {}
        for part in map(str.strip, text.lower().split(",")):
            match = _LIMIT.fullmatch(part)
            if part == "quality":
                continue
            if match is None or (match["what"] == "latency") != (match["unit"] is not None):
                raise InputError(
                    f"an aim is {_EXAMPLE}, got {text!r}; latency takes ms or s, tokens and cost no unit",
                    code="aim.unreadable",
                    aim=text,
                )
            name = {"latency": "seconds", "tokens": "tokens", "cost": "usd"}[match["what"]]
            if name in limits:
                raise InputError(
                    f"the aim {text!r} limits {match['what']} twice; keep one of them",
                    code="aim.limited_twice",
                    limit=match["what"],
                )
            limits[name] = float(match["value"]) / (1000 if match["unit"] == "ms" else 1)
        return cls(text.strip(), limits)

    def excess(self, figures: Figures) -> float:
        """Return the largest factor by which a limit is exceeded; 0 if all are kept."""
        over = (getattr(figures, name) / max(limit, 1e-12) for name, limit in self.limits.items())
        worst = max(over, default=0.0)
        return worst if worst > 1 else 0.0

    def order(self, figures: Figures) -> tuple[float, ...]:
        """Return a sort key: pipelines within the limits, then quality, seconds, tokens and cost."""
        return (self.excess(figures), -figures.quality, figures.seconds, figures.tokens, figures.usd)


def layers(figures: Mapping[int, Figures]) -> dict[int, int]:
    """Return the front of each entry: 0 if none dominates it, 1 if only those of front 0 do, and so on."""
    keys = np.array(list(figures))
    costs = np.array([(-one.quality, one.seconds, one.tokens, one.usd) for one in figures.values()]).reshape(-1, 4)
    layer_of, layer = dict[int, int](), 0
    while len(keys):
        no_worse = (costs[:, None] <= costs[None]).all(axis=2)
        beaten = (no_worse & ~no_worse.T).any(axis=0)
        layer_of |= dict.fromkeys(keys[~beaten].tolist(), layer)
        keys, costs, layer = keys[beaten], costs[beaten], layer + 1
    return layer_of
