"""One-way ranking of evidence by any scorer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.core import Evidence, Query
from graphbrick.models.scorer import Scorer
from graphbrick.pipeline import RerankStage


@dataclass(frozen=True, repr=False)
class Rerank(RerankStage):
    """The ``n`` paths whose text scores best against the question.

    This is the paper's one-way semantic ranking (OSAR) after a retrieve stage, and its path refinement after another
    ranking. Paths of equal score keep their order, so that shorter ones stay first.

    Args:
        scorer: What scores path texts, such as BM25() or MiniLM().
        n: Paths kept, at least 1.

    Returns:
        At most ``n`` paths, best first, each with its score.

    Example:
        >>> from graphbrick import BM25, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> run = (ShortestPaths() >> Rerank(BM25(), n=1)).run(tiny_graph(), "Which currency is used around Nairobi?")
        >>> run.evidence.items[0].text
        'Nairobi <- capital <- Kenya -> currency -> Kenyan shilling'
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (path retrieval, OSAR)"

    scorer: Scorer
    n: int = 32

    def __post_init__(self) -> None:
        self.require_part("scorer", Scorer, example="BM25()")
        self.require_int("n", minimum=1, example=32)

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """The best paths, by score."""
        # Parallel paths between entities of one name have one text; it is scored once.
        position: dict[str, int] = {}
        for item in evidence.items:
            position.setdefault(item.text, len(position))
        scores = self.scorer.score(query.text, list(position))
        of_item = np.array([scores[position[item.text]] for item in evidence.items])
        order = np.argsort(-of_item, kind="stable")[: self.n]
        return Evidence(tuple(evidence.items[i].with_score(float(of_item[i])) for i in order))
