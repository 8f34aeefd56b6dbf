"""All shortest paths from the seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphbrick.core import Evidence, Path, Query, Subgraph, seeds_of
from graphbrick.directions import DIRECTIONS, follow
from graphbrick.pipeline import RetrieveStage
from graphbrick.trace import event

if TYPE_CHECKING:
    from graphbrick.kernels.shortest_paths import PathTree


@dataclass(frozen=True, repr=False)
class ShortestPaths(RetrieveStage):
    """All shortest paths from each seed to every entity of the subgraph that it reaches.

    The paper asks for all shortest paths; its code keeps one per entity. Parallel relations give a path each.

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

    def __post_init__(self) -> None:
        self.require_int("max_hops", minimum=1, maximum=100, example=4)
        self.require_choice("direction", DIRECTIONS)
        self.require_int("cap", minimum=1, example=10_000)

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
                seeds, *follow(self.direction), self.max_hops, self.cap,
            )
        )  # fmt: skip
        if tree.capped:
            event(f"stopped at the cap of {self.cap:,} paths; longer ones are missing (raise cap, or lower max_hops)")
        return Evidence(_paths(tree, len(seeds), subgraph, repr(self)))


def _paths(tree: PathTree, n_seeds: int, subgraph: Subgraph, source: str) -> tuple[Path, ...]:
    """The paths of a tree in its order, with the ids of the graph; the seeds themselves are no paths."""
    nodes = (tree.node if subgraph.nodes is None else subgraph.nodes[tree.node]).tolist()
    triples = tree.triple[n_seeds:]
    last = (triples if subgraph.triples is None else subgraph.triples[triples]).tolist()
    parents, ways = tree.parent.tolist(), tree.forward.tolist()
    walks: list[tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]] = [((n,), (), ()) for n in nodes[:n_seeds]]
    for i in range(n_seeds, len(nodes)):
        before = walks[parents[i]]
        walks.append(((*before[0], nodes[i]), (*before[1], last[i - n_seeds]), (*before[2], ways[i])))
    return tuple(Path(subgraph.graph, *walk, source=source) for walk in walks[n_seeds:])
