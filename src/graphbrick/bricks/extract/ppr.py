"""Personalized PageRank."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.hubs import Scores, hub_scores, hubs_of, is_hub, leading_hubs
from graphbrick.bricks.extract.seeds import RankedExtract, Ranking, best_of
from graphbrick.bricks.extract.solvers import PageRankSolver
from graphbrick.core.compute import Progress, silent
from graphbrick.core.graph import follow
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph

# Up to this many entities plus triples, an array with an entry per entity is faster than a hash table.
_SMALL = 2_000_000
_FINER = 100  # factor on the tolerance for small graphs, where precision costs next to nothing
_HUB_FINER = 10  # factor on the tolerance for hubs: their many neighbours of equal score would end the search too early
_LEAST_EDGES = 20_000
_HUB_K = 20_000  # entities kept per hub
_MOST_EDGES = 2**31 - 1  # no limit for work that is done once


@dataclass(frozen=True, repr=False)
class PPR(RankedExtract):
    """The entities with the highest personalized PageRank from the seeds, and all triples among them.

    A random walker starts at a seed, follows triples, and goes back to the seeds with probability ``restart`` at each
    step; the score of an entity is how often it is visited. The paper's formula walks along the triples and takes the
    union over the seeds: ``PPR(direction="out", seeds="each")``. It reaches no entity that only points to a seed, and
    questions ask against the direction of triples as often as along it, so the default is both ways, as in the paper's
    code on most graphs. With the default "together", ``k`` is the total number of entities kept.

    Only the region around the seeds is read, so the time does not grow with the graph. Residual mass is pushed until
    the mass that one triple can still bring is small compared with the score of the k-th entity. Then the rest of the
    residual is completed, and the scores near the cut are recomputed (`graphbrick.kernels.pagerank.local_ppr`). For a
    seed with ten thousand triples or more, the scores are computed once and stored beside the graph (``graphbrick
    prepare hubs``). Small graphs, of up to 2 million entities and triples, are swept as a whole, with a tolerance a
    hundred times smaller.

    The trace gives ``error_bound``, a proven bound on the sum of absolute errors of all scores (which sum to 1). It is
    loose: the best ``k`` are found long before it is small.

    Args:
        k: Entities kept, at least 1; the seeds are always among them. Ties go to the lower id.
        restart: Probability of going back to the seeds, in (0, 1) and at least 0.001; igraph's damping is 1 - restart.
        direction: "both", "out" (along triples) or "in" (against them).
        tolerance: Most mass that a triple may still bring at the end, as a share of the k-th score, in (0, 1).
        seeds: "together" (one ranking, where each seed starts an equal share of the walks) or "each" (a separate
            ranking for every seed, with ``k`` entities kept each; the result is their union, with all triples among
            these entities).
        edge_budget: Most edges walked, at least 1; it is an event if the budget ends the search.
        solver: None for the push described above, or a published method such as `FORA`, `AGP` or `ExactPPR`.
            Only the push uses ``tolerance`` and ``edge_budget``.

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

    tolerance: float = parameter(0.1, above=0, below=1)
    edge_budget: int = parameter(50_000_000, at_least=1)
    solver: PageRankSolver | None = parameter(None, example="FORA()")

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, structure-based)"

    def rank(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> Ranking:
        """Return the ``k`` best entities for walks from all ``seeds``."""
        scores = self.scores(graph, seeds)
        return Ranking(best_of(scores.nodes, scores.values, seeds, self.k), scores.error, scores.edges)

    def scores(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> Scores:
        """Return the scores of the candidates for the best ``k``: at least ``k``, if as many have a score.

        Args:
            graph: The graph walked.
            seeds: int32, entity ids; each starts an equal share of the walks.
        """
        if self.solver is not None:
            return self.solver.scores(graph, seeds, self.k, float(self.restart), self.direction)
        hubs = [seed for seed in seeds.tolist() if is_hub(graph, seed, self.direction)]
        if _is_small(graph) or not hubs or 2 * self.k > _HUB_K:
            return self._walked(graph, seeds)
        parts = [(1, self._of_hub(graph, hub)) for hub in hubs]
        if len(hubs) < len(seeds):
            others = np.setdiff1d(seeds, hubs).astype(np.int32)
            parts.append((len(others), self._walked(graph, others)))
        # Scores are linear in where the walks start.
        weights = [n / len(seeds) for n, _ in parts]
        nodes, places = np.unique(np.concatenate([part.nodes for _, part in parts]), return_inverse=True)
        shares = np.concatenate([weight * part.values for weight, (_, part) in zip(weights, parts, strict=True)])
        error = sum(weight * (part.error or 0.0) for weight, (_, part) in zip(weights, parts, strict=True))
        values = np.bincount(places, weights=shares).astype(np.float64)
        return Scores(nodes.astype(np.int32), values, error, sum(part.edges for _, part in parts))

    def keep_hubs(self, graph: Graph, progress: Progress = silent) -> int:
        """Compute the scores of walks from each hub and store them beside the graph, as the first query would.

        Args:
            graph: The graph.
            progress: Called with the number of hubs done.

        Returns:
            The number of hubs; 0 for a small graph, which needs none.
        """
        leading_hubs(graph, self.direction)
        hubs = [] if _is_small(graph) else hubs_of(graph, self.direction).tolist()
        for done, hub in enumerate(hubs, 1):
            self._of_hub(graph, hub, renew=True)
            progress("", done, None)
        return len(hubs)

    def _of_hub(self, graph: Graph, hub: int, *, renew: bool = False) -> Scores:
        def work_out() -> Scores:
            wide = replace(self, k=_HUB_K, tolerance=self.tolerance / _HUB_FINER, edge_budget=_MOST_EDGES)
            scores = wide._walked(graph, np.array([hub], dtype=np.int32))
            top = best_of(scores.nodes, scores.values, np.array([hub], dtype=np.int32), _HUB_K)
            at = np.searchsorted(scores.nodes, top, sorter=(order := np.argsort(scores.nodes)))
            return scores._replace(nodes=top, values=scores.values[order[at]])

        name = f"{self.direction}-{self.restart!r}-{self.tolerance!r}"
        return hub_scores(graph, hub, self.direction, self.restart, name, work_out, renew=renew)

    def _walked(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> Scores:
        from graphbrick.kernels.pagerank.local_ppr import push, sweep
        from graphbrick.kernels.pagerank.refine_ppr import refine

        rows, k, ways = graph.csr.rows, self.k, follow(self.direction)
        if _is_small(graph):
            walk = sweep(rows, seeds, self.restart, *ways, k, self.tolerance / _FINER, self.edge_budget)
        else:
            walk = push(rows, seeds, self.restart, *ways, k, self.tolerance, _LEAST_EDGES, self.edge_budget)
        if walk.spent:
            event(
                f"the edge budget of {self.edge_budget:,} ended the search; scores are less exact than asked for",
                "ppr.edge_budget",
                budget=self.edge_budget,
            )
        nodes, values, left, edges = refine(
            rows, seeds, self.restart, *ways, k, walk.nodes, walk.state, walk.table,
            *leading_hubs(graph, self.direction),
        )  # fmt: skip
        spread = 1 - walk.dropped
        error = 2 * (1 - self.restart) * max(left, 0.0) / spread
        return Scores(nodes, values / spread, float(error), int(walk.edges + edges))


def _is_small(graph: Graph) -> bool:
    return graph.n_entities + graph.n_triples <= _SMALL
