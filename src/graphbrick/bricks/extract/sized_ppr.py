"""Personalized PageRank with a subgraph size chosen for each question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.extract.clustering import local_clustering
from graphbrick.bricks.extract.ppr import PPR
from graphbrick.bricks.extract.seeds import Entities, among, start
from graphbrick.bricks.extract.sizers import Around, ShareSizer, Sizer
from graphbrick.core import Query, Subgraph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage


@dataclass(frozen=True, repr=False)
class SizedPPR(ExtractStage):
    """The entities with the highest personalized PageRank, in a number chosen by a sizer.

    A fixed size is too large for simple questions, which costs time and tokens in every later stage, and too small for
    hard ones. The ranking is that of `PPR`; the sizer chooses where to cut it.

    Args:
        sizer: Chooses the size, such as ShareSizer() or LearnedSizer("sizes.json").
        ppr: The ranking; its ``k`` is the largest size, not counting the seeds. Its ``seeds`` must be "together".

    Returns:
        A `Subgraph` of the seeds and at most ``k`` entities; the trace gives ``size``.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> run = SizedPPR().run(graph, "What is the capital of Kenya?")
        >>> run.subgraph.n_nodes < graph.n_entities
        True
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (B.5)"

    sizer: Sizer = parameter(ShareSizer())
    ppr: PPR = parameter(PPR())

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ppr.seeds != "together":
            self.refuse("ppr", "a PPR whose seeds are 'together'", PPR())

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the seeds, the best entities, and the triples among them."""
        seeds = start(graph, query)
        if not len(seeds):
            return among(graph, [])
        ranked, around = ranking(graph, self.ppr, query.text, seeds)
        size = min(self.sizer.size(around), len(ranked))
        fact(size=size)
        return among(graph, [seeds, ranked[:size]])


def ranking(graph: Graph, ppr: PPR, question: str, seeds: Entities) -> tuple[Entities, Around]:
    """Return the best ``k`` entities other than the seeds, best first, and the input of a sizer."""
    scores = ppr.scores(graph, seeds)
    others = ~np.isin(scores.nodes, seeds) & (scores.values > 0)
    nodes, values = scores.nodes[others], scores.values[others]
    order = np.lexsort((nodes, -values))[: ppr.k]
    total = np.cumsum(values[order])
    shares = total / total[-1] if len(total) else total
    degrees = tuple(graph.degree(seed) for seed in seeds.tolist())
    clustering = tuple(local_clustering(graph, seed) for seed in seeds.tolist())
    return nodes[order], Around(question, degrees, shares, clustering)
