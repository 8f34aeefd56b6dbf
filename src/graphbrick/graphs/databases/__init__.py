"""Graphs in databases: each gives labels, neighbours and a query language; `LocalAround` makes adjacency of them."""

from graphbrick.graphs.databases.address import Address, is_address

__all__ = ["Address", "is_address"]
