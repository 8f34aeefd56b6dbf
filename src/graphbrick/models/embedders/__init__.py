"""Embedders: texts in, unit vectors out. Each is also a scorer, by cosine similarity."""
