"""Operators over the ends of patterns: counts, superlatives, comparisons, filters, sets, yes or no."""

from graphbrick.retrieve.operators.stage import Operators

__all__ = ["Operators"]
