"""Extraction of the entities or triples nearest to the question by embedding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.connect import connected, parts_of
from graphbrick.bricks.extract.seeds import among, start
from graphbrick.core import Query, Subgraph
from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.graphs.graph import Graph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.indexes.vector_index import SENTENCE, UNITS, index_of
from graphbrick.models.vectors.store import store_of
from graphbrick.pipeline import ExtractStage


@dataclass(frozen=True, repr=False)
class VectorNeighbors(ExtractStage):
    """The entities or triples nearest to the question by embedding, their neighbourhood, and the seeds.

    An index over the labels of all entities, or the texts of all triples, is kept beside the graph. It is made by
    ``graphbrick prepare vectors GRAPH --model "MiniLM()"``, or by the first question to a graph with at most 10,000
    of them, which is an event. A question costs its own embedding, a search in the index, and reading the triples
    around them. The seeds are in the subgraph but do not guide the search, so the matches may be far from them;
    ``connect`` joins the two.

    Args:
        embedder: Embeds question, labels and triples, such as MiniLM().
        n: Nearest entities (or triples) taken from the index, at least 1. Ties go to the lower id.
        unit: "entity" (the entities of the nearest names), "triple" (the ends of the nearest triples) or "sentence"
            (the entities of the nearest sentences, made from names, types and properties by ``graphbrick prepare
            sentences``).
        max_hops: Hops around the matches, in either direction, whose entities are extracted too, from 0 to 100.
        cap: Most entities within ``max_hops``, at least 1. Nearer ones come first; of the hop that does not fit, those
            with the lowest ids. Reaching the cap is an event.
        connect: Join the components of the subgraph by shortest links through the graph, and add their entities.
            Components that cannot be joined are an event.

    Returns:
        A `Subgraph` of the entities and all triples among them. The trace has the number of components, and the
        similarity of the last match to the question.

    Raises:
        GraphbrickError: There is no index and the graph is too large to make one during a run, or the extra
            ``graphbrick[vectors]`` is not installed.
        ModelError: The model is not installed, cannot be reached, or is another one of the same name.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025, technical report, B.7; Douze et al., The Faiss Library, 2024"

    embedder: Embedder = parameter(MiniLM())
    n: int = parameter(64, at_least=1, search=(16, 64, 256))
    unit: str = parameter("entity", choices=(*UNITS, SENTENCE), search=UNITS)
    max_hops: int = parameter(1, at_least=0, at_most=100, search=(0, 1, 2))
    cap: int = parameter(100_000, at_least=1)
    connect: bool = parameter(False, search=(False, True))

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the entities near the question and the seeds, with the triples among them."""
        seeds = start(graph, query)
        nodes = np.union1d(self._around(graph, self._nearest(graph, query.text)), seeds)
        if self.connect:
            nodes = connected(graph, nodes)
        fact(components=len(parts_of(graph, nodes)))
        return among(graph, [nodes])

    def _nearest(self, graph: Graph, question: str) -> npt.NDArray[np.int32]:
        """Return the entities of the nearest matches in the index, ascending."""
        index = index_of(graph, self.embedder, self.unit)
        if not len(index):
            return np.empty(0, dtype=np.int32)
        vector = store_of(graph).query_vector(self.embedder, question)
        if len(vector) != index.dimensions:
            raise ModelError(
                f"{self.embedder!r} gives vectors of {len(vector)} dimensions, but the index of {graph.path} holds "
                f"{index.dimensions}: another model has this name now; remove {graph.path}.index and .vectors",
                code="vector_neighbors.other_model",
                dimensions=len(vector),
                index=index.dimensions,
            )
        ids, scores = index.nearest(vector, self.n)
        fact(lowest_similarity=float(scores[-1]))
        if self.unit == "triple":
            ids = np.concatenate([graph.csr.heads(ids), graph.csr.tail[ids]])
        return np.unique(ids)

    def _around(self, graph: Graph, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return entities and those within ``max_hops`` of them."""
        from graphbrick.kernels.paths.k_hop import k_hop

        if not self.max_hops:
            return nodes
        near, complete, capped = k_hop(graph.csr.rows, nodes, True, True, self.max_hops, self.cap)
        if capped:
            event(
                f"stopped at the cap of {self.cap:,} entities around the matches: {complete} of {self.max_hops} "
                "hops are complete (raise cap, or lower n or max_hops)",
                "vector_neighbors.cap",
                cap=self.cap,
                hops=complete,
            )
        return near
