"""Records of the entities of a graph, in the order of their ids."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.graphs.records.records import EntityRecord
from graphbrick.graphs.store.stored import StoredGraph


def entity_records(graph: StoredGraph, first: int = 0, last: int | None = None) -> Iterator[EntityRecord]:
    """Yield a record for each entity from ``first`` to before ``last``; all by default. Labels are never None."""
    for entity in range(first, graph.n_entities if last is None else last):
        yield entity_record(graph, entity)


def entity_record(graph: StoredGraph, entity: int) -> EntityRecord:
    """Return the record of an entity, with its label."""
    return EntityRecord(
        graph.key(entity),
        graph.label(entity),
        tuple(graph.aliases(entity)),
        tuple(graph.types(entity)),
        graph.description(entity) or None,
        graph.own_properties(entity),
    )
