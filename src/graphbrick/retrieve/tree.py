"""From the path tree of a kernel to evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core import Evidence, Path, Subgraph
from graphbrick.trace import event

if TYPE_CHECKING:
    from graphbrick.kernels.shortest_paths import PathTree


def evidence_of(tree: PathTree, n_seeds: int, subgraph: Subgraph, cap: int, source: str) -> Evidence:
    """The paths of a tree in its order, with the ids of the graph; the seeds themselves are no paths.

    Args:
        tree: What the kernel gave for the subgraph.
        n_seeds: How many seeds the tree begins with.
        subgraph: The view that was searched.
        cap: Paths at most; that it ended the search is an event.
        source: The stage, as recipe text.
    """
    if tree.capped:
        event(f"stopped at the cap of {cap:,} paths; longer ones are missing (raise cap, or lower max_hops)")
    nodes = (tree.node if subgraph.nodes is None else subgraph.nodes[tree.node]).tolist()
    triples = tree.triple[n_seeds:]
    last = (triples if subgraph.triples is None else subgraph.triples[triples]).tolist()
    parents, ways = tree.parent.tolist(), tree.forward.tolist()
    graph = subgraph.graph
    found: list[Path] = []
    for i in range(n_seeds, len(nodes)):
        node, triple, parent = nodes[i], last[i - n_seeds], parents[i]
        if parent < n_seeds:
            found.append(Path(graph, (nodes[parent], node), (triple,), (ways[i],), source=source))
        else:
            way = found[parent - n_seeds]
            walked = (*way.nodes, node), (*way.triples, triple), (*way.forward, ways[i])
            found.append(Path(graph, *walked, source=source, prefix=way))
    return Evidence(tuple(found))
