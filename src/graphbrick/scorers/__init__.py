"""Scorers: texts in, one number a text out."""

from graphbrick.scorers.bm25 import BM25
from graphbrick.scorers.cross_encoder import CrossEncoder
from graphbrick.scorers.lda import LDA
from graphbrick.scorers.llm_scorer import LLMScorer
from graphbrick.scorers.lsa import LSA
from graphbrick.scorers.ngram import NGram

BRICKS = (BM25, NGram, LSA, LDA, CrossEncoder, LLMScorer)

__all__ = ["BM25", "BRICKS", "LDA", "LSA", "CrossEncoder", "LLMScorer", "NGram"]
