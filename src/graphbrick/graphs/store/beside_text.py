"""The folder of passages beside a graph that was made from documents."""

from __future__ import annotations

from os import PathLike
from pathlib import Path


def text_folder(graph: Path) -> Path:
    """Return the folder of the documents of a graph."""
    place = graph.absolute()
    return place.with_name(f"{place.name}.text")


def records_place(graph: Path) -> Path:
    """Return the folder of the graph of the records, beside a graph made from documents that are rows of tables."""
    return text_folder(graph) / "records.graph"


def has_text(path: str | PathLike[str]) -> bool:
    """Return whether the graph in a folder was made from documents, whose passages are beside it."""
    place = Path(path).absolute()
    return bool(place.name) and text_folder(place).is_dir()  # the root has no name
