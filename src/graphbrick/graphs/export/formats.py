"""The formats of ``graphbrick export`` by name."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.graph import Corpus
from graphbrick.core.plugins import Registry
from graphbrick.graphs.export.place import Export, Written, export_fault
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.stored import StoredGraph

_HERE = "graphbrick.graphs.export"
EXPORTS: Registry[Export] = Registry(
    "graphbrick.exports",
    {
        "ladybug": f"{_HERE}.ladybug:EXPORT",
        "neo4j-csv": f"{_HERE}.neo4j_csv:EXPORT",
        "parquet": f"{_HERE}.parquet:EXPORT",
        "nt": f"{_HERE}.ntriples:EXPORT",
        "graphml": f"{_HERE}.graphml:EXPORT",
        "networkx": f"{_HERE}.to_networkx:EXPORT",
        "graphrag": "graphbrick.text.exchange.graphrag.exporting:EXPORT",
        "lightrag": "graphbrick.text.exchange.lightrag.exporting:EXPORT",
    },
    export_fault,
)
"""The formats by name."""


def export(
    graph: StoredGraph,
    target: str | PathLike[str],
    to: str,
    *,
    overwrite: bool = False,
    progress: Progress = silent,
    **options: object,
) -> Written:
    """Write a graph in the format of another program.

    Args:
        graph: The graph.
        target: The file or folder to make.
        to: A name of `EXPORTS`, such as "parquet"; "graphrag" and "lightrag" are for graphs made from documents.
        overwrite: Replace an existing export.
        progress: Called now and then with the name of the step, what is done and the total.
        options: Options of the format: for "nt", ``base``, the beginning of the IRIs of other keys; for "lightrag",
            ``embedder``, which embeds entities, relations and passages.

    Returns:
        The file or folder, and what the format cannot hold.

    Raises:
        InputError: There is no such format, it does not take an option, or it needs a graph made from documents.
        GraphbrickError: The target exists or cannot be written.
    """
    form = EXPORTS.find(to)
    if form is None:
        text = f"there is no export to {to!r}; choose one of {', '.join(EXPORTS.names())}"
        raise InputError(text, code="export.no_format", format=to, allowed=EXPORTS.names())
    for name in options:
        if name not in form.takes:
            raise InputError(f"an export to {to} takes no {name}; leave it out", code="export.no_option", option=name)
    if form.needs_text and not isinstance(graph, Corpus):
        raise InputError(
            f"{graph.path} was not made from documents, so it has no passages for an export to {to}; try parquet",
            code="export.needs_documents",
        )
    if "progress" in form.takes:
        options["progress"] = progress
    left_out = LeftOut()
    if "left_out" in form.takes:
        options["left_out"] = left_out
    written = form.write(graph, target, overwrite=overwrite, **options)
    return Written(written, None, left_out) if isinstance(written, Path) else written._replace(left_out=left_out)
