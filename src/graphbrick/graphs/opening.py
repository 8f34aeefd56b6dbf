"""Open any graph: a folder of a graph or of extracted subgraphs, or a database by its address."""

from __future__ import annotations

import os

from graphbrick.graphs.databases.address import DATABASES, Address, is_address
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.extracted import ExtractedGraph
from graphbrick.graphs.local.extracted_files import is_extracted


def open(place: str | os.PathLike[str]) -> Graph | DatabaseGraph | ExtractedGraph:  # noqa: A001 - graphbrick.open
    """Open a graph folder, a folder of extracted subgraphs, or a graph in a database.

    A graph that was made from documents is opened with their passages.

    A database is connected to when it is first asked. User and password are read from ``GRAPHBRICK_USER`` and
    ``GRAPHBRICK_PASSWORD``.

    Args:
        place: Folder, or address such as ``bolt://localhost:7687/films`` or ``ladybug:films.lbdb``.

    Raises:
        GraphFormatError: The folder holds no graph, or a damaged one.
        InputError: The address is none, or its options are unknown.
    """
    text = os.fspath(place)
    if not is_address(text):
        return ExtractedGraph(place) if is_extracted(place) else Graph.open(place)
    address = Address.read(text)
    kind = DATABASES.find(address.scheme)
    assert kind is not None  # or the address could not be read
    return kind(address)
