"""Notes and renewal of learned patterns, for the commands that change a graph."""

from __future__ import annotations

from pathlib import Path

import typer

# Everything else is imported where it is used, so that other commands start at once.


def after_change(graph: Path, *, learn_again: bool) -> None:
    """Say that a learned graph has new relations, or learn it again.

    With ``learn_again``, a graph that was not learned yet is learned as well.
    """
    place = graph.resolve()
    if not learn_again and not place.with_name(f"{place.name}.patterns").exists():
        return  # without the imports below
    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import ModelError
    from graphbrick.graphs.graph import Graph
    from graphbrick.learn.learned import unlearned
    from graphbrick.learn.renewal import renew
    from graphbrick.patterns.model.model import note_of_unlearned

    opened = Graph.open(graph)
    if learn_again:
        with progress("learning") as shown:
            report = renew(opened, progress=shown)
        typer.echo("learned already, and no relation is new" if report is None else str(report), err=True)
        return
    try:
        fresh = unlearned(opened)
    except ModelError as error:
        typer.echo(f"note: what was learned of the graph cannot be used: {error}", err=True)
        return
    if fresh:
        typer.echo(f"note: {note_of_unlearned(fresh)} (or change the graph with --learn)", err=True)
