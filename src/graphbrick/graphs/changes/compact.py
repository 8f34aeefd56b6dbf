"""Merge the changes of a graph into it by rebuilding it from its own content."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.build.atomic import not_written
from graphbrick.graphs.build.builder import GraphBuilder, Origin
from graphbrick.graphs.export.entities import entity_record
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.blocks import Part, TripleBlock, cells_of
from graphbrick.graphs.records.interner import spans_of
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, LeftOut, RelationRecord
from graphbrick.graphs.store.beside_text import has_text
from graphbrick.graphs.store.overlay.delta_files import writing

_PROGRESS = 1 << 14
_ENTITIES, _TRIPLES = 1 << 20, 1 << 20  # maximum per streamed block


def compact(path: str | PathLike[str], *, progress: Progress = silent) -> Graph:
    """Rebuild a graph with all its changes and replace the old one.

    The graph is streamed into the builder and replaced at the end: if compaction fails or is killed, the graph and its
    changes stay as they were. Processes that have the graph open keep the old one; processes that want to change it
    wait. Entities and relations get new ids. A relation whose last triple was deleted is removed.

    Args:
        path: The graph's folder.
        progress: Called now and then with the number of records built.

    Returns:
        The new graph; the old one if nothing has changed since it was built.

    Raises:
        GraphbrickError: No triple is left, the graph was made from documents, or it cannot be written.

    >>> import tempfile
    >>> from graphbrick.graphs.build.builder import build
    >>> from graphbrick.graphs.changes.delta import change
    >>> graph = build([("Kenya", "capital", "Nairobi")], Path(tempfile.mkdtemp()) / "kenya.graph")
    >>> change(graph.path, add=[("Kenya", "borders", "Uganda")]).graph.changes.files
    1
    >>> compact(graph.path).changes.files
    0
    """
    folder = Path(path)
    with writing(folder) as held:
        graph = Graph.open(folder)
        if not graph.changes.files:
            return graph
        if has_text(folder):
            raise GraphbrickError(
                f"{folder} was made from documents: compaction gives entities new ids, which would part them from "
                "their passages; leave the changes as they are, or index the documents into another place",
                code="compact.from_documents",
            )
        if not graph.n_triples:
            text = f"no triple of {folder} is left, and a graph needs at least one; add triples first"
            raise GraphbrickError(text, code="compact.no_triple")
        built = graph.manifest
        origin = Origin(built.source, built.language or "en")
        with GraphBuilder(folder, source=origin, overwrite=True, near=built.near) as builder:
            builder.left_out = LeftOut.of(built.not_kept)
            builder.units = {(column.name, column.of_triples): column.unit for column in graph.columns if column.unit}
            builder.check_place = held.check_in_place
            try:
                count = 0
                for part in parts_of(graph):
                    builder.add(part)
                    count += part.starts.shape[1] if isinstance(part, TripleBlock) else 1
                    if isinstance(part, TripleBlock) or count % _PROGRESS == 0:
                        progress("", count, None)
                return builder.finish()
            except OSError as error:
                raise GraphbrickError(not_written(folder, error), code="compact.not_written") from error


def parts_of(graph: Graph) -> Iterator[Part]:
    """Yield the content of a graph for a builder: the triples, then labels and other facts."""
    first = 0
    while first < graph.n_entities:
        last = min(first + _ENTITIES, graph.n_entities)
        # Limit the triples of a block too, so that hubs do not make it too large.
        until = np.cumsum(graph.csr.out_end[first:last].astype(np.int64) - graph.csr.out_begin[first:last])
        last = first + max(1, int(np.searchsorted(until, _TRIPLES, side="right")))
        if until[min(last - first, len(until)) - 1]:
            yield _block(graph, first, last)
        first = last
    for relation in range(graph.n_relations):
        key, label = graph.relation_key(relation), graph.relation_label(relation)
        if label != key:
            yield RelationRecord(key, label)
    for entity in range(graph.n_entities):
        record = entity_record(graph, entity)
        is_bare = record == EntityRecord(record.key, record.key)
        if not is_bare or not graph.degree(entity):
            yield record


def _block(graph: Graph, first: int, last: int) -> TripleBlock:
    """Return the outgoing triples of the entities [first, last), sorted by (head, tail, relation)."""
    csr = graph.csr
    begin = csr.out_begin[first:last].astype(np.int64)
    sizes = csr.out_end[first:last] - begin
    head = np.repeat(np.arange(first, first + len(sizes)), sizes)
    ids = np.arange(len(head)) + np.repeat(begin - (np.cumsum(sizes) - sizes), sizes)
    # Distinct ascending ids, so that each key is read once and in disk order
    entities, ends = np.unique(np.concatenate((head, csr.tail[ids])), return_inverse=True)
    relations, between = np.unique(csr.relation[ids], return_inverse=True)
    keys = [*map(graph.key, entities.tolist()), *map(graph.relation_key, relations.tolist())]
    data, starts, stops = spans_of(keys)
    cells = np.stack((ends[: len(ids)], len(entities) + between, ends[len(ids) :]))
    block = TripleBlock(data, starts[cells], stops[cells])
    if not graph.triples_have_properties:
        return block
    own = map(graph.triple_properties, ids.tolist())
    records = zip(block.records(), own, strict=True)
    return TripleBlock.of([EdgeRecord(*cells_of(record), values) if values else record for record, values in records])
