"""The triples that are nearest to the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.local_search import entity_scores
from graphbrick.bricks.retrieve.documents.passage_search import Vectors, best, cosines, vectors_of
from graphbrick.core import Evidence, Query, Subgraph, Triple
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.graphs.corpus import OCCURS_WITH, TextGraph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.reporting.reports import Cited, citations

_PLACES = 3  # citations of a triple


@dataclass(frozen=True, repr=False)
class Facts(RetrieveStage):
    """The triples whose texts are nearest to the question by embedding, such as the context of MichaelRag.

    Triples that only say that two entities are in one sentence are no facts. After an extract or prune stage, only
    triples of the subgraph are taken.

    Args:
        embedder: Embeds the question and the triples, such as MiniLM().
        n: Most triples, at least 1.
        entities: Take only triples of this many entities nearest to the question; None for all triples.

    Returns:
        `Triple` items with descriptions and places in documents, best first; ties go to the lower id.

    Raises:
        GraphbrickError: The graph was not made from documents (``graphbrick index``).
    """

    paper = "Klaasse, Lockhorst and De Bleecker, IM1102 GraphRag"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    embedder: Embedder = parameter(example="MiniLM()")
    n: int = parameter(30, at_least=1, search=(10, 30, 100))
    entities: int | None = parameter(None, at_least=1, search=(None, 10))

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the triples."""
        graph, source = cast(TextGraph, subgraph.graph), repr(self)
        ids, vectors = fact_vectors(graph, self.embedder)
        if not len(ids):
            return Evidence()
        scores = cosines(graph, self.embedder, query.text, vectors)
        if subgraph.triples is not None:
            scores[~np.isin(ids, subgraph.triples)] = -np.inf
        if self.entities is not None:
            near = best(entity_scores(graph, self.embedder, query.text), self.entities)
            ends = np.isin(graph.csr.heads(ids), near) | np.isin(graph.csr.tail[ids], near)
            scores[~ends] = -np.inf
        items = []
        for place in best(scores, self.n):
            if scores[place] > -np.inf:
                triple = int(ids[place])
                places = citations(graph, Cited(triples=(triple,)), _PLACES)
                text = graph.triple_description(triple)
                items.append(Triple(graph, triple, float(scores[place]), source, text, places))
        return Evidence(tuple(items))


def fact_vectors(graph: TextGraph, embedder: Embedder) -> tuple[npt.NDArray[np.int64], Vectors]:
    """Return ids, int64 [facts], and text vectors of the facts of a graph; cached by session."""
    return current_session().get(("fact vectors", embedder.identity), lambda: _fact_vectors(graph, embedder), of=graph)


def _fact_vectors(graph: TextGraph, embedder: Embedder) -> tuple[npt.NDArray[np.int64], Vectors]:
    facts = np.array([graph.relation_key(i) != OCCURS_WITH for i in range(graph.n_relations)], dtype=np.bool_)
    ids = graph.triple_ids()
    ids = ids[facts[graph.csr.relation[ids]]]
    texts = Subgraph(graph, np.zeros(0, dtype=np.int32), ids).triple_texts()
    return ids.astype(np.int64), vectors_of(graph, embedder, texts)
