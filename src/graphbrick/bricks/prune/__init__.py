"""Prune stages: leave out parts of the subgraph that do not bear on the question."""
