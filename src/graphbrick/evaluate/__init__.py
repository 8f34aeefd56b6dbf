"""Evaluation of pipelines.

>>> from graphbrick.evaluate import Study, evaluate
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.lazy import lazy_names

if TYPE_CHECKING:
    from graphbrick.evaluate.experiment import evaluate as evaluate
    from graphbrick.evaluate.judge.criteria import CriteriaJudge as CriteriaJudge
    from graphbrick.evaluate.judge.judging import judge_study as judge_study
    from graphbrick.evaluate.judge.metrics import Metric as Metric
    from graphbrick.evaluate.judge.metrics import MetricJudge as MetricJudge
    from graphbrick.evaluate.judge.pairs import PairJudge as PairJudge
    from graphbrick.evaluate.judge.rubric import RubricJudge as RubricJudge
    from graphbrick.evaluate.study.reader import Study as Study
from graphbrick.evaluate.study.reader import Study

_HOMES = {
    "CriteriaJudge": "judge.criteria",
    "Metric": "judge.metrics",
    "MetricJudge": "judge.metrics",
    "PairJudge": "judge.pairs",
    "RubricJudge": "judge.rubric",
    "Study": "study.reader",
    "evaluate": "experiment",
    "judge_study": "judge.judging",
}
__all__ = ["CriteriaJudge", "Metric", "MetricJudge", "PairJudge", "RubricJudge", "Study", "evaluate", "judge_study"]
__getattr__ = lazy_names(__name__, _HOMES)
