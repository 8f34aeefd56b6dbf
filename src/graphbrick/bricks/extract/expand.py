"""Expansion of a subgraph by some hops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from graphbrick.bricks.extract.k_hop import KHop
from graphbrick.core import Query, Subgraph
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExpandStage


@dataclass(frozen=True, repr=False)
class Expand(ExpandStage):
    """A subgraph grown by all entities within some hops of it, with all triples among them.

    Inside a `Repeat`, extraction widens round by round until there is enough:
    ``Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=8), at_most=4)``. The first round starts from the seeds.

    Args:
        max_hops: Hops from an entity of the subgraph to a new one, from 1 to 100.
        direction: "both", "out" (along triples) or "in" (against them).
        cap: Most entities, at least 1; all entities of the input subgraph are kept. Nearer entities are added first; if
            a hop does not fit as a whole, those with the lowest ids. Reaching the cap is an event.

    Returns:
        A `Subgraph` that contains the input subgraph; empty if the input is empty.

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
        """Return the subgraph grown by ``max_hops``."""
        if subgraph.nodes is None:
            return subgraph  # the whole graph
        around = KHop(self.max_hops, self.direction, self.cap)
        return around.extract(cast(Graph, subgraph.graph), replace(query, seeds=tuple(subgraph.nodes.tolist())))
