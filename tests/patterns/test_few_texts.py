from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails

from graphbrick import (
    BM25,
    LLM,
    Embedder,
    Evidence,
    FewTexts,
    LLMListwiseScorer,
    Query,
    Rerank,
    ShortestPaths,
    Subgraph,
)
from graphbrick.core.errors import PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import tiny_graph

READ: list[str] = []
RELATIONS = tuple(f"relation {i}" for i in range(20))


def weight(part: str) -> float:
    """A number between 0 and 1 that looks random, the same for the same part."""
    return (sum((i + 7) * ord(sign) for i, sign in enumerate(part)) * 2_654_435_761 % 2**32) / 2**32


@dataclass(frozen=True, repr=False)
class SumOfParts(Scorer):
    """Scores a path by fixed numbers of its relation and of its end; notes what it reads."""

    comparable: ClassVar[bool] = True

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        READ.extend(texts)
        return np.array([sum(weight(part) for part in text.split(" -> ")[1:]) for text in texts])


@dataclass(frozen=True, repr=False)
class Blind(Embedder):
    """Gives all texts the same vector."""

    @property
    def identity(self) -> str:
        return "blind"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(texts), 1))


PATHS = [f"Kenya -> {relation} -> thing{number}" for relation in RELATIONS for number in range(100)]


def test_the_best_of_thousands_of_paths_are_found_by_reading_few() -> None:
    READ.clear()
    exact = SumOfParts().score("?", PATHS)
    READ.clear()
    found = FewTexts(SumOfParts(), reads=192, sketch=Blind()).score("?", PATHS)
    assert len(READ) == len(set(READ)) == 192
    best = set(np.argsort(-exact, kind="stable")[:32].tolist())
    first = set(np.argsort(-found, kind="stable")[:32].tolist())
    # A sample of that size drawn by chance holds 3 of them.
    assert len(best & first) >= 16
    assert np.argmax(found) == np.argmax(exact)


def test_texts_that_were_read_have_their_own_score_and_come_before_all_others() -> None:
    READ.clear()
    found = FewTexts(SumOfParts(), reads=40, sketch=Blind()).score("?", PATHS)
    read = np.array([text in set(READ) for text in PATHS])
    assert read.sum() == 40
    np.testing.assert_array_equal(
        found[read], SumOfParts().score("?", [p for p, r in zip(PATHS, read, strict=True) if r])
    )
    assert found[~read].max() <= found[read].min()
    assert len(np.unique(found[~read])) > 50  # estimates are in an order of their own


@pytest.mark.parametrize("reads", [16, 17, 23, 191])
def test_no_more_is_read_than_allowed_and_estimates_do_not_change_from_run_to_run(reads: int) -> None:
    READ.clear()
    scorer = FewTexts(SumOfParts(), reads=reads, sketch=Blind())
    first = scorer.score("?", PATHS)
    assert len(READ) == reads
    assert scorer.score("?", PATHS).tolist() == first.tolist()


def test_few_texts_are_all_read() -> None:
    texts = PATHS[:50]
    for reads in (50, 51, 192):
        assert FewTexts(SumOfParts(), reads=reads).score("?", texts).tolist() == SumOfParts().score("?", texts).tolist()
    assert FewTexts(SumOfParts()).rate("?", []).tolist() == []
    assert FewTexts(SumOfParts(), reads=16).rate("?", ["a -> b -> c"] * 40).tolist() == [weight("b") + weight("c")] * 40


def test_a_ranking_whose_paths_are_all_read_is_the_exact_one() -> None:
    graph = tiny_graph()
    query = Query("Which currency is used around Nairobi?", (graph.entity("Nairobi"),))
    paths = ShortestPaths().retrieve(query, Subgraph(graph))
    few = Rerank(FewTexts(SumOfParts(), reads=max(16, len(paths))), n=4).rerank(query, paths)
    exact = Rerank(SumOfParts(), n=4).rerank(query, paths)
    assert [(item.text, item.score) for item in few.items] == [(item.text, item.score) for item in exact.items]


def test_texts_without_relations_are_told_apart_by_their_words() -> None:
    @dataclass(frozen=True, repr=False)
    class Gold(Scorer):
        comparable: ClassVar[bool] = True

        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            return np.array([float("gold" in text) for text in texts])

    texts = [f"word{i % 50} {'gold' if i % 10 == 3 else 'tin'} word{i}" for i in range(400)]
    found = FewTexts(Gold(), reads=60, sketch=Blind()).score("?", texts)
    assert all("gold" in texts[i] for i in np.argsort(-found, kind="stable")[:40])


def test_the_trace_says_how_many_texts_were_only_estimated() -> None:
    trace = Trace()
    items = Evidence(tuple(ShortestPaths().retrieve(Query("?", (0,)), Subgraph(tiny_graph())).items))
    with record(trace, "Rerank", "rerank"):
        Rerank(FewTexts(SumOfParts(), reads=16, sketch=Blind())).rerank(Query("?", (0,)), items)
        FewTexts(SumOfParts(), reads=16, sketch=Blind()).score("?", PATHS)
    (stage,) = trace.stages
    first = min(16, len({item.text for item in items.items}))
    assert stage.facts["texts_read"] == first + 16
    assert stage.facts["texts_estimated"] == len({item.text for item in items.items}) - first + len(PATHS) - 16


@pytest.mark.parametrize("scorer", [BM25(), LLMListwiseScorer(LLM())])
def test_a_scorer_whose_scores_do_not_compare_is_refused(scorer: Scorer) -> None:
    with fails("few_texts.not_comparable", PipelineError):
        FewTexts(scorer)
