"""The common part of scorers that learn a space from the words of the texts scored together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.language.folding import fold
from graphbrick.models.scorers.scorer import Scorer


class WordCountScorer(Scorer):
    """Base of scorers that compare counts of words; texts with the same folded words count once."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the similarity of each text and the query; 0 if either has no known word."""
        folded = [fold(text) for text in texts]
        distinct = sorted({*folded} - {""})
        vectorizer = self._vectorizer(sklearn("feature_extraction.text"))
        if not distinct:
            return np.zeros(len(texts))
        rows = vectorizer.fit_transform(distinct)
        query_row = vectorizer.transform([fold(query)])
        if not query_row.nnz:
            return np.zeros(len(texts))
        similarities = dict(zip(distinct, self._similarities(rows, query_row).tolist(), strict=True))
        return np.array([similarities.get(text, 0.0) for text in folded])

    @abstractmethod
    def _vectorizer(self, module: Any) -> Any:
        """Return the vectorizer, from scikit-learn's ``feature_extraction.text``."""

    @abstractmethod
    def _similarities(self, rows: Any, query_row: Any) -> npt.NDArray[np.float64]:
        """Return the similarity of each row, a sparse matrix [texts, words], and the row of the query."""


def sklearn(module: str) -> Any:
    """Import a module of scikit-learn.

    Raises:
        ModelError: It is not installed.
    """
    try:
        return import_module(f"sklearn.{module}")
    except ImportError as error:
        raise ModelError(
            f"LSA and LDA need the package {error.name}: pip install 'graphbrick[statistical]' "
            "(BM25() and NGram() need nothing)",
            code="statistical.not_installed",
            package=error.name,
        ) from error
