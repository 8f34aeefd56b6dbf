"""Export graphs made from text for other programs of that kind."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike

from graphbrick.core.errors import InputError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.export.place import Written
from graphbrick.graphs.graph import Graph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.text.exchange.graphrag.exporting import to_graphrag
from graphbrick.text.exchange.lightrag.exporting import to_lightrag

TEXT_FORMATS: dict[str, Callable[..., Written]] = {"graphrag": to_graphrag, "lightrag": to_lightrag}
"""The formats that only graphs made from text can be written in; `graphbrick.graphs.export.formats` has the others."""


def export_text(
    graph: Graph,
    target: str | PathLike[str],
    to: str,
    *,
    embedder: Embedder | None = None,
    overwrite: bool = False,
) -> Written:
    """Write a graph made from text, with its passages, in the format of another program.

    Args:
        graph: The graph.
        target: The folder to make.
        to: "graphrag" or "lightrag".
        embedder: lightrag: embeds entities, relations and passages; `MiniLM` by default.
        overwrite: Replace an earlier export.

    Returns:
        The folder, and the number of relations in it.

    Raises:
        InputError: The graph was not made from text.
        GraphbrickError: The target exists or cannot be written.
    """
    if not isinstance(graph, TextGraph):
        raise InputError(
            f"{graph.path} was not made from documents, so it has no passages for an export to {to}; try parquet"
        )
    more = {"embedder": embedder or MiniLM()} if to == "lightrag" else {}
    return TEXT_FORMATS[to](graph, target, overwrite=overwrite, **more)
