"""Shortest paths from the seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.paths.tree import TreeSearch
from graphbrick.core.csr import Csr
from graphbrick.core.graph import follow
from graphbrick.core.parameters import parameter

if TYPE_CHECKING:
    from graphbrick.kernels.paths.path_tree import PathTree

KEEP = ("all", "one")


@dataclass(frozen=True, repr=False)
class ShortestPaths(TreeSearch):
    """All shortest paths, or one, from each seed to every entity of the subgraph in reach.

    The paper asks for all shortest paths, one for each parallel relation; its code keeps one per entity.

    Args:
        max_hops: Triples in a path, from 1 to 100.
        direction: "both", "out" (along triples) or "in" (against them); the path text shows which way each was walked.
        cap: Most paths, at least 1; the shortest are kept, and reaching the cap is an event in the trace.
        keep: "all" shortest paths (the paper), or "one" from each seed to each entity (the released code): the first of
            them in the order below.

    Returns:
        Paths ordered by number of hops, then by seed (order of the query), then by the path without its last step, then
        by the last triple: outgoing before incoming, each by id. Scores are 0.

    Example:
        >>> from graphbrick import Query, Subgraph
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("?", seeds=(graph.entity("Nairobi"),))
        >>> for path in ShortestPaths(max_hops=2).retrieve(query, Subgraph(graph)).items:
        ...     print(path.text)
        Nairobi <- capital <- Kenya
        Nairobi <- capital <- Kenya -> currency -> Kenyan shilling
        Nairobi <- capital <- Kenya -> borders -> Uganda
        Nairobi <- capital <- Kenya <- borders <- Uganda
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (path retrieval, SPR)"

    keep: str = parameter("all", choices=KEEP, search=KEEP)

    def _tree(self, csr: Csr, seeds: npt.NDArray[np.int32]) -> PathTree:
        from graphbrick.kernels.paths.path_tree import shortest_path_tree

        return shortest_path_tree(csr.rows, seeds, *follow(self.direction), self.max_hops, self.cap, self.keep == "one")
