"""Embeddings kept beside a graph, so that no text is embedded twice by the same model."""
