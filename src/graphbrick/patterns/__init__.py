"""Relation patterns: their text, the model that scores them, and the scorer that uses it."""

from graphbrick.patterns.scorer import PatternScorer

BRICKS = (PatternScorer,)

__all__ = ["BRICKS", "PatternScorer"]
