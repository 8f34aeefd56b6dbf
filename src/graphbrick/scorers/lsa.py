"""Latent semantic analysis, a statistical scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.graphs.text import fold
from graphbrick.scorers.scorer import Scorer

_LEAST_SINGULAR = 1e-8  # of the largest; below it a direction is rounding error
_LEAST_LENGTH = 1e-3  # rows have length 1; where the space keeps less of one, its direction there says nothing


@dataclass(frozen=True, repr=False)
class LSA(Scorer):
    """Latent semantic analysis: words count as alike that go with the same words in the texts scored together.

    The texts, folded to lower-case words without accents, are weighted by tf-idf and brought into a space of few
    dimensions by singular value decomposition; the query is folded into it. Texts that fold to the same count once,
    their order does not count. What is learned comes from the texts of one call only.

    Args:
        components: Dimensions of the space, from 1 to 1000; never more than there are different texts or words.

    Returns:
        One score a text, the cosine in [-1, 1]; 0 where text or query has no word that is known.

    Raises:
        ModelError: The extra ``graphbrick[statistical]`` is not installed.

    Example:
        >>> texts = ["shilling currency money", "franc currency money", "borders Uganda", "borders Kenya"]
        >>> LSA(components=2).score("shilling", texts) > 0.9
        array([ True,  True, False, False])
    """

    paper = "Deerwester et al., Indexing by Latent Semantic Analysis, JASIS 1990"

    components: int = parameter(100, at_least=1, at_most=1000, search=(50, 100, 200))

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """The cosine of each text and the query in the space of the texts."""
        vectorizers = sklearn("feature_extraction.text")
        extmath = sklearn("utils.extmath")
        folded = [fold(text) for text in texts]
        known = sorted({*folded} - {""})
        if not known:
            return np.zeros(len(texts))
        tfidf = vectorizers.TfidfVectorizer(analyzer=str.split)
        rows = tfidf.fit_transform(known)
        asked = tfidf.transform([fold(query)])
        if not asked.nnz:
            return np.zeros(len(texts))
        # What TruncatedSVD runs, without the shares of variance, which are 0/0 for a single text.
        _, singular, axes = extmath.randomized_svd(rows, min(self.components, *rows.shape), n_iter=5, random_state=0)
        axes = axes[singular > _LEAST_SINGULAR * singular[0]]
        similarities = _units(rows @ axes.T) @ _units(asked @ axes.T)[0]
        score_of = dict(zip(known, np.clip(similarities, -1, 1).tolist(), strict=True))
        return np.array([score_of.get(text, 0.0) for text in folded])


def sklearn(module: str) -> Any:
    """A module of scikit-learn.

    Raises:
        ModelError: It is not installed.
    """
    from importlib import import_module

    try:
        return import_module(f"sklearn.{module}")
    except ImportError as error:
        raise ModelError(
            f"LSA and LDA need the package {error.name}: pip install 'graphbrick[statistical]' "
            "(BM25() and NGram() need nothing)"
        ) from error


def _units(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The rows scaled to length 1; zeros for those of which next to nothing is left."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: npt.NDArray[np.float64] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > _LEAST_LENGTH)
    return units
