"""Shortest paths from the seeds."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.core import Evidence, Query, Subgraph, seeds_of
from graphbrick.directions import DIRECTIONS, follow
from graphbrick.pipeline import RetrieveStage
from graphbrick.retrieve.tree import evidence_of

KEEP = ("all", "one")


@dataclass(frozen=True, repr=False)
class ShortestPaths(RetrieveStage):
    """All shortest paths, or one, from each seed to every entity of the subgraph that it reaches.

    The paper asks for all shortest paths, parallel relations giving a path each; its code keeps one an entity.

    Args:
        max_hops: Triples in a path, from 1 to 100.
        direction: "both", "out" (along triples) or "in" (against them); the path text shows which way each was walked.
        cap: Paths at most, at least 1; the shortest are kept, and reaching the cap is an event in the trace.
        keep: "all" shortest paths (the paper), or "one" from each seed to each entity (the released code): the first of
            them in the order below.

    Returns:
        Paths ordered by number of hops, then by seed (order of the query), then by the path without its last step, then
        by the last triple: outgoing before incoming, each by id. Scores are 0.

    Example:
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

    max_hops: int = 4
    direction: str = "both"
    cap: int = 10_000
    keep: str = "all"

    def __post_init__(self) -> None:
        self.require_int("max_hops", minimum=1, maximum=100, example=4)
        self.require_choice("direction", DIRECTIONS)
        self.require_int("cap", minimum=1, example=10_000)
        self.require_choice("keep", KEEP)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """The shortest paths from the seeds that are in the subgraph."""
        from graphbrick.kernels.shortest_paths import PathTree, shortest_path_tree

        seeds = seeds_of(query, subgraph)
        if not len(seeds):
            return Evidence()
        csr = subgraph.csr
        tree = PathTree(
            *shortest_path_tree(
                csr.out_ptr, csr.tail, csr.in_ptr, csr.in_head, csr.in_triple,
                seeds, *follow(self.direction), self.max_hops, self.cap, self.keep == "one",
            )
        )  # fmt: skip
        return evidence_of(tree, len(seeds), subgraph, self.cap, repr(self))
