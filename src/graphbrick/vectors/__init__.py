"""Embeddings kept beside a graph, and indexes over them."""
