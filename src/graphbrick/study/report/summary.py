"""Summary of a study as values: the figures of its pipelines, remarks, and comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.questions.question import natural_order
from graphbrick.study.metrics.published import PUBLISHED_METRICS
from graphbrick.study.report.against.sweeps import sweeps_of
from graphbrick.study.report.answers import judge_notes
from graphbrick.study.report.figures import (
    ANSWERED,
    JudgeAgreement,
    PipelineFigures,
    judge_agreements,
    read_figures,
    recall_note,
    with_recall,
)
from graphbrick.study.report.origin import dataset_counts
from graphbrick.study.report.overview import compared
from graphbrick.study.report.papers.reading import FilledPaper, read_papers
from graphbrick.study.runs.scoring import SIZES
from graphbrick.study.statistics.comparison import Comparison
from graphbrick.study.statistics.paired import benjamini_hochberg, holm
from graphbrick.study.store.identity import changed_files
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import StudyQuestion, StudyRun

GROUPS = ("hops", "hop_group", "complexity", "dataset", "distance")
"""Properties that all questions can be grouped by; they can also be grouped by their facts."""
_ERRORS_SHOWN = 3


@dataclass(frozen=True)
class StudySummary:
    """Figures of a study, with remarks for the reader.

    Attributes:
        path: The file of the study.
        judge: The recipe text of its judge; None if there is none.
        by: Property that the figures are also grouped by; None for none.
        figures: The pipelines, best first.
        notes: Remarks, such as errors and changed files, by the number of the run.
        failures: Pipelines that failed on every question, and a judge that failed on every answer, as sentences.
        left_out: Names of the pipelines whose subgraph recall is too low.
        questions: All questions of the study.
        papers: The papers of its experiment files, with their tables.
        agreements: How far further judges agree with that of the study.
    """

    path: str
    judge: str | None
    by: str | None
    figures: Sequence[PipelineFigures]
    notes: Mapping[int, Sequence[str]]
    failures: Sequence[str]
    left_out: Sequence[str] = ()
    questions: Sequence[StudyQuestion] = ()
    papers: Sequence[FilledPaper] = ()
    agreements: Sequence[JudgeAgreement] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain JSON types."""
        runs = [one.to_dict(self.by) | {"notes": list(self.notes[one.run.id])} for one in self.figures]
        sweeps = [sweep.to_dict() for sweep in sweeps_of(self.figures)]
        return {
            "study": self.path,
            "judge": self.judge,
            "runs": runs,
            "sweeps": sweeps,
            "datasets": dataset_counts(self.questions),
            "left_out": list(self.left_out),
            "judges": [one.to_dict() for one in self.agreements],
            "papers": [paper.to_dict() for paper in self.papers],
        }


@dataclass(frozen=True)
class StudyComparison:
    """Pipelines of a study compared pair by pair.

    Attributes:
        metric: The measure they are compared by.
        by: Property that questions are also grouped by; None for none.
        figures: The pipelines, best first, for each group of questions; the group "" has all questions.
        rows: Group and comparison of each pair, corrected for all of them; none if the study has one pipeline.
        notes: Remarks, such as the pipelines that were left out.
    """

    metric: str
    by: str | None
    figures: Mapping[str, Sequence[PipelineFigures]]
    rows: Sequence[tuple[str, Comparison]]
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain JSON types."""
        grouped = [(group, one) for group, figures in self.figures.items() for one in figures]
        return {
            "metric": self.metric,
            "by": self.by,
            "notes": list(self.notes),
            "pipelines": [
                {"group": group, "pipeline": one.name} | one.means[self.metric].to_dict() for group, one in grouped
            ],
            "answers": [
                {"group": group, "pipeline": one.name, "measures": one.answers.to_dict()} for group, one in grouped
            ],
            **{
                task: [
                    {"group": group, "pipeline": one.name, "measures": one.to_dict()[task]}
                    for group, one in grouped
                    if getattr(one, task)
                ]
                for task in ("linking", "extraction", "paths", "queries")
            },
            "spent": [
                {"group": group, "pipeline": one.name, "milliseconds": one.times and one.times._asdict()}
                | {"used": {name: one.a_question(name) for name in one.used}}
                for group, one in grouped
            ],
            "comparisons": [
                {"group": group} | row._asdict() | {"difference": row.difference._asdict()} for group, row in self.rows
            ],
        }


def summarize_study(
    study: Study,
    *,
    runs: Collection[int] | None = None,
    metric: str = "hits_at_1",
    by: str | None = None,
    min_recall: float | None = None,
) -> StudySummary:
    """Summarize a study.

    Args:
        study: The study.
        runs: The numbers of the runs to show; None for all.
        metric: The measure that pipelines are ordered by.
        by: Group questions by "hops", "dataset", "distance" or one of their facts; None for no groups.
        min_recall: Leave out pipelines whose mean subgraph recall is lower; None for none.

    Raises:
        InputError: There is no such metric or group, or no pipeline has the least recall.
    """
    questions = study.questions()
    if by is not None:
        groups_of(questions, by, study)
    figures = [one for one in read_figures(study, questions, metric, by=by) if runs is None or one.run.id in runs]
    figures, left_out = with_recall(figures, min_recall)
    unscored = _unscored(figures, metric)
    notes = {one.run.id: (*_notes(study, one), *unscored.get(one.run.id, ())) for one in figures}
    failures = tuple(_failures(study, figures))
    return StudySummary(str(study.path), study.judge, by, figures, notes, failures, left_out, questions,
                        read_papers(study, questions), judge_agreements(study))  # fmt: skip


def compare_study(
    study: Study,
    *,
    baseline: str | None = None,
    metric: str = "hits_at_1",
    by: str | None = None,
    min_recall: float | None = None,
) -> StudyComparison:
    """Compare the pipelines of a study, over all questions and for each group of them.

    Args:
        study: The study.
        baseline: Compare all others with this pipeline (name, number or recipe text); None for every pair.
        metric: The measure they are compared by.
        by: Also compare within groups, as for `summarize_study`.
        min_recall: Leave out pipelines whose mean subgraph recall over all questions is lower; None for none.

    Raises:
        InputError: There is no such baseline, metric or group, or the study has no runs.
    """
    runs, questions = study.runs(), study.questions()
    if not runs:
        raise InputError("the study has no runs yet; graphbrick evaluate adds them", study.path, code="study.no_runs")
    name = name_of(runs, baseline)
    groups = {"": questions} | ({} if by is None else groups_of(questions, by, study))
    figures = {group: read_figures(study, members, metric, by=by) for group, members in groups.items()}
    left_out: Sequence[str] = ()
    if min_recall is not None:
        kept, left_out = with_recall(figures[""], min_recall)
        numbers = {one.run.id for one in kept}
        figures = {
            group: [replace(one, number=n) for n, one in enumerate((o for o in members if o.run.id in numbers), 1)]
            for group, members in figures.items()
        }
    rows = [(group, row) for group, members in figures.items() for row in compared(members, baseline=name)]
    p_values = [row.p for _, row in rows]
    corrected = zip(rows, holm(p_values), benjamini_hochberg(p_values), strict=True)
    rows = [(group, row._replace(p_holm=h, p_bh=b)) for (group, row), h, b in corrected]
    return StudyComparison(metric, by, figures, rows, recall_note(left_out, min_recall))


def groups_of(questions: Sequence[StudyQuestion], by: str, study: Study) -> dict[str, list[StudyQuestion]]:
    """Return the questions by group, in natural order; "unknown" for those without one.

    Raises:
        InputError: Questions have no such property.
    """
    require_group(by, (fact for question in questions for fact in question.facts), study.path)
    groups: dict[str, list[StudyQuestion]] = {}
    for question in questions:
        groups.setdefault(question.group(by) or "unknown", []).append(question)
    return {name: groups[name] for name in sorted(groups, key=natural_order)}


def require_group(by: str, facts: Iterable[str], path: Path | None = None) -> None:
    """Raise an error unless questions can be grouped by this property.

    Args:
        by: The property.
        facts: The facts of the questions.
        path: The study that they are from; None if they are not in a study yet.

    Raises:
        InputError: Questions have no such property.
    """
    known = {*GROUPS, *facts}
    if by not in known:
        raise InputError(
            f"questions cannot be grouped by {by!r}; there is {', '.join(sorted(known))}",
            path,
            code="summary.no_group",
            by=by,
        )


def require_share(figures: Sequence[PipelineFigures], metric: str) -> None:
    """Raise an error if a measure to rank pipelines by is not a share, as reports show it in percent.

    Raises:
        InputError: The measure is a size, or a mean exceeds 1.
    """
    exceeds = any(interval.mean > 1 for one in figures if (interval := one.means[metric].all) is not None)
    if exceeds or metric in SIZES:
        reason = "exceeds 1 as it is counted there" if metric in PUBLISHED_METRICS else "is a size"
        raise InputError(
            f"pipelines cannot be ranked by {metric}, which {reason}; take a share, such as hits_at_1 or f1",
            code="summary.not_a_share",
            metric=metric,
        )


def name_of(runs: Sequence[StudyRun], pipeline: str | None) -> str | None:
    """Return the name of the pipeline that a name, else a number or a recipe text, means; None for None.

    Raises:
        InputError: The study has no such pipeline.
    """
    if pipeline is None or pipeline in {run.name for run in runs}:
        return pipeline
    for run in runs:
        if pipeline in (run.recipe, str(run.id)):
            return run.name
    names = ", ".join(repr(run.name) for run in runs) or "none"
    raise InputError(
        f"the baseline must be a pipeline of the study, got {pipeline!r}; there is {names}",
        code="summary.no_baseline",
        baseline=pipeline,
    )


def _notes(study: Study, one: PipelineFigures) -> Iterator[str]:
    changes = changed_files(study.runs())
    if one.run.id in changes:
        before, files = changes[one.run.id]
        yield f"{one.name} is another run than {before}, because a file changed: {', '.join(files)}"
    versions = [session.versions for session in study.sessions() if session.id in one.run.sessions]
    names = {name for packages in versions for name in packages}
    changed = sorted(name for name in names if len({packages.get(name) for packages in versions}) > 1)
    if changed:
        yield f"{one.name} was begun with other versions of {', '.join(changed)}; --fresh begins it again"
    yield from judge_notes([one], study.judge)
    if one.errors:
        errors = Counter(result.error for result in study.results(one.run.id) if result.error is not None)
        shown = "; ".join(f"{count:,} times {error}" for error, count in errors.most_common(_ERRORS_SHOWN))
        yield f"{one.name} failed on {one.errors:,} questions, which score 0: {shown}"


def _unscored(figures: Sequence[PipelineFigures], metric: str) -> dict[int, tuple[str]]:
    """Return how many questions cannot be scored, at the first of the pipelines of which it is as many."""
    of_answers = metric.removeprefix("entity_") in ANSWERED and metric != "judge_at_1"
    why = ": no gold answers, or no generate stage" if of_answers or metric in PUBLISHED_METRICS else f" by {metric}"
    by_number: dict[int, list[PipelineFigures]] = {}
    for one in figures:
        if one.means[metric].unscored:
            by_number.setdefault(one.means[metric].unscored, []).append(one)
    notes = {}
    for unscored, several in by_number.items():
        names = ", ".join(one.name for one in several[:_ERRORS_SHOWN])
        more = f", and of {len(several) - _ERRORS_SHOWN:,} more pipelines," if len(several) > _ERRORS_SHOWN else ""
        notes[several[0].run.id] = (f"{unscored:,} questions of {names}{more} cannot be scored{why}",)
    return notes


def _failures(study: Study, figures: Sequence[PipelineFigures]) -> Iterator[str]:
    for one in sorted(figures, key=lambda one: one.run.id):
        if one.results and one.errors == one.results:
            errors = Counter(result.error for result in study.results(one.run.id))
            reason, count = errors.most_common(1)[0]
            yield f"{one.name} failed on all of its {one.results:,} questions, {count:,} times with: {reason}"
    judgements = [
        entry for one in figures for entry in study.judgements(one.run.id, words=False) if entry.by == "model"
    ]
    errors = Counter(entry.error for entry in judgements if entry.error is not None)
    if judgements and errors.total() == len(judgements):
        reason, count = errors.most_common(1)[0]
        yield f"the judge failed on all of {len(judgements):,} answers, {count:,} times with: {reason}"
