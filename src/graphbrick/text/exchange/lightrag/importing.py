"""Make a graph from the storage folder of LightRAG."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from graphbrick.text.documents.imported import Imported
from graphbrick.text.exchange.graphrag.importing import import_rows
from graphbrick.text.exchange.lightrag.storage import Storage

WRITER = "LightRAG"


def import_lightrag(source: str | PathLike[str], path: str | PathLike[str], *, overwrite: bool = False) -> Imported:
    """Make a graph from a storage folder of LightRAG with its default storages: JSON files and GraphML.

    Entities keep their types and descriptions; relations become triples `RELATED` with descriptions, keywords and
    weights; chunks become passages of their documents, if they are slices of them. Vectors and cached replies are not
    read. Relations are undirected there: head and tail are as in the file.

    Args:
        source: The folder (``working_dir``), or the workspace in it.
        path: The graph folder to make.
        overwrite: Replace a graph that was imported earlier.

    Raises:
        InputError: A file is missing or cannot be read.
        GraphbrickError: ``path`` cannot be written, or holds something else.
    """
    return import_rows(Storage(Path(source)), path, WRITER, overwrite=overwrite)
