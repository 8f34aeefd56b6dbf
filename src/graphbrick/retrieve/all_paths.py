"""All simple paths from the seeds."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.core import Evidence, Query, Subgraph, seeds_of
from graphbrick.directions import DIRECTIONS, follow
from graphbrick.pipeline import RetrieveStage
from graphbrick.retrieve.tree import evidence_of


@dataclass(frozen=True, repr=False)
class AllPaths(RetrieveStage):
    """All paths from each seed that meet no entity twice, up to a number of hops.

    Parallel relations give a path each; a self loop is on none. The number of paths grows with the power of the hops,
    so this is for subgraphs: on a whole graph the cap is soon reached, and only the shortest paths are seen.

    Args:
        max_hops: Triples in a path, from 1 to 100.
        direction: "both", "out" (along triples) or "in" (against them); the path text shows which way each was walked.
        cap: Paths at most, at least 1; the shortest are kept, and reaching the cap is an event in the trace.

    Returns:
        Paths ordered by number of hops, then by seed (order of the query), then by the path without its last step, then
        by the last triple: outgoing before incoming, each by id. Scores are 0.

    Example:
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

    max_hops: int = 4
    direction: str = "both"
    cap: int = 10_000

    def __post_init__(self) -> None:
        self.require_int("max_hops", minimum=1, maximum=100, example=4)
        self.require_choice("direction", DIRECTIONS)
        self.require_int("cap", minimum=1, example=10_000)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """The simple paths from the seeds that are in the subgraph; none where no seed is."""
        from graphbrick.kernels.shortest_paths import PathTree
        from graphbrick.kernels.simple_paths import simple_path_tree

        seeds = seeds_of(query, subgraph)
        if not len(seeds):
            return Evidence()
        csr = subgraph.csr
        tree = PathTree(
            *simple_path_tree(
                csr.out_ptr, csr.tail, csr.in_ptr, csr.in_head, csr.in_triple,
                seeds, *follow(self.direction), self.max_hops, self.cap,
            )
        )  # fmt: skip
        return evidence_of(tree, len(seeds), subgraph, self.cap, repr(self))
