"""Retrieve stages: find reasoning paths."""

from graphbrick.retrieve.shortest_paths import ShortestPaths

BRICKS = (ShortestPaths,)

__all__ = ["BRICKS", "ShortestPaths"]
