"""Relation patterns: their text, the model that scores them, and the scorers of patterns."""

from graphbrick.patterns.by_relations import ByRelations
from graphbrick.patterns.path_towers import PathTowers
from graphbrick.patterns.scorer import PatternScorer
from graphbrick.patterns.word_alignment import WordAlignment

BRICKS = (PatternScorer, ByRelations, WordAlignment, PathTowers)

__all__ = ["BRICKS", "ByRelations", "PathTowers", "PatternScorer", "WordAlignment"]
