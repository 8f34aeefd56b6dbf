"""PageRank around the seeds, or in the whole graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.seeds import RankedExtract, Ranking, among, best
from graphbrick.core.csr import Csr
from graphbrick.core.graph import follow
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph

_Scores = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], float, int]


@dataclass(frozen=True, repr=False)
class PageRank(RankedExtract):
    """The entities with the highest PageRank within some hops of the seeds, and all triples among them.

    This is the unpersonalized form of `PPR`. The walker restarts not at the seeds but at any entity near them, so the
    ranking favours well-connected entities over close ones. The walk stays among the entities within ``max_hops`` of a
    seed; ``direction`` applies both to finding these entities and to the walk. Time and memory grow with the number of
    triples among them.

    With ``max_hops=None`` the walk is over the whole graph, and the seeds only join the result: every question gets the
    same entities. The scores are computed once in a session.

    Args:
        k: Entities kept, at least 1; the seeds are always among them. Ties go to the lower id.
        restart: Probability of going back, in (0, 1) and at least 0.001; igraph's damping is 1 - restart.
        direction: "both", "out" (along triples) or "in" (against them).
        tolerance: Bound on the sum of absolute errors of the scores (which sum to 1), in (0, 1).
        seeds: "together" (one ranking of the entities near any seed) or "each" (a separate ranking for every seed, with
            ``k`` entities kept each; the result is their union, with all triples among these entities).
        max_hops: Triples between a seed and the entities that are ranked, from 1 to 100; None for all entities.

    Returns:
        A `Subgraph` of at most max(k, number of seeds) entities ("each": k times the number of seeds); empty where no
        seed is in the graph.

    Example:
        >>> from graphbrick.core import Query
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> found = PageRank(k=3).extract(graph, Query("?", seeds=(graph.entity("Nairobi"),)))
        >>> [graph.label(int(entity)) for entity in found.nodes]
        ['Kenya', 'Nairobi', 'Uganda']
        >>> PageRank(k=3, max_hops=None).extract(graph, Query("?", seeds=(graph.entity("Nairobi"),))).n_nodes
        3
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, structure-based)"

    max_hops: int | None = parameter(4, at_least=1, at_most=100, search=(2, 3, 4))

    def rank(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> Ranking:
        """Return the ``k`` best entities near any of ``seeds``."""
        near, scores, error, edges = self.scores(graph, seeds)
        top = best(scores, np.searchsorted(near, seeds).astype(np.int32), self.k)
        return Ranking(near[top], error, edges)

    def scores(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> _Scores:
        """Return the entities near any seed, or all entities, and their scores.

        Args:
            graph: The graph walked.
            seeds: int32, entity ids.

        Returns:
            int32, entity ids, ascending; float64, the score of each, summing to 1; the bound on the sum of absolute
            errors; the number of edges read while ranking.
        """
        from graphbrick.kernels.paths.k_hop import k_hop

        if self.max_hops is None:
            key = "page rank", self.direction, float(self.restart), float(self.tolerance)
            return current_session().get(key, lambda: self._of_all(graph), at_most=4, of=graph)
        ways = follow(self.direction)
        near, _, _ = k_hop(graph.csr.rows, seeds, *ways, self.max_hops, graph.n_entities)
        return near, *self._walked(among(graph, [near]).csr)

    def _of_all(self, graph: Graph) -> _Scores:
        """Return the scores of all entities; the arrays are shared by questions, so they cannot be written."""
        everyone = np.arange(graph.n_entities, dtype=np.int32)
        scores, error, edges = self._walked(graph.csr)
        everyone.flags.writeable = scores.flags.writeable = False
        return everyone, scores, error, edges

    def _walked(self, csr: Csr) -> tuple[npt.NDArray[np.float64], float, int]:
        """Return the scores of walks that start anywhere, their error and the number of edges read."""
        from graphbrick.kernels.pagerank.ppr import ppr_push

        anywhere = np.arange(len(csr.rows.out_begin), dtype=np.int32)
        scores, error, edges = ppr_push(csr.rows, anywhere, self.restart, *follow(self.direction), self.tolerance)
        return scores, float(error), int(edges)
