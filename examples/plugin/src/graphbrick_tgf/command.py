"""The command `graphbrick degrees`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def degrees(
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="Folder of the graph.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Entities to list.")] = 10,
) -> None:
    """List the entities with the most triples."""
    from graphbrick import Graph  # here, so that help is shown at once

    opened = Graph.open(graph)
    counts = [(opened.degree(entity), opened.label(entity)) for entity in range(opened.n_entities)]
    for count, label in sorted(counts, key=lambda one: (-one[0], one[1]))[:n]:
        typer.echo(f"{count}\t{label}")
