"""Prune stages: leave out what does not bear on the question."""

from graphbrick.prune.edges import PruneEdges
from graphbrick.prune.nodes import PruneNodes
from graphbrick.prune.triples import PruneTriples

BRICKS = (PruneNodes, PruneEdges, PruneTriples)

__all__ = ["BRICKS", "PruneEdges", "PruneNodes", "PruneTriples"]
