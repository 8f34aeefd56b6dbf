"""Stages that do one simple thing each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from graphbrick import Evidence, Query, ShortestPaths, Subgraph
from graphbrick.core.errors import LinkError
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage, LinkStage, PruneStage, RetrieveStage

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
KENYA, SHILLING, NAIROBI, UGANDA = range(4)


@dataclass(frozen=True, repr=False)
class Finds(LinkStage):
    """Links the seeds given, or fails."""

    seeds: tuple[int, ...]

    def link(self, graph: Graph, query: Query) -> Query:
        if not self.seeds:
            raise LinkError("none found")
        return replace(query, seeds=self.seeds)


@dataclass(frozen=True, repr=False)
class Only(ExtractStage):
    """The seeds and one further entity.

    Args:
        entity: Which.
    """

    entity: int = 0

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        event(f"only {self.entity}")
        nodes = {*query.seeds, self.entity}
        triples = [t for t in range(graph.n_triples) if {graph.triple(t)[0], graph.triple(t)[2]} <= nodes]
        return Subgraph(graph, np.array(sorted(nodes), dtype=np.int32), np.array(triples, dtype=np.int32))


@dataclass(frozen=True, repr=False)
class Fixed(LinkStage):
    """Always the same seeds.

    Args:
        seeds: Entity ids.
    """

    seeds: tuple[int, ...] = ()

    def link(self, graph: Graph, query: Query) -> Query:
        return replace(query, seeds=self.seeds)


@dataclass(frozen=True, repr=False)
class Nothing(ExtractStage):
    """An empty subgraph."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))


@dataclass(frozen=True, repr=False)
class Keep(PruneStage):
    """The same subgraph."""

    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        return subgraph


@dataclass(frozen=True, repr=False)
class Pick(RetrieveStage):
    """Chosen paths of at most two hops.

    Args:
        which: Their places among all shortest paths.
    """

    which: tuple[int, ...] = (0,)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        items = ShortestPaths(max_hops=2).retrieve(query, subgraph).items
        return Evidence(tuple(items[i] for i in self.which))
