"""Training on questions with answers: the labels come from the graph."""

from graphbrick.train.embedder import train_embedder
from graphbrick.train.llm import LLMReport, train_llm
from graphbrick.train.patterns import PatternReport, train_patterns
from graphbrick.train.reranker import train_reranker
from graphbrick.train.text_models import TextReport

__all__ = [
    "LLMReport",
    "PatternReport",
    "TextReport",
    "train_embedder",
    "train_llm",
    "train_patterns",
    "train_reranker",
]
