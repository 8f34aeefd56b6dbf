"""Embedders: texts in, unit vectors out. Each is also a scorer, by cosine similarity."""

from graphbrick.embedders.embedding_model import EmbeddingModel
from graphbrick.embedders.llm_embedder import LLMEmbedder
from graphbrick.embedders.minilm import MiniLM
from graphbrick.embedders.use import USE

BRICKS = (MiniLM, USE, EmbeddingModel, LLMEmbedder)

__all__ = ["BRICKS", "USE", "EmbeddingModel", "LLMEmbedder", "MiniLM"]
