"""Judges of answers: what they say, what they are worth, and what follows from a few labels by people.

The main path: `cases` takes answers, questions and evidence out of a study, `rating` has a judge rate them, and
`report` corrects what it says by labels. `verdicts` is the protocol of all judges.

- `judges`: a language model asked by a rubric, baselines, and judges that were trained.
- `labels`: labels by people: drawing what they label, the page, the file, how two people agree.
- `report`: corrected scores of systems with intervals, what the judge is worth, how many labels to buy.
- `metrics`: scores by a language model without labels: metrics of RAGAS, pairs of answers, criteria in words.
- `gold_answers`: whether an answer equals a gold answer (Judge@1).
- `synthetic`: the data that judges are trained on.

`asking` and ``prompts`` are shared by all that ask a language model; `resuming` and `kept_lines` by all that keep each
result, so that a later call goes on.

>>> from graphbrick.judge.verdicts import Case, Label
>>> from graphbrick.judge.judges.baselines import LengthJudge
>>> LengthJudge().rate(Label.CONTEXT_RELEVANCE, [Case("Who built it?", ("Ada built it.",))])[0].probability > 0.9
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.judge.cases import StudyCase as StudyCase
    from graphbrick.judge.cases import cases_of as cases_of
    from graphbrick.judge.gold_answers.judging import judge_study as judge_study
    from graphbrick.judge.judges.baselines import CosineJudge as CosineJudge
    from graphbrick.judge.judges.baselines import LengthJudge as LengthJudge
    from graphbrick.judge.judges.baselines import RerankerJudge as RerankerJudge
    from graphbrick.judge.judges.baselines import WordsJudge as WordsJudge
    from graphbrick.judge.judges.likelihood import LikelihoodJudge as LikelihoodJudge
    from graphbrick.judge.judges.rubric import RubricJudge as RubricJudge
    from graphbrick.judge.judges.trained import open_judge as open_judge
    from graphbrick.judge.labels.files import read_labels as read_labels
    from graphbrick.judge.metrics.criteria import CriteriaJudge as CriteriaJudge
    from graphbrick.judge.metrics.metric_judge import Metric as Metric
    from graphbrick.judge.metrics.metric_judge import MetricJudge as MetricJudge
    from graphbrick.judge.metrics.pairs import PairJudge as PairJudge
    from graphbrick.judge.rating import rate_study as rate_study
    from graphbrick.judge.report.checking import check_judge as check_judge
    from graphbrick.judge.report.judged import judge_report as judge_report
    from graphbrick.judge.verdicts import Case as Case
    from graphbrick.judge.verdicts import Judge as Judge
    from graphbrick.judge.verdicts import Label as Label
    from graphbrick.judge.verdicts import Verdict as Verdict

_HOMES = {
    "Case": "verdicts",
    "CosineJudge": "judges.baselines",
    "CriteriaJudge": "metrics.criteria",
    "Judge": "verdicts",
    "Label": "verdicts",
    "LengthJudge": "judges.baselines",
    "LikelihoodJudge": "judges.likelihood",
    "Metric": "metrics.metric_judge",
    "MetricJudge": "metrics.metric_judge",
    "PairJudge": "metrics.pairs",
    "RerankerJudge": "judges.baselines",
    "RubricJudge": "judges.rubric",
    "StudyCase": "cases",
    "Verdict": "verdicts",
    "WordsJudge": "judges.baselines",
    "cases_of": "cases",
    "check_judge": "report.checking",
    "judge_report": "report.judged",
    "judge_study": "gold_answers.judging",
    "open_judge": "judges.trained",
    "rate_study": "rating",
    "read_labels": "labels.files",
}
__all__ = [
    "Case",
    "CosineJudge",
    "CriteriaJudge",
    "Judge",
    "Label",
    "LengthJudge",
    "LikelihoodJudge",
    "Metric",
    "MetricJudge",
    "PairJudge",
    "RerankerJudge",
    "RubricJudge",
    "StudyCase",
    "Verdict",
    "WordsJudge",
    "cases_of",
    "check_judge",
    "judge_report",
    "judge_study",
    "open_judge",
    "rate_study",
    "read_labels",
]
__getattr__ = lazy_names(__name__, _HOMES)
