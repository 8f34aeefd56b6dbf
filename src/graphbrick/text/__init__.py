"""Graphs from text: documents become passages, and passages become a graph."""

from graphbrick.text.chunks import ByHeading, ByParagraph, ByTokens
from graphbrick.text.phrases import Phrases

BRICKS = (ByHeading, ByParagraph, ByTokens, Phrases)

__all__ = ["BRICKS", "ByHeading", "ByParagraph", "ByTokens", "Phrases"]
