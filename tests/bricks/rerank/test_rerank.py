from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails

from graphbrick import (
    BM25,
    EntityRecord,
    Evidence,
    GraphBuilder,
    MiniLM,
    Query,
    Rerank,
    ShortestPaths,
    Subgraph,
)
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import check_brick, tiny_graph

SEEN: list[tuple[str, list[str]]] = []


@dataclass(frozen=True, repr=False)
class Length(Scorer):
    """Longer texts are better; keeps what it was asked in SEEN."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        SEEN.append((query, list(texts)))
        return np.array([float(len(text)) for text in texts], dtype=np.float64)


@dataclass(frozen=True, repr=False)
class Level(Scorer):
    """All texts are equal."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.zeros(len(texts))


QUERY = Query("Which currency is used in Kenya?", seeds=(2,))


@pytest.fixture
def evidence() -> Evidence:
    return ShortestPaths(max_hops=3).retrieve(QUERY, Subgraph(tiny_graph()))


def test_the_best_come_first_with_their_scores(evidence: Evidence) -> None:
    found = Rerank(Length(), n=3).rerank(QUERY, evidence).items
    expected = sorted(evidence.items, key=lambda path: -len(path.text))[:3]
    assert list(found) == expected
    assert [path.score for path in found] == [len(path.text) for path in expected]
    assert [path.source for path in found] == ["ShortestPaths(max_hops=3)"] * 3


def test_what_is_equal_keeps_its_order(evidence: Evidence) -> None:
    assert len(evidence) == 12
    assert Rerank(Level(), n=12).rerank(QUERY, evidence) == evidence
    assert Rerank(Level(), n=5).rerank(QUERY, evidence).items == evidence.items[:5]


def test_fewer_than_n_are_all_kept(evidence: Evidence) -> None:
    assert len(Rerank(Length(), n=1000).rerank(QUERY, evidence)) == 12


def test_a_text_is_scored_once(evidence: Evidence) -> None:
    SEEN.clear()
    Rerank(Length()).rerank(QUERY, Evidence(evidence.items[:2]))
    (asked,) = SEEN
    assert asked == (QUERY.text, [path.text for path in evidence.items[:2]])


def test_paths_with_one_text_all_get_its_score(tmp_path_factory: pytest.TempPathFactory) -> None:
    with GraphBuilder(tmp_path_factory.mktemp("rerank") / "homonyms.graph", source="test") as builder:
        for key in ("m1", "m2"):
            builder.add(("p", "acted in", key))
            builder.add(EntityRecord(key, label="Hamlet", types=("film",)))
        builder.add(("p", "born in", "b"))
        builder.add(EntityRecord("b", label="Hamburg", types=("city",)))
        graph = builder.finish()
    query = Query("Which films?", seeds=(0,))
    evidence = ShortestPaths(max_hops=1).retrieve(query, Subgraph(graph))
    SEEN.clear()
    found = Rerank(Length()).rerank(query, evidence)
    assert [path.text for path in found.items] == ["p -> acted in -> Hamlet"] * 2 + ["p -> born in -> Hamburg"]
    assert [path.score for path in found.items] == [23, 23, 23]
    assert SEEN == [("Which films?", ["p -> acted in -> Hamlet", "p -> born in -> Hamburg"])]
    SEEN.clear()
    Rerank(Length(), by="pattern").rerank(query, evidence)
    assert SEEN == [("Which films?", ["p -> acted in -> film", "p -> born in -> city"])]


def test_by_pattern_names_do_not_count(tmp_path_factory: pytest.TempPathFactory) -> None:
    with GraphBuilder(tmp_path_factory.mktemp("rerank") / "names.graph", source="test") as builder:
        builder.add(("Ann", "likes", "Currency"))
        builder.add(("Ann", "currency", "Euro"))
        for name, type_ in (("Currency", "book"), ("Euro", "money")):
            builder.add(EntityRecord(name, types=(type_,)))
        graph = builder.finish()
    query = Query("currency currency?", seeds=(0,))
    evidence = ShortestPaths(max_hops=1).retrieve(query, Subgraph(graph))
    by_path = Rerank(BM25()).rerank(query, evidence).items
    by_pattern = Rerank(BM25(), by="pattern").rerank(query, evidence).items
    assert by_path[0].score == by_path[1].score > 0
    assert by_pattern[0].text == "Ann -> currency -> Euro"
    assert by_pattern[1].score == 0


def test_scores_are_those_of_the_scorer(evidence: Evidence) -> None:
    found = Rerank(BM25(), n=1000).rerank(QUERY, evidence).items
    texts = list(dict.fromkeys(path.text for path in evidence.items))
    expected = dict(zip(texts, BM25().score(QUERY.text, texts), strict=True))
    assert [path.score for path in found] == [expected[path.text] for path in found]
    assert found[0].text == "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"


def test_by_meaning(evidence: Evidence) -> None:
    query = Query("What money do people pay with in the country of Nairobi?", seeds=(2,))
    best = Rerank(MiniLM(), n=1).rerank(query, evidence).items[0]
    assert best.text == "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"


def test_nothing_to_rank() -> None:
    assert Rerank(Length()).rerank(QUERY, Evidence()) == Evidence()
    assert Rerank(MiniLM()).rerank(QUERY, Evidence()) == Evidence()


@dataclass(frozen=True, repr=False)
class Says(Scorer):
    """What it is told to say, whatever it is asked.

    Args:
        scores: One a text, or as many as are wrong.
    """

    scores: tuple[float, ...] = ()

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.array(self.scores)


@pytest.mark.parametrize(
    ("threshold", "n", "kept"),
    [
        (None, 9, [2, 0, 3, 1]),
        (0, 9, [2, 0, 3]),
        (0.5, 9, [2]),
        (0.49, 2, [2, 0]),
        (-1, 9, [2, 0, 3]),
        (-1.5, 9, [2, 0, 3, 1]),
        (2, 9, []),
    ],
)
def test_only_what_scores_above_the_threshold_is_kept(
    evidence: Evidence, threshold: float | None, n: int, kept: list[int]
) -> None:
    some = Evidence(evidence.items[:4])
    found = Rerank(Says((0.5, -1.0, 2.0, 0.5)), n=n, threshold=threshold).rerank(QUERY, some).items
    assert [some.items.index(path) for path in found] == kept
    assert [path.score for path in found] == [(0.5, -1.0, 2.0, 0.5)[i] for i in kept]


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_is_an_error(evidence: Evidence, wrong: float) -> None:
    with pytest.raises(ModelError, match=r"gave -?(nan|inf) for the text") as caught:
        Rerank(Says((1.0, wrong, 2.0))).rerank(QUERY, Evidence(evidence.items[:3]))
    assert evidence.items[1].text[:20] in str(caught.value)


@pytest.mark.parametrize("scores", [(), (1.0,), (1.0, 2.0), (1.0,) * 4])
def test_the_wrong_number_of_scores_is_an_error(evidence: Evidence, scores: tuple[float, ...]) -> None:
    with pytest.raises(ModelError, match=r"gave scores of shape \(\d,\) for 3 texts"):
        Rerank(Says(scores)).rerank(QUERY, Evidence(evidence.items[:3]))


@pytest.mark.parametrize("threshold", ["0", float("nan"), float("inf"), True])
def test_a_threshold_is_a_number(threshold: object) -> None:
    with fails("parameter.not_allowed", PipelineError, brick="Rerank", name="threshold"):
        Rerank(BM25(), threshold=threshold)  # type: ignore[arg-type]


def test_the_contract_holds_with_a_threshold() -> None:
    check_brick(Rerank(BM25(), n=3, threshold=0.5), installed=False)
    check_brick(Rerank(BM25(), n=3, by="pattern", threshold=-1), installed=False)


def test_of_many_equal_paths_the_first_come_first(tmp_path_factory: pytest.TempPathFactory) -> None:
    triples = [("s", "r", f"e{i}") for i in range(1200)]
    graph = build(triples, tmp_path_factory.mktemp("rerank") / "star.graph")
    many = ShortestPaths(max_hops=1).retrieve(Query("?", seeds=(0,)), Subgraph(graph))
    assert len(many) == 1200
    found = Rerank(Length(), n=700).rerank(QUERY, many).items
    assert list(found) == sorted(many.items, key=lambda path: -len(path.text))[:700]
