"""The page of a judged study: one file that needs neither a network nor a server."""

from __future__ import annotations

import os
from pathlib import Path

from graphbrick.judge.report.judged import JudgeReport, LabelReport
from graphbrick.judge.report.tables import (
    curve_table,
    differences_table,
    headline,
    lines_of,
    quality_table,
    systems_table,
)
from graphbrick.study.report.charts import Curve, curves
from graphbrick.study.report.page import Figure, Page, Section, paragraphs, table_figure

_TITLES = {
    "context_relevance": "Context relevance",
    "answer_faithfulness": "Answer faithfulness",
    "answer_relevance": "Answer relevance",
    "correctness": "Correctness",
}
_NOTE = (
    "Shares of answers that a label holds for, in percent, with intervals. PPI++ is the figure to quote: labels by "
    "people, helped by the judge as far as it is worth it. «Judge alone» has the errors of the judge in it, and its "
    "interval does not show them."
)
_CURVE = "The share of labels that are 1 among answers of about one probability. On the diagonal the judge is right."
_QUALITY = (
    "The judge beside people, on the labels of all systems. A judge has to beat the length of the text. Warnings stand "
    "at the top of the page."
)


def write_judge_page(report: JudgeReport, path: str | os.PathLike[str]) -> Path:
    """Write the page of a judged study; return the file.

    Raises:
        OSError: It cannot be written.
    """
    sections = [_systems(one) for one in report.labels]
    quality = quality_table(report.labels)
    if quality is not None:
        curves = [figure for one in report.labels if (figure := _curve(one)) is not None]
        folded = [
            table_figure(table, f"{_TITLES[one.label]} as a table", folded=True)
            for one in report.labels
            if (table := curve_table(one)) is not None
        ]
        sections.append(Section("quality", "What the judge is worth", [_QUALITY], [table_figure(quality)]))
        sections.append(
            Section("calibration", "Are its probabilities right?", [_CURVE], [*curves, *folded], pair=len(curves) > 1)
        )
    sections.append(Section("notes", "How the figures came about", [], [Figure(paragraphs(lines_of(report)))]))
    rows = {row.system: row for one in report.labels for row in one.rows if row.group == "all"}
    cards = [
        (f"{len(rows):,}", "systems"),
        (f"{sum(row.cases for row in rows.values()):,}", "answers"),
        (f"{sum(one.quality.labels for one in report.labels):,}", "labels"),
        (report.judge.name if report.judge else "none", "judge"),
    ]
    title = f"Judged study {Path(report.study).stem}"
    return Page(title, headline(report), cards, report.warnings, sections, report.study).write(path)


def _systems(report: LabelReport) -> Section:
    shown = [table_figure(systems_table(report, detailed=True))]
    differences = differences_table(report)
    if differences is not None:
        count = len(report.differences)
        note = f"Bold: p below 0.05 after Holm's correction for {count} comparison{'s' * (count > 1)}."
        shown.append(table_figure(differences, "Differences between systems", note))
    return Section(report.label, _TITLES[report.label], [_NOTE], shown)


def _curve(report: LabelReport) -> Figure | None:
    """Return the calibration curve of a label; None without one."""
    bins = report.quality.curve
    if not bins:
        return None
    points = [(one.confidence or 0.0, one.right or 0.0) for one in bins]
    lines = [Curve(1, "the judge", "extract", points), Curve(2, "right probabilities", "link", [(0, 0), (1, 1)])]
    names = ("calibration", "probability of the judge, %", "labels of 1, %")
    return Figure(curves(lines, names, width=420), _TITLES[report.label])
