"""Passages that pass a relevance test, looked for in communities within a budget of tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.passage_search import Scores, best, meaning_scores, passage_item
from graphbrick.bricks.retrieve.documents.passages import mentioning
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.compute import check_limits
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.graphs.communities import CommunityTree, communities_of
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import system, user
from graphbrick.models.llm.replies.json_replies import json_list, json_object
from graphbrick.models.llm.replies.replies import one_line, read_names
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RetrieveStage

_PARTS = 5  # questions that a question is split into at most
_SPLIT = (
    f"Split the question into at most {_PARTS} simpler questions that together answer it, each understandable by "
    'itself. If it is simple, give it alone. Reply with JSON such as {"questions": ["Who ...?", "Where ...?"]}.'
)


@dataclass(frozen=True, repr=False)
class RelevanceSearch(RetrieveStage):
    """Passages that pass a relevance test: LazyGraphRAG's search, which needs no reports.

    Passages are ranked by embedding, and communities of entities by their best passages. In that order, the best few
    passages of each community that were not tested yet are tested. After some communities in a row without a relevant
    passage, or at the end of a level, the search goes on in the parts of the relevant communities. It ends when none of
    them has a relevant passage, or when the budget is spent, which is an event. A passage in no community belongs to a
    community of its own kind. With `Points` and `WriteAnswer` after it, this is the whole of LazyGraphRAG.

    LazyGraphRAG was described, but never released; it rates sentences where this brick rates passages.

    Args:
        embedder: Ranks the passages, such as MiniLM().
        test: The relevance test, such as LLMPointwiseScorer(LLM()), or a re-ranker.
        budget: Most tests of a question, at least 1; 100, 500 and 1,500 are published.
        threshold: Least score of a relevant passage; 0.5 for the probability of yes.
        each: Passages of a community that are tested at a time, at least 1.
        patience: Communities in a row without a relevant passage after which the search goes into parts, at least 1.
        splitter: A language model that splits the question into up to five, whose best similarity counts for the
            ranking; None to rank by the question itself.

    Returns:
        `Passage` items that passed the test, best first by its score, then by similarity.

    Raises:
        GraphbrickError: The graph was not made from documents, or has no communities (``graphbrick prepare
            communities``).
    """

    paper = "Edge et al., LazyGraphRAG: Setting a new standard for quality and cost, 2024 (a description)"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    embedder: Embedder = parameter(example="MiniLM()")
    test: Scorer = parameter(example="LLMPointwiseScorer(LLM())")
    budget: int = parameter(100, at_least=1, search=(100, 500, 1_500))
    threshold: float = parameter(0.5)
    each: int = parameter(5, at_least=1, search=(3, 5, 10))
    patience: int = parameter(3, at_least=1, search=(3, 5, 10))
    splitter: ChatModel | None = parameter(None, example="LLM()")

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the passages."""
        graph = cast(TextGraph, subgraph.graph)
        questions = self._questions(query)
        scores = np.max([meaning_scores(graph, self.embedder, question) for question in questions], axis=0)
        allowed = np.ones(graph.n_passages, dtype=np.bool_)
        if subgraph.nodes is not None:
            allowed = mentioning(graph, subgraph.nodes)
        search = _Search(self, query.text, graph, scores, allowed)
        search.run(communities_of(graph))
        relevant = [one for one, score in search.tested.items() if score >= self.threshold]
        relevant.sort(key=lambda one: (-search.tested[one], -scores[one], one))
        fact(tests=len(search.tested), relevant=len(relevant), communities=search.visited)
        if len(search.tested) >= self.budget:
            event(
                f"the budget of {self.budget:,} relevance tests was spent",
                "relevance_search.budget",
                budget=self.budget,
            )
        source = repr(self)
        items = tuple(passage_item(graph, one, search.tested[one], source) for one in relevant)
        return Evidence(items, scale=repr(self.test) if self.test.comparable else "")

    def _questions(self, query: Query) -> list[str]:
        """Return the question, and the simpler ones that a model splits it into."""
        if self.splitter is None:
            return [query.text]
        schema = json_object(questions=json_list({"type": "string"}, most=_PARTS))
        reply = self.splitter.complete([system(_SPLIT), user(one_line(query.text))], schema=schema)
        parts = (read_names(reply) or [])[:_PARTS]
        fact(questions=len(parts))
        return list(dict.fromkeys([query.text, *parts]))


class _Search:
    """One search.

    Args:
        brick: Its parameters.
        question: The question.
        graph: The graph.
        scores: float64 [passages], similarity with the question.
        allowed: bool [passages], which may be tested.

    Attributes:
        tested: The score of every passage that was tested.
        visited: Number of visits of communities.
    """

    def __init__(
        self,
        brick: RelevanceSearch,
        question: str,
        graph: TextGraph,
        scores: Scores,
        allowed: npt.NDArray[np.bool_],
    ) -> None:
        self._brick, self._question, self._graph = brick, question, graph
        self._rank = np.empty(len(scores), dtype=np.int64)
        self._rank[best(scores, len(scores))] = np.arange(len(scores))
        self._allowed = allowed
        self.tested: dict[int, float] = {}
        self.visited = 0

    def run(self, tree: CommunityTree) -> None:
        """Visit communities, from the coarsest down, until nothing is relevant or the budget is spent."""
        passages = {one: self._passages(tree.members(one)) for one in tree.children(-1)}
        rest = set(np.flatnonzero(self._allowed).tolist()).difference(*passages.values())
        passages[-1] = sorted(rest, key=lambda one: int(self._rank[one]))
        while passages and len(self.tested) < self._brick.budget:
            check_limits()
            relevant = self._visit(passages)
            passages = {
                part: self._passages(tree.members(part))
                for one in relevant
                for part in (tree.children(one) if one >= 0 else [])
            } | {one: passages[one] for one in relevant if one < 0 or not tree.children(one)}

    def _visit(self, passages: dict[int, list[int]]) -> list[int]:
        """Test the best passages of communities, best community first; return those with a relevant one."""
        left = {one: [p for p in listed if p not in self.tested] for one, listed in passages.items()}
        relevant: list[int] = []
        misses = 0
        for one in sorted((one for one in left if left[one]), key=lambda one: int(self._rank[left[one][0]])):
            untested = [p for p in left[one] if p not in self.tested][: self._brick.each]
            untested = untested[: self._brick.budget - len(self.tested)]
            known = [p for p in passages[one] if self.tested.get(p, -np.inf) >= self._brick.threshold]
            if untested and self._is_relevant(untested):
                relevant.append(one)
                misses = 0
            elif known and not untested:
                relevant.append(one)
            else:
                misses += 1
            self.visited += 1
            if misses == self._brick.patience or len(self.tested) >= self._brick.budget:
                break
        return relevant

    def _is_relevant(self, passages: Sequence[int]) -> bool:
        """Test passages; return whether one of them is relevant."""
        texts = [self._graph.passage(one).text for one in passages]
        scores = self._brick.test.rate(self._question, texts)
        self.tested |= zip(passages, scores.tolist(), strict=True)
        return bool((scores >= self._brick.threshold).any())

    def _passages(self, members: npt.NDArray[np.int64]) -> list[int]:
        """Return the passages that mention entities, best first."""
        mentioned = [self._graph.mentioned_in(member) for member in members.tolist()]
        passages = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *mentioned]))
        passages = passages[self._allowed[passages]]
        ordered: list[int] = passages[np.argsort(self._rank[passages], kind="stable")].tolist()
        return ordered
