"""Base class of retrieve stages that grow a tree of paths, and conversion of a tree to evidence."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core import Evidence, Path, Query, Subgraph, seeds_of
from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.pipeline import RetrieveStage

if TYPE_CHECKING:
    from graphbrick.kernels.paths.path_tree import PathTree


_CHECK_EVERY = 1024  # paths


@dataclass(frozen=True, repr=False)
class TreeSearch(RetrieveStage):
    """Base class of stages that list all paths of some kind from the seeds.

    Args:
        max_hops: Triples in a path.
        direction: "both", "out" or "in".
        cap: Most paths.
    """

    max_hops: int = parameter(4, at_least=1, at_most=100, search=(1, 2, 3, 4))
    direction: str = parameter("both", choices=DIRECTIONS)
    cap: int = parameter(10_000, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the paths from the seeds that are in the subgraph; none if no seed is in it."""
        seeds = seeds_of(query, subgraph)
        if not len(seeds):
            return Evidence()
        return evidence_of(self._tree(subgraph.csr, seeds), len(seeds), subgraph, self.cap, repr(self))

    @abstractmethod
    def _tree(self, csr: Csr, seeds: npt.NDArray[np.int32]) -> PathTree:
        """Return the tree of paths from the seeds (at least one), in local ids."""


def evidence_of(tree: PathTree, n_seeds: int, subgraph: Subgraph, cap: int, source: str) -> Evidence:
    """Return the paths of a tree in its order, with the ids of the graph; seeds alone are not paths.

    Args:
        tree: Result of the kernel for the subgraph.
        n_seeds: Number of seeds at the beginning of the tree.
        subgraph: The view that was searched.
        cap: Most paths; it is an event if the cap ended the search.
        source: The stage, as recipe text.
    """
    if tree.capped:
        event(
            f"stopped at the cap of {cap:,} paths; longer ones are missing (raise cap, or lower max_hops)",
            "paths.cap",
            cap=cap,
        )
    nodes = (tree.node if subgraph.nodes is None else subgraph.nodes[tree.node]).tolist()
    triples = tree.triple[n_seeds:]
    last = (triples if subgraph.triples is None else subgraph.triples[triples]).tolist()
    parents, ways = tree.parent.tolist(), tree.forward.tolist()
    graph = subgraph.graph
    paths: list[Path] = []
    steps = zip(nodes[n_seeds:], last, parents[n_seeds:], ways[n_seeds:], strict=True)
    for number, (node, triple, parent, way) in enumerate(steps):
        if number % _CHECK_EVERY == 0:
            check_limits()
        if parent < n_seeds:
            paths.append(Path(graph, (nodes[parent], node), (triple,), (way,), 0.0, source))
        else:
            before = paths[parent - n_seeds]
            walked = (*before.nodes, node), (*before.triples, triple), (*before.forward, way)
            paths.append(Path(graph, *walked, 0.0, source, before))
    return Evidence(tuple(paths))
