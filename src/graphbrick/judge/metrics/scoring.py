"""Scores of many cases by criteria in words; scores are kept at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from graphbrick.core.compute import Progress, silent
from graphbrick.core.trace import Trace, record
from graphbrick.judge.kept_lines import KeptLines, digest_of, kept_or_asked
from graphbrick.judge.metrics.cases import SystemCase, by_system
from graphbrick.judge.metrics.criteria import CriteriaJudge, CriteriaScore
from graphbrick.models.llm.conversations import Usage
from graphbrick.models.llm.naming import name_of
from graphbrick.study.statistics.intervals import Interval, interval
from graphbrick.study.store.encoding import plain_json


class ScoreSummary(NamedTuple):
    """Scores of one system.

    Attributes:
        system: The system.
        mean: Mean over the cases with a score, with its 95 % interval; None if none has.
        cases: Number of cases.
        unreadable: Number of cases whose score could not be read.
        by: Number of scores by how they came about, such as "log probabilities".
    """

    system: str
    mean: Interval | None
    cases: int
    unreadable: int
    by: dict[str, int]


@dataclass
class ScoreStudy:
    """Scores of many cases.

    Attributes:
        judge: The judge, with its steps.
        cases: The cases.
        scores: The score of each case.
        usage: What the model was asked now; what was kept costs nothing.
    """

    judge: CriteriaJudge
    cases: Sequence[SystemCase]
    scores: list[CriteriaScore]
    usage: Usage

    def summaries(self) -> list[ScoreSummary]:
        """Return the mean of each system, in their order of first appearance."""
        return [_summary(system, scores) for system, scores in by_system(self.cases, self.scores).items()]

    def to_dict(self) -> dict[str, Any]:
        """Return means and scores as plain JSON types."""
        scores = [
            {"system": one.system, "id": one.id} | plain_json(score)
            for one, score in zip(self.cases, self.scores, strict=True)
        ]
        return {
            "judge": name_of(self.judge.llm),
            "criteria": self.judge.criteria,
            "steps": list(self.judge.steps),
            "scale": list(self.judge.scale),
            "systems": plain_json(self.summaries()),
            "usage": self.usage.to_dict(),
            "cases": scores,
        }


def score_cases(
    cases: Sequence[SystemCase],
    judge: CriteriaJudge,
    file: Path,
    *,
    write_steps: bool = False,
    retry: bool = False,
    progress: Progress = silent,
) -> ScoreStudy:
    """Score cases by criteria and keep each score in a file, so that the same call goes on after a kill.

    Args:
        cases: The cases; equal ones are scored once.
        judge: The judge.
        file: Where scores, and steps that the model wrote, are kept (`KeptLines`).
        write_steps: Whether the model writes the steps, once for this judge and file.
        retry: Ask again for scores that could not be read, even if replies are recorded.
        progress: Called with the number of different cases that are done, and of all.

    Errors are those of `measure_cases`; a ModelError also if the model wrote no steps.
    """
    store, usage = KeptLines(file), Usage()
    if write_steps:
        judge = _with_steps(judge, store, usage)
    keys = {one.case: (judge.identity, digest_of(one.case)) for one in cases}
    values = kept_or_asked(store, keys, judge.score, usage, what="cases", retry=retry, progress=progress)
    scores = [
        CriteriaScore(value, by, reason, tuple(stated))
        for value, by, reason, stated in (values[one.case] for one in cases)
    ]
    return ScoreStudy(judge, cases, scores, usage)


def _summary(system: str, scores: Sequence[CriteriaScore]) -> ScoreSummary:
    values = [score.value for score in scores if score.value is not None]
    by = Counter(score.by for score in scores if score.value is not None)
    mean = interval(values) if values else None
    return ScoreSummary(system, mean, len(scores), len(scores) - len(values), dict(by.most_common()))


def _with_steps(judge: CriteriaJudge, store: KeptLines, usage: Usage) -> CriteriaJudge:
    """Return the judge with the steps that are kept, or new ones of the model, which are kept then."""
    written = store.find("steps", judge.identity)
    if written is not None:
        return replace(judge, steps=tuple(written))
    with record(Trace(), name_of(judge.llm), "judge") as entry:
        written = judge.with_steps()
    usage.add(entry)
    store.keep({("steps", judge.identity): written.steps})
    return written
