"""A subgraph grown by some hops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from graphbrick.core import Query, Subgraph
from graphbrick.core.directions import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.extract.k_hop import KHop
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExpandStage


@dataclass(frozen=True, repr=False)
class Expand(ExpandStage):
    """The subgraph with all entities within some hops of it, and all triples among them.

    Inside a `Repeat`, extraction widens round by round until there is enough:
    ``Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=8), at_most=4)``. The first round starts from the seeds.

    Args:
        max_hops: Hops from an entity of the subgraph to a new one, from 1 to 100.
        direction: "both", "out" (along triples) or "in" (against them).
        cap: Entities at most, at least 1; all entities of the subgraph given are kept. The nearest are added first;
            of the first hop that does not fit as a whole, those of lowest id. Reaching the cap is an event.

    Returns:
        A `Subgraph` that holds the one given; empty if that is empty.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("?", seeds=(graph.entity("Kigali"),))
        >>> run = (Expand() >> Expand()).run(graph, query)
        >>> [stage.counts_out["nodes"] for stage in run.trace.stages]
        [2, 3]
    """

    max_hops: int = parameter(1, at_least=1, at_most=100, search=(1, 2))
    direction: str = parameter("both", choices=DIRECTIONS)
    cap: int = parameter(100_000, at_least=1)

    def expand(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """The subgraph, what is near it, and the triples among them."""
        if subgraph.nodes is None:
            return subgraph  # the whole graph
        around = KHop(self.max_hops, self.direction, self.cap)
        return around.extract(cast(Graph, subgraph.graph), replace(query, seeds=tuple(subgraph.nodes.tolist())))
