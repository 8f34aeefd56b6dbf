"""Models that bricks are built over: scorers of texts, language models."""

from graphbrick.models.bm25 import BM25
from graphbrick.models.llm import LLM
from graphbrick.models.minilm import MiniLM

BRICKS = (BM25, MiniLM, LLM)

__all__ = ["BM25", "BRICKS", "LLM", "MiniLM"]
