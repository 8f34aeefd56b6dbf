"""For tests of bricks and of programs that use graphbrick: a tiny graph, the contract of bricks, a scripted server."""

from graphbrick.testing.graphs import TINY, tiny_graph

__all__ = ["TINY", "tiny_graph"]
