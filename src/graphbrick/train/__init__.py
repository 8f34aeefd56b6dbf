"""Training on questions with answers: the labels come from the graph."""

from graphbrick.train.embedder import train_embedder
from graphbrick.train.llm import LLMReport, train_llm
from graphbrick.train.patterns import PatternReport, train_patterns
from graphbrick.train.relation_models import RelationReport
from graphbrick.train.relation_writer import train_writer
from graphbrick.train.reranker import train_reranker
from graphbrick.train.text_models import TextReport
from graphbrick.train.towers import train_towers

__all__ = [
    "LLMReport",
    "PatternReport",
    "RelationReport",
    "TextReport",
    "train_embedder",
    "train_llm",
    "train_patterns",
    "train_reranker",
    "train_towers",
    "train_writer",
]
