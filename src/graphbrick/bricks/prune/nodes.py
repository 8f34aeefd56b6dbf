"""Semantic pruning by entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.prune.keep import ScoredPrune, distances, with_nodes
from graphbrick.core import Query, Subgraph, seeds_of


@dataclass(frozen=True, repr=False)
class PruneNodes(ScoredPrune):
    """The entities whose label scores best against the question, and the triples among them.

    Args:
        scorer: Scores the labels, such as BM25() or MiniLM().
        n: Entities kept, including seeds, at least 1; all seeds are kept even if they are more. None for no limit.
        threshold: Only entities that score above it stay; None for no threshold.
        connected: Whether to remove entities that no seed reaches any more. The paper keeps them and counts the
            components. Paths start at seeds, so they are the same either way.

    Returns:
        A `Subgraph` with all seeds of the input. Ties go to the entity nearer to a seed, then to the lower id. The
        trace says how many entities are cut off from all seeds.

    Example:
        >>> from graphbrick import BM25
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("Is Nairobi larger than Kampala?", seeds=(graph.entity("Nairobi"),))
        >>> kept = PruneNodes(BM25(), n=2).prune(query, Subgraph(graph))
        >>> sorted(graph.label(node) for node in kept.nodes)
        ['Kampala', 'Nairobi']
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, node pruning)"

    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """Return the best entities and the triples among them."""
        subgraph = subgraph.listed()
        nodes = range(subgraph.n_nodes) if subgraph.nodes is None else subgraph.nodes.tolist()
        scores = self.scorer.rate(query.text, [subgraph.graph.label(node) for node in nodes])
        seeds = seeds_of(query, subgraph)
        scores[seeds] = np.inf
        best = self.best(scores, distances(query, subgraph))
        stays = np.zeros(len(scores), dtype=np.bool_)
        stays[best] = True
        stays[seeds] = True
        return with_nodes(query, subgraph, stays, connected=self.connected)
