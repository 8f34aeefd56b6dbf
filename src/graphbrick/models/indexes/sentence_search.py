"""Search for entities by the sentences about them: by meaning, by words, or by both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from graphbrick.core.compute import check_limits
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.word_index import WordIndex
from graphbrick.language.folding import name_form, search_words
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.indexes.entity_search import EntitySearch
from graphbrick.models.indexes.vector_index import SENTENCE, index_of
from graphbrick.models.vectors.store import store_of

_FUSION = 60  # reciprocal rank fusion, as in its paper
_FUSED = 100  # least number of matches of each kind that are fused


class Match(NamedTuple):
    """An entity whose sentence matches.

    Attributes:
        entity: Entity id.
        score: Cosine, BM25 score, or the sum of reciprocal ranks if both were searched.
    """

    entity: int
    score: float


@dataclass(frozen=True)
class SentenceSearch:
    """A search over the sentences about the entities of a graph.

    Attributes:
        graph: The graph.
        words: The index of their words; None to search by meaning only.
        vectors: The index of their embeddings; None to search by words only.
    """

    graph: Graph
    words: WordIndex | None
    vectors: EntitySearch | None

    def matches(
        self, text: str, n: int, *, of_type: str = "", accepts: Callable[[int], bool] = lambda _: True
    ) -> list[Match]:
        """Return at most ``n`` entities whose sentences are nearest to a text, best first; ties go to the lower id.

        By words only entities that share a word with the text match. If both are searched, the ranks of both count
        (reciprocal rank fusion).

        Args:
            text: A question, or words.
            n: Most matches.
            of_type: Only entities of this type, whatever the case and spaces of its name; empty for all.
            accepts: Only entities for which it returns True.

        Raises:
            ModelError: The model is not installed or cannot be reached.
        """
        form = name_form(of_type)

        def fits(entity: int) -> bool:
            return accepts(entity) and (not form or form in map(name_form, self.graph.types(entity)))

        k = n if self.words is None or self.vectors is None else max(n, _FUSED)
        rankings = [
            list(islice((match for match in ranking if fits(match.entity)), k))
            for ranking in (self._by_words(text), self._by_meaning(text, k))
        ]
        if self.words is not None and self.vectors is not None:
            return _fused(rankings, n)
        return rankings[self.words is None][:n]

    def _by_words(self, text: str) -> Iterator[Match]:
        if self.words is None:
            return
        scores = self.words.scores(list(dict.fromkeys(search_words(text))), self.graph.n_entities)
        matching = np.flatnonzero(scores > 0)
        for entity in matching[np.lexsort((matching, -scores[matching]))].tolist():
            yield Match(entity, float(scores[entity]))

    def _by_meaning(self, text: str, n: int) -> Iterator[Match]:
        if self.vectors is None or not len(self.vectors.index):
            return
        vector = store_of(self.graph).query_vector(self.vectors.embedder, text)
        seen, wanted = 0, n
        while True:
            check_limits()
            ids, scores = self.vectors.index.nearest(vector, wanted)
            for entity, score in zip(ids[seen:].tolist(), scores[seen:].tolist(), strict=True):
                yield Match(entity, score)
            if len(ids) < wanted or wanted >= len(self.vectors.index):
                return
            seen, wanted = len(ids), min(8 * wanted, len(self.vectors.index))  # few of them fitted


def _fused(rankings: list[list[Match]], n: int) -> list[Match]:
    """Return the best matches by the sum of their reciprocal ranks."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, match in enumerate(ranking, 1):
            scores[match.entity] = scores.get(match.entity, 0.0) + 1 / (_FUSION + rank)
    best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Match(*pair) for pair in best[:n]]


def vectors_of(graph: Graph, embedder: Embedder) -> EntitySearch:
    """Return the index of the embeddings of a graph's sentences; errors as for `index_of`."""
    return EntitySearch(graph, embedder, index_of(graph, embedder, SENTENCE))
