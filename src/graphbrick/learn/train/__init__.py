"""Training on questions with answers: the labels come from the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.learn.train.llms.llm import LLMReport as LLMReport
    from graphbrick.learn.train.llms.llm import train_llm as train_llm
    from graphbrick.learn.train.patterns.patterns import PatternReport as PatternReport
    from graphbrick.learn.train.patterns.patterns import train_patterns as train_patterns
    from graphbrick.learn.train.patterns.relation_models import RelationReport as RelationReport
    from graphbrick.learn.train.patterns.relation_writer import train_writer as train_writer
    from graphbrick.learn.train.patterns.towers import train_towers as train_towers
    from graphbrick.learn.train.sizes import SizesReport as SizesReport
    from graphbrick.learn.train.sizes import train_sizes as train_sizes
    from graphbrick.learn.train.texts.embedder import train_embedder as train_embedder
    from graphbrick.learn.train.texts.reranker import train_reranker as train_reranker
    from graphbrick.learn.train.texts.text_models import TextReport as TextReport

_HOMES = {
    "LLMReport": "llms.llm",
    "PatternReport": "patterns.patterns",
    "RelationReport": "patterns.relation_models",
    "SizesReport": "sizes",
    "TextReport": "texts.text_models",
    "train_embedder": "texts.embedder",
    "train_llm": "llms.llm",
    "train_patterns": "patterns.patterns",
    "train_reranker": "texts.reranker",
    "train_sizes": "sizes",
    "train_towers": "patterns.towers",
    "train_writer": "patterns.relation_writer",
}
__all__ = [
    "LLMReport",
    "PatternReport",
    "RelationReport",
    "SizesReport",
    "TextReport",
    "train_embedder",
    "train_llm",
    "train_patterns",
    "train_reranker",
    "train_sizes",
    "train_towers",
    "train_writer",
]
__getattr__ = lazy_names(__name__, _HOMES)
