"""Passages by a walk over facts, entities and passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from graphbrick.bricks.retrieve.documents.facts import fact_vectors
from graphbrick.bricks.retrieve.documents.late_vectors import late_scores
from graphbrick.bricks.retrieve.documents.passage_graph import Floats, passage_graph
from graphbrick.bricks.retrieve.documents.passage_links import continuing, documents_a_passage, entity_frequency
from graphbrick.bricks.retrieve.documents.passage_search import (
    best,
    cosines,
    fused,
    has_passages,
    is_read,
    meaning_scores,
    passage_item,
    preferred,
    standardised,
    word_scores,
)
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.core.trace import event, fact
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.folding import name_form
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.documents.respelling import respelled

_LONGEST_NAME = 8  # words
_CANDIDATES = 30  # facts that a filter chooses among


@dataclass(frozen=True, repr=False)
class PassageRank(RetrieveStage):
    """Passages at the ends of walks from the question's facts and entities, and continuations.

    The walk is that of HippoRAG 2. The facts (triples) nearest to the question by embedding give the entities that
    walks start from; so do the names in the question. Walks also start, more rarely, at passages, by their similarity
    with the question. They follow triples, mentions of entities in passages, and synonyms (entities whose names have
    nearly the same embedding).

    With a weight of the ``walk``, passages are ranked by a sum: their words (BM25), their similarity with the question,
    and the walk with this weight, each standardised over its hundred best. The walk finds what several passages say
    together, but names on menus mislead it; the sum corrects that. It is stretched from 0 to 1 and squared. Names tell
    more where a document is one passage about something, so the walk may have a weight of its own there (``short``).

    A word that no passage and no dictionary has is read as the nearest word of the passages, which is an event.

    A passage that answers the second half of a question often has few of its words. So passages that continue one of
    the ten best rank higher: they share a rare entity with it, and fit what it leaves open of the question. Passages of
    a long document do so less than those of a short one.

    As published, the facts are filtered by a language model; here ``filter`` is any scorer, such as a re-ranker, or
    none. Unlike the published code, a synonym adds to the weight of a triple instead of replacing it. The published
    weights are ``facts=5, names=0.0, passages=0.05, entities=5, titles=1.0, links=0.0``.

    Args:
        embedder: Embeds question, facts, names and passages, such as MiniLM().
        n: Most passages, at least 1.
        facts: Facts whose entities walks start from, at least 0.
        filter: Chooses these facts among the nearest 30, such as CrossEncoder('...'); None to take the nearest.
        names: Weight of the names in the question against facts, at least 0; 0 for HippoRAG 2.
        words: Whether passages also count by their words (BM25, ranks fused), not by embedding alone as in HippoRAG 2.
        passages: Weight of passages among the starts, above 0.
        walk: Weight of the walk in a sum with words and similarity, above 0; None to rank by the walk alone.
        short: Its weight where every document is one passage, above 0; among longer documents it is mixed with ``walk``
            by the number of documents a passage. None for ``walk`` everywhere; it means nothing without ``walk``.
        restart: Probability of going back to the start at each step, in (0, 1).
        synonyms: Least cosine of names that count as synonyms; None for no synonyms.
        entities: Entities that walks start from at most, at least 1.
        titles: Weight of the entity that a document's title names for its passages, against 1 for other mentions.
        links: Weight of passages that continue one of the best, against 1 for the walk; 0 for HippoRAG 2.
        late: Most passages that are embedded during a question, at least 2: if more have no vector yet, the others are
            ranked by their words, which is an event. None to embed all of them.

    Returns:
        `Passage` items, best first, each with its place in the document and the entities that it mentions. Ties go to
        the earlier passage. If neither a fact nor a name matches, they are those nearest to the question, which is an
        event if the walk ranks alone. If the embedder does not read the script of the question, they are the passages
        with words of the question, best first by these, which is an event.

    Raises:
        GraphbrickError: The graph was not made from documents (``graphbrick index``).
    """

    paper = "Gutiérrez et al., From RAG to Memory: Non-Parametric Continual Learning for Large Language Models, 2025"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    embedder: Embedder = parameter(example="MiniLM()")
    n: int = parameter(10, at_least=1, search=(5, 10, 20))
    facts: int = parameter(2, at_least=0, search=(0, 2, 5))
    filter: Scorer | None = parameter(None, example="BM25()")
    names: float = parameter(1.0, at_least=0, search=(0, 0.3, 1))
    words: bool = parameter(False)
    passages: float = parameter(0.1, above=0, search=(0.05, 0.1, 0.2))
    walk: float | None = parameter(None, above=0, example=1.0, search=(0.5, 1.0))
    short: float | None = parameter(None, above=0, example=1.0, search=(0.5, 1.0))
    restart: float = parameter(0.5, above=0, below=1, search=(0.3, 0.5, 0.7))
    synonyms: float | None = parameter(0.8, above=0, at_most=1)
    entities: int = parameter(10, at_least=1, search=(5, 10, 20))
    titles: float = parameter(4.0, above=0, search=(1.0, 4.0))
    links: float = parameter(0.4, at_least=0, search=(0, 0.4))
    late: int | None = parameter(None, at_least=2, example=300)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the passages."""
        graph, source = cast(TextGraph, subgraph.graph), repr(self)
        if not has_passages(graph):
            return Evidence()
        question = respelled(graph, query.text)
        if is_read(self.embedder, question):
            scores = self._scores(graph, question)
            chosen = best(scores, self.n)
        else:
            scores = preferred(graph, question, word_scores(graph, question))
            chosen = [passage for passage in best(scores, self.n) if scores[passage] > 0]
        return Evidence(tuple(passage_item(graph, passage, float(scores[passage]), source) for passage in chosen))

    def _scores(self, graph: TextGraph, question: str) -> Floats:
        """Return the score of each passage, float64 [passages]."""
        if self.late is None:
            meaning = nearest = meaning_scores(graph, self.embedder, question)
        else:
            meaning = nearest = late_scores(graph, self.embedder, question, self.late)
        if self.words:
            nearest = fused([meaning, word_scores(graph, question)])
        walked = self._walked(graph, question, nearest)
        if self.walk is None:
            scores = nearest if walked is None else walked
        else:
            scores = standardised(word_scores(graph, question)) + standardised(meaning)
            scores += 0 if walked is None else self._weight(graph, self.walk) * standardised(walked)
            scores = _stretched(scores) ** 2  # so that only the very best are continued
        if self.links:
            scores = _stretched(scores)
            scores = scores + self.links * continuing(graph, question, scores, nearest, self.titles)
        return scores if self.walk is None else preferred(graph, question, scores)

    def _weight(self, graph: TextGraph, walk: float) -> float:
        """Return the weight of the walk in the sum."""
        if self.short is None:
            return walk
        share = documents_a_passage(graph)
        return (1 - share) * walk + share * self.short

    def _walked(self, graph: TextGraph, question: str, nearest: Floats) -> Floats | None:
        """Return how often walks come to each passage, float64 [passages]; None if they have no start."""
        starts = self._starts(graph, question)
        if not starts.any():
            if self.walk is None:
                event(
                    "no fact and no name of the graph matches the question: the passages are those nearest to it",
                    "passage_rank.no_start",
                )
            return None
        graph_of_passages = current_session().get(
            ("passage graph", self.embedder.identity, self.synonyms, self.titles),
            lambda: passage_graph(graph, self.embedder, self.synonyms, self.titles),
            of=graph,
        )
        reset = np.concatenate([starts, self.passages * _stretched(nearest)])
        return graph_of_passages.walk(reset, self.restart)[graph.n_entities :]

    def _starts(self, graph: TextGraph, question: str) -> Floats:
        """Return the weight of each entity as a start, float64 [entities]."""
        frequency = entity_frequency(graph)
        total, count = np.zeros(graph.n_entities), np.zeros(graph.n_entities)
        for triple, score in self._facts(graph, question):
            head, _, tail = graph.triple(triple)
            for entity in {head, tail}:
                total[entity] += score / frequency[entity]
                count[entity] += 1
        starts = total / np.maximum(1, count)
        if self.names:
            for entity in named_in(graph, question):
                starts[entity] += self.names / frequency[entity]
        top = best(starts, self.entities)
        fact(starts=int(np.count_nonzero(starts[top])))
        chosen = np.zeros(graph.n_entities)
        chosen[top] = starts[top]
        return chosen

    def _facts(self, graph: TextGraph, question: str) -> list[tuple[int, float]]:
        """Return the facts nearest to the question, as triple ids, and their scores from 0 to 1."""
        if not self.facts or not graph.n_triples:
            return []
        ids, vectors = fact_vectors(graph, self.embedder)
        if not len(ids):
            return []
        scores = _stretched(cosines(graph, self.embedder, question, vectors))
        places = best(scores, self.facts if self.filter is None else max(self.facts, _CANDIDATES))
        if self.filter is not None:
            texts = [graph.triple_text(int(ids[place])) for place in places]
            order = np.argsort(-self.filter.rate(question, texts), kind="stable")[: self.facts]
            places = [places[i] for i in order]
        return [(int(ids[place]), float(scores[place])) for place in places]


def named_in(graph: TextGraph, question: str) -> list[int]:
    """Return the entities whose names stand in a question; a name inside a longer one does not count."""
    words = name_form(question).split()
    named: list[int] = []
    i = 0
    while i < len(words):
        for end in range(min(len(words), i + _LONGEST_NAME), i, -1):
            entities = graph.named(" ".join(words[i:end]))
            if entities:
                named += entities
                i = end - 1
                break
        i += 1
    return list(dict.fromkeys(named))


def _stretched(scores: Floats) -> Floats:
    """Return scores between 0 for the lowest and 1 for the highest; all 1 if they are equal."""
    low, high = (scores.min(), scores.max()) if len(scores) else (0.0, 0.0)
    return np.ones(len(scores)) if high == low else (scores - low) / (high - low)
