"""Stored vectors of a graph, and indexes over them."""
