"""Terminal output of `graphbrick tune`."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import console, note, plain, print_json, table
from graphbrick.study.report.overview import measure_name
from graphbrick.study.tune.result.result import Tuned
from graphbrick.study.tune.result.writing import PAGE, RECIPES, headline

_EFFECTS = 8  # changes that are shown


def print_tuned(result: Tuned, folder: Path, graph: Path, *, as_json: bool) -> None:
    """Print the result of a search: its pipelines, the recommended ones, effects of choices, and the next command."""
    if as_json:
        print_json(result.to_json() | {"folder": str(folder)})
        return
    out = console()
    given_up = ", ".join(f"{count:,} {reason}" for reason, count in result.given_up.items())
    out.print(
        f"{result.tried:,} of {result.size:,} pipelines tried in {result.seconds / 60:.1f} min"
        + (f" (shared beginnings saved {100 * result.saved:.0f} % of the work)" if result.saved > 0.005 else "")
        + (f"; given up: {given_up}" if given_up else "")
    )
    if result.measured:
        out.print("", _measured(result), sep="\n")
    out.print("", Text(headline(result)), sep="\n", soft_wrap=True)
    for one in result.recommended:
        out.print(Text(f"\nfor {plain(one.aim)}: {plain(one.name)}\n  {plain(one.text)}"), soft_wrap=True)
    if result.effects:
        out.print("\nwhat each choice brings, on the questions that chose nothing:")
        for effect in sorted(result.effects, key=lambda one: one.p)[:_EFFECTS]:
            out.print(Text(f"  {plain(effect.words())}"), soft_wrap=True)
    if result.rules:
        out.print("\nrules of thumb:")
        for text in result.rules:
            out.print(Text(f"  {plain(text)}"), soft_wrap=True)
    for text in result.notes:
        note(out, text)
    out.print(f"\npage: {folder / PAGE}")
    out.print(
        f'ask:  graphbrick ask {shlex.quote(str(graph))} "your question" --recipe {shlex.quote(str(folder / RECIPES))}'
    )


def _measured(result: Tuned) -> Table:
    """Return the table of the pipelines that were measured on other questions."""
    quality = f"{measure_name(result.metric)}, %"
    title = f"on {result.final} questions that chose nothing"
    shown = table("pipeline", quality, "ms", "ms, 95 %", "tokens", "front", title=title)
    for one in result.measured:
        low, high = 100 * one.quality.low, 100 * one.quality.high
        shown.add_row(
            plain(one.name),
            f"{100 * one.quality.mean:.1f} ({low:.0f}-{high:.0f})",
            f"{1000 * one.figures.seconds:.1f}",
            f"{1000 * one.seconds_95:.1f}",
            f"{one.figures.tokens:,.0f}",
            "yes" if one.front else "",
        )
    return shown
