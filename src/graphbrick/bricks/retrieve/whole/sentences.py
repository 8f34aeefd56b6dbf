"""Entities whose properties, in a sentence, match the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from graphbrick.core import Evidence, Point, Query, Subgraph
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.indexes.sentence_search import SentenceSearch, vectors_of
from graphbrick.models.indexes.sentences import sentence_of, words_of
from graphbrick.pipeline import RetrieveStage


@dataclass(frozen=True, repr=False)
class Sentences(RetrieveStage):
    """Sentences about the entities that match the question best: by meaning, by words, or by both.

    The sentence about an entity says its name, types, properties, other names and description, such as «Blue Kettle is
    a product with price 24.5, colour blue». ``graphbrick prepare sentences GRAPH`` indexes the sentences beside the
    graph; for a graph of at most 10,000 entities the first question does, which is an event. Vectors are kept by the
    text of the sentence, so after a change of the graph only new sentences are embedded.

    With an embedder and words, both rankings count (reciprocal rank fusion). After an extract or prune stage, only
    entities of the subgraph are taken.

    Args:
        embedder: Embeds question and sentences, such as MiniLM(); None to search by words only.
        words: Whether words count (BM25).
        of_type: Only entities of this type, such as "Gene"; empty for all.
        n: Most sentences, at least 1.

    Returns:
        `Point` items, best first, each with its entity; the score is a cosine, a BM25 score, or a sum of reciprocal
        ranks. Equal scores are ordered by entity id.

    Raises:
        GraphbrickError: There is no index of this version of the graph, and the graph is too large to make it now.
        ModelError: The model is not installed or cannot be reached.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> run = Sentences(n=1).run(tiny_graph(), "Kenya")
        >>> run.evidence.texts()
        ['Kenya']
    """

    paper = "Houimli, Gabsi, Skhiri, Evaluation of GraphRAG Strategies for Efficient Information Retrieval (strategy 3)"
    needs = frozenset({Capability.LABELS, Capability.STORED, Capability.PROPERTIES})
    starts_at_seeds = False
    links_itself = True

    embedder: Embedder | None = parameter(None, example="MiniLM()")
    words: bool = parameter(True, search=(True, False))
    of_type: str = parameter("", may_be_empty=True, example="Gene")
    n: int = parameter(10, at_least=1, search=(5, 10, 20))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.embedder is None and not self.words:
            self.refuse("words", "True without an embedder", True)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the sentences."""
        graph = cast(Graph, subgraph.graph)
        search = SentenceSearch(
            graph,
            words_of(graph) if self.words else None,
            None if self.embedder is None else vectors_of(graph, self.embedder),
        )
        inside = None if subgraph.nodes is None else set(subgraph.nodes.tolist())
        matches = search.matches(
            query.text, self.n, of_type=self.of_type, accepts=lambda entity: inside is None or entity in inside
        )
        source = repr(self)
        return Evidence(
            tuple(Point(sentence_of(graph, one), (), (one,), graph, score, source) for one, score in matches)
        )
