"""Search with a budget of relevance tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import told

from graphbrick import LLM, Phrases, Query, RelevanceSearch, Subgraph, index
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.communities import CommunityTree, find_communities, keep_communities
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.embedders.llm_embedder import LLMEmbedder
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import ScriptedLLM

TOPICS = ("Kericho tea", "Kisumu port", "Nairobi museum")


@dataclass(frozen=True, repr=False)
class HasWord(Scorer):
    """1 for a text with a word, else 0; notes what it was asked for."""

    comparable = True

    word: str = "relevant"

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        TESTED.extend(texts)
        return np.array([float(self.word in text) for text in texts])


TESTED: list[str] = []


@pytest.fixture(autouse=True)
def _forget() -> None:
    TESTED.clear()


@pytest.fixture(scope="module")
def embedder() -> Iterator[LLMEmbedder]:
    with ScriptedLLM(["-"]) as server:
        yield LLMEmbedder(base_url=server.base_url)


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    """Eight documents on each of three topics; the tea of odd numbers is relevant."""
    folder = tmp_path_factory.mktemp("topics")
    (folder / "docs").mkdir()
    for topic in TOPICS:
        place, thing = topic.split()
        for number in range(8):
            word = "relevant" if thing == "tea" and number % 2 else "other"
            text = (
                f"The {thing} of {place} is {word}, says Author{place}{number}. In {place} lives Author{place}{number}."
            )
            (folder / "docs" / f"{thing}{number}.txt").write_text(text)
    graph = index([folder / "docs"], folder / "topics.graph", extractor=Phrases()).graph
    keep_communities(graph, find_communities(graph), {})
    return graph


def search(embedder: LLMEmbedder, **more: object) -> RelevanceSearch:
    return RelevanceSearch(embedder, HasWord(), **more)  # type: ignore[arg-type]


def test_all_relevant_passages_are_found_without_testing_all(topics: TextGraph, embedder: LLMEmbedder) -> None:
    with record(Trace(), "RelevanceSearch", "retrieve") as stage:
        found = search(embedder, patience=1).retrieve(Query("tea of Kericho"), Subgraph(topics))
    assert len(found.items) == 4
    assert all("relevant" in item.text for item in found.items)
    assert len(TESTED) == len(set(TESTED)) < topics.n_passages  # the other topics end the search
    assert stage.facts["tests"] == len(TESTED)
    assert found.scale == repr(HasWord())


@pytest.mark.parametrize("budget", [1, 3, 7])
def test_the_budget_is_kept_and_that_is_told(topics: TextGraph, embedder: LLMEmbedder, budget: int) -> None:
    with record(Trace(), "RelevanceSearch", "retrieve") as stage:
        search(embedder, budget=budget, patience=10).retrieve(Query("tea"), Subgraph(topics))
    assert len(TESTED) == budget
    assert ("relevance_search.budget", {"budget": budget}) in told(stage.events)


def test_nothing_relevant_stops_after_a_few_communities(topics: TextGraph, embedder: LLMEmbedder) -> None:
    found = RelevanceSearch(embedder, HasWord("absent"), each=1, patience=2).retrieve(Query("tea"), Subgraph(topics))
    assert (found.items, len(TESTED)) == ((), 2)


def test_only_passages_about_the_subgraph_are_tested(topics: TextGraph, embedder: LLMEmbedder) -> None:
    nodes = np.array([topics.entity("authorkericho1")], dtype=np.int32)
    part = Subgraph(topics, nodes, np.zeros(0, dtype=np.int32))
    found = search(embedder).retrieve(Query("tea"), part)
    assert len(TESTED) == len(found.items) == 1


def test_passages_of_no_community_are_tested_too(topics: TextGraph, embedder: LLMEmbedder, tmp_path: Path) -> None:
    keep_communities(topics, CommunityTree.of({}, {})[0], {})
    try:
        assert len(search(embedder).retrieve(Query("tea of Kericho"), Subgraph(topics)).items) == 4
    finally:
        keep_communities(topics, find_communities(topics), {})


def test_a_model_splits_the_question(topics: TextGraph, embedder: LLMEmbedder) -> None:
    with ScriptedLLM([json.dumps({"questions": ["Which port has Kisumu?", "What museum has Nairobi?"]})]) as server:
        brick = search(embedder, splitter=LLM(base_url=server.base_url), each=1, budget=2, patience=10)
        brick.retrieve(Query("Why?"), Subgraph(topics))
    assert {("port" in text, "museum" in text) for text in TESTED} == {(True, False), (False, True)}


def test_a_graph_without_communities_says_how_to_find_them(tmp_path: Path, embedder: LLMEmbedder) -> None:
    (tmp_path / "a.txt").write_text("Lake Victoria borders Kenya. Kisumu is a port on Lake Victoria.")
    graph = index([tmp_path / "a.txt"], tmp_path / "a.graph").graph
    with pytest.raises(GraphbrickError, match="run graphbrick prepare communities"):
        search(embedder).retrieve(Query("tea"), Subgraph(graph))
