"""Retrieve stages that write a query in the language of the graph."""
