"""Measuring pipelines.

>>> from graphbrick.evaluate import Study, evaluate
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphbrick.evaluate.judge.judging import judge_study as judge_study
    from graphbrick.evaluate.study.experiment import evaluate as evaluate
    from graphbrick.evaluate.study.store import Study as Study

# Imported when first used: the measures alone need nothing of what runs pipelines.
_HOMES = {"evaluate": "study.experiment", "judge_study": "judge.judging", "Study": "study.store"}

__all__ = ["Study", "evaluate", "judge_study"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
