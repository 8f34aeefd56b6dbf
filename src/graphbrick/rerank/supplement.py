"""What one scorer chooses, filled up by another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.core import Evidence, Query
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.pipeline import RerankStage
from graphbrick.scorers.scorer import Scorer


@dataclass(frozen=True, repr=False)
class Supplement(RerankStage):
    """The paths that ``scorer`` chooses, then the best of the others by ``other`` until there are ``n`` (EEMs-S).

    A language model often names fewer paths than it may; an embedding model fills up what it left short.

    Args:
        scorer: What chooses: the paths that it scores above 0, such as LLMScorer(LLM()).
        other: What fills up, such as MiniLM().
        n: Paths kept, at least 1.

    Returns:
        At most ``n`` paths with the score of whichever scorer took them: first those chosen, best first, then those
        filled up, best first. Paths of equal score keep their order.

    Example:
        >>> from graphbrick import BM25, NGram, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> run = (ShortestPaths() >> Supplement(BM25(), NGram(), n=2)).run(tiny_graph(), "currency around Nairobi")
        >>> len(run.evidence)
        2
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (EEMs-S)"

    scorer: Scorer = parameter(example="LLMScorer(LLM())")
    other: Scorer = parameter(example="MiniLM()")
    n: int = parameter(32, at_least=1, search=(8, 16, 32, 64))

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """The paths chosen and those filled up."""
        texts = evidence.texts()
        first = self.scorer.rate(query.text, texts)
        order = np.argsort(-first, kind="stable")
        chosen = order[first[order] > 0][: self.n]
        kept = [evidence.items[i].with_score(float(first[i])) for i in chosen]
        rest = np.setdiff1d(np.arange(len(texts)), chosen)
        if len(kept) < self.n and len(rest):
            second = self.other.rate(query.text, [texts[i] for i in rest])
            best = np.argsort(-second, kind="stable")[: self.n - len(kept)]
            kept += [evidence.items[rest[i]].with_score(float(second[i])) for i in best]
        fact(chosen=len(chosen), filled_up=len(kept) - len(chosen))
        return Evidence(tuple(kept))
