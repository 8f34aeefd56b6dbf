"""All simple paths from the seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.paths.tree import TreeSearch
from graphbrick.core.csr import Csr
from graphbrick.core.graph import follow

if TYPE_CHECKING:
    from graphbrick.kernels.paths.path_tree import PathTree


@dataclass(frozen=True, repr=False)
class AllPaths(TreeSearch):
    """All paths from each seed that visit no entity twice, up to a number of hops.

    Each parallel relation gives its own path; a self loop is on no path. The number of paths grows exponentially with
    the hops, so use this on subgraphs. On a whole graph the cap is soon reached, and only the shortest paths are found.

    Args:
        max_hops: Triples in a path, from 1 to 100.
        direction: "both", "out" (along triples) or "in" (against them); the path text shows which way each was walked.
        cap: Most paths, at least 1; the shortest are kept, and reaching the cap is an event in the trace.

    Returns:
        Paths ordered by number of hops, then by seed (order of the query), then by the path without its last step, then
        by the last triple: outgoing before incoming, each by id. Scores are 0.

    Example:
        >>> from graphbrick import Query, Subgraph
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("?", seeds=(graph.entity("Kigali"),))
        >>> for path in AllPaths(max_hops=3).retrieve(query, Subgraph(graph)).items:
        ...     print(path.text)
        Kigali <- capital <- Rwanda
        Kigali <- capital <- Rwanda -> borders -> Uganda
        Kigali <- capital <- Rwanda -> borders -> Uganda -> borders -> Kenya
        Kigali <- capital <- Rwanda -> borders -> Uganda -> currency -> Ugandan shilling
        Kigali <- capital <- Rwanda -> borders -> Uganda -> capital -> Kampala
        Kigali <- capital <- Rwanda -> borders -> Uganda -> largest city -> Kampala
        Kigali <- capital <- Rwanda -> borders -> Uganda <- borders <- Kenya
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (path retrieval, EPR)"

    def _tree(self, csr: Csr, seeds: npt.NDArray[np.int32]) -> PathTree:
        from graphbrick.kernels.paths.path_tree import simple_path_tree

        return simple_path_tree(csr.rows, seeds, *follow(self.direction), self.max_hops, self.cap)
