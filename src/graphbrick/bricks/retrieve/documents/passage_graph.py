"""The weighted graph of entities and passages that `PassageRank` walks on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.passage_links import title_entities
from graphbrick.bricks.retrieve.documents.passage_search import vectors_of
from graphbrick.core.compute import check_limits
from graphbrick.core.trace import event
from graphbrick.graphs.corpus import TextGraph
from graphbrick.kernels.pagerank.weighted_walk import chebyshev_step
from graphbrick.models.embedders.embedder import Embedder

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

_BLOCK = 1024
_MOST_COMPARED = 40_000  # entities compared with each other: about ten seconds
_MOST_SYNONYMS = 100  # of one entity
_SHORTEST = 3  # letters and digits of a name that has synonyms
_TOLERANCE = 1e-5


class PassageGraph:
    """Undirected weighted edges between entities, and between entities and the passages that mention them.

    Nodes are the entities with their ids, then the passages. Edges of one pair add up.

    Args:
        n_nodes: Number of nodes.
        one: int64 [edges], one end of each edge.
        other: int64 [edges], its other end.
        weight: float64 [edges], above 0.
    """

    def __init__(self, n_nodes: int, one: Ids, other: Ids, weight: Floats) -> None:
        ends, others = np.concatenate([one, other]), np.concatenate([other, one])
        both = np.concatenate([weight, weight])
        order = np.argsort(ends, kind="stable")
        begin = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n_nodes))]).astype(np.uint64)
        self._edges = begin, others[order].astype(np.uint32), both[order]
        strength = np.bincount(ends, weights=both, minlength=n_nodes)
        self._strength = np.where(strength > 0, strength, 1.0)

    def walk(self, reset: Floats, restart: float) -> Floats:
        """Return the personalized PageRank of all nodes, float64 [nodes], summing to 1.

        It is Chebyshev's iteration (Golub and Varga, 1961), which needs half of the steps of a power iteration. The
        sum of absolute errors is at most a hundred thousandth. Walkers at nodes without edges restart.

        Args:
            reset: float64 [nodes], at least 0 and not all 0: where walks begin and restart.
            restart: Probability of a restart at each step, in (0, 1).
        """
        go_on, start = 1 - restart, restart * reset / reset.sum()
        before, score, omega, moved = np.zeros_like(start), start.copy(), 1.0, np.inf
        while moved > _TOLERANCE * restart:
            check_limits()
            omega = 1 / (1 - go_on**2 * omega / (2 if omega == 1.0 else 4))
            share = score / self._strength
            moved = chebyshev_step(*self._edges, start, score, share, before, go_on, omega)
            before, score = score, before
        return np.asarray(score / score.sum())


def passage_graph(graph: TextGraph, embedder: Embedder, synonyms: float | None, titles: float) -> PassageGraph:
    """Return the walk graph: triples by their weights, mentions of weight 1, and synonyms by their cosine.

    A mention of the entity that the title of the document names has the weight ``titles``.
    """
    ids = graph.triple_ids()
    head, tail = graph.csr.heads(ids).astype(np.int64), graph.csr.tail[ids].astype(np.int64)
    weight = np.ones(len(ids)) if graph.weights is None else graph.weights.astype(np.float64)
    begin, mentioned = graph.mentions
    passage = np.repeat(np.arange(graph.n_passages), np.diff(begin))
    mention = np.where(title_entities(graph)[passage] == mentioned, titles, 1.0)
    one, other, cosine = synonym_pairs(graph, embedder, synonyms)
    return PassageGraph(
        graph.n_entities + graph.n_passages,
        np.concatenate([head, mentioned.astype(np.int64), one]),
        np.concatenate([tail, graph.n_entities + passage, other]),
        np.concatenate([weight, mention, cosine]),
    )


def synonym_pairs(graph: TextGraph, embedder: Embedder, at_least: float | None) -> tuple[Ids, Ids, Floats]:
    """Return the pairs of entities whose labels have at least some cosine, and the cosines; none for None."""
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    if at_least is None or not graph.n_entities:
        return nothing
    labels = [graph.label(entity) for entity in range(graph.n_entities)]
    if len(labels) > _MOST_COMPARED:
        event(
            f"no synonyms: {len(labels):,} entities are too many to compare with each other ({_MOST_COMPARED:,})",
            "passage_graph.no_synonyms",
            n=len(labels),
        )
        return nothing
    vectors = vectors_of(graph, embedder, labels).astype(np.float32)
    is_long = np.array([sum(letter.isalnum() for letter in label) >= _SHORTEST for label in labels])
    ones, others, cosines = [], [], []
    for start in range(0, len(labels), _BLOCK):
        check_limits()
        scores = vectors[start : start + _BLOCK] @ vectors.T
        scores[:, ~is_long] = 0
        scores[~is_long[start : start + _BLOCK]] = 0
        rows, columns = np.nonzero(scores >= at_least)
        upper = columns > rows + start
        rows, columns = rows[upper], columns[upper]
        cosine = scores[rows, columns]
        order = np.lexsort((columns, -cosine, rows))
        rows, columns, cosine = rows[order], columns[order], cosine[order]
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)  # rank among the synonyms of its entity
        few = place < _MOST_SYNONYMS
        ones.append(rows[few] + start)
        others.append(columns[few])
        cosines.append(cosine[few].astype(np.float64))
    return np.concatenate(ones), np.concatenate(others), np.concatenate(cosines)
