"""Prune stages: leave out what does not bear on the question."""
