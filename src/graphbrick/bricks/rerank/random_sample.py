"""A random part of the evidence."""

from __future__ import annotations

import random
from dataclasses import dataclass

from graphbrick.core import Evidence, Query
from graphbrick.core.parameters import parameter
from graphbrick.pipeline import RerankStage


@dataclass(frozen=True, repr=False)
class RandomSample(RerankStage):
    """``n`` items of evidence drawn at random, in the order they had: the baseline of path refinement.

    Args:
        n: Items kept, at least 1.
        seed: Seed of the random numbers, from 0; the same seed and question give the same items on every machine.

    Returns:
        At most ``n`` items; all if there are no more.

    Example:
        >>> from graphbrick import ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> len((ShortestPaths() >> RandomSample(n=2)).run(tiny_graph(), "What is around Nairobi?").evidence)
        2
    """

    paper = "Cao et al., LEGO-GraphRAG, preliminary version (path refinement, random)"

    n: int = parameter(64, at_least=1, search=(16, 32, 64))
    seed: int = parameter(0, at_least=0)

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the items drawn."""
        if len(evidence) <= self.n:
            return evidence
        drawn = random.Random(f"{self.seed} {query.text}".encode("utf-8", "surrogatepass")).sample(
            range(len(evidence)), self.n
        )
        return Evidence(tuple(evidence.items[i] for i in sorted(drawn)))
