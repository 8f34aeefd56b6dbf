"""Relations that hold both ways: a spouse's spouse, a neighbour's neighbour."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from graphbrick.graphs.graph import Graph

_SHARE = 0.95  # of its triples that are also there the other way round
_LEAST = 4  # triples; fewer say too little
_LOOKED_AT = 1_000  # triples of each relation


def symmetric_relations(graph: Graph) -> frozenset[str]:
    """Return the labels of relations of which 95 % of the triples are also there reversed.

    Of each relation up to 1,000 triples are looked at; one with fewer than four is not symmetric.
    """
    ids = graph.triple_ids()
    head, tail = graph.csr.heads(ids).astype(np.int64), graph.csr.tail[ids].astype(np.int64)
    relation = graph.csr.relation[ids].astype(np.int64)
    symmetric = []
    order = np.argsort(relation, kind="stable")
    bounds = np.searchsorted(relation[order], np.arange(graph.n_relations + 1)).tolist()
    for number, (begin, end) in enumerate(pairwise(bounds)):
        if end - begin < _LEAST:
            continue
        rows = order[begin:end]
        drawn = rows[np.unique(np.linspace(0, len(rows) - 1, _LOOKED_AT).astype(np.int64))]
        turned = np.isin(tail[drawn] * graph.n_entities + head[drawn], head[rows] * graph.n_entities + tail[rows])
        if turned.mean() >= _SHARE:
            symmetric.append(graph.relation_label(number))
    return frozenset(symmetric)
