"""Terminal output of `graphbrick prepare reports`."""

from __future__ import annotations

from dataclasses import asdict

import typer

from graphbrick.cli.printing.terminal import print_json
from graphbrick.language.counting import counted
from graphbrick.text.reporting.prepare import Prepared
from graphbrick.text.reporting.written import Cost

_SHOWN = 5


def print_cost(cost: Cost, *, as_json: bool) -> None:
    """Print the cost of writing reports before they are written."""
    if as_json:
        print_json(asdict(cost))
        return
    usd = "no price is known for this model" if cost.usd is None else f"at most ${cost.usd:.2f}"
    typer.echo(
        f"{counted(cost.calls, 'call')}, about {cost.tokens_in:,} tokens in, at most {cost.tokens_out:,} out: {usd}; "
        f"paid for already: {counted(cost.kept, 'report')}"
    )


def print_prepared(done: Prepared, *, seconds: float, as_json: bool) -> None:
    """Print the number of reports written, and their cost."""
    if as_json:
        print_json(
            {
                "reports": len(done.reports),
                "communities": done.communities,
                "cost": asdict(done.cost),
                "failed": done.failed,
                "broken": done.broken,
                "cut": {str(community): left_out for community, left_out in done.cut.items()},
                "seconds": seconds,
            }
        )
        return
    typer.echo(
        f"{counted(len(done.reports), 'report')} on {counted(done.communities, 'community')} "
        f"({done.cost.calls:,} written now by a model, {done.cost.kept:,} kept) in {seconds:,.1f} s"
    )
    if done.failed:
        few = ", ".join(map(str, done.failed[:_SHOWN])) + (", ..." if len(done.failed) > _SHOWN else "")
        why = "run it again to try again" if done.cost.calls else "no sentence names their entities"
        typer.echo(f"note: no report on {counted(len(done.failed), 'community')} ({few}): {why}", err=True)
    if done.broken:
        few = ", ".join(map(str, done.broken[:_SHOWN])) + (", ..." if len(done.broken) > _SHOWN else "")
        typer.echo(
            f"note: {counted(len(done.broken), 'report')} ({few}) broke off, with what came before; a higher "
            "max_tokens of the model gives more room",
            err=True,
        )
    if done.cut:
        total = sum(done.cut.values())
        typer.echo(
            f"note: {counted(len(done.cut), 'report')} without {total:,} of the least important triples or passages of "
            "the communities (--tokens gives more room)",
            err=True,
        )
