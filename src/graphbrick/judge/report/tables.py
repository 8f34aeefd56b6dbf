"""Tables of the report of a judge, for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.judge.report.estimates import ALL, Alone, SystemRow
from graphbrick.judge.report.judged import JudgeReport, LabelReport
from graphbrick.study.report.charts import percent
from graphbrick.study.report.tables import (
    NONE,
    Cell,
    Column,
    Table,
    bin_cells,
    bounds,
    difference_cell,
    interval_cell,
    name_cell,
    number_cell,
    share_cell,
)
from graphbrick.study.statistics.prediction_powered import Estimate

_MEANING = {
    "labels": "labels by people, of all answers",
    "labels alone": "mean of the labels (Wilson's interval)",
    "judge alone": "mean probability of the judge; its interval knows nothing of the judge's errors",
    "PPI": "the mean of the judge, corrected by its mean error on the labels",
    "PPI++": "the same with the best weight of the judge: the figure to quote",
    "weight": "weight of the judge in PPI++, lambda: 0 is labels alone",
    "yes and no": "Rogan-Gladen: the share of yes, corrected for wrong yes and wrong no",
    "missing": "answers without a readable verdict of the judge",
    "truth": "mean of the labels of all answers, which follow from a rule",
}


def systems_table(report: LabelReport, *, detailed: bool = False) -> Table:
    """Return a row for each system, over all its questions and over each kind of them; in percent.

    Args:
        report: The report of a label.
        detailed: Whether to show the columns that a terminal has no room for.
    """
    rows = report.rows
    judged = any(row.alone is not None for row in rows)
    grouped = len({row.group for row in rows}) > 1
    titles = ["labels", "labels alone"]
    if judged:
        titles += ["judge alone", "PPI", "PPI++", "weight"]
        titles += ["yes and no"] if detailed and any(row.hard is not None for row in rows) else []
        titles += ["missing"] if any(row.missing for row in rows) else []
    titles += ["truth"] if any(row.true is not None for row in rows) else []
    columns = [Column("system", text=True), *([Column("questions", text=True)] if grouped else [])]
    columns += [Column(title, note=_MEANING[title]) for title in titles]
    best = max((row.tuned.mean for row in rows if row.group == ALL and row.tuned is not None), default=None)
    body = []
    for row in rows:
        cells = [name_cell(row.system), *([Cell(row.group, row.group)] if grouped else [])]
        body.append([*cells, *(_system_cell(row, title, best) for title in titles)])
    return Table(f"systems-{report.label}", f"{report.label} of the answers, in percent", columns, body)


def _system_cell(row: SystemRow, title: str, best: float | None) -> Cell:
    if title == "labels":
        return number_cell(row.labels, small=f"of {row.cases:,}")
    if title == "weight":
        return number_cell(None if row.tuned is None else row.tuned.weight, 2)
    if title == "missing":
        return number_cell(row.missing)
    if title == "truth":
        return share_cell(row.true)
    if title == "yes and no":
        return NONE if row.hard is None else share_cell(row.hard.share, bounds(row.hard.low, row.hard.high))
    if title == "judge alone":
        return _alone_cell(row.alone, row.missing)
    estimate = {"labels alone": row.classical, "PPI": row.ppi, "PPI++": row.tuned}[title]
    strong = title == "PPI++" and row.group == ALL and estimate is not None and estimate.mean == best
    return interval_cell(estimate, strong=strong)


def _alone_cell(alone: Alone | None, missing: int) -> Cell:
    if alone is None:
        return NONE
    small = bounds(alone.low, alone.high)
    if missing:
        small += f"; {bounds(alone.least, alone.most)} by what is missing"
    return share_cell(alone.mean, small)


def differences_table(report: LabelReport) -> Table | None:
    """Return a row for every two systems, in points; None if there are none."""
    if not report.differences:
        return None
    columns = [
        Column("system", text=True),
        Column("against", text=True),
        Column("difference", note="share of the first minus share of the second, in points"),
        Column("labels", note="questions that are labelled for both, or labels of both"),
        Column("p", note="two-sided"),
        Column("Holm", note="corrected for the chance of even one false finding"),
        Column("B-H", note="corrected for the share of false findings (Benjamini and Hochberg)"),
        Column("compared", text=True),
    ]
    body = []
    for one in report.differences:
        estimate = one.estimate
        shown = difference_cell(estimate, 100, strong=one.p_holm < 0.05)
        p = [Cell(f"{value:.4f}" if value >= 0.0001 else "<0.0001", value) for value in (one.p, one.p_holm, one.p_bh)]
        names = [name_cell(one.first), Cell(one.second, one.second)]
        way = "question by question" if one.paired else "means of different questions"
        body.append([*names, shown, number_cell(estimate.n), *p, Cell(way)])
    return Table(f"differences-{report.label}", f"Differences of {report.label}", columns, body)


_MEASURES = {
    "labels": "labels with a readable verdict",
    "AUC": "share of pairs that the judge orders as the labels do; 0.5 is chance",
    "AUC of length": "the length of the text as a judge, in its better direction",
    "correlation": "of probability and label: decides how many labels the judge saves",
    "agreement, %": "same yes or no as the label",
    "kappa": "agreement beyond chance",
    "calibration error, %": "mean distance between probability and share of ones",
    "missing, %": "verdicts that the judge failed to give, or that could not be read",
    "a label counts as": "labels alone that make an interval as short as one with the judge",
}


def quality_table(reports: Sequence[LabelReport]) -> Table | None:
    """Return a column for each label that says what the judge is worth; None without labels or a judge."""
    judged = [one for one in reports if one.quality.rated and one.quality.labels]
    if not judged:
        return None
    columns = [Column("measure", text=True), *(Column(one.label.value) for one in judged), Column("", text=True)]
    cells = [_quality_cells(one) for one in judged]
    body = [
        [name_cell(name), *(column[place] for column in cells), Cell(meaning)]
        for place, (name, meaning) in enumerate(_MEASURES.items())
    ]
    return Table("quality", "What the judge is worth on the labels", columns, body)


def _quality_cells(report: LabelReport) -> list[Cell]:
    """Return a cell for each of the measures."""
    quality = report.quality
    area, length, agreed = quality.auc, quality.length, quality.agreement
    of_length = kappa = NONE
    if length is not None:
        kind = f"{'longer' if length.longer else 'shorter'} {length.text}"
        of_length = number_cell(length.auc.value, 3, kind)
    if agreed is not None and agreed.kappa is not None:
        value, low, high = (round(end or 0.0, 2) + 0.0 for end in agreed[2:])  # + 0.0 turns -0.0 into 0.0
        kappa = Cell(f"{value:.2f}", agreed.kappa, f"{low:.2f}–{high:.2f}")
    return [
        number_cell(quality.compared, small=f"of {quality.labels:,}"),
        NONE if area is None else number_cell(area.value, 3, f"{area.low:.3f}–{area.high:.3f}"),
        of_length,
        number_cell(quality.correlation, 2),
        share_cell(None if agreed is None else agreed.same),
        kappa,
        share_cell(quality.error),
        share_cell(quality.missing_share),
        number_cell(report.gain, 2),
    ]


def curve_table(report: LabelReport) -> Table | None:
    """Return the calibration curve: shares of ones by probability; None without labels or judge."""
    if not report.quality.curve:
        return None
    columns = [
        Column("probability", note="of the judge, in percent"),
        Column("labels"),
        Column("mean probability"),
        Column("labels of 1", note="share of labels that are 1"),
    ]
    body = list(map(bin_cells, report.quality.curve))
    return Table(f"curve-{report.label}", f"Share of ones by probability: {report.label}", columns, body)


def headline(report: JudgeReport) -> str:
    """Return the result in a sentence or two."""
    parts = []
    for one in report.labels:
        rows = [row for row in one.rows if row.group == ALL]
        best = max(rows, key=lambda row: estimate.mean if (estimate := quoted(row)) else -1.0, default=None)
        estimate = None if best is None else quoted(best)
        if best is not None and estimate is not None:
            parts.append(
                f"{one.label.value}: {best.system} {percent(estimate.mean)} % ({bounds(estimate.low, estimate.high)})"
            )
    return f"Best by {'; '.join(parts)}." if parts else "No system has labels, so that nothing is corrected."


def quoted(row: SystemRow) -> Estimate | None:
    """Return the estimate of a row to quote: PPI++, else PPI with pooled labels, else the labels alone."""
    return row.tuned or row.ppi or row.classical


def lines_of(report: JudgeReport) -> list[str]:
    """Return the notes of a report, one a line: the judge and its cost, and what a reader should know."""
    lines = []
    if report.judge is not None:
        ledger, one = report.judge.ledger, report.judge
        cost = f", ${ledger['cost']:.2g}" if ledger.get("cost") else ""
        lines.append(
            f"judge: {one.name} ({one.identity}), {one.cases:,} ratings in {one.seconds:,.1f} s, "
            f"{ledger.get('calls', 0):,.0f} calls, "
            f"{ledger.get('tokens_in', 0):,.0f}/{ledger.get('tokens_out', 0):,.0f} tokens in/out{cost}"
        )
        lines += one.events[:3]
    if report.source:
        lines.append(f"labels: {report.source}; intervals of {report.level:.0%}")
    lines += report.notes
    for label in report.labels:
        lines += [f"{label.label.value}: {text}" for text in label.notes]
        for row in label.rows:
            if row.group == ALL:
                lines += [f"{label.label.value}, {row.system}: {text}" for text in row.remarks]
    return lines
