"""One-way ranking of evidence by any scorer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.core import Evidence, Query
from graphbrick.core.parameters import parameter
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RerankStage


@dataclass(frozen=True, repr=False)
class Rerank(RerankStage):
    """The ``n`` items of evidence whose text scores best against the question.

    This is the paper's one-way semantic ranking (OSAR) after a retrieve stage, and its path refinement after another
    ranking. Items of equal score keep their order, so that shorter ones stay first.

    With ``by="pattern"``, a path is scored without the names on it:
    ``Nairobi <- capital <- country -> currency -> currency``.
    Names that happen to resemble the question then do not count, and the many paths of one pattern cost one text. The
    paper scores by path; with thousands of paths an embedding model then takes seconds. Items that are not paths are
    always scored by their whole text.

    Args:
        scorer: The scorer, such as BM25() or MiniLM().
        n: Items kept, at least 1.
        by: "path" for the whole text, "pattern" for types in place of all entities but the seed.
        threshold: Only items that score above it are kept; None for no threshold. Language models give score
            0 to items that they did not choose.

    Returns:
        At most ``n`` items, best first, each with its score.

    Example:
        >>> from graphbrick import BM25, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> run = (ShortestPaths() >> Rerank(BM25(), n=1)).run(tiny_graph(), "Which currency is used around Nairobi?")
        >>> run.evidence.items[0].text
        'Nairobi <- capital <- Kenya -> currency -> Kenyan shilling'
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (path retrieval, OSAR)"

    scorer: Scorer = parameter(example="BM25()")
    n: int = parameter(32, at_least=1, search=(8, 16, 32, 64))
    by: str = parameter("path", choices=("path", "pattern"), search=("path", "pattern"))
    threshold: float | None = parameter(None, example=0)

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the best items, by score."""
        scores = self.scorer.rate_items(query.text, evidence.items, by_pattern=self.by == "pattern")
        order = np.argsort(-scores, kind="stable")
        if self.threshold is not None:
            order = order[scores[order] > self.threshold]
        items = tuple(evidence.items[i].with_score(float(scores[i])) for i in order[: self.n])
        scale = repr(self.scorer) if self.scorer.comparable else ""
        return Evidence(items, scale=scale)
