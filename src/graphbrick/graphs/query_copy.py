"""Copies of folder graphs in ladybug databases, through which they answer queries.

The copy of ``films.graph`` is in ``films.graph.ladybug/``. It is made once for each version of the graph.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.locks import claim
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.databases.address import Address
from graphbrick.graphs.databases.cypher.ladybug import LadybugGraph
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.store.beside import FolderBeside
from graphbrick.graphs.store.stored import StoredGraph

_FILE = "graph.ladybug"


class _Copy(LadybugGraph):
    """The copy of a folder graph, whose address nobody writes."""

    takes_options = False


def query_copy(graph: StoredGraph) -> LadybugGraph:
    """Return the copy of a graph; it is made if there is none of this version of the graph.

    Raises:
        GraphbrickError: ladybug is not installed, or the copy cannot be written.
    """
    return current_session().get(("query copy",), lambda: _opened(graph), of=graph)


def has_copy(graph: StoredGraph) -> bool:
    """Return whether the copy of this version of a graph is there, and whole."""
    return _is_usable(FolderBeside(graph, "ladybug", "copy"))


def _opened(graph: StoredGraph) -> LadybugGraph:
    place = FolderBeside(graph, "ladybug", "copy")
    try:
        if not _is_usable(place):
            place.parent.mkdir(exist_ok=True)
            with claim(place.parent / ".lock", wait=True):
                if not _is_usable(place):  # else another process made it meanwhile
                    _make(graph, place)
    except OSError as error:
        raise GraphbrickError(
            f"the copy of {graph.path} for queries cannot be kept in {place.parent} ({error.strerror or error}); "
            "make room, or copy the graph to a folder that you may write to",
            code="query_copy.not_written",
            folder=place.parent,
        ) from error
    return _Copy(Address("ladybug", "", str(place.folder / _FILE)))


def _is_usable(place: FolderBeside) -> bool:
    try:
        return place.facts() is not None
    except ValueError as error:
        event(f"the copy in {place.folder} is damaged ({error}) and is made again", "query_copy.damaged")
        return False


def _make(graph: StoredGraph, place: FolderBeside) -> None:
    def fill(folder: Path) -> Mapping[str, Any]:
        to_ladybug(graph, folder / _FILE)
        return {"triples": graph.n_triples}

    start = time.perf_counter()
    place.write(fill)
    seconds = time.perf_counter() - start
    text = f"a copy of the graph for queries was made in {place.folder} ({seconds:.1f} s)"
    event(text, "query_copy.made", folder=place.folder)
