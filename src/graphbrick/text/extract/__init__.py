"""Extractors: entities and triples of passages."""
