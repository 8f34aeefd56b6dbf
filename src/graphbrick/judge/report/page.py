"""The page of a judged study: one file that needs neither a network nor a server."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from graphbrick.core import __version__
from graphbrick.core.files.replacing import replacing
from graphbrick.judge.report.judged import JudgeReport, LabelReport
from graphbrick.judge.report.tables import (
    curve_table,
    differences_table,
    headline,
    lines_of,
    quality_table,
    systems_table,
)
from graphbrick.study.report.charts import round_percent
from graphbrick.study.report.html import page_text
from graphbrick.study.report.markup import macro
from graphbrick.study.report.sections import Figure, Section
from graphbrick.study.report.tables import table_html

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
_QUALITY = (
    "The judge beside people, on the labels of all systems. A judge has to beat the length of the text. Warnings stand "
    "at the top of the page."
)
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 420, 330, 52, 18, 16, 48


class _Line(NamedTuple):
    """A curve where it is drawn."""

    number: int
    name: str
    colour: str
    points: list[tuple[float, float]]


def write_judge_page(report: JudgeReport, path: str | os.PathLike[str]) -> Path:
    """Write the page of a judged study; return the file.

    Raises:
        OSError: It cannot be written.
    """
    file, text = Path(path), _text(report)
    with replacing(file) as out:
        out.write(text.lstrip())
    return file


def _text(report: JudgeReport) -> str:
    sections = [_systems(one) for one in report.labels]
    quality = quality_table(report.labels)
    if quality is not None:
        curves = [figure for one in report.labels if (figure := _curve(one)) is not None]
        folded = [
            Figure(table_html(table), f"{_TITLES[one.label]} as a table", folded=True)
            for one in report.labels
            if (table := curve_table(one)) is not None
        ]
        sections.append(Section("quality", "What the judge is worth", [_QUALITY], [Figure(table_html(quality))]))
        sections.append(
            Section("calibration", "Are its probabilities right?", [_CURVE], [*curves, *folded], pair=len(curves) > 1)
        )
    notes = macro("parts.html", "paragraphs", lines_of(report))
    sections.append(Section("notes", "How the figures came about", [], [Figure(notes)]))
    rows = {row.system: row for one in report.labels for row in one.rows if row.group == "all"}
    labels = sum(one.quality.labels for one in report.labels)
    cards = [
        (f"{len(rows):,}", "systems"),
        (f"{sum(row.cases for row in rows.values()):,}", "answers"),
        (f"{labels:,}", "labels"),
        (report.judge.name if report.judge else "none", "judge"),
    ]
    return page_text(
        f"Judged study {Path(report.study).stem}", headline(report), cards, report.warnings, sections,
        written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), source=report.study, version=__version__,
    )  # fmt: skip


_CURVE = "The share of labels that are 1 among answers of about one probability. On the diagonal the judge is right."


def _systems(report: LabelReport) -> Section:
    shown = [Figure(table_html(systems_table(report, detailed=True)))]
    differences = differences_table(report)
    if differences is not None:
        count = len(report.differences)
        note = f"Bold: p below 0.05 after Holm's correction for {count} comparison{'s' * (count > 1)}."
        shown.append(Figure(table_html(differences), "Differences between systems", note))
    return Section(report.label, _TITLES[report.label], [_NOTE], shown)


def _curve(report: LabelReport) -> Figure | None:
    """Return the calibration curve of a label; None without one."""
    bins = report.quality.curve
    if not bins:
        return None
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return _LEFT + x * (right - _LEFT), bottom - y * (bottom - _TOP)

    points = [at(one.confidence or 0.0, one.right or 0.0) for one in bins]
    lines = [_Line(1, "the judge", "extract", points), _Line(2, "right probabilities", "link", [at(0, 0), at(1, 1)])]
    ticks = (0, 0.25, 0.5, 0.75, 1.0)
    x_ticks = [(at(tick, 0)[0], round_percent(tick)) for tick in ticks]
    y_ticks = [(at(0, tick)[1], round_percent(tick)) for tick in ticks]
    box = {"width": _WIDTH, "height": _HEIGHT, "left": _LEFT, "right": right, "top": _TOP, "bottom": bottom}
    names = ("calibration", "probability of the judge, %", "labels of 1, %")
    return Figure(macro("curves.html", "chart", box, x_ticks, y_ticks, lines, names), _TITLES[report.label])
