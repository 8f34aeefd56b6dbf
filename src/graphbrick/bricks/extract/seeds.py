"""Helpers shared by extract stages: seeds, grouping of seeds, and the best entities by score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core import Query, Subgraph, seeds_of
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage

Entities = npt.NDArray[np.int32]

SEEDS = ("together", "each")
_LEAST_RESTART = 0.001  # the time grows with 1 / restart


def start(graph: Graph, query: Query) -> Entities:
    """Return the seeds that are in the graph, int32, ascending; a seed without triples is an event."""
    seeds = np.sort(seeds_of(query, Subgraph(graph)))
    for seed in seeds.tolist():
        if not graph.degree(seed):
            event(f"seed {graph.describe(seed)} has no triple", "extract.lonely_seed", seed=seed)
    return seeds


def groups(seeds: Entities, mode: str) -> list[Entities]:
    """Return the groups of seeds to start from: one group for "together", one per seed for "each"."""
    return [seeds[i : i + 1] for i in range(len(seeds))] if mode == "each" else [seeds] * bool(len(seeds))


def among(graph: Graph, parts: Iterable[Entities]) -> Subgraph:
    """Return the subgraph of the entities of all parts, with all triples of the graph among them."""
    from graphbrick.kernels.paths.induced import induced_triples

    nodes = np.concatenate([np.empty(0, dtype=np.int32), *parts])
    if not (nodes[1:] > nodes[:-1]).all():
        nodes = np.unique(nodes)
    return Subgraph(graph, nodes, induced_triples(graph.csr.rows, nodes))


def best(scores: npt.NDArray[np.float64], seeds: Entities, k: int) -> Entities:
    """Return the ``k`` entities with the highest scores above 0, as ascending ids.

    Seeds are always kept, even if there are more than ``k``. Ties go to the lower id.
    """
    ranked = scores.copy()
    ranked[seeds] = np.inf
    ids = np.flatnonzero(ranked > 0).astype(np.int32)
    return _highest(ids, ranked[ids], max(k, len(seeds)))


def best_of(nodes: Entities, values: npt.NDArray[np.float64], seeds: Entities, k: int) -> Entities:
    """Return the same as `best`, given the scores of some entities only."""
    others = (values > 0) & np.isin(nodes, seeds, invert=True)
    ranked = np.concatenate([np.full(len(seeds), np.inf), values[others]])
    return _highest(np.concatenate([seeds, nodes[others]]), ranked, max(k, len(seeds)))


def _highest(ids: Entities, ranked: npt.NDArray[np.float64], n: int) -> Entities:
    """Return the ``n`` ids of the highest scores, ascending; ties go to the lower id."""
    if len(ids) > n:
        cut = np.partition(ranked, len(ids) - n)[len(ids) - n]
        above = ids[ranked > cut]
        ids = np.concatenate([above, np.sort(ids[ranked == cut])[: n - len(above)]])
    return np.sort(ids)


class Ranking(NamedTuple):
    """The best entities for a group of seeds.

    Attributes:
        nodes: int32, ascending.
        error: The bound on the sum of absolute errors of the scores; None if the method has none.
        edges: Number of edges read.
    """

    nodes: Entities
    error: float | None
    edges: int


@dataclass(frozen=True, repr=False)
class RankedExtract(ExtractStage):
    """Base class of stages that keep the entities with the highest PageRank of some kind.

    Args:
        k: Entities kept.
        restart: Probability of going back.
        direction: "both", "out" or "in".
        tolerance: Bound on the error of the scores.
        seeds: "together" or "each".
    """

    k: int = parameter(1000, at_least=1, search=(100, 300, 1000, 3000))
    restart: float = parameter(0.2, at_least=_LEAST_RESTART, below=1, search=(0.1, 0.2, 0.5))
    direction: str = parameter("both", choices=DIRECTIONS)
    tolerance: float = parameter(1e-4, above=0, below=1)
    seeds: str = parameter("together", choices=SEEDS, search=SEEDS)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the ``k`` best entities and the triples among them."""
        parts = [self.rank(graph, group) for group in groups(start(graph, query), self.seeds)]
        if parts:
            fact(edges_seen=sum(part.edges for part in parts))
            errors = [part.error for part in parts if part.error is not None]
            if errors:
                fact(error_bound=max(errors))
        return among(graph, [part.nodes for part in parts])

    @abstractmethod
    def rank(self, graph: Graph, seeds: Entities) -> Ranking:
        """Return the best entities for walks from all ``seeds`` (int32, ascending, at least one)."""
