"""Personalized PageRank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.directions import follow
from graphbrick.extract.seeds import RankedExtract, Ranking, best
from graphbrick.graphs.graph import Graph


@dataclass(frozen=True, repr=False)
class PPR(RankedExtract):
    """The entities with the highest personalized PageRank from the seeds, and all triples among them.

    A random walker starts at a seed, follows triples, and goes back to the seeds with probability ``restart`` at each
    step; an entity's score is how often it is visited. The paper defines the walk along the triples
    (``direction="out"``); its code walks both ways on most graphs, as is the default here, because questions ask
    against the direction of triples as often as along it. The paper's formula is a union over the seeds
    (``seeds="each"``); together is the default because ``k`` then is what is kept in total.

    Args:
        k: Entities kept, at least 1; the seeds are always among them. Ties go to the lower id.
        restart: Probability of going back to the seeds, in (0, 1) and at least 0.001; igraph's damping is 1 - restart.
        direction: "both", "out" (along triples) or "in" (against them).
        tolerance: Bound on the sum of absolute errors of the scores (which sum to 1), in (0, 1).
        seeds: "together" (one ranking, where each seed starts an equal share of the walks) or "each" (a ranking of its
            own for every seed, of which ``k`` are kept; their union, with all triples among the entities of any).

    Returns:
        A `Subgraph` of at most max(k, number of seeds) entities ("each": k times the number of seeds), all with a score
        above 0; empty where no seed is in the graph.

    Example:
        >>> from graphbrick.core import Query
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> PPR(k=3).extract(graph, Query("?", seeds=(graph.entity("Nairobi"),))).n_nodes
        3
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, structure-based)"

    def rank(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> Ranking:
        """The ``k`` best entities when all of ``seeds`` start walks."""
        scores, error, edges = self.scores(graph, seeds)
        return Ranking(best(scores, seeds, self.k), error, edges)

    def scores(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.float64], float, int]:
        """The score of every entity.

        Args:
            graph: The graph walked.
            seeds: int32, entity ids; each starts an equal share of the walks.

        Returns:
            float64 [entities], summing to 1; the bound on the sum of absolute errors; the number of edges looked at.
        """
        from graphbrick.kernels.ppr import ppr_push

        csr = graph.csr
        follow_out, follow_in = follow(self.direction)
        scores, error, edges = ppr_push(*csr.rows, seeds, self.restart, follow_out, follow_in, self.tolerance)
        return scores, float(error), int(edges)
