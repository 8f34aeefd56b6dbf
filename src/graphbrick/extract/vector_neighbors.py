"""What is nearest to the question by its embedding, and its neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core import Query, Subgraph
from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.embedders.embedder import Embedder
from graphbrick.embedders.minilm import MiniLM
from graphbrick.extract.connect import connected, parts_of
from graphbrick.extract.seeds import among, start
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage
from graphbrick.vectors.index import UNITS


@dataclass(frozen=True, repr=False)
class VectorNeighbors(ExtractStage):
    """The entities or triples nearest to the question by their embeddings, what is within some hops of them, the seeds.

    An index over the labels of all entities, or the texts of all triples, is kept beside the graph
    (``graphbrick index GRAPH --model "MiniLM()"``; at the first question of a graph of at most 10,000 of them, which is
    then an event). A question costs its own embedding, a search in the index, and the triples around what is found.
    Seeds are kept but decide nothing: what is found may be far from them, unless ``connect`` joins the two.

    Args:
        embedder: What embeds question, labels and triples, such as MiniLM().
        n: Entities (or triples) that are looked up in the index, at least 1. Ties go to the lower id.
        unit: "entity" (the nearest entities) or "triple" (the ends of the nearest triples).
        max_hops: Triples, in either direction, between those and the entities that are kept too, from 0 to 100.
        cap: Entities within ``max_hops`` at most, at least 1; nearer ones first, of the first hop that does not fit as
            a whole those of lowest id. That the cap left entities out is an event.
        connect: Whether the components that the subgraph falls into are joined by shortest links through the graph,
            whose entities are then kept too. What could not be joined is an event.

    Returns:
        A `Subgraph` of the entities and all triples among them. The trace says how many components it has, and how
        close the last one that was looked up is to the question.

    Raises:
        GraphbrickError: There is no index and the graph is too large to make one in passing, or the extra
            ``graphbrick[vectors]`` is not installed.
        ModelError: The model is not installed, or cannot be reached, or another one has its name now.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025, technical report, B.7; Douze et al., The Faiss Library, 2024"

    embedder: Embedder = parameter(MiniLM())
    n: int = parameter(64, at_least=1, search=(16, 64, 256))
    unit: str = parameter("entity", choices=UNITS, search=UNITS)
    max_hops: int = parameter(1, at_least=0, at_most=100, search=(0, 1, 2))
    cap: int = parameter(100_000, at_least=1)
    connect: bool = parameter(False, search=(False, True))

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """What is near the question, and the triples among it."""
        seeds = start(graph, query)
        nodes = np.union1d(self._around(graph, self._nearest(graph, query.text)), seeds)
        if self.connect:
            nodes = connected(graph, nodes)
        fact(components=len(parts_of(graph, nodes)))
        return among(graph, [nodes])

    def _nearest(self, graph: Graph, question: str) -> npt.NDArray[np.int32]:
        """The entities that are found in the index, ascending."""
        from graphbrick.vectors.index import index_of
        from graphbrick.vectors.store import store_of

        index = index_of(graph, self.embedder, self.unit)
        if not len(index):
            return np.empty(0, dtype=np.int32)
        asked = store_of(graph).asked(self.embedder, question)
        if len(asked) != index.dimensions:
            raise ModelError(
                f"{self.embedder!r} gives vectors of {len(asked)} dimensions, but the index of {graph.path} holds "
                f"{index.dimensions}: another model has this name now; remove {graph.path}.index and .vectors"
            )
        found, scores = index.nearest(asked, self.n)
        fact(lowest_similarity=float(scores[-1]))
        if self.unit == "triple":
            found = np.concatenate([graph.csr.heads(found), graph.csr.tail[found]])
        return np.unique(found)

    def _around(self, graph: Graph, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Some entities and those within ``max_hops`` of them."""
        from graphbrick.kernels.k_hop import k_hop

        if not self.max_hops:
            return nodes
        near, complete, capped = k_hop(*graph.csr.rows, nodes, True, True, self.max_hops, self.cap)
        if capped:
            event(
                f"stopped at the cap of {self.cap:,} entities around what was found: {complete} of {self.max_hops} "
                "hops are complete (raise cap, or lower n or max_hops)"
            )
        return near
