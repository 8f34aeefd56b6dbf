"""Scorers: texts in, one number a text out."""

from graphbrick.scorers.bm25 import BM25
from graphbrick.scorers.cross_encoder import CrossEncoder
from graphbrick.scorers.lda import LDA
from graphbrick.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.scorers.llm_pointwise import LLMPointwiseScorer
from graphbrick.scorers.llm_rating import LLMRatingScorer
from graphbrick.scorers.lsa import LSA
from graphbrick.scorers.ngram import NGram

BRICKS = (BM25, NGram, LSA, LDA, CrossEncoder, LLMListwiseScorer, LLMRatingScorer, LLMPointwiseScorer)

__all__ = [
    "BM25",
    "BRICKS",
    "LDA",
    "LSA",
    "CrossEncoder",
    "LLMListwiseScorer",
    "LLMPointwiseScorer",
    "LLMRatingScorer",
    "NGram",
]
