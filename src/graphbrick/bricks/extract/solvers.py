"""Published methods for personalized PageRank, as alternatives to the push of `PPR`."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.hubs import Scores
from graphbrick.core.graph import follow
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline.brick import Brick

_REFERENCE_RESTART = 0.2  # thresholds are stated for this restart; with shorter walks the k-th score is far smaller


class PageRankSolver(Brick):
    """A method that computes personalized PageRank for `PPR`."""

    @abstractmethod
    def scores(self, graph: Graph, seeds: npt.NDArray[np.int32], k: int, restart: float, direction: str) -> Scores:
        """Return the scores of at least the ``k`` best entities, if as many have one.

        Args:
            graph: The graph walked.
            seeds: int32, entity ids; each starts an equal share of the walks.
            k: Number of entities wanted.
            restart: Probability of going back to the seeds.
            direction: "both", "out" or "in".
        """


@dataclass(frozen=True, repr=False)
class ExactPPR(PageRankSolver):
    """Iteration over the whole graph: exact, and slow in a large graph.

    Power iteration, or Chebyshev's iteration if walks go both ways. Every step reads all triples, on all cores: some
    milliseconds for a graph of 200,000 triples, minutes for one of a billion. It is the reference for other methods.

    Args:
        error: Bound on the sum of absolute errors of the scores, above 0 and below 1.
    """

    paper = "Golub and Varga, Chebyshev semi-iterative methods, 1961"

    error: float = parameter(1e-9, above=0, below=1)

    def scores(self, graph: Graph, seeds: npt.NDArray[np.int32], k: int, restart: float, direction: str) -> Scores:
        """Return the exact score of every entity that has one."""
        from graphbrick.kernels.pagerank.exact_ppr import exact_ppr

        values = exact_ppr(graph.csr, [seeds], restart, *follow(direction), error=self.error)[:, 0]
        nodes = np.flatnonzero(values > 0).astype(np.int32)
        return Scores(nodes, values[nodes], self.error, graph.n_triples)


@dataclass(frozen=True, repr=False)
class FORA(PageRankSolver):
    """Forward push, then random walks from the residuals: relative errors with a guarantee.

    The push continues until it has taken as long as the walks would take. The method finds nearly the same entities as
    the default push. It is slower at a restart of 0.2, and takes half of the time at 0.8 in a small graph, both ways
    (benchmarks/notebook/extraction.md).

    Args:
        epsilon: Relative error allowed for each of the ``k`` best scores, in (0, 1); the paper takes 0.5. The time
            grows with 1 / epsilon².
        failure: Probability that the error of an entity is larger, in (0, 1).
        seed: Start of the random numbers, at least 0; the same one gives the same scores.
    """

    paper = "Wang et al., FORA, KDD 2017; ACM TODS 44(4), 2019"

    epsilon: float = parameter(0.5, above=0, below=1)
    failure: float = parameter(1e-6, above=0, below=1)
    seed: int = parameter(0, at_least=0)

    def scores(self, graph: Graph, seeds: npt.NDArray[np.int32], k: int, restart: float, direction: str) -> Scores:
        """Return the estimated scores of the ``k`` best entities."""
        from graphbrick.kernels.pagerank.fora import fora_top_k

        rows, ways = graph.csr.rows, follow(direction)
        nodes, values, edges = fora_top_k(
            rows, seeds, restart, *ways, min(k, graph.n_entities), self.epsilon, self.failure, self.seed
        )
        return Scores(nodes, values, None, int(edges))


@dataclass(frozen=True, repr=False)
class AGP(PageRankSolver):
    """Randomized forward propagation: small shares go to a random few neighbours; scores are unbiased.

    Slower than the default push at a restart of 0.2; with ``theta=1e-8`` at 0.8 along the triples of a small graph, it
    takes a fifth of the time for 99.7 % of the entities (benchmarks/notebook/extraction.md).

    Args:
        theta: Shares below this go to randomly drawn neighbours, in (0, 1), at a restart of 0.2. It is rescaled for
            other restarts, with the cube of 0.2 / restart. A smaller value takes longer.
        seed: Start of the random numbers, at least 0; the same one gives the same scores.
    """

    paper = "Wang et al., Approximate Graph Propagation, KDD 2021"

    theta: float = parameter(1e-6, above=0, below=1)
    seed: int = parameter(0, at_least=0)

    def scores(self, graph: Graph, seeds: npt.NDArray[np.int32], k: int, restart: float, direction: str) -> Scores:
        """Return the estimated scores of the ``k`` best entities."""
        from graphbrick.kernels.pagerank.agp import randomized_forward

        nodes, values, edges = randomized_forward(
            graph.csr.rows, seeds, restart, *follow(direction), k, finer(self.theta, restart), self.seed
        )
        return Scores(nodes, values, None, int(edges))


def finer(theta: float, restart: float) -> float:
    """Return the threshold for a restart, given the threshold for 0.2."""
    return theta * (_REFERENCE_RESTART / restart) ** 3
