"""Support of the triples of a graph by passages, under the ids that the triples have in the graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.corpus import Claim
from graphbrick.graphs.corpus_writer import Support
from graphbrick.graphs.graph import Graph
from graphbrick.text.indexing.graph_records import Ids, TextRecords


def mentions_in(graph: Graph, made: TextRecords) -> npt.NDArray[np.int32]:
    """Return `TextRecords.mentions` as ids of the built graph, ascending for each passage."""
    mentions = _entities(graph, made)[made.mentions]
    passages = np.repeat(np.arange(len(made.begin) - 1, dtype=np.int32), np.diff(made.begin))
    return mentions[np.lexsort((mentions, passages))]


def support_of(graph: Graph, made: TextRecords) -> Support:
    """Return the support by passages of a graph that was built from the records."""
    rows = made.triples
    place = _places(graph, made)  # in the records, of each triple of the graph
    sizes = np.diff(rows.begin)[place]
    begin = np.concatenate([[0], np.cumsum(sizes)])
    moved = np.repeat((rows.begin[:-1][place] - begin[:-1]), sizes)
    moved += np.arange(len(moved))
    claims = [
        Claim(graph.entity(one.subject), graph.entity(one.object) if one.object else None, passage, *one[2:])
        for one, passage in made.claims
    ]
    return Support(
        rows.weight[place].astype(np.float32),
        begin,
        rows.passages[moved],
        (rows.description(i) for i in place.tolist()),
        (rows.topics(i) for i in place.tolist()),
        claims,
    )


def _entities(graph: Graph, made: TextRecords) -> npt.NDArray[np.int32]:
    """Return the id in the graph of each entity of the records, int32."""
    ids = {graph.key(entity): entity for entity in range(graph.n_entities)}
    return np.array([ids[key] for key in made.keys], dtype=np.int32)


def _places(graph: Graph, made: TextRecords) -> Ids:
    """Return the place in the records of each triple of the graph, by id."""
    relations = {graph.relation_key(relation): relation for relation in range(graph.n_relations)}
    entity = _entities(graph, made)
    relation = np.array([relations.get(name, -1) for name in made.triples.relations], dtype=np.int32)
    rows, ids = made.triples, graph.triple_ids()
    ours = np.lexsort((entity[rows.tail], relation[rows.relation], entity[rows.head]))
    theirs = np.lexsort((graph.csr.tail[ids], graph.csr.relation[ids], graph.csr.heads(ids)))
    if len(ours) != len(theirs):
        raise ValueError(f"{graph.path} has {len(theirs):,} triples, but was built from {len(ours):,}")
    place = np.empty(len(ids), dtype=np.int64)
    place[theirs] = ours
    return place
