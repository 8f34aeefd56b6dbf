"""Graphs from text: documents become passages, and passages become a graph."""

from graphbrick.text.chunks import ByHeading, ByParagraph, ByTokens

BRICKS = (ByHeading, ByParagraph, ByTokens)

__all__ = ["BRICKS", "ByHeading", "ByParagraph", "ByTokens"]
