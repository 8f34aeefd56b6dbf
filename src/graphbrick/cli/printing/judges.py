"""Terminal output of the commands that make, train and check judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import typer

from graphbrick.cli.printing.terminal import console, plain, print_json, table
from graphbrick.judge.judges.classifier.training import TrainedLabel
from graphbrick.judge.report.checking import Check
from graphbrick.judge.synthetic.making import Made
from graphbrick.judge.verdicts import Label
from graphbrick.study.store.encoding import plain_json


def print_data(place: Path, made: Made, *, as_json: bool) -> None:
    """Print the contents of a data set."""
    rows = Counter((row.label.value, row.kind) for row in made.rows)
    if as_json:
        listed = [{"label": label, "kind": kind, "rows": count} for (label, kind), count in rows.items()]
        print_json({"data": str(place), "counts": made.counts, "rows": listed})
        return
    for name, count in made.counts.items():
        typer.echo(f"{name}: {count:,}")
    typer.echo("")
    for (label, kind), count in rows.items():
        typer.echo(f"{label.replace('_', ' ')}, {kind}: {count:,} rows")
    typer.echo(
        f"\nwritten to {plain(str(place))}; train a judge with: graphbrick judge train {plain(str(place))} -o judge/"
    )


def print_trained(
    place: Path, reports: Mapping[Label, TrainedLabel], left_out: Mapping[str, str] | None, *, as_json: bool
) -> None:
    """Print the quality of a judge on questions that it did not learn from, and the cases that it left out."""
    if as_json:
        told = {label: one.to_dict() for label, one in reports.items()}
        print_json({"judge": str(place), "labels": told} | ({} if left_out is None else {"left out": left_out}))
        return
    for label, one in reports.items():
        typer.echo(f"{label.replace('_', ' ')}: {one}")
    for left, reason in (left_out or {}).items():
        typer.echo(f"{left.replace('_', ' ')}: not learned, as {reason}")
    typer.echo(
        f"\nwritten to {plain(str(place))}. These figures are about made data; how it does on labels by people says\n"
        f"  graphbrick judge check {plain(str(place))} LABELS"
    )


def print_check(check: Check, *, as_json: bool) -> None:
    """Print how good a judge is beside baselines."""
    if as_json:
        print_json(plain_json(check))
        return
    for label in dict.fromkeys(row.label for row in check.rows):
        rows = [row for row in check.rows if row.label is label]
        typer.echo(f"{label.replace('_', ' ')}: {rows[0].rows:,} labels, of which {rows[0].holds:.1%} hold")
        lines = table("judge", "AUC", "correlation", "agrees", "kappa", "mean", "calibration error")
        for row in rows:
            lines.add_row(
                plain(row.judge),
                "-" if row.auc is None else f"{row.auc.value:.3f} [{row.auc.low:.3f}, {row.auc.high:.3f}]",
                f"{row.correlation:+.2f}", f"{row.agreement.same:.1%}",
                "-" if row.agreement.kappa is None else f"{row.agreement.kappa:.2f}", f"{row.says:.2f}",
                f"{row.error:.2f}",
            )  # fmt: skip
        console().print(lines)
        typer.echo("")
    for remark in check.remarks:
        for label in Label:  # not every underscore: the name of a judge may be a path
            remark = remark.replace(label, label.replace("_", " "))
        typer.echo(f"{remark}.")
