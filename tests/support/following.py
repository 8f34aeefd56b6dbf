"""Paths along a relation pattern through a whole graph."""

from __future__ import annotations

from graphbrick.core import Path, Subgraph
from graphbrick.core.graph import Graph
from graphbrick.graphs.patterns import Pattern, follow


def follow_pattern(graph: Graph, start: int, pattern: Pattern, source: str = "", *, back: bool = False) -> list[Path]:
    """One path to every entity at the end of a relation pattern; see `follow`."""
    followed = follow(Subgraph(graph), start, pattern, back=back)
    return [] if followed is None else [followed.path(i, source) for i in range(len(followed.ends))]
