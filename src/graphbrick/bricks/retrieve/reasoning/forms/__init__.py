"""Logical forms: read from a draft, bound to a graph, executed."""
