"""The passages that are nearest to the question, by words, by meaning, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.passage_search import (
    best,
    fused,
    has_passages,
    is_read,
    meaning_scores,
    passage_item,
    preferred,
    word_scores,
)
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.documents.respelling import respelled


@dataclass(frozen=True, repr=False)
class Passages(RetrieveStage):
    """The passages of the graph's documents that are nearest to the question.

    Passages are compared with the question under the title of their document: by their words (BM25), by embedding, or
    by both, where the ranks are fused (a passage gets 1 / (60 + rank) from each ranking). If the embedder does not read
    the script of the question, "both" is "words", which is an event. A word that no passage and no dictionary has is
    read as the nearest word of the passages, which is an event. After an extract or prune stage, only passages that
    mention an entity of the subgraph are taken.

    Args:
        embedder: Embeds question and passages, such as MiniLM(); None to compare words only.
        n: Most passages, at least 1.
        by: "both", "words" or "meaning"; "both" is "words" without an embedder.

    Returns:
        `Passage` items, best first, each with its place in the document and the entities that it mentions. Ties go to
        the earlier passage. Passages without a word of the question are not among those by words.

    Raises:
        GraphbrickError: The graph was not made from documents (``graphbrick index``).
    """

    paper = (
        "Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009; "
        "Cormack et al., Reciprocal Rank Fusion, 2009"
    )
    needs = frozenset({Capability.LABELS, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    embedder: Embedder | None = parameter(None, example="MiniLM()")
    n: int = parameter(10, at_least=1, search=(5, 10, 20))
    by: str = parameter("both", choices=("both", "words", "meaning"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by == "meaning" and self.embedder is None:
            self.refuse("by", "'words' or 'both' without an embedder", "words")

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the passages."""
        graph = cast(TextGraph, subgraph.graph)
        if not has_passages(graph):
            return Evidence()
        question, rankings = respelled(graph, query.text), []
        if self.by != "meaning":
            rankings.append(word_scores(graph, question))
        if self.embedder is not None and self._compares_meaning(question):
            rankings.append(meaning_scores(graph, self.embedder, question))
        scores = rankings[0] if len(rankings) == 1 else fused(rankings)
        scores = preferred(graph, question, np.maximum(scores, 0)) if self.by != "meaning" else scores
        allowed = np.ones(graph.n_passages, dtype=np.bool_) if len(rankings) > 1 or self.by == "meaning" else scores > 0
        if subgraph.nodes is not None:
            allowed &= mentioning(graph, subgraph.nodes)
            fact(passages=int(allowed.sum()))
        scores = np.where(allowed, scores, -np.inf)
        source = repr(self)
        chosen = [passage for passage in best(scores, self.n) if allowed[passage]]
        return Evidence(tuple(passage_item(graph, passage, float(scores[passage]), source) for passage in chosen))

    def _compares_meaning(self, question: str) -> bool:
        return self.by == "meaning" or (
            self.by == "both" and self.embedder is not None and is_read(self.embedder, question)
        )


def mentioning(graph: TextGraph, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Return which passages mention one of some entities, bool [passages]."""
    begin, mentions = graph.mentions
    rows = np.repeat(np.arange(graph.n_passages), np.diff(begin))
    allowed = np.zeros(graph.n_passages, dtype=np.bool_)
    allowed[rows[np.isin(mentions, nodes)]] = True
    return allowed
