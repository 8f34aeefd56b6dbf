"""How far the judges of a study agree on the answers that both were asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphbrick.study.statistics.agreement import cohens_kappa
from graphbrick.study.store.reader import Study


class JudgeAgreement(NamedTuple):
    """A judge beside that of the study.

    Attributes:
        judge: Its recipe text.
        first: That of the judge of the study.
        answers: Number of answers of which both models gave a verdict. Answers that equal a gold answer are not asked.
        right: Share of them that are right by this judge.
        right_first: Share of them that are right by the judge of the study.
        same: Share of them with the same verdict.
        kappa: Cohen's kappa; None if both gave one verdict only.
    """

    judge: str
    first: str
    answers: int
    right: float
    right_first: float
    same: float
    kappa: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the agreement as plain JSON types."""
        return self._asdict()


def judge_agreements(study: Study) -> list[JudgeAgreement]:
    """Return the agreement of each further judge with that of the study; none where they have no answer in common."""
    found, first = list[JudgeAgreement](), study.judge
    if first is None:
        return found
    verdicts = _verdicts(study, "")
    for judge in study.further_judges:
        own = _verdicts(study, judge)
        both = [key for key in own if key in verdicts]
        if both:
            a, b = ([float(of[key]) for key in both] for of in (own, verdicts))
            agreement = cohens_kappa(a, b)
            share, other = sum(a) / len(a), sum(b) / len(b)
            found.append(JudgeAgreement(judge, first, len(both), share, other, agreement.same, agreement.kappa))
    return found


def _verdicts(study: Study, further: str) -> Mapping[tuple[int, int], bool]:
    """Return what a model said, by run and question."""
    return {
        (one.run, one.question): one.right
        for run in study.runs()
        for one in study.judgements(run.id, words=False, further=further)
        if one.by == "model" and one.right is not None
    }
