"""Everything that is known around the entities nearest to the question, within a budget of tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from graphbrick.bricks.retrieve.documents.passage_search import (
    Scores,
    best,
    cosines,
    passage_item,
    vectors_of,
)
from graphbrick.bricks.retrieve.documents.reports import report_item
from graphbrick.core import Entity, Evidence, Item, Point, Query, Subgraph, Triple
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.core.trace import event, fact
from graphbrick.graphs.corpus import OCCURS_WITH, Claim, TextGraph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.context_budget import text_tokens
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.reporting.reports import Cited, citations, passage_citation, reports_of

Ends: TypeAlias = dict[int, tuple[int, int]]
"""Head and tail of triples, by id."""

_PLACES = 3  # citations of an entity or a triple
_MISSES = 3


@dataclass(frozen=True, repr=False)
class LocalSearch(RetrieveStage):
    """Facts, claims, reports and passages around the nearest entities: GraphRAG's local search.

    The entities are those whose names and descriptions are nearest to the question by embedding. To them come their
    triples (first those among them, then those to entities that several of them lead to), claims about them, reports on
    their communities, and passages that mention them, within a budget of tokens. Unlike in the original, tokens that
    reports and graph do not use go to passages. Triples of entities that only occur in one sentence say nothing, and
    only count in the choice of passages. Put `WriteAnswer` after it for an answer.

    After an extract or prune stage, only entities of the subgraph are taken.

    Args:
        embedder: Embeds the question and the entities, such as MiniLM().
        k: Entities that the search starts from, at least 1.
        triples: Triples to entities outside for each of them, at least 0.
        tokens: Budget of tokens, by an estimate, at least 100.
        reports: Share of the budget for reports, from 0 to 1; 0 for none.
        passages: Least share of the budget for passages, from 0 to 1.
        level: Level of the communities whose reports are taken, from 0, the coarsest.

    Returns:
        `Entity` items by similarity, `Triple` items with descriptions, claims as `Point` items, `Passage` items, and
        `Report` items, each with its places in documents.

    Raises:
        GraphbrickError: The graph was not made from documents.
    """

    paper = "Edge et al., From Local to Global: A Graph RAG Approach to Query-Focused Summarization, 2024"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    embedder: Embedder = parameter(example="MiniLM()")
    k: int = parameter(10, at_least=1, search=(5, 10, 20))
    triples: int = parameter(10, at_least=0, search=(5, 10, 20))
    tokens: int = parameter(12_000, at_least=100, search=(4_000, 12_000))
    reports: float = parameter(0.15, at_least=0, at_most=1)
    passages: float = parameter(0.5, at_least=0, at_most=1)
    level: int = parameter(2, at_least=0, at_most=100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reports + self.passages > 1:
            self.refuse("passages", f"at most 1 with reports={self.reports}", round(1 - self.reports, 2))

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the evidence."""
        graph = cast(TextGraph, subgraph.graph)
        scores = entity_scores(graph, self.embedder, query.text)
        if subgraph.nodes is not None:
            outside = np.ones(len(scores), dtype=np.bool_)
            outside[subgraph.nodes] = False
            scores[outside] = -np.inf
        entities = [entity for entity in best(scores, self.k) if scores[entity] > -np.inf]
        source = repr(self)
        triples = _triples_around(graph, entities)
        reports, used = within(self._reports(graph, entities, source), round(self.reports * self.tokens))
        left = round((1 - self.reports - self.passages) * self.tokens)
        known, more = within(self._known(graph, entities, scores.tolist(), triples, source), left)
        quoted, _ = within(_passages(graph, entities, triples, source), self.tokens - used - more)
        fact(entities=len(entities))
        return Evidence((*known, *quoted, *reports))

    def _reports(self, graph: TextGraph, entities: Sequence[int], source: str) -> Iterator[Item]:
        """Yield reports on the communities of entities: of most of them first, then by rating."""
        if not self.reports:
            return
        try:
            all_reports = reports_of(graph)
        except GraphbrickError as error:
            event(f"searched without reports: {error}", "local_search.no_reports")
            return
        chosen = np.array(entities)
        matches = {
            one: int(np.isin(all_reports.tree.members(one), chosen).sum()) for one in all_reports.at_level(self.level)
        }
        for one in sorted(matches, key=lambda one: (-matches[one], -all_reports.of[one].rating, one)):
            if matches[one]:
                yield report_item(graph, all_reports, all_reports.of[one], float(matches[one]), source)

    def _known(
        self, graph: TextGraph, entities: Sequence[int], scores: Sequence[float], triples: Ends, source: str
    ) -> Iterator[Item]:
        """Yield the entities, their triples and the claims about them."""
        for entity in entities:
            places = citations(graph, Cited(entities=(entity,)), _PLACES)
            yield Entity(graph, entity, scores[entity], source, places)
        for triple in _facts(graph, entities, triples, self.triples):
            places = citations(graph, Cited(triples=(triple,)), _PLACES)
            yield Triple(graph, triple, 0.0, source, graph.triple_description(triple), places)
        chosen = set(entities)
        for claim in graph.claims if len(graph.claims) else ():
            if claim.subject in chosen or claim.object in chosen:
                yield claim_item(graph, claim, source)


def entity_scores(graph: TextGraph, embedder: Embedder, question: str) -> Scores:
    """Return the cosine of the question and each entity with its description, float64 [entities]."""

    def texts() -> list[str]:
        described = ((graph.label(i), graph.description(i)) for i in range(graph.n_entities))
        return [f"{label}: {description}" if description else label for label, description in described]

    key = ("entity texts", embedder.identity)
    vectors = current_session().get(key, lambda: vectors_of(graph, embedder, texts()), of=graph)
    return cosines(graph, embedder, question, vectors)


def claim_item(graph: TextGraph, claim: Claim, source: str) -> Point:
    """Return a claim as an item of evidence."""
    dates = " to ".join(date for date in (claim.start, claim.end) if date)
    about = graph.label(claim.subject) + (f" and {graph.label(claim.object)}" if claim.object is not None else "")
    remark = ", ".join(part for part in (claim.type, claim.status, dates) if part)
    ends = (claim.subject,) if claim.object is None else (claim.subject, claim.object)
    place = passage_citation(graph, claim.passage)
    return Point(f"{about} ({remark}): {claim.description}", (place,), tuple(sorted(ends)), graph, 0.0, source)


def _triples_around(graph: TextGraph, entities: Sequence[int]) -> Ends:
    """Return head and tail of every triple of some entities, by id."""
    around = {triple for entity in entities for triple in (*graph.triples_from(entity), *graph.triples_to(entity))}
    triples = ((triple, graph.triple(triple)) for triple in sorted(around))
    return {triple: (head, tail) for triple, (head, _, tail) in triples}


def _facts(graph: TextGraph, entities: Sequence[int], triples: Ends, outside: int) -> list[int]:
    """Return the facts among triples: those between entities, then those to the most shared ends.

    Args:
        graph: The graph.
        entities: The entities.
        triples: The triples of these entities.
        outside: Triples to other ends for each entity.
    """
    chosen = set(entities)
    pairs = {pair if pair[0] in chosen else pair[::-1] for pair in triples.values()}
    shared = Counter(other for _, other in pairs)
    inside, others = list[int](), list[int]()
    for triple, ends in triples.items():
        if graph.relation_key(graph.relation_of(triple)) != OCCURS_WITH:
            (inside if chosen.issuperset(ends) else others).append(triple)

    def rank(triple: int) -> tuple[int, int, int]:
        ends = triples[triple]
        links = max((shared[end] for end in ends if end not in chosen), default=0)
        return -links, -sum(map(graph.degree, ends)), triple

    return [*sorted(inside, key=rank), *sorted(others, key=rank)[: outside * len(entities)]]


def _passages(graph: TextGraph, entities: Sequence[int], triples: Ends, source: str) -> Iterator[Item]:
    """Yield the passages that mention entities: by entity, those that support most of its triples first."""
    states: Counter[tuple[int, int]] = Counter()
    begin, supporting = graph.support or (np.zeros(graph.n_triples + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    for triple, ends in triples.items():
        for passage in supporting[begin[triple] : begin[triple + 1]].tolist():
            states.update((end, passage) for end in set(ends))
    taken = set()
    for entity in entities:
        for passage in sorted(graph.mentioned_in(entity).tolist(), key=lambda one: (-states[entity, one], one)):
            if passage not in taken:
                taken.add(passage)
                yield passage_item(graph, passage, float(states[entity, passage]), source)


def within(items: Iterable[Item], budget: int) -> tuple[list[Item], int]:
    """Return the items that fit a budget of tokens, and their tokens; items that do not fit are left out.

    After a few that do not fit, the others are left out too.
    """
    fitting, used, misses = list[Item](), 0, 0
    for item in items:
        size = text_tokens(item.text)
        if used + size <= budget:
            fitting.append(item)
            used += size
        elif misses == _MISSES:
            break
        else:
            misses += 1
    return fitting, used
