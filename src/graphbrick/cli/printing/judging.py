"""Terminal output of the commands about judges and labels."""

from __future__ import annotations

from rich.text import Text

from graphbrick.cli.printing.studies import rich_table
from graphbrick.cli.printing.terminal import console, note, plain, print_json
from graphbrick.judge.report.judged import JudgeReport
from graphbrick.judge.report.tables import (
    curve_table,
    differences_table,
    lines_of,
    quality_table,
    systems_table,
)


def print_judge_report(report: JudgeReport, *, as_json: bool) -> None:
    """Print the tables of a judged study, then warnings and notes."""
    if as_json:
        print_json(report.to_dict())
        return
    out = console()
    for one in report.labels:
        out.print(rich_table(systems_table(one), f"{one.label.value}, %"), "", sep="\n")
        differences = differences_table(one)
        if differences is not None:
            out.print(rich_table(differences, f"differences of {one.label.value}, points"), "", sep="\n")
    quality = quality_table(report.labels)
    if quality is not None:
        out.print(rich_table(quality, "the judge beside people"), "", sep="\n")
    for one in report.labels:
        curve = curve_table(one)
        if curve is not None:
            out.print(rich_table(curve, f"calibration of {one.label.value}, %"), "", sep="\n")
    for text in report.warnings:
        out.print(Text(plain(f"warning: {text}"), style="bold"), soft_wrap=True)
    for text in lines_of(report):
        note(out, f"note: {text}")
