"""The group of commands `graphbrick judge`."""

from __future__ import annotations

from collections.abc import Callable

from graphbrick.cli.judge import judge_learning, judge_metrics
from graphbrick.cli.judge.judging import app

_COMMANDS: tuple[Callable[..., None], ...] = (
    *(judge_metrics.metrics, judge_metrics.pairs, judge_metrics.score),
    *(judge_learning.data, judge_learning.train, judge_learning.check),
)
for _command in _COMMANDS:
    app.command()(_command)

__all__ = ["app"]
