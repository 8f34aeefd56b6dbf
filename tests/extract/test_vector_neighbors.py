from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core import Query
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.embedders.embedder import Embedder
from graphbrick.embedders.minilm import MiniLM
from graphbrick.extract.vector_neighbors import VectorNeighbors
from graphbrick.graphs.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.text import fold, hash64
from graphbrick.pipeline.run import Run
from graphbrick.scorers.lsa import LSA
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
    assert "2 parts of the subgraph could not be connected" in run.trace.events[-1]


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
    assert run.trace.events[-1] == (
        "stopped at the cap of 2 entities around the matches: 0 of 1 hops are complete "
        "(raise cap, or lower n or max_hops)"
    )


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
    with pytest.raises(
        ModelError, match=r"gives vectors of 32 dimensions, but the index of .* holds 64: another model"
    ):
        run_of(graph, "what else", VectorNeighbors(Shared(asked=32)), "Kenya")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"embedder": LSA()}, "VectorNeighbors embedder must be an embedder, got LSA()"),
        ({"n": 0}, "VectorNeighbors n must be a whole number of at least 1, got 0; try 64"),
        ({"unit": "triples"}, "VectorNeighbors unit must be one of 'entity', 'triple', got 'triples'; try 'triple'"),
        ({"max_hops": -1}, "VectorNeighbors max_hops must be a whole number of at least 0"),
        ({"cap": 0}, "VectorNeighbors cap must be a whole number of at least 1"),
        ({"connect": 1}, "VectorNeighbors connect must be True or False, got 1"),
    ],
)
def test_nonsense_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        VectorNeighbors(**parameters)  # type: ignore[arg-type]
    assert message in str(caught.value)
