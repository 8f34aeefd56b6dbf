"""What graphs from documents have, and the formats of GraphRAG and LightRAG do not."""

from __future__ import annotations

from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.export.columns import properties_left_out
from graphbrick.graphs.records.records import LeftOut


def facts_left_out(graph: TextGraph, relations: int, left_out: LeftOut) -> None:
    """Count the facts of a graph that have no place in either format.

    Args:
        graph: The graph.
        relations: Number of relations in the export.
        left_out: Receives the counts.
    """
    properties_left_out(graph, left_out)
    for entity in range(graph.n_entities):
        if aliases := graph.aliases(entity):
            left_out.add("aliases of entities", aliases[0], len(aliases))
        if further := graph.types(entity)[1:]:
            left_out.add("types of entities after the first", further[0], len(further))
    joined = graph.n_triples - relations
    if joined:
        left_out.add("triples that are joined with others between the same entities, or have no relation", n=joined)
