"""Open any graph: a folder of a graph or of extracted subgraphs, or a database by its address."""

from __future__ import annotations

import os
from importlib import import_module

from graphbrick.graphs.corpus import TextGraph, has_text
from graphbrick.graphs.databases.address import Address, is_address
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.extracted import ExtractedGraph
from graphbrick.graphs.local.extracted_files import is_extracted

# Modules that import their client when they connect.
_KINDS = {
    "ladybug": ("cypher.ladybug", "LadybugGraph"),
    "bolt": ("cypher.bolt", "BoltGraph"),
    "bolt+s": ("cypher.bolt", "BoltGraph"),
    "bolt+ssc": ("cypher.bolt", "BoltGraph"),
    "neo4j": ("cypher.bolt", "BoltGraph"),
    "neo4j+s": ("cypher.bolt", "BoltGraph"),
    "neo4j+ssc": ("cypher.bolt", "BoltGraph"),
    "falkor": ("cypher.falkor", "FalkorGraph"),
    "falkors": ("cypher.falkor", "FalkorGraph"),
    "oxigraph": ("sparql.oxigraph", "OxigraphGraph"),
    "sparql+http": ("sparql.sparql", "SparqlGraph"),
    "sparql+https": ("sparql.sparql", "SparqlGraph"),
}


def open_graph(place: str | os.PathLike[str]) -> Graph | DatabaseGraph | ExtractedGraph:
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
        if is_extracted(place):
            return ExtractedGraph(place)
        return TextGraph.open(place) if has_text(place) else Graph.open(place)
    address = Address.read(text)
    module, name = _KINDS[address.scheme]
    opened = getattr(import_module(f"graphbrick.graphs.databases.{module}"), name)(address)
    assert isinstance(opened, DatabaseGraph)
    return opened
