"""Tables of answer quality: all measures, results by hops, and the scores of published scorers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from graphbrick.questions.question import natural_order
from graphbrick.study.metrics.published import PUBLISHED, PUBLISHED_METRICS
from graphbrick.study.report.charts import short
from graphbrick.study.report.figures import ANSWERED, Answers, JudgeAgreement, PipelineFigures
from graphbrick.study.report.overview import QUALITY_GROUPS, SCORERS, measure_name
from graphbrick.study.report.tables import (
    NONE,
    PIPELINE_COLUMNS,
    Cell,
    Column,
    Table,
    name_cell,
    number_cell,
    pipeline_cells,
    share_cell,
)
from graphbrick.study.store.records import FURTHER_JUDGE

_PARTS = dict(zip(QUALITY_GROUPS, ("all", "answerable"), strict=True))
_NOTES = {
    "hit": "any answer is right",
    "hits_at_1": "the first answer is right",
    "exact_match": "the answers are the gold answers and nothing else",
    "precision": "right answers, of those given",
    "recall": "gold answers that were given",
    "f1": "the harmonic mean of precision and recall of each question, on average",
    "f1_of_means": "the harmonic mean of the two means, as the preliminary version of LEGO-GraphRAG publishes F1",
    "judge_at_1": "a language model says that the first answer means the same as a gold answer",
}

_SHOWN = (*ANSWERED[:-1], "f1_of_means", ANSWERED[-1])


class AnswerRow(NamedTuple):
    """A row of a table of answers.

    Attributes:
        group: Common property of the questions; empty for all questions.
        number: The number of the pipeline.
        name: Its name.
        answers: How good its answers are.
    """

    group: str
    number: int
    name: str
    answers: Answers


def rows_of(figures: Sequence[PipelineFigures], group: str = "") -> list[AnswerRow]:
    """Return a row for each pipeline."""
    return [AnswerRow(group, one.number, one.name, one.answers) for one in figures]


def rows_by_hops(figures: Sequence[PipelineFigures]) -> list[AnswerRow]:
    """Return a row for each number of hops and pipeline; none if there is only one group."""
    names = sorted({hops for one in figures for hops in one.answers_by_hops}, key=natural_order)
    if len(names) < 2:
        return []
    return [
        AnswerRow(hops or "unknown", one.number, one.name, one.answers_by_hops[hops])
        for hops in names
        for one in figures
        if hops in one.answers_by_hops
    ]


def answers_table(rows: Sequence[AnswerRow], *, by: str = "") -> Table | None:
    """Return the table of answer measures, in percent, over all and over answerable questions.

    Args:
        rows: Its rows; the best of a group is bold.
        by: Name of the grouping; empty if there is only one group.

    Returns:
        The table; None if no pipeline gives answers.
    """
    further = dict.fromkeys(name for row in rows for name in row.answers.means if name.startswith(FURTHER_JUDGE))
    measures = _measured(rows, (*_SHOWN, *further))
    if not measures:
        return None
    columns = [Column(by)] if by else []
    columns += PIPELINE_COLUMNS
    columns.append(Column("questions", note="questions done, and of which the graph has an answer", small="answerable"))
    columns += [
        Column(measure_name(name), group, _NOTES[name.partition(":")[0]]) for group in _PARTS for name in measures
    ]
    body = []
    for row in rows:
        answers = row.answers
        beside = [other for other in rows if other.group == row.group]
        cells = [Cell(row.group, row.group)] if by else []
        cells += pipeline_cells(row.number, row.name)
        cells.append(number_cell(answers.questions, small=f"{answers.answerable:,}"))
        cells += [_cell(row, beside, name, part) for part in _PARTS.values() for name in measures]
        body.append(cells)
    name = f"answers-by-{by.replace(' ', '-')}" if by else "answers"
    return Table(name, f"Measures of answers{f' by {by}' if by else ''}, in percent", columns, body)


def published_table(figures: Sequence[PipelineFigures]) -> Table | None:
    """Return the table of published scorers over all questions; None if the study has no such scores."""
    rows = rows_of(figures)
    measures = _measured(rows, (*PUBLISHED_METRICS, "lego_f1_of_means"))
    if not measures:
        return None
    columns = [
        *PIPELINE_COLUMNS,
        Column("Hits@1", "here", "the first answer is right: equal to a gold answer or alias"),
    ]
    for name in measures:
        scorer, _, measure = name.partition("_")
        columns.append(Column(measure.replace("f1", "F1").replace("_", " "), f"as {SCORERS[scorer]}, %"))
    body = [
        [*pipeline_cells(row.number, row.name), *(_cell(row, [], name, "all") for name in ("hits_at_1", *measures))]
        for row in rows
    ]
    return Table("published", "The answers as others have published such figures, in percent", columns, body)


def published_notes() -> list[str]:
    """Return a line for each published scorer that lists its flaws."""
    return [f"{SCORERS[name]}: {wrong}." for name, wrong in PUBLISHED.items()]


def judges_table(agreements: Sequence[JudgeAgreement]) -> Table | None:
    """Return a row for each further judge with its agreement with that of the study; None if there is none."""
    if not agreements:
        return None
    columns = [
        Column("judge", text=True),
        Column(
            "answers", note="answers of which both models gave a verdict; those that equal a gold answer are not asked"
        ),
        Column("right, %", note="by this judge"),
        Column("right by the first, %", note=f"by the judge of the study: {agreements[0].first}"),
        Column("same verdict, %"),
        Column("kappa", note="Cohen's kappa: 1 for full agreement, 0 for as much as by chance"),
    ]
    rows = [
        [
            name_cell(one.judge), number_cell(one.answers), share_cell(one.right), share_cell(one.right_first),
            share_cell(one.same), number_cell(one.kappa, 2),
        ]
        for one in agreements
    ]  # fmt: skip
    return Table("judges", f"Verdicts of further judges beside those of {agreements[0].first}", columns, rows)


def judge_notes(figures: Sequence[PipelineFigures], judge: str | None) -> list[str]:
    """Return a line for each pipeline: the judge, how many answers it judged, and the cost."""
    lines = []
    for one in figures:
        judged = one.judged
        if judged is None:
            continue
        failed = ""
        if judged.unread:
            failed += f", {judged.unread:,} verdicts could not be read and count as wrong (--retry asks again)"
        if judged.errors:
            failed += f", the judge failed on {judged.errors:,} (--retry asks it again): {judged.failure}"
        cost = f", ${judged.cost:.2g}" * bool(judged.cost)
        calls = f"{judged.calls:,.0f} call{'s' * (judged.calls != 1)}"
        lines.append(
            f"{one.name}: {judge} judged {judged.answers:,} answers, {judged.by_model:,} of them by asking{failed}; "
            f"{calls}, {short(judged.tokens_in)}/{short(judged.tokens_out)} tokens in/out{cost}, beside "
            "what the pipeline took"
        )
    return lines


def _measured(rows: Iterable[AnswerRow], measures: Sequence[str]) -> list[str]:
    """Return the measures for which some row has a value."""
    there = {name for row in rows for name, mean in row.answers.means.items() if mean.all is not None}
    return [name for name in measures if name in there]


def _cell(row: AnswerRow, beside: Sequence[AnswerRow], measure: str, part: str) -> Cell:
    value = _value(row, measure, part)
    if value is None:
        return NONE
    others = [other for other_row in beside if (other := _value(other_row, measure, part)) is not None]
    small = ""
    if measure.partition(":")[0] == "judge_at_1":
        # Answers that equal a gold one always have a verdict: the fewer of the others have one, the better it looks.
        mean, total = row.answers.means[measure], row.answers.questions if part == "all" else row.answers.answerable
        scored = mean.scored if part == "all" else mean.scored_answerable
        small = f"of {scored:,}" if scored < total else ""
    return share_cell(value, small, strong=len(others) > 1 and value == max(others) > 0 and not small)


def _value(row: AnswerRow, measure: str, part: str) -> float | None:
    mean = row.answers.means.get(measure)
    return None if mean is None else mean.all if part == "all" else mean.answerable
