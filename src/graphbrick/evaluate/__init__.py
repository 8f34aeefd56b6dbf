"""Evaluation of pipelines.

>>> from graphbrick.evaluate import Study, evaluate
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.lazy import lazy_names

if TYPE_CHECKING:
    from graphbrick.evaluate.experiment import evaluate as evaluate
    from graphbrick.evaluate.judge.gold_answers.judging import judge_study as judge_study
    from graphbrick.evaluate.judge.judges.rubric import RubricJudge as RubricJudge
    from graphbrick.evaluate.judge.metrics.criteria import CriteriaJudge as CriteriaJudge
    from graphbrick.evaluate.judge.metrics.metric_judge import Metric as Metric
    from graphbrick.evaluate.judge.metrics.metric_judge import MetricJudge as MetricJudge
    from graphbrick.evaluate.judge.metrics.pairs import PairJudge as PairJudge
    from graphbrick.evaluate.study.reader import Study as Study
from graphbrick.evaluate.study.reader import Study

_HOMES = {
    "CriteriaJudge": "judge.metrics.criteria",
    "Metric": "judge.metrics.metric_judge",
    "MetricJudge": "judge.metrics.metric_judge",
    "PairJudge": "judge.metrics.pairs",
    "RubricJudge": "judge.judges.rubric",
    "Study": "study.reader",
    "evaluate": "experiment",
    "judge_study": "judge.gold_answers.judging",
}
__all__ = ["CriteriaJudge", "Metric", "MetricJudge", "PairJudge", "RubricJudge", "Study", "evaluate", "judge_study"]
__getattr__ = lazy_names(__name__, _HOMES)
