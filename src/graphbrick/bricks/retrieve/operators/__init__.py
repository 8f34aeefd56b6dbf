"""Operators over the ends of patterns: counts, superlatives, comparisons, filters, sets, yes or no."""
