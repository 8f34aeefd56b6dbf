"""Semantic pruning by triple."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.prune.keep import ScoredPrune, distances, heads, with_triples
from graphbrick.core import Query, Subgraph


@dataclass(frozen=True, repr=False)
class PruneTriples(ScoredPrune):
    """The triples whose text scores best against the question, with their ends.

    Args:
        scorer: Scores texts such as ``Kenya -> capital -> Nairobi``.
        n: Triples kept, at least 1; None for no limit.
        threshold: Only triples that score above it stay; None for no threshold.
        connected: Whether to remove entities that no seed reaches any more. The paper keeps them.

    Returns:
        A `Subgraph` with all seeds of the input. Ties go to the triple nearer to a seed, then to the lower id.

    Example:
        >>> from graphbrick import BM25
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("Which currency is used in Kenya?", seeds=(graph.entity("Kenya"),))
        >>> kept = PruneTriples(BM25(), n=1).prune(query, Subgraph(graph))
        >>> [graph.triple_text(triple) for triple in kept.triples]
        ['Kenya -> currency -> Kenyan shilling']
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, triple pruning)"

    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """Return the best triples and their ends."""
        subgraph = subgraph.listed()
        selected = np.zeros(subgraph.n_triples, dtype=np.bool_)
        scores = self.scorer.rate(query.text, subgraph.triple_texts())
        if len(scores):
            far = distances(query, subgraph)
            nearer = np.minimum(far[heads(subgraph)], far[subgraph.csr.tail])
            selected[self.best(scores, nearer)] = True
        return with_triples(query, subgraph, selected, connected=self.connected)
