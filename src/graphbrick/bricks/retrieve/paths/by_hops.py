"""Different retrieve stages for one-hop and multi-hop questions."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.bricks.retrieve.paths.hops import HopClassifier
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.pipeline import RetrieveStage


@dataclass(frozen=True, repr=False)
class ByHops(RetrieveStage):
    """A switch that retrieves with ``one`` for one-hop questions and with ``more`` for multi-hop ones.

    The technical report finds that dynamic pruning helps simple questions and scoring single triples helps complex
    ones, and combines both:
    ``ByHops(LLMHops(LLM()), BeamSearch(MiniLM(), None, cut='mean'), BeamSearch(MiniLM(), by='triple'))``.

    Args:
        classifier: Estimates how many hops a question takes, such as PatternHops(MiniLM()) or LLMHops(LLM()).
        one: The retrieve stage for one hop.
        more: The retrieve stage for two hops and more.

    Returns:
        The evidence of the chosen stage; the trace has the number of hops.

    Example:
        >>> from graphbrick import BM25, PatternHops, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("Which currency has the country with the capital Nairobi?", (graph.entity("Nairobi"),))
        >>> stage = ByHops(PatternHops(BM25()), ShortestPaths(max_hops=1), ShortestPaths(max_hops=2))
        >>> max(path.hops for path in stage.retrieve(query, Subgraph(graph)).paths)
        2
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (hop classifier)"

    classifier: HopClassifier = parameter(example="PatternHops(MiniLM())")
    one: RetrieveStage = parameter(example="BeamSearch(MiniLM(), cut='mean')")
    more: RetrieveStage = parameter(example="BeamSearch(MiniLM(), by='triple')")

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the evidence of the stage for this question."""
        hops = self.classifier.hops(query, subgraph)
        fact(hops=hops)
        return (self.one if hops == 1 else self.more).retrieve(query, subgraph)
