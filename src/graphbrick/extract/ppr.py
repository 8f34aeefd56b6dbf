"""Personalized PageRank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core import Query, Subgraph
from graphbrick.directions import DIRECTIONS, follow
from graphbrick.errors import PipelineError
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage
from graphbrick.trace import event, fact

_LEAST_RESTART = 0.001  # the time grows with 1 / restart


@dataclass(frozen=True, repr=False)
class PPR(ExtractStage):
    """The entities with the highest personalized PageRank from the seeds, and all triples among them.

    A random walker starts at a seed, follows triples, and goes back to the seeds with probability ``restart`` at each
    step; an entity's score is how often it is visited. The paper defines the walk along the triples
    (``direction="out"``); its code walks both ways on most graphs, as is the default here, because questions ask
    against the direction of triples as often as along it.

    Args:
        k: Entities kept, at least 1; the seeds are always among them. Ties go to the lower id.
        restart: Probability of going back to the seeds, in (0, 1) and at least 0.001; igraph's damping is 1 - restart.
        direction: "both", "out" (along triples) or "in" (against them).
        tolerance: Bound on the sum of absolute errors of the scores (which sum to 1), in (0, 1).

    Returns:
        A `Subgraph` of at most max(k, number of seeds) entities, all with a score above 0.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> PPR(k=3).extract(graph, Query("?", seeds=(graph.entity("Nairobi"),))).n_nodes
        3
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, structure-based)"

    k: int = 1000
    restart: float = 0.2
    direction: str = "both"
    tolerance: float = 1e-4

    def __post_init__(self) -> None:
        self.require_int("k", minimum=1, example=1000)
        self.require_open_unit("restart", example=0.2)
        if self.restart < _LEAST_RESTART:
            raise PipelineError(f"PPR restart must be at least {_LEAST_RESTART}, got {self.restart!r}; try 0.2")
        self.require_choice("direction", DIRECTIONS)
        self.require_open_unit("tolerance", example=1e-4)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """The ``k`` best entities and the triples among them."""
        from graphbrick.kernels.ppr import induced_triples

        seeds = np.array(sorted(Subgraph(graph).local(query.seeds)), dtype=np.int32)
        for seed in seeds.tolist():
            if not graph.degree(seed):
                event(f"seed {graph.describe(seed)} has no triple")
        if not len(seeds):
            nodes = seeds
        else:
            scores, error, edges = self.scores(graph, seeds)
            nodes = _best(scores, seeds, self.k)
            fact(error_bound=error, edges_seen=edges)
        return Subgraph(graph, nodes, induced_triples(graph.csr.out_ptr, graph.csr.tail, nodes))

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
        scores, error, edges = ppr_push(
            csr.out_ptr, csr.tail, csr.in_ptr, csr.in_head, seeds, self.restart, follow_out, follow_in, self.tolerance
        )
        return scores, float(error), int(edges)


def _best(scores: npt.NDArray[np.float64], seeds: npt.NDArray[np.int32], k: int) -> npt.NDArray[np.int32]:
    """The ``k`` highest scores above 0, seeds first, ties by id; ascending ids."""
    ranked = scores.copy()
    ranked[seeds] = np.inf
    candidates = np.flatnonzero(ranked > 0)
    keep = max(k, len(seeds))
    if len(candidates) > keep:
        cut = np.partition(ranked[candidates], -keep)[-keep]
        candidates = candidates[ranked[candidates] >= cut]
        candidates = candidates[np.lexsort((candidates, -ranked[candidates]))][:keep]
    return np.sort(candidates).astype(np.int32)
