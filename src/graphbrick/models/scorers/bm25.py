"""BM25, the statistical scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.language.bm25 import bm25s
from graphbrick.language.folding import search_words
from graphbrick.models.scorers.scorer import Scorer


@dataclass(frozen=True, repr=False)
class BM25(Scorer):
    """Words in common with the query; rare words count more (Lucene's variant, by bm25s).

    Texts and query are folded to lower-case words without accents; ``starred_actors`` is two words. In scripts
    without spaces, characters and pairs of them are the words. Document frequencies are those of the texts scored
    together.

    Args:
        k1: How soon repeated words stop to count, at least 0.
        b: How much long texts are marked down, from 0 to 1.

    Returns:
        One score a text, at least 0.

    Example:
        >>> BM25().score("which currency is used", ["currency -> shilling", "borders -> Uganda"]).argmax()
        np.int64(0)
    """

    paper = "Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009; Lù, BM25S, 2024"

    k1: float = parameter(1.5, at_least=0, search=(0.9, 1.2, 1.5))
    b: float = parameter(0.75, at_least=0, at_most=1, search=(0.4, 0.75))

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the BM25 score of each text."""
        documents = [search_words(text) for text in texts]
        vocabulary = {word for document in documents for word in document}
        words = [word for word in search_words(query) if word in vocabulary]
        if not words:
            return np.zeros(len(texts))
        index = bm25s().BM25(k1=self.k1, b=self.b, method="lucene", dtype="float64")
        index.index(documents, show_progress=False)
        return np.asarray(index.get_scores(words), dtype=np.float64)
