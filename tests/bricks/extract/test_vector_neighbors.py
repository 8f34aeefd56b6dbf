from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told

from graphbrick.bricks.extract.vector_neighbors import VectorNeighbors
from graphbrick.core import Query
from graphbrick.core.errors import GraphbrickError, ModelError, PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.language.folding import fold
from graphbrick.language.hashing import hash64
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.indexes import vector_index
from graphbrick.models.indexes.vector_index import build_index, index_of
from graphbrick.models.scorers.lsa import LSA
from graphbrick.pipeline.run import Run
from graphbrick.testing import TINY, check_brick

CALLS: list[list[str]] = []
MORE = [
    ("Kenya", "continent", "Africa"),
    ("Japan", "capital", "Tokyo"),
    ("Japan", "continent", "Asia"),
    ("Asia", "borders", "Africa"),
    ("Atlantis", "lies in", "the sea"),
]


@cache
def direction(word: str, dimensions: int) -> npt.NDArray[np.float64]:
    return np.random.default_rng(hash64(word)).standard_normal(dimensions)


@dataclass(frozen=True, repr=False)
class Shared(Embedder):
    """Unit vectors that are the closer the more words two texts share.

    Args:
        dimensions: Of the vectors of texts.
        asked: Of the vectors of questions.
    """

    dimensions: int = 64
    asked: int = 64

    @property
    def identity(self) -> str:
        return "shared words"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        CALLS.append(list(texts))
        return self._of(texts, self.dimensions)

    def encode_query(self, query: str) -> npt.NDArray[np.float32]:
        CALLS.append([query])
        vector: npt.NDArray[np.float32] = self._of([query], self.asked)[0]
        return vector

    def _of(self, texts: Sequence[str], dimensions: int) -> npt.NDArray[np.float32]:
        words = [sorted(fold(text).split()) or [""] for text in texts]
        vectors = np.stack([np.sum([direction(word, dimensions) for word in some], axis=0) for some in words])
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    CALLS.clear()
    return build([*TINY, *MORE], tmp_path / "world.graph")


def run_of(graph: Graph, text: str, brick: VectorNeighbors, *seeds: str) -> Run:
    return brick.run(graph, Query(text, seeds=tuple(map(graph.entity, seeds))))


def found(run: Run) -> set[str]:
    assert run.subgraph is not None
    assert run.subgraph.nodes is not None
    return {run.graph.label(int(node)) for node in run.subgraph.nodes}


def texts(run: Run) -> set[str]:
    assert run.subgraph is not None
    return set(run.subgraph.triple_texts())


@pytest.mark.parametrize(
    "brick",
    [
        VectorNeighbors(),
        VectorNeighbors(MiniLM(), n=1, max_hops=0),
        VectorNeighbors(n=2, unit="triple", connect=True),
        VectorNeighbors(n=3, cap=2),
    ],
)
def test_the_contract_is_kept(brick: VectorNeighbors) -> None:
    check_brick(brick, installed=False)


def test_the_nearest_their_neighbours_and_the_seeds(graph: Graph) -> None:
    run = run_of(graph, "tokyo", VectorNeighbors(Shared(), n=1), "Nairobi")
    assert found(run) == {"Tokyo", "Japan", "Nairobi"}
    assert texts(run) == {"Japan -> capital -> Tokyo"}
    facts = run.trace.stages[-1].facts
    assert facts["components"] == 2
    assert facts["lowest_similarity"] == pytest.approx(1, abs=1e-3)
    assert found(run_of(graph, "tokyo", VectorNeighbors(Shared(), n=1, max_hops=0), "Nairobi")) == {"Tokyo", "Nairobi"}
    two = run_of(graph, "tokyo", VectorNeighbors(Shared(), n=1, max_hops=2), "Nairobi")
    assert found(two) == {"Tokyo", "Japan", "Asia", "Nairobi"}


def test_all_triples_among_the_entities_are_kept(graph: Graph) -> None:
    run = run_of(graph, "kenya uganda", VectorNeighbors(Shared(), n=2, max_hops=0), "Kenya")
    assert texts(run) == {"Kenya -> borders -> Uganda", "Uganda -> borders -> Kenya"}


def test_the_nearest_triples_and_the_neighbours_of_their_ends(graph: Graph) -> None:
    brick = VectorNeighbors(Shared(), n=1, unit="triple", max_hops=0)
    run = run_of(graph, "rwanda capital kigali", brick, "Nairobi")
    assert found(run) == {"Rwanda", "Kigali", "Nairobi"}
    assert texts(run) == {"Rwanda -> capital -> Kigali", "Rwanda -> borders -> Rwanda"}
    near = run_of(graph, "rwanda capital kigali", VectorNeighbors(Shared(), n=1, unit="triple"), "Nairobi")
    assert found(near) == {"Rwanda", "Kigali", "Nairobi", "Uganda"}


def test_components_are_connected_when_asked(graph: Graph) -> None:
    apart = VectorNeighbors(Shared(), n=1, max_hops=0)
    together = VectorNeighbors(Shared(), n=1, max_hops=0, connect=True)
    run = run_of(graph, "tokyo", together, "Nairobi")
    assert found(run_of(graph, "tokyo", apart, "Nairobi")) == {"Tokyo", "Nairobi"}
    assert found(run) == {"Tokyo", "Japan", "Asia", "Africa", "Kenya", "Nairobi"}
    facts = run.trace.stages[-1].facts
    assert (facts["components"], facts["entities_between"]) == (1, 4)
    run = run_of(graph, "atlantis", together, "Nairobi")
    assert run.trace.stages[-1].facts["components"] == 2
    assert told(run.trace.events)[-1] == ("connect.parts_apart", {"n": 2})


def test_only_the_question_is_embedded_once_the_index_is_there(graph: Graph) -> None:
    brick = VectorNeighbors(Shared(), n=2)
    first = run_of(graph, "who borders kenya", brick, "Kenya")
    assert "was not made yet; it was made now" in first.trace.events[0]
    CALLS.clear()
    run = run_of(Graph.open(graph.path), "who borders asia", brick, "Kenya")
    assert run.trace.events == []
    assert CALLS == [["who borders asia"]]


def test_the_cap_is_an_event(graph: Graph) -> None:
    run = run_of(graph, "kenya", VectorNeighbors(Shared(), n=1, cap=2), "Tokyo")
    assert len(found(run)) == 3
    assert told(run.trace.events)[-1] == ("vector_neighbors.cap", {"cap": 2, "hops": 0})


def test_more_than_there_is_gives_all(graph: Graph) -> None:
    run = run_of(graph, "kenya", VectorNeighbors(Shared(), n=10_000, max_hops=0), "Tokyo")
    assert run.subgraph is not None
    assert (run.subgraph.n_nodes, run.subgraph.n_triples) == (graph.n_entities, graph.n_triples)


def test_without_a_seed_it_finds_what_the_question_is_near_to(graph: Graph) -> None:
    subgraph = VectorNeighbors(Shared(), n=1, max_hops=0).extract(graph, Query("tokyo"))
    assert subgraph.nodes is not None
    assert [graph.label(int(node)) for node in subgraph.nodes] == ["Tokyo"]


def test_a_model_that_changed_under_its_name_is_told(graph: Graph) -> None:
    run_of(graph, "kenya", VectorNeighbors(Shared()), "Kenya")
    with fails("vector_neighbors.other_model", ModelError, dimensions=32, index=64):
        run_of(graph, "what else", VectorNeighbors(Shared(asked=32)), "Kenya")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"embedder": LSA()}, "VectorNeighbors embedder must be an embedder, got LSA()"),
        ({"n": 0}, "VectorNeighbors n must be a whole number of at least 1, got 0; try 64"),
        ({"unit": "triples"}, "VectorNeighbors unit must be one of 'entity', 'triple', 'sentence', got 'triples'"),
        ({"max_hops": -1}, "VectorNeighbors max_hops must be a whole number of at least 0"),
        ({"cap": 0}, "VectorNeighbors cap must be a whole number of at least 1"),
        ({"connect": 1}, "VectorNeighbors connect must be True or False, got 1"),
    ],
)
def test_nonsense_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        VectorNeighbors(**parameters)  # type: ignore[arg-type]
    assert message in str(caught.value)


def large(tmp_path: Path) -> Graph:
    """A graph of 60 entities and 100 triples with distinct labels."""
    rng = np.random.default_rng(3)
    pairs = list(dict.fromkeys((int(a), int(b)) for a, b in rng.integers(0, 60, (400, 2)) if a < b))[:100]
    CALLS.clear()
    names = [f"name{i} word{i % 7}" for i in range(60)]
    return build([(names[a], f"rel{a % 5}", names[b]) for a, b in pairs], tmp_path / "large.graph")


def nearest(graph: Graph, unit: str, question: str, n: int = 15) -> tuple[list[str], list[float]]:
    ids, scores = index_of(graph, Shared(), unit).nearest(Shared().encode_query(question), n)
    text = graph.label if unit == "entity" else graph.triple_text
    pairs = sorted((-round(float(score), 3), text(i)) for i, score in zip(ids.tolist(), scores, strict=True))
    return [name for _, name in pairs], [-score for score, _ in pairs]


@pytest.mark.parametrize("unit", ["entity", "triple"])
def test_after_a_small_change_the_index_is_extended_and_gives_what_a_new_one_gives(tmp_path: Path, unit: str) -> None:
    graph = large(tmp_path)
    index_of(graph, Shared(), unit)
    gone, *_ = graph.key_triples()
    first = graph.label(0)
    changed = change(
        graph.path,
        add=[("newcomer word1", "rel1", first), EntityRecord(graph.key(5), label="renamed word2")],
        delete=[gone],
    ).graph
    CALLS.clear()
    with record(Trace(), "Test()", "extract") as entry:
        index = index_of(changed, Shared(), unit)
    embedded = [text for call in CALLS for text in call]
    assert 0 < len(embedded) <= 8  # only what is new
    (told,) = entry.events
    assert told.startswith("the index was made when the graph was built; 2.0% of the triples have changed since: ")
    assert len(index) == (changed.n_entities if unit == "entity" else changed.n_triples)
    questions = ["newcomer word1", "renamed word2", graph.label(5), "word3 rel1", " ".join(gone)]
    extended = [nearest(changed, unit, question) for question in questions]
    if unit == "entity":
        assert extended[0][0][0] == "newcomer word1"
        assert extended[1][0][0] == "renamed word2"
    else:
        assert f"newcomer word1 -> rel1 -> {first}" in extended[0][0]
        assert " -> ".join(gone) not in extended[4][0]
    assert not any(graph.label(5) in text.split(" -> ") for names, _ in extended for text in names)
    build_index(changed, Shared(), unit)
    anew = [nearest(Graph.open(graph.path), unit, question) for question in questions]
    for (_, scores), (_, expected) in zip(extended, anew, strict=True):
        assert scores == pytest.approx(expected, abs=0.002)
    assert [names[:3] for names, _ in extended] == [names[:3] for names, _ in anew]


@pytest.mark.parametrize("unit", ["entity", "triple"])
def test_after_a_large_change_the_index_is_made_anew_or_refused(
    tmp_path: Path, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = large(tmp_path)
    index_of(graph, Shared(), unit)
    changed = change(graph.path, add=[(f"more{i}", "rel1", f"more{i + 1}") for i in range(15)]).graph
    monkeypatch.setattr(vector_index, "_IN_PASSING", 10)
    with pytest.raises(GraphbrickError, match=r"made when the graph was built; 13\.0% .*; make it with: graphbrick"):
        index_of(changed, Shared(), unit)
    monkeypatch.undo()
    assert len(index_of(changed, Shared(), unit)) == (changed.n_entities if unit == "entity" else changed.n_triples)
