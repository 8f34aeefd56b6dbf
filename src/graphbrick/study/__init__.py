"""Evaluation of pipelines.

>>> from graphbrick.study.store.reader import Study
>>> from graphbrick.study.runs.experiment import evaluate
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.study.runs.experiment import evaluate as evaluate
    from graphbrick.study.store.reader import Study as Study

_HOMES = {
    "Study": "store.reader",
    "evaluate": "runs.experiment",
}
__all__ = ["Study", "evaluate"]
__getattr__ = lazy_names(__name__, _HOMES)
