"""Graphs in databases that are queried in Cypher."""
