"""Similarity with a question while most passages have no vector yet: those that words find are embedded first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from math import log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.passage_search import (
    Scores,
    best,
    cosines,
    fused,
    meaning_scores,
    passage_vectors,
    word_scores,
)
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.corpus import passage_words, searched_text
from graphbrick.language.folding import search_words
from graphbrick.models.vectors.store import store_of

if TYPE_CHECKING:
    from graphbrick.graphs.corpus import TextGraph
    from graphbrick.models.embedders.embedder import Embedder

_RELEVANT = 5  # passages whose words are added to the question
_ADDED = 20  # words that are added
_QUESTION = 0.4  # weight of the question against the added words


def late_scores(graph: TextGraph, embedder: Embedder, question: str, most: int) -> Scores:
    """Return the cosine of every passage and the question, float64 [passages], embedding few passages.

    If more than ``most`` passages have no vector, half of that number are embedded that have the words of the question,
    and half that have the words of the best of these (Lavrenko and Croft, Relevance-Based Language Models, 2001).
    Passages without a vector get the lowest cosine of those with one. An event tells how many have a vector.

    Args:
        graph: The graph.
        embedder: The embedder.
        question: The question.
        most: Most passages to embed.
    """
    has = _has_vectors(graph, embedder, most, lambda: _with_vectors(graph, embedder))
    if _n_missing(has) <= most:
        return meaning_scores(graph, embedder, question)
    return _of_candidates(graph, embedder, question, has, most)


def hold_vectors(graph: TextGraph, embedder: Embedder) -> None:
    """Hold the vectors of all passages in the session, which `late_scores` then compares, even if none can be kept."""
    n_passages = len(passage_vectors(graph, embedder))
    _has_vectors(graph, embedder, 0, lambda: np.ones(n_passages, dtype=np.bool_))


def _has_vectors(
    graph: TextGraph, embedder: Embedder, most: int, look: Callable[[], npt.NDArray[np.bool_]]
) -> npt.NDArray[np.bool_]:
    """Return which passages have a vector as the session knows it; look again if more than ``most`` had none."""
    key = ("passages with vectors", embedder.identity)
    return current_session().get(key, look, of=graph, usable=lambda has: _n_missing(has) <= most)


def _with_vectors(graph: TextGraph, embedder: Embedder) -> npt.NDArray[np.bool_]:
    """Return which passages have a vector, bool [passages]."""
    texts = graph.passage_texts()
    missing = set(store_of(graph).missing(embedder, texts))
    return np.array([text not in missing for text in texts], dtype=np.bool_)


def _n_missing(has: npt.NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(~has))


def _of_candidates(
    graph: TextGraph, embedder: Embedder, question: str, has: npt.NDArray[np.bool_], most: int
) -> Scores:
    """Return the cosines of passages that have a vector or get one now; the lowest for others."""
    texts, store, words = graph.passage_texts(), store_of(graph), word_scores(graph, question)

    def compared(passages: Iterable[int]) -> Scores:
        """Embed passages, and return the cosines."""
        new = [texts[passage] for passage in passages]
        store.get(embedder, new)
        alike = set(new)
        has[[text in alike for text in texts]] = True
        known = np.flatnonzero(has)
        vectors = store.get(embedder, [texts[passage] for passage in known])
        scores = np.zeros(len(texts))
        scores[known] = cosines(graph, embedder, question, vectors)
        scores[~has] = scores[known].min()
        return scores

    has = has.copy()
    scores = compared(best(words, most // 2))
    relevant = best(fused([words, np.where(has, scores, -1.0)]), _RELEVANT)
    wider = _QUESTION * _share(words) + _share(word_scores(graph, _words_of(graph, relevant)))
    scores = compared(best(np.where(has, -1.0, wider), most - most // 2))
    event(
        f"{np.count_nonzero(has):,} of {len(has):,} passages have vectors; of the others, only those nearest by words "
        "were compared: graphbrick index or graphbrick prepare embeddings makes the rest",
        "passages.late",
        n=int(np.count_nonzero(has)),
        total=len(has),
    )
    return scores


def _words_of(graph: TextGraph, passages: Iterable[int]) -> str:
    """Return the words that tell passages from others: those that are frequent in them and rare elsewhere."""
    weights: defaultdict[str, float] = defaultdict(float)
    index = passage_words(graph)
    for passage in passages:
        words = search_words(searched_text(graph.passage(passage)))
        for word in words:
            weights[word] += log(graph.n_passages / index.frequency(word)) / len(words)
    return " ".join(sorted(weights, key=lambda word: (-weights[word], word))[:_ADDED])


def _share(scores: Scores) -> Scores:
    """Return scores as shares of the highest; all 0 if there is none above 0."""
    return scores / scores.max() if scores.max() > 0 else np.zeros(len(scores))
