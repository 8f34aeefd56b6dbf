"""The formats of ``graphbrick export`` by name."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.export.graphml import to_graphml
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.export.neo4j_csv import to_neo4j_csv
from graphbrick.graphs.export.ntriples import to_ntriples
from graphbrick.graphs.export.parquet import to_parquet
from graphbrick.graphs.export.to_networkx import to_node_link
from graphbrick.graphs.store.stored import StoredGraph

FORMATS: dict[str, Callable[..., Path]] = {
    "ladybug": to_ladybug,
    "neo4j-csv": to_neo4j_csv,
    "parquet": to_parquet,
    "nt": to_ntriples,
    "graphml": to_graphml,
    "networkx": to_node_link,
}


def export(
    graph: StoredGraph,
    target: str | PathLike[str],
    to: str,
    *,
    base: str | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> Path:
    """Write a graph in the format of another program.

    Args:
        graph: The graph.
        target: The file or folder to make.
        to: One of "ladybug", "neo4j-csv", "parquet", "nt", "graphml" and "networkx".
        base: For "nt": what the IRIs of keys begin with that are no IRIs themselves.
        overwrite: Replace what is there.
        progress: Called now and then with the name of the step, what is done and the total.

    Raises:
        InputError: There is no such format, or it takes no base.
        GraphbrickError: The target exists or cannot be written.
    """
    if to not in FORMATS:
        raise InputError(
            f"there is no export to {to!r}; choose one of {', '.join(FORMATS)}, or graphrag or lightrag for a graph "
            "made from documents"
        )
    more: dict[str, Any] = {}
    if base is not None:
        if to != "nt":
            raise InputError(f"an export to {to} has no IRIs, so it takes no base; leave it out")
        more = {"base": base}
    return FORMATS[to](graph, target, overwrite=overwrite, progress=progress, **more)
