"""Embedders: texts in, unit vectors out. Each is also a scorer, by cosine similarity."""

from graphbrick.embedders.embedding_model import EmbeddingModel
from graphbrick.embedders.llm_embedder import LLMEmbedder
from graphbrick.embedders.minilm import MiniLM

BRICKS = (MiniLM, EmbeddingModel, LLMEmbedder)

__all__ = ["BRICKS", "EmbeddingModel", "LLMEmbedder", "MiniLM"]
