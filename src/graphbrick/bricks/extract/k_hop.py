"""The neighbourhood of the seeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.seeds import SEEDS, among, groups, start
from graphbrick.core import Query, Subgraph
from graphbrick.core.graph import DIRECTIONS, follow
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage


@dataclass(frozen=True, repr=False)
class KHop(ExtractStage):
    """All entities within some hops of the seeds (the ego network), and all triples among them.

    ``direction`` applies to the search for entities. All triples among them are kept, whichever way they point.

    Args:
        max_hops: Triples between a seed and an entity, from 1 to 100.
        direction: "both", "out" (along triples) or "in" (against them).
        cap: Most entities, at least 1; the seeds are always kept. Nearer entities are kept first, hop by hop; if a hop
            does not fit as a whole, those with the lowest ids. It is an event if the cap leaves entities out.
        seeds: "together" (one cap for all seeds; distance is to the nearest seed) or "each" (the cap applies to every
            seed separately; the result is their union, with all triples among these entities).

    Returns:
        A `Subgraph` of at most max(cap, number of seeds) entities ("each": cap times the number of seeds); empty where
        no seed is in the graph.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> found = KHop(max_hops=1).extract(graph, Query("?", seeds=(graph.entity("Rwanda"),)))
        >>> [graph.label(int(entity)) for entity in found.nodes]
        ['Uganda', 'Rwanda', 'Kigali']
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (subgraph extraction, structure-based: KSE)"

    max_hops: int = parameter(2, at_least=1, at_most=100, search=(1, 2, 3))
    direction: str = parameter("both", choices=DIRECTIONS)
    cap: int = parameter(100_000, at_least=1)
    seeds: str = parameter("together", choices=SEEDS)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the entities within ``max_hops`` of a seed and the triples among them."""
        return among(graph, [self._near(graph, group) for group in groups(start(graph, query), self.seeds)])

    def _near(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        from graphbrick.kernels.paths.k_hop import k_hop

        csr = graph.csr
        nodes, complete, capped = k_hop(csr.rows, seeds, *follow(self.direction), self.max_hops, self.cap)
        if capped:
            around = f" around {graph.describe(int(seeds[0]))}" if self.seeds == "each" else ""
            event(
                f"stopped at the cap of {self.cap:,} entities{around}: {complete} of {self.max_hops} hops are complete "
                "(raise cap, or lower max_hops)",
                "k_hop.cap",
                cap=self.cap,
                hops=complete,
            )
        return nodes
