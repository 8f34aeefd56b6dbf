"""What the passages say of the triples of a graph, by the ids that its triples have there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from graphbrick.graphs.corpus import Claim
from graphbrick.graphs.corpus_writer import Support
from graphbrick.graphs.graph import Graph
from graphbrick.text.graph_records import Ids, TextRecords


def support_of(graph: Graph, made: TextRecords, entities: Mapping[str, int]) -> Support:
    """Return what passages say of the triples and entities of a graph.

    Args:
        graph: The graph that was built from the records.
        made: The records.
        entities: The ids of its entities by key.
    """
    place = _places(graph, made, entities)  # in the records, of each triple of the graph
    rows = made.triples
    triple = np.empty_like(place)
    triple[place] = np.arange(len(place))
    ids, passages = triple[rows.support[:, 0]], rows.support[:, 1]
    order = np.lexsort((passages, ids))
    counts = np.bincount(ids, minlength=len(place))
    claims = [Claim(entities[one.subject], entities.get(one.object), passage, *one[2:]) for one, passage in made.claims]
    return Support(
        rows.weight[place].astype(np.float32),
        np.concatenate([[0], np.cumsum(counts)]),
        passages[order].astype(np.int32),
        (rows.description(i) for i in place.tolist()),
        (rows.topics(i) for i in place.tolist()),
        claims,
    )


def _places(graph: Graph, made: TextRecords, entities: Mapping[str, int]) -> Ids:
    """Return the place in the records of each triple of the graph, by id."""
    relations = {graph.relation_key(relation): relation for relation in range(graph.n_relations)}
    entity = np.array([entities[key] for key in made.keys], dtype=np.int64)
    relation = np.array([relations.get(name, -1) for name in made.triples.relations], dtype=np.int64)
    rows, ids = made.triples, graph.triple_ids()
    ours = np.lexsort((entity[rows.tail], relation[rows.relation], entity[rows.head]))
    theirs = np.lexsort((graph.csr.tail[ids], graph.csr.relation[ids], graph.csr.heads(ids)))
    if len(ours) != len(theirs):
        raise ValueError(f"{graph.path} has {len(theirs):,} triples, but was built from {len(ours):,}")
    place = np.empty(len(ids), dtype=np.int64)
    place[theirs] = ours
    return place
