"""Models: scorers, embedders, language models, stored vectors and indexes; fetching their files."""

BRICKS = {
    "BM25": "scorers.bm25",
    "NGram": "scorers.ngram",
    "LSA": "scorers.lsa",
    "LDA": "scorers.lda",
    "CrossEncoder": "scorers.cross_encoder",
    "LLMListwiseScorer": "scorers.llm_listwise",
    "LLMRatingScorer": "scorers.llm_rating",
    "LLMPointwiseScorer": "scorers.llm_pointwise",
    "MiniLM": "embedders.minilm",
    "StaticEmbedder": "embedders.static",
    "USE": "embedders.use",
    "EmbeddingModel": "embedders.embedding_model",
    "LLMEmbedder": "embedders.llm_embedder",
    "LLM": "llm.llm",
    "LocalLLM": "llm.local_llm",
}
"""The module of each brick, below this package, in the order in which lists show them."""
