"""The choice of one scorer, filled up by another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.core import Evidence, Query
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RerankStage


@dataclass(frozen=True, repr=False)
class Supplement(RerankStage):
    """The items that ``scorer`` chooses, filled up to ``n`` with the best by ``other`` (EEMs-S).

    A language model often names fewer items than it may; an embedding model fills the remaining places.

    Args:
        scorer: Chooses the items that it scores above 0, such as LLMListwiseScorer(LLM()).
        other: Scores the other items, such as MiniLM().
        n: Items kept, at least 1.

    Returns:
        At most ``n`` items with the score of the scorer that took them: first those chosen, best first, then the
        others, best first. Items of equal score keep their order.

    Example:
        >>> from graphbrick import BM25, NGram, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> run = (ShortestPaths() >> Supplement(BM25(), NGram(), n=2)).run(tiny_graph(), "currency around Nairobi")
        >>> len(run.evidence)
        2
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (EEMs-S)"

    scorer: Scorer = parameter(example="LLMListwiseScorer(LLM())")
    other: Scorer = parameter(example="MiniLM()")
    n: int = parameter(32, at_least=1, search=(8, 16, 32, 64))

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the chosen items and those that fill up."""
        first = self.scorer.rate_items(query.text, evidence.items)
        order = np.argsort(-first, kind="stable")
        chosen = order[first[order] > 0][: self.n]
        items = [evidence.items[i].with_score(float(first[i])) for i in chosen]
        rest = np.setdiff1d(np.arange(len(evidence)), chosen)
        if len(items) < self.n and len(rest):
            second = self.other.rate_items(query.text, [evidence.items[i] for i in rest])
            best = np.argsort(-second, kind="stable")[: self.n - len(items)]
            items += [evidence.items[rest[i]].with_score(float(second[i])) for i in best]
        fact(chosen=len(chosen), filled_up=len(items) - len(chosen))
        return Evidence(tuple(items))
