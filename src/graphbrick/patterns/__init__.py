"""Relation patterns: their text, the model that scores them, and the scorers of patterns."""

BRICKS = {
    "PatternScorer": "model.scorer",
    "ByRelations": "by_relations",
    "FewTexts": "few_texts",
    "WordAlignment": "alignment.word_alignment",
    "PathTowers": "planned.path_towers",
}
"""The module of each brick, below this package, in the order in which lists show them."""
