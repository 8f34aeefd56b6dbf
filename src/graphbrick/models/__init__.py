"""Models that bricks are built over: scorers of texts, embedders, language models."""

from graphbrick.models.bm25 import BM25
from graphbrick.models.cross_encoder import CrossEncoder
from graphbrick.models.embedding_model import EmbeddingModel
from graphbrick.models.lda import LDA
from graphbrick.models.llm import LLM
from graphbrick.models.llm_embedder import LLMEmbedder
from graphbrick.models.llm_scorer import LLMScorer
from graphbrick.models.local_llm import LocalLLM
from graphbrick.models.lsa import LSA
from graphbrick.models.minilm import MiniLM
from graphbrick.models.ngram import NGram
from graphbrick.models.pattern_scorer import PatternScorer

BRICKS = (
    BM25, NGram, LSA, LDA, MiniLM, EmbeddingModel, LLMEmbedder, CrossEncoder, LLMScorer, PatternScorer, LLM,
    LocalLLM,
)  # fmt: skip

__all__ = [
    "BM25", "BRICKS", "LDA", "LLM", "LSA", "CrossEncoder", "EmbeddingModel", "LLMEmbedder", "LLMScorer", "LocalLLM",
    "MiniLM", "NGram", "PatternScorer",
]  # fmt: skip
