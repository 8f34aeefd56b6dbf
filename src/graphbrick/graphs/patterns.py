"""Following a pattern of relations through a graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphbrick.core import Path
from graphbrick.core.graph import Graph


def follow_pattern(graph: Graph, start: int, pattern: Sequence[tuple[int, bool]], source: str = "") -> list[Path]:
    """One path to every entity at the end of a relation pattern.

    The start is left out of every later hop: «films that share an actor with this film» does not mean the film itself.

    Args:
        graph: The graph.
        start: Entity id.
        pattern: (relation id, whether it is followed from head to tail) a hop; at least one.
        source: Who asked, kept in the paths.

    Returns:
        Paths in order of discovery: by the order of the entities before, then by triple id.

    >>> from graphbrick.testing import tiny_graph
    >>> graph = tiny_graph()
    >>> kenya, borders = graph.entity("Kenya"), 2
    >>> [path.text for path in follow_pattern(graph, kenya, [(borders, True), (borders, False)])]
    ['Kenya -> borders -> Uganda <- borders <- Rwanda']
    """
    if not pattern:
        raise ValueError("a pattern has at least one relation")
    csr = graph.csr
    reached: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {start: ((start,), ())}
    for relation, forward in pattern:
        following: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        for node, (nodes, triples) in reached.items():
            row = csr.row(node, forward)
            ids = np.arange(row.start, row.stop) if forward else csr.in_triple[row]
            ends = csr.tail[row] if forward else csr.in_head[row]
            fits = csr.relation[ids] == relation
            for end, triple in zip(ends[fits].tolist(), ids[fits].tolist(), strict=True):
                if end != start and end not in following:
                    following[end] = ((*nodes, end), (*triples, triple))
        reached = following
    ways = tuple(forward for _, forward in pattern)
    return [Path(graph, nodes, triples, ways, source=source) for nodes, triples in reached.values()]
