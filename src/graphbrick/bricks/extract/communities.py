"""Communities as subgraphs: PageRank inside those of the seeds, or those whose reports match the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.seeds import RankedExtract, Ranking, among, best, start
from graphbrick.core import Query, Subgraph, seeds_of
from graphbrick.core.csr import Rows
from graphbrick.core.graph import Capability, follow
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import ExtractStage

if TYPE_CHECKING:
    from graphbrick.graphs.partitions import Partitions


@dataclass(frozen=True, repr=False)
class Communities(RankedExtract):
    """The entities of highest personalized PageRank in the partitions of the seeds, and their triples.

    The whole graph is partitioned once by the Leiden method, ignoring direction, and the partitions are stored
    beside the graph. Run ``graphbrick prepare partitions GRAPH`` to make them. For a graph of at most 2 million
    triples the first question makes them, which is an event. The walk is that of `PPR` but stays inside the
    partitions of the seeds, so time and memory grow with these partitions and not with the graph. Entities outside
    them are never found, whatever ``k`` is.

    Args:
        k: Entities kept, at least 1; the seeds are always among them. Ties go to the lower id.
        restart: Probability of going back to the seeds, in (0, 1) and at least 0.001; igraph's damping is 1 - restart.
        direction: "both", "out" (along triples) or "in" (against them).
        tolerance: Bound on the sum of absolute errors of the scores (which sum to 1), in (0, 1).
        seeds: "together" (one ranking over the partitions of all seeds) or "each" (a separate ranking for every seed in
            its partition, with ``k`` entities kept each; the result is their union, with all triples among them).
        resolution: Resolution of the modularity, above 0; a higher value gives more and smaller partitions.
        size: Largest partition wanted, in entities, at least 2. A larger one is partitioned again, as long as that
            divides it.
        seed: Random seed of Leiden, from 0 to 2,147,483,647; the same seed gives the same partitions.

    Returns:
        A `Subgraph` of at most max(k, number of seeds) entities ("each": k times the number of seeds), all with a score
        above 0; empty where no seed is in the graph. The trace says how many entities the partitions of the seeds hold.

    Raises:
        GraphbrickError: The partitions have to be made, and the extra ``graphbrick[communities]`` is not installed or
            the graph is too large to make them during a question.

    Example:
        >>> from graphbrick.core import Query
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> found = Communities(k=3).extract(graph, Query("?", seeds=(graph.entity("Nairobi"),)))
        >>> [graph.label(int(entity)) for entity in found.nodes]
        ['Kenya', 'Kenyan shilling', 'Nairobi']
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025, technical report, B.7; Traag et al., From Louvain to Leiden, 2019"

    # A resolution of 0 makes one partition of everything.
    resolution: float = parameter(1.0, above=0, at_most=1_000_000, search=(0.5, 1.0, 2.0))
    size: int = parameter(100_000, at_least=2, search=(10_000, 100_000))
    seed: int = parameter(0, at_least=0)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the ``k`` best entities and the triples among them."""
        subgraph = super().extract(graph, query)
        seeds = seeds_of(query, Subgraph(graph))
        if len(seeds):
            partitions = self._partitions(graph)
            near = np.unique(partitions.label[seeds])
            fact(partitions=len(near), entities_near=int(np.diff(partitions.pointer)[near].sum()))
        return subgraph

    def rank(self, graph: Graph, seeds: npt.NDArray[np.int32]) -> Ranking:
        """Return the ``k`` best entities of the partitions of ``seeds``."""
        from graphbrick.kernels.pagerank.ppr import ppr_push

        members, local, pointers, neighbours = self._partitions(graph).inside(graph, seeds, *follow(self.direction))
        begin, end = pointers[:-1], pointers[1:]
        rows = Rows(
            begin, end, neighbours, neighbours, begin, end, neighbours, neighbours
        )  # only the outgoing rows are used
        scores, error, edges = ppr_push(rows, local, self.restart, True, False, self.tolerance)
        order = np.argsort(members)  # ties go to the lower id, also across partitions
        top = best(scores[order], np.searchsorted(members, seeds, sorter=order).astype(np.int32), self.k)
        return Ranking(members[order][top], float(error), int(edges))

    def _partitions(self, graph: Graph) -> Partitions:
        from graphbrick.graphs.partitions import Method, partitions_of

        return partitions_of(graph, Method(float(self.resolution), self.seed, self.size))


@dataclass(frozen=True, repr=False)
class ReportedCommunities(ExtractStage):
    """The entities of the communities whose reports match the question best, and the seeds, with their triples.

    The reports are semantic summaries of parts of the graph, which ``graphbrick prepare reports GRAPH`` writes once.
    The communities are the nested ones of ``graphbrick prepare communities``, not the partitions of `Communities`: a
    walk from the seeds never enters a partition without a seed, so choosing more of these would change nothing.
    Here communities are taken as they are, wherever the seeds lie.

    Args:
        scorer: Ranks the reports by their text, such as MiniLM().
        n: Communities, at least 1.
        level: Level of the communities, from 0, the coarsest; a community that is not divided that far is used itself.
        k: Entities kept, at least 1, not counting the seeds: those of the best communities first, in a community those
            with most triples, then those with the lowest ids. Reaching it is an event.

    Returns:
        A `Subgraph` of at most ``k`` entities and the seeds, and the triples among them.

    Raises:
        GraphbrickError: The graph has no reports.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025, technical report, B.7 (semantic summaries of partitions)"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY, Capability.STORED})

    scorer: Scorer = parameter(example="MiniLM()")
    n: int = parameter(3, at_least=1, search=(1, 3, 5))
    level: int = parameter(0, at_least=0, at_most=100, search=(0, 1, 2))
    k: int = parameter(1000, at_least=1, search=(100, 1000))

    @property
    def reads_reports(self) -> bool:
        """Whether it fails unless reports were prepared: always."""
        return True

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the entities of the best communities and the seeds."""
        from graphbrick.text.reporting.reports import reports_of

        kept, seeds = reports_of(graph), start(graph, query)
        communities = kept.at_level(self.level)
        scores = self.scorer.rate(query.text, [kept.of[one].text for one in communities])
        order = np.argsort(-scores, kind="stable")[: self.n].tolist()
        members: dict[int, None] = {}
        for community in (communities[i] for i in order):
            members |= dict.fromkeys(sorted(kept.tree.members(community).tolist(), key=lambda e: -graph.degree(e)))
        fact(communities=len(communities), entities_near=len(members))
        if len(members) > self.k:
            event(
                f"of {len(members):,} entities of {len(order)} communities the first {self.k:,} were kept",
                "reported_communities.cap",
                n=len(members),
                cap=self.k,
            )
        chosen = np.array(sorted([*members][: self.k]), dtype=np.int32)
        return among(graph, [chosen, seeds])
