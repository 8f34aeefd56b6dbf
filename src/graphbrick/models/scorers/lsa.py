"""Latent semantic analysis, a statistical scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.models.scorers.word_counts import WordCountScorer, sklearn

_LEAST_SINGULAR = 1e-8  # of the largest; below it a direction is rounding error
_LEAST_LENGTH = 1e-3  # rows have length 1; a shorter one in the space is rounding error


@dataclass(frozen=True, repr=False)
class LSA(WordCountScorer):
    """Latent semantic analysis: words are alike if they occur with the same words in the texts.

    The texts, folded to lower-case words without accents, are weighted by tf-idf and brought into a space of few
    dimensions by singular value decomposition; the query is folded into it. Texts that fold to the same words count
    once, and their order does not matter. The space is learned from the texts of one call only.

    Args:
        components: Dimensions of the space, from 1 to 1000; never more than there are different texts or words.

    Returns:
        One score a text, the cosine in [-1, 1]; 0 if the text or the query has no known word.

    Raises:
        ModelError: The extra ``graphbrick[statistical]`` is not installed.

    Example:
        >>> texts = ["shilling currency money", "franc currency money", "borders Uganda", "borders Kenya"]
        >>> LSA(components=2).score("shilling", texts) > 0.9
        array([ True,  True, False, False])
    """

    paper = "Deerwester et al., Indexing by Latent Semantic Analysis, JASIS 1990"

    components: int = parameter(100, at_least=1, at_most=1000, search=(50, 100, 200))

    def _vectorizer(self, module: Any) -> Any:
        return module.TfidfVectorizer(analyzer=str.split)

    def _similarities(self, rows: Any, query_row: Any) -> npt.NDArray[np.float64]:
        # This is what TruncatedSVD runs, without the shares of variance, which are 0/0 for a single text.
        _, singular, axes = sklearn("utils.extmath").randomized_svd(
            rows, min(self.components, *rows.shape), n_iter=5, random_state=0
        )
        axes = axes[singular > _LEAST_SINGULAR * singular[0]]
        cosines: npt.NDArray[np.float64] = _units(rows @ axes.T) @ _units(query_row @ axes.T)[0]
        return np.clip(cosines, -1, 1)


def _units(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale the rows to length 1; a row of almost no length becomes zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: npt.NDArray[np.float64] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > _LEAST_LENGTH)
    return units
