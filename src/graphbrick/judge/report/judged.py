"""The report of a judge: every system by every label, with intervals, and what the judge is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.judge.cases import StudyCase, notes_of
from graphbrick.judge.labels.files import Labels
from graphbrick.judge.report.estimates import Difference, SystemRow, differences_of, rows_of
from graphbrick.judge.report.population import population_of
from graphbrick.judge.report.quality import Quality, gain_of, quality_of, warnings_of
from graphbrick.judge.verdicts import Label
from graphbrick.study.store.encoding import plain_json
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import RatingJudge


@dataclass(frozen=True)
class LabelReport:
    """All figures of one label.

    Attributes:
        label: The label.
        rows: Figures of each system, over all questions and over each kind.
        differences: Every two systems.
        quality: What the judge is worth on the labels.
        gain: Number of labels alone that one label is worth beside the judge; None without both.
        warnings: Where the judge adds nothing or misleads, in words.
        notes: What a reader should know of the figures.
    """

    label: Label
    rows: tuple[SystemRow, ...]
    differences: tuple[Difference, ...]
    quality: Quality
    gain: float | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return {
            "label": self.label.value,
            "systems": plain_json(self.rows),
            "differences": plain_json(self.differences),
            "quality": self.quality.to_dict(),
            "gain": self.gain,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class JudgeReport:
    """A study judged by labels of people, by a judge, and by both.

    Attributes:
        study: Path of the study.
        judge: The judge and what it took; None for labels alone.
        source: Where labels come from, as text; empty for none.
        level: Confidence level of the intervals.
        pooled: Whether the labels of all systems correct each of them.
        labels: A report of each label.
        notes: What a reader should know.
    """

    study: str
    judge: RatingJudge | None
    source: str
    level: float
    pooled: bool
    labels: tuple[LabelReport, ...]
    notes: tuple[str, ...]

    @property
    def warnings(self) -> list[str]:
        """The warnings of all labels."""
        return [f"{one.label.value}: {text}" for one in self.labels for text in one.warnings]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        judge = None
        if self.judge is not None:
            names = ("identity", "name", "cases", "seconds", "ledger", "events")
            judge = {name: plain_json(getattr(self.judge, name)) for name in names}
        return {**plain_json(self), "judge": judge, "labels": [one.to_dict() for one in self.labels]}


def judge_report(
    study: Study,
    cases: Sequence[StudyCase],
    labels: Labels | None,
    judge: RatingJudge | None,
    *,
    chosen: Sequence[Label] | None = None,
    rule: Labels | None = None,
    pooled: bool = False,
    level: float = 0.95,
) -> JudgeReport:
    """Return the report of a study.

    Labels correct the system whose outputs they were drawn from. With ``pooled``, the mean error of the judge on the
    labels of all systems is taken off the mean of each; this is right only if the judge errs alike on all of them.

    Args:
        study: The study.
        cases: Its cases (`graphbrick.judge.cases.cases_of`).
        labels: Labels by people; None for none.
        judge: A judge of the study (`Study.rating_judges`); None for labels alone.
        chosen: The labels; None for those that the judge rated by, or without a judge those that have values.
        rule: Labels of all cases by a rule, shown beside the estimates as the truth; None elsewhere.
        pooled: Whether labels of all systems correct each of them.
        level: Confidence level, in (0, 1).

    Raises:
        InputError: There are neither labels nor a judge, or nothing is known of a chosen label.
    """
    values = {} if labels is None else labels.values
    known = [
        label
        for label in Label
        if label in set(values) | set(judge.labels if judge else ()) and any(case.applies(label) for case in cases)
    ]
    wanted = known if chosen is None else [label for label in Label if label in chosen]
    unknown = [label.value for label in wanted if label not in known]
    if not wanted or unknown:
        raise InputError(
            f"there is neither a label nor a verdict of {' and '.join(unknown) or 'any kind'}; rate the study with "
            "graphbrick judge --judge, or label some answers with graphbrick judge sample (correctness needs questions "
            "with gold answers)",
            study.path,
            code="judged.no_label",
            labels=unknown,
        )
    notes = [*(labels.notes if labels else ()), *notes_of(cases)]
    if labels is not None and (labels.blank or labels.skipped):
        notes.append(f"{labels.blank:,} cells of the labels are empty, and {labels.skipped:,} say skip")
    if pooled:
        notes.append(
            "the labels of all systems together correct each of them (--pool): right only if the judge errs alike on "
            "all systems; labels drawn from each system's own answers are better. Differences and «yes and no» still "
            "rest on the labels of each system alone"
        )
    reports = [_of_label(study, cases, label, labels, judge, rule, pooled, level) for label in wanted]
    source = "" if labels is None else labels.source
    return JudgeReport(str(study.path), judge, source, level, pooled, tuple(reports), tuple(notes))


def _of_label(
    study: Study,
    cases: Sequence[StudyCase],
    label: Label,
    labels: Labels | None,
    judge: RatingJudge | None,
    rule: Labels | None,
    pooled: bool,
    level: float,
) -> LabelReport:
    known = {} if labels is None else labels.values.get(label, {})
    ruled = {} if rule is None else rule.values.get(label, {})
    notes, every = [], cases
    cases = [case for case in every if case.applies(label) and (not ruled or (case.run, case.question) in ruled)]
    if len(cases) < len(every):
        notes.append(f"{len(every) - len(cases):,} answers to questions without gold answers are left out")
    judged = judge is not None and label in judge.labels
    ratings = study.ratings(judge.id, label) if judge is not None and judged else []
    said = {(one.run, one.question): one.probability for one in ratings}
    population = population_of(cases, label, known, said)
    true = {place: ruled[case.run, case.question] for place, case in enumerate(cases)} if ruled else None
    rows = rows_of(population, judged=judged, pooled=pooled, level=level, true=true)
    quality = quality_of(population, judged=judged)
    unrated = sum(bool(wanted) and (case.run, case.question) not in said
                  for case, wanted in zip(cases, population.rated, strict=True)) if judged else 0  # fmt: skip
    if unrated:
        notes.append(f"{unrated:,} answers are not rated yet and count as missing verdicts; the same call goes on")
    lacking = int(population.lacking.sum())
    if lacking:
        notes.append(f"{lacking:,} answers lack what is judged ({_needed(label)}); they count 0, and nobody was asked")
    used = {(case.run, case.question) for case, lacks in zip(cases, population.lacking, strict=True) if not lacks}
    ignored = sum((case.run, case.question) in known and (case.run, case.question) not in used for case in every)
    if ignored:
        notes.append(f"{ignored:,} labels of such answers were not used")
    differences = differences_of(population, judged=judged, level=level)
    warnings = warnings_of(quality, rows, label) if judged else []
    if judged and not known:
        warnings.append("there are no labels by people: nobody knows what the verdicts of the judge are worth")
    return LabelReport(label, tuple(rows), tuple(differences), quality, gain_of(rows), tuple(warnings), tuple(notes))


def _needed(label: Label) -> str:
    return {
        Label.CONTEXT_RELEVANCE: "evidence",
        Label.ANSWER_FAITHFULNESS: "an answer with evidence",
    }.get(label, "an answer")
