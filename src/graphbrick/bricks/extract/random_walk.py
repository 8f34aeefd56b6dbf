"""Random walks from the seeds."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.bricks.extract.seeds import among, start
from graphbrick.core import Query, Subgraph
from graphbrick.core.graph import DIRECTIONS, follow
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage


@dataclass(frozen=True, repr=False)
class RandomWalk(ExtractStage):
    """The entities that random walks from the seeds visit, and all triples among them.

    Each triple at an entity is equally likely to be the next step; parallel triples count separately. A walker at a
    dead end goes back to its seed. The paper's RW is ``restart=0``, its RWR is a ``restart`` above 0. Its code takes
    128 walks of 4 steps along the triples: ``RandomWalk(walks=128, direction="out")``. The walks of a seed do not
    depend on the other seeds; the result is the union over the seeds.

    Args:
        walks: Walks from each seed, from 1 to 1,000,000. A larger number includes all walks of a smaller one.
        length: Steps in a walk, from 1 to 10,000.
        restart: Probability that a step goes back to the seed of the walk, in [0, 1).
        direction: "both", "out" (along triples) or "in" (against them).
        seed: Random seed, from 0 to 2,147,483,647; the same seed gives the same subgraph of a graph on every machine.

    Returns:
        A `Subgraph` of at most 1 + walks * length entities per seed; empty if no seed is in the graph.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> found = RandomWalk(walks=8, length=2).extract(graph, Query("?", seeds=(graph.entity("Kigali"),)))
        >>> [graph.label(int(entity)) for entity in found.nodes]
        ['Uganda', 'Rwanda', 'Kigali']
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, structure-based: RW, RWR)"

    # Compiled code cannot be interrupted, so its time is bounded.
    walks: int = parameter(64, at_least=1, at_most=1_000_000, search=(32, 128, 512))
    length: int = parameter(4, at_least=1, at_most=10_000, search=(2, 3, 4))
    restart: float = parameter(0.0, at_least=0, below=1, example=0.2, search=(0.0, 0.2))
    direction: str = parameter("both", choices=DIRECTIONS)
    seed: int = parameter(0, at_least=0)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the entities visited and the triples among them."""
        from graphbrick.kernels.pagerank.random_walk import walked_nodes

        csr, seeds = graph.csr, start(graph, query)
        nodes = walked_nodes(
            csr.rows, seeds,
            self.walks, self.length, float(self.restart), *follow(self.direction), self.seed,
        )  # fmt: skip
        return among(graph, [nodes])
