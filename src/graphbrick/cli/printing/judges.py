"""Terminal output of the commands that make, train and check judges."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphbrick.cli.printing.terminal import console, plain, print_json, table
from graphbrick.judge.judges.classifier.training import Trained
from graphbrick.judge.report.checking import Check
from graphbrick.judge.synthetic.making import Made
from graphbrick.judge.synthetic.negatives import EASY
from graphbrick.judge.verdicts import Label
from graphbrick.study.store.encoding import plain_json

if TYPE_CHECKING:
    from graphbrick.judge.training.judge_encoder import EncoderReport
    from graphbrick.judge.training.judge_llm import JudgeLLMReport

_BETTER = 0.01  # of the area under the curve: less is no gain over a single number


def print_data(place: Path, made: Made, *, as_json: bool) -> None:
    """Print what a data set holds."""
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


def print_trained(place: Path, trained: Trained, *, as_json: bool) -> None:
    """Print how well a judge does on questions that it did not learn from."""
    if as_json:
        print_json({"judge": str(place), **trained.report()})
        return
    for label, one in trained.reports.items():
        name = label.replace("_", " ")
        typer.echo(f"{name}: AUC {one.auc:.3f} on held-out questions ({one.questions:,} questions, {one.rows:,} rows)")
        for kind, area in one.by_kind.items():
            typer.echo(f"  against {kind}: {area:.3f}{' (easy)' if kind in EASY else ''}")
        best, area = max(one.alone.items(), key=lambda entry: entry[1])
        if one.auc < area + _BETTER:
            typer.echo(f"  no better than {best} alone, {area:.3f}: more or harder examples may help")
        else:
            typer.echo(f"  best single number: {best}, {area:.3f}")
    for left, reason in trained.left_out.items():
        typer.echo(f"{left.replace('_', ' ')}: not learned, as {reason}")
    _next(place)


def print_encoder(place: Path, made: dict[Label, EncoderReport], *, as_json: bool) -> None:
    """Print how well the encoders of a judge do on held-out questions."""
    if as_json:
        print_json({"judge": str(place), "labels": {label: asdict(one) for label, one in made.items()}})
        return
    for label, one in made.items():
        tried = f", the best of {len(one.trials)} settings" if one.trials else ""
        typer.echo(f"{label.replace('_', ' ')}: AUC {one.auc:.3f} on held-out questions ({one.rows:,} rows{tried})")
    _next(place)


def print_tuned(place: Path, made: dict[Label, JudgeLLMReport], *, as_json: bool) -> None:
    """Print how well a tuned language model judges held-out questions, beside its base."""
    if as_json:
        print_json({"judge": str(place), "labels": {label: asdict(one) for label, one in made.items()}})
        return
    for label, one in made.items():
        typer.echo(
            f"{label.replace('_', ' ')}: AUC {one.untrained:.3f} -> {one.auc:.3f} on held-out questions "
            f"({one.rows:,} rows)"
        )
    _next(place)


def print_check(found: Check, *, as_json: bool) -> None:
    """Print how good a judge is beside baselines."""
    if as_json:
        print_json(plain_json(found))
        return
    for label in dict.fromkeys(row.label for row in found.rows):
        rows = [row for row in found.rows if row.label is label]
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
    for remark in found.remarks:
        for label in Label:  # not every underscore: the name of a judge may be a path
            remark = remark.replace(label, label.replace("_", " "))
        typer.echo(f"{remark}.")


def _next(place: Path) -> None:
    """Print where the judge is, and how to find out what it is worth."""
    typer.echo(
        f"\nwritten to {plain(str(place))}. These figures are about made data; how it does on labels by people says\n"
        f"  graphbrick judge check {plain(str(place))} LABELS"
    )
