"""Passages that continue one of the best: they share a rare entity and fit the open part."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.passage_search import Scores, best, word_parts
from graphbrick.core.compute import check_limits
from graphbrick.core.session import current_session
from graphbrick.graphs.corpus import TextGraph
from graphbrick.kernels.pagerank.weighted_walk import strongest

Ids = npt.NDArray[np.int64]

_FIRST = 10  # passages that others may continue


def title_entities(graph: TextGraph) -> Ids:
    """Return the entity that each passage and its title name, int64 [passages]; -1 for none."""
    return current_session().get(("title entities",), lambda: _title_entities(graph), of=graph)


def _title_entities(graph: TextGraph) -> Ids:
    begin, mentions = graph.mentions
    named: dict[str, frozenset[int]] = {}
    result = np.full(graph.n_passages, -1, dtype=np.int64)
    for passage in range(graph.n_passages):
        title = graph.passage(passage).title
        if title not in named:
            named[title] = frozenset(graph.named(title)) if title else frozenset()
        row = mentions[begin[passage] : begin[passage + 1]].tolist()
        result[passage] = next((entity for entity in row if entity in named[title]), -1)
    return result


def entity_frequency(graph: TextGraph) -> Ids:
    """Return the number of passages that mention each entity, int64 [entities]; 1 for none."""

    def count() -> Ids:
        return np.maximum(1, np.bincount(graph.mentions[1], minlength=graph.n_entities))

    return current_session().get(("entity frequency",), count, of=graph)


def documents_a_passage(graph: TextGraph) -> float:
    """Return the number of documents divided by that of passages, above 0 and at most 1; the graph has passages."""

    def count() -> float:
        return len({graph.passage(passage).document for passage in range(graph.n_passages)}) / graph.n_passages

    return current_session().get(("documents a passage",), count, of=graph)


def continuing(graph: TextGraph, question: str, scores: Scores, nearness: Scores, titles: float) -> Scores:
    """Return how well each passage continues one of the ten best, float64 [passages]; 0 for others.

    A passage continues another if both mention an entity; the rarer the entity, the better (its inverse document
    frequency, 1 for an entity of one passage). It is divided by the number of passages of its document: of a short
    document about the entity any passage will do, of a long page only some. It fits what the other leaves open by the
    words of the question that the other does not have, and by its nearness to the question, half each.

    Args:
        graph: The graph.
        question: The question.
        scores: Score of each passage, from 0 to 1.
        nearness: Nearness of each passage to the question, such as a cosine.
        titles: Weight of an entity for passages whose title names it, against 1 for other passages.
    """
    begin, mentions = graph.mentions
    links = current_session().get(("links", titles), lambda: _links(graph, titles), of=graph)
    words, near = word_parts(graph, question), _share(np.maximum(0, nearness))
    result = np.zeros(graph.n_passages)
    for first in best(scores, _FIRST):
        check_limits()
        entities = mentions[begin[first] : begin[first + 1]].astype(np.uint32)
        link = strongest(*links, entities, graph.n_passages)
        link[first] = 0
        open_words = np.zeros(graph.n_passages)
        for row in np.flatnonzero(words[:, first] == 0):
            open_words += words[row]
        result = np.maximum(result, scores[first] * link * (_share(open_words) + near) / 2)
    return result


def _links(graph: TextGraph, titles: float) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], Scores]:
    """Return the passages that mention each entity, like `TextGraph.mentioning`, and how strongly it links them."""
    first_of, passages = graph.mentioning
    entity = np.repeat(np.arange(graph.n_entities), np.diff(first_of))
    documents = Counter(graph.passage(passage).document for passage in range(graph.n_passages))
    siblings = np.array([documents[graph.passage(passage).document] for passage in range(graph.n_passages)])
    rarity = np.log(graph.n_passages / entity_frequency(graph)) / max(1.0, np.log(graph.n_passages))
    named = np.where(title_entities(graph)[passages] == entity, titles, 1.0)
    return first_of.astype(np.uint64), passages.astype(np.uint32), rarity[entity] * named / siblings[passages]


def _share(values: Scores) -> Scores:
    """Return values as shares of the highest; all 0 if there is none above 0."""
    return values / values.max() if len(values) and values.max() > 0 else np.zeros(len(values))
