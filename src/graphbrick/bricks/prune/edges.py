"""Semantic pruning by relation name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.prune.keep import ScoredPrune, distances, heads, with_triples
from graphbrick.core import Query, Subgraph
from graphbrick.core.parameters import parameter


@dataclass(frozen=True, repr=False)
class PruneEdges(ScoredPrune):
    """The edges whose relation name scores best against the question, with their ends.

    An edge is scored by its relation name, so all edges with one name have the same score. The meaning of ``n`` is
    ambiguous. The released code keeps the ``n`` best distinct names with all their triples, which also fits the
    published token counts. The text of the paper can be read as the ``n`` best edges.

    Args:
        scorer: Scores the relation names, such as BM25() or MiniLM().
        n: Relation names or edges kept, at least 1; None for no limit.
        threshold: Only edges that score above it stay; None for no threshold.
        by: Meaning of ``n``: "relation" for names, with all their edges; "triple" for single edges.
        connected: Whether to remove entities that no seed reaches any more. The paper keeps them.

    Returns:
        A `Subgraph` with all seeds of the input. Ties between names go to the lower first relation id; ties between
        edges go to the edge nearer to a seed, then to the lower id.

    Example:
        >>> from graphbrick import BM25
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("Which currency is used in Kenya?", seeds=(graph.entity("Kenya"),))
        >>> kept = PruneEdges(BM25(), n=1).prune(query, Subgraph(graph))
        >>> [graph.triple_text(triple) for triple in kept.triples]
        ['Kenya -> currency -> Kenyan shilling', 'Uganda -> currency -> Ugandan shilling']
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, edge pruning)"

    by: str = parameter("relation", choices=("relation", "triple"), search=("relation", "triple"))

    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """Return the best edges and their ends."""
        subgraph = subgraph.listed()
        relation = subgraph.csr.relation
        present = np.unique(relation)
        names = [subgraph.graph.relation_label(r) for r in present.tolist()]
        scores = self.scorer.rate(query.text, names)
        selected = np.zeros(len(relation), dtype=np.bool_)
        if self.by == "relation":
            # Relations with different keys may share a name; it counts once.
            score_of = dict(zip(names, scores.tolist(), strict=True))
            distinct = list(score_of)
            best = {distinct[i] for i in self.best(np.array([score_of[name] for name in distinct]))}
            selected = np.isin(relation, present[[name in best for name in names]])
        elif len(relation):
            far = distances(query, subgraph)
            nearer = np.minimum(far[heads(subgraph)], far[subgraph.csr.tail])
            selected[self.best(scores[np.searchsorted(present, relation)], nearer)] = True
        return with_triples(query, subgraph, selected, connected=self.connected)
