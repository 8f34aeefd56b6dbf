"""Training on questions with answers: the labels come from the graph."""

from graphbrick.train.patterns import PatternReport, train_patterns

__all__ = ["PatternReport", "train_patterns"]
