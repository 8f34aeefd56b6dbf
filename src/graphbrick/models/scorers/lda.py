"""Latent Dirichlet allocation, a statistical scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.models.scorers.word_counts import WordCountScorer, sklearn


@dataclass(frozen=True, repr=False)
class LDA(WordCountScorer):
    """Latent Dirichlet allocation: how similar the topics of a text are to those of the query.

    Topics are learned from the texts of one call, folded to lower-case words without accents; texts that fold to the
    same words count once, and their order does not matter. Two mixtures of topics are compared by their Jensen-Shannon
    distance (base 2), which unlike the cosine is a distance of distributions: the score is 1 minus it. Ten thousand
    texts take some twenty seconds.

    Args:
        topics: Number of topics, from 1 to 1000.
        seed: Start of the random numbers that topics are drawn from, at least 0; other seeds find other topics.

    Returns:
        One score a text, in [0, 1]; 0 if the text or the query has no known word.

    Raises:
        ModelError: The extra ``graphbrick[statistical]`` is not installed.

    Example:
        >>> texts = ["shilling currency", "franc currency", "borders Uganda", "borders Kenya"]
        >>> LDA(topics=2, seed=1).score("currency", texts).round(1)
        array([0.9, 0.9, 0.5, 0.5])
    """

    paper = "Blei, Ng and Jordan, Latent Dirichlet Allocation, JMLR 2003; Endres and Schindelin, A new metric, 2003"

    topics: int = parameter(10, at_least=1, at_most=1000, search=(5, 10, 20))
    seed: int = parameter(0, at_least=0)

    def _vectorizer(self, module: Any) -> Any:
        return module.CountVectorizer(analyzer=str.split)

    def _similarities(self, rows: Any, query_row: Any) -> npt.NDArray[np.float64]:
        model = sklearn("decomposition").LatentDirichletAllocation(self.topics, random_state=self.seed).fit(rows)
        return 1 - _jensen_shannon(model.transform(rows), model.transform(query_row)[0])


def _jensen_shannon(rows: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the distance of each row to another distribution, in [0, 1]; all are above 0 everywhere."""
    middle = (rows + other) / 2
    divergence = (rows * np.log2(rows / middle) + other * np.log2(other / middle)).sum(axis=1) / 2
    distance: npt.NDArray[np.float64] = np.sqrt(np.clip(divergence, 0, 1))  # rounding gives -1e-17 for equal ones
    return distance
