"""Graphs to and from the output folders of Microsoft GraphRAG."""
