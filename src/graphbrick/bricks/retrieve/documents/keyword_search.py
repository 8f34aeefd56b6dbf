"""Entities and triples nearest to the keywords of a question, with passages: the searches of LightRAG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import cast

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.keywords import Keywords, asked_keywords, keywords_of
from graphbrick.bricks.retrieve.documents.local_search import entity_scores, within
from graphbrick.bricks.retrieve.documents.passage_search import (
    Scores,
    Vectors,
    best,
    cosines,
    meaning_scores,
    passage_item,
    vectors_of,
)
from graphbrick.core import Entity, Evidence, Query, Subgraph, Triple
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.core.trace import event, fact
from graphbrick.graphs.corpus import OCCURS_WITH, TextGraph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.chat import ChatModel
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.reporting.reports import Cited, citations

_PLACES = 3  # citations of an entity or a triple
_ENTITIES, _TRIPLES = 0.2, 8 / 30  # shares of the budget
_EACH = 2.5  # passages of the graph that are taken for each entity and each triple, those nearest to the question


@dataclass(frozen=True, repr=False)
class KeywordSearch(RetrieveStage):
    """Entities, triples and passages nearest to the keywords of the question, as in LightRAG.

    The keywords are of two kinds: names and details, and topics. The entities nearest to the details come with their
    triples, the triples nearest to the topics with their ends; both are taken in turns. Then come the passages of
    these entities and triples that are nearest to the question, in turns with the passages nearest to it at all.

    This is LightRAG's ``mix``. Its other modes: ``local`` is ``triples=0, nearest=0``, ``global`` is ``entities=0,
    nearest=0``, ``hybrid`` is ``nearest=0``, and ``naive`` is ``Passages(embedder, n=20, by='meaning')``. Unlike in
    the original, a question without keywords is searched for as it is, and two entities that only occur in one
    sentence are no triple to be found.

    Args:
        embedder: Embeds keywords, entities, triples and passages, such as MiniLM().
        llm: Finds the keywords; None for the names and phrases of the question itself.
        entities: Entities nearest to the details, at least 0.
        triples: Triples nearest to the topics, at least 0.
        nearest: Passages nearest to the question, at least 0.
        passages: Most passages, at least 0.
        at_least: Least cosine of keywords and entity or triple, and of question and nearest passage, from -1 to 1.
        tokens: Budget of tokens, by an estimate, at least 100: a fifth for entities, 8 of 30 parts for triples, what
            they leave for passages.

    Returns:
        `Entity`, `Triple` (with descriptions) and `Passage` items, each with its places in documents.

    Raises:
        GraphbrickError: The graph was not made from documents.
        ModelError: The server of the model is away, refuses, or does not answer in time.
    """

    paper = "Guo et al., LightRAG: Simple and Fast Retrieval-Augmented Generation, 2024"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    embedder: Embedder = parameter(example="MiniLM()")
    llm: ChatModel | None = parameter(None, example="LLM()")
    entities: int = parameter(40, at_least=0, search=(0, 20, 40))
    triples: int = parameter(40, at_least=0, search=(0, 20, 40))
    nearest: int = parameter(20, at_least=0, search=(0, 10, 20))
    passages: int = parameter(20, at_least=0, search=(10, 20))
    at_least: float = parameter(0.2, at_least=-1, at_most=1)
    tokens: int = parameter(30_000, at_least=100, search=(4_000, 12_000, 30_000))

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the evidence."""
        graph, source = cast(TextGraph, subgraph.graph), repr(self)
        keywords = (None if self.llm is None else asked_keywords(self.llm, query.text)) or keywords_of(query.text)
        if not any(keywords):
            event("the question has no keywords, and was searched for as it is", "keyword_search.no_keywords")
        fact(details=len(keywords.details), topics=len(keywords.topics))
        scores, (entities, triples) = self._nearest(graph, query.text, keywords)
        known, used = within(_entities(graph, entities, scores, source), round(_ENTITIES * self.tokens))
        stated, more = within(_triples(graph, triples, source), round(_TRIPLES * self.tokens))
        passages = self._passages(
            graph,
            query.text,
            [item.id for item in known if isinstance(item, Entity)],
            [item.id for item in stated if isinstance(item, Triple)],
        )
        nearest, _ = within((passage_item(graph, *one, source) for one in passages), self.tokens - used - more)
        return Evidence((*known, *stated, *nearest))

    def _nearest(
        self, graph: TextGraph, question: str, keywords: Keywords
    ) -> tuple[dict[int, float], tuple[list[int], list[int]]]:
        """Return cosines of entities, and in turns the nearest entities and triples, and their neighbours."""
        details, topics = (", ".join(part) or question for part in keywords)
        nearest, scores = list[int](), dict[int, float]()
        if self.entities:
            cosine = entity_scores(graph, self.embedder, details)
            nearest = [one for one in best(cosine, self.entities) if cosine[one] >= self.at_least]
            scores = {one: float(cosine[one]) for one in nearest}
        stated = list(self._nearest_triples(graph, topics)) if self.triples else []
        ends = dict.fromkeys(end for one in stated for end in (graph.triple(one)[0], graph.triple(one)[2]))
        return scores, (_in_turns(nearest, list(ends)), _in_turns(_triples_of(graph, nearest), stated))

    def _nearest_triples(self, graph: TextGraph, topics: str) -> Iterator[int]:
        """Yield the triples nearest to topics, nearest first."""
        key = ("described triples", self.embedder.identity)
        ids, vectors = current_session().get(key, lambda: _described(graph, self.embedder), of=graph)
        if not len(ids):
            event("the graph states no triples: two entities in one sentence are none", "keyword_search.no_triples")
            return
        cosine = cosines(graph, self.embedder, topics, vectors)
        yield from (int(ids[place]) for place in best(cosine, self.triples) if cosine[place] >= self.at_least)

    def _passages(
        self, graph: TextGraph, question: str, entities: Sequence[int], triples: Sequence[int]
    ) -> Iterator[tuple[int, float]]:
        """Yield passages with their cosines: nearest to the question, of entities, and of triples, in turns."""
        if not self.passages:
            return
        cosine = meaning_scores(graph, self.embedder, question)
        nearest = [one for one in best(cosine, self.nearest) if cosine[one] >= self.at_least]
        begin, supporting = graph.support or (np.zeros(graph.n_triples + 1, dtype=np.int64), np.zeros(0, np.int32))
        of_entities = _nearest_of((graph.mentioned_in(one) for one in entities), cosine, len(entities))
        of_triples = _nearest_of((supporting[begin[one] : begin[one + 1]] for one in triples), cosine, len(triples))
        for passage in _in_turns(nearest, of_entities, of_triples)[: self.passages]:
            yield passage, float(cosine[passage])


def _entities(graph: TextGraph, entities: Sequence[int], scores: Mapping[int, float], source: str) -> Iterator[Entity]:
    for one in entities:
        yield Entity(graph, one, scores.get(one, 0.0), source, citations(graph, Cited(entities=(one,)), _PLACES))


def _triples(graph: TextGraph, triples: Sequence[int], source: str) -> Iterator[Triple]:
    for one in triples:
        places = citations(graph, Cited(triples=(one,)), _PLACES)
        yield Triple(graph, one, 0.0, source, graph.triple_description(one), places)


def _described(graph: TextGraph, embedder: Embedder) -> tuple[npt.NDArray[np.int64], Vectors]:
    """Return the ids of stated triples, and the vectors of their keywords, ends and descriptions."""
    stated = np.array([graph.relation_key(one) != OCCURS_WITH for one in range(graph.n_relations)], dtype=np.bool_)
    every = graph.triple_ids()
    ids = every[stated[graph.csr.relation[every]]].astype(np.int64)

    def text(triple: int) -> str:
        head, relation, tail = graph.triple(triple)
        topics = ", ".join(graph.triple_keywords(triple)) or graph.relation_label(relation)
        return f"{topics}\t{graph.label(head)}\n{graph.label(tail)}\n{graph.triple_description(triple)}".rstrip()

    return ids, vectors_of(graph, embedder, [text(int(one)) for one in ids])


def _triples_of(graph: TextGraph, entities: Sequence[int]) -> list[int]:
    """Return the stated triples of entities: best-connected ends first, then by weight, then by id."""
    around = {one for entity in entities for one in (*graph.triples_from(entity), *graph.triples_to(entity))}
    stated = [one for one in around if graph.relation_key(graph.relation_of(one)) != OCCURS_WITH]
    weights = graph.weights

    def rank(triple: int) -> tuple[int, float, int]:
        head, _, tail = graph.triple(triple)
        weight = 0.0 if weights is None else float(weights[triple])
        return -graph.degree(head) - graph.degree(tail), -weight, triple

    return sorted(stated, key=rank)


def _nearest_of(passages: Iterable[npt.NDArray[np.integer]], cosine: Scores, n: int) -> list[int]:
    """Return the nearest among the passages of ``n`` entities or triples, `_EACH` for each on average."""
    every = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *passages]))
    return [int(every[place]) for place in best(cosine[every], int(_EACH * n))]


def _in_turns(*rows: Sequence[int]) -> list[int]:
    """Return the first of each row, then the second of each, and so on; each once."""
    return list(dict.fromkeys(one for turn in zip_longest(*rows) for one in turn if one is not None))
