"""Graphs that are queried in SPARQL."""
