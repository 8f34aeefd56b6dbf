"""Terminal output of the commands that make, train and check judges."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import typer

from graphbrick.cli.printing.terminal import plain, print_json
from graphbrick.evaluate.judge.synthetic.making import Made


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
