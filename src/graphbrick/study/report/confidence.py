"""Confidence in answers: risk-coverage curves, and whether confidences are probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.study.report.charts import Curve, curves, round_percent, round_ticks
from graphbrick.study.report.figures import RISK, Confidence, PipelineFigures
from graphbrick.study.report.page import Figure, Section, table_figure
from graphbrick.study.report.tables import (
    PIPELINE_COLUMNS,
    Column,
    Table,
    bin_cells,
    number_cell,
    pipeline_cells,
    share_cell,
)

NOTE = (
    "Answers are given from the most confident on. Risk is the share of wrong first answers among those given, "
    "coverage the share of all questions that get an answer: a curve shows what refusing the least confident ones is "
    "worth."
)
_COLOURS = ("extract", "rerank", "retrieve", "link", "prune")


def confidence_section(figures: Sequence[PipelineFigures]) -> Section | None:
    """Return the section with curves and tables; None if no pipeline gives a confidence."""
    table = confidence_table(figures)
    if table is None:
        return None
    shown = [_chart(figures), table_figure(table)]
    bins = reliability_table(figures)
    assert bins is not None
    shown.append(table_figure(bins, "Is the confidence a probability?", folded=True, unfolded=True))
    return Section("confidence", "Confidence", [NOTE], shown)


def confidence_table(figures: Sequence[PipelineFigures]) -> Table | None:
    """Return a row for each pipeline with a confidence; None if there is none."""
    rows = _with_confidence(figures)
    if not rows:
        return None
    columns = [
        *PIPELINE_COLUMNS,
        Column("questions", note="questions that can be scored, and those with an answer and a confidence",
               small="answered"),
        Column("AURC", note="area under the risk-coverage curve; lower is better"),
        Column(f"coverage at {round_percent(RISK)} risk", note="questions that can be answered so"),
        Column("calibration error", note="mean distance between confidence and the share of right answers (ECE)"),
    ]  # fmt: skip
    best = (min(confidence.aurc for _, confidence in rows), max(confidence.coverage for _, confidence in rows),
            min(confidence.error for _, confidence in rows))  # fmt: skip
    body = []
    for pipeline, confidence in rows:
        values = confidence.aurc, confidence.coverage, confidence.error
        cells = [share_cell(value, strong=len(rows) > 1 and value == top)
                 for value, top in zip(values, best, strict=True)]  # fmt: skip
        questions = number_cell(confidence.questions, small=f"{confidence.answered:,}")
        body.append([*pipeline_cells(pipeline.number, pipeline.name), questions, *cells])
    return Table("confidence-measures", "What the confidence of pipelines is worth, in percent", columns, body)


def reliability_table(figures: Sequence[PipelineFigures]) -> Table | None:
    """Return a row for each pipeline and interval of confidence that has answers; None if there is none."""
    rows = _with_confidence(figures)
    if not rows:
        return None
    columns = [
        *PIPELINE_COLUMNS,
        Column("confidence", note="interval of confidence, in percent"),
        Column("answers"),
        Column("mean confidence"),
        Column("right", note="share of the first answers that are right"),
    ]
    body = [
        [*pipeline_cells(pipeline.number, pipeline.name), *bin_cells(part)]
        for pipeline, confidence in rows
        for part in confidence.bins
        if part.confidence is not None and part.right is not None
    ]
    return Table("reliability", "Share of right answers by confidence, in percent", columns, body)


def curve_table(figures: Sequence[PipelineFigures]) -> Table | None:
    """Return the risk of each pipeline at every tenth of coverage that it reaches; None if there is none."""
    rows = _with_confidence(figures)
    if not rows:
        return None
    tenths = [i / 10 for i in range(1, 11)]
    columns = [*PIPELINE_COLUMNS, *(Column(f"risk at {round_percent(tenth)}") for tenth in tenths)]
    body = []
    for pipeline, confidence in rows:
        cells = pipeline_cells(pipeline.number, pipeline.name)
        for tenth in tenths:
            risks = confidence.curve.risk[confidence.curve.coverage >= tenth - 1e-9]
            cells.append(share_cell(float(risks[0]) if len(risks) else None))
        body.append(cells)
    return Table("risk-coverage", "Risk by coverage, in percent", columns, body)


def _with_confidence(figures: Sequence[PipelineFigures]) -> list[tuple[PipelineFigures, Confidence]]:
    return [(pipeline, pipeline.confidence) for pipeline in figures if pipeline.confidence is not None]


def _chart(figures: Sequence[PipelineFigures]) -> Figure:
    """Return the risk-coverage curves of the first pipelines."""
    rows = _with_confidence(figures)
    chosen = rows[: len(_COLOURS)]
    ticks = round_ticks(max(0.05, *(float(confidence.curve.risk.max()) for _, confidence in chosen)))
    lines = []
    for (pipeline, confidence), colour in zip(chosen, _COLOURS, strict=False):
        curve = confidence.to_dict()["curve"]
        points = list(zip(curve["coverage"], curve["risk"], strict=True))
        lines.append(Curve(pipeline.number, pipeline.name, colour, points))
    left_out = len(rows) - len(chosen)
    note = f"The first {len(chosen)} of {len(rows)} pipelines; the table has all." if left_out else ""
    names = ("risk against coverage", "coverage: questions answered, %", "risk: wrong answers, %")
    return Figure(curves(lines, names, y_ticks=ticks), "Risk against coverage", note)
