"""Evaluation of pipelines.

>>> from graphbrick.evaluate import Study, evaluate
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.lazy import lazy_names

if TYPE_CHECKING:
    from graphbrick.evaluate.experiment import evaluate as evaluate
    from graphbrick.evaluate.judge.judging import judge_study as judge_study
    from graphbrick.evaluate.judge.metrics import Metric as Metric
    from graphbrick.evaluate.judge.metrics import MetricJudge as MetricJudge
    from graphbrick.evaluate.judge.rubric import RubricJudge as RubricJudge
    from graphbrick.evaluate.study.reader import Study as Study
from graphbrick.evaluate.study.reader import Study

_HOMES = {
    "Metric": "judge.metrics",
    "MetricJudge": "judge.metrics",
    "RubricJudge": "judge.rubric",
    "Study": "study.reader",
    "evaluate": "experiment",
    "judge_study": "judge.judging",
}
__all__ = ["Metric", "MetricJudge", "RubricJudge", "Study", "evaluate", "judge_study"]
__getattr__ = lazy_names(__name__, _HOMES)
