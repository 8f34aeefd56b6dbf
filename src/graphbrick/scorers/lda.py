"""Latent Dirichlet allocation, a statistical scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.graphs.text import fold
from graphbrick.scorers.lsa import sklearn
from graphbrick.scorers.scorer import Scorer


@dataclass(frozen=True, repr=False)
class LDA(Scorer):
    """Latent Dirichlet allocation: how like the topics of a text are to those of the query.

    Topics are learned from the texts of one call, folded to lower-case words without accents; those that fold to the
    same count once, their order does not count. Two mixtures of topics are compared by their Jensen-Shannon distance
    (base 2), which unlike the cosine is a distance of distributions: the score is 1 minus it. Ten thousand texts take
    some twenty seconds.

    Args:
        topics: Number of topics, from 1 to 1000.
        seed: Start of the random numbers that topics are drawn from, at least 0; other seeds find other topics.

    Returns:
        One score a text, in [0, 1]; 0 where text or query has no word that is known.

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

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """How like the topics of each text are to those of the query."""
        vectorizers = sklearn("feature_extraction.text")
        decomposition = sklearn("decomposition")
        folded = [fold(text) for text in texts]
        known = sorted({*folded} - {""})
        if not known:
            return np.zeros(len(texts))
        counts = vectorizers.CountVectorizer(analyzer=str.split)
        rows = counts.fit_transform(known)
        asked = counts.transform([fold(query)])
        if not asked.nnz:
            return np.zeros(len(texts))
        model = decomposition.LatentDirichletAllocation(self.topics, random_state=self.seed).fit(rows)
        similarities = 1 - _jensen_shannon(model.transform(rows), model.transform(asked)[0])
        score_of = dict(zip(known, similarities.tolist(), strict=True))
        return np.array([score_of.get(text, 0.0) for text in folded])


def _jensen_shannon(rows: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The distance of each row to another distribution, in [0, 1]; all are above 0 everywhere."""
    middle = (rows + other) / 2
    divergence = (rows * np.log2(rows / middle) + other * np.log2(other / middle)).sum(axis=1) / 2
    distance: npt.NDArray[np.float64] = np.sqrt(np.clip(divergence, 0, 1))  # rounding gives -1e-17 for equal ones
    return distance
