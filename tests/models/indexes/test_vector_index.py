from __future__ import annotations

import gc
import json
import signal
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from weakref import ref

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.session import Session
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.language.folding import fold
from graphbrick.language.hashing import hash64
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.indexes import faiss_files as vector_files
from graphbrick.models.indexes import vector_index as vector_index
from graphbrick.models.indexes.vector_index import build_index, command, folder_of, index_of, open_index
from graphbrick.testing import TINY

CALLS: list[str] = []
DAMAGED = ("vectors.faiss", "ids.npy", "facts.json")


@cache
def direction(word: str, dimensions: int) -> npt.NDArray[np.float64]:
    return np.random.default_rng(hash64(word)).standard_normal(dimensions)


@dataclass(frozen=True, repr=False)
class Words(Embedder):
    """Unit vectors that are the closer the more words two texts share.

    Args:
        dimensions: Of the vectors.
        length: Of the vectors; 1 is right.
    """

    dimensions: int = 48
    length: float = 1.0

    @property
    def identity(self) -> str:
        return f"words {self.dimensions}"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        CALLS.extend(texts)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            vector += sum(direction(word, self.dimensions) for word in sorted(fold(text).split() or [""]))
        return vectors * np.float32(self.length) / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    CALLS.clear()
    return build(TINY, tmp_path / "tiny.graph")


@pytest.fixture
def many(tmp_path: Path) -> Graph:
    return chain(800, tmp_path / "many.graph")


@pytest.fixture
def some(tmp_path: Path) -> Graph:
    return chain(150, tmp_path / "some.graph")


def chain(n: int, place: Path) -> Graph:
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(60)]
    names = [" ".join(rng.choice(words, 3)) for _ in range(n)]
    return build([(a, "next", b) for a, b in pairwise(names)], place)


def cosines(texts: list[str], question: str) -> npt.NDArray[np.float64]:
    """Of all texts, as they are compared: in half precision."""
    vectors = Words().encode([question, *texts]).astype(np.float16).astype(np.float64)
    return vectors[1:] @ vectors[0]


def best(texts: list[str], question: str, n: int) -> set[int]:
    return set(np.argsort(-cosines(texts, question), kind="stable")[:n].tolist())


def traced(graph: Graph, unit: str = "entity", embedder: Embedder | None = None) -> StageTrace:
    with record(Trace(), "Test()", "extract") as entry:
        index_of(graph, embedder or Words(), unit)
    return entry


def ask(text: str) -> npt.NDArray[np.float32]:
    return Words().encode([text])[0]


@pytest.mark.whole
@pytest.mark.parametrize("unit", ["entity", "triple"])
@pytest.mark.parametrize("n", [1, 3, 50, 3000])
def test_the_nearest_are_those_found_by_comparing_all(many: Graph, unit: str, n: int) -> None:
    if unit == "entity":
        texts = [many.label(i) for i in range(many.n_entities)]
    else:
        texts = [many.triple_text(i) for i in range(many.n_triples)]
    index = index_of(many, Words(), unit)
    assert (len(index), index.dimensions) == (len(texts), 48)
    for question in ("word1 word2 and word3", "word7"):
        found, scores = index.nearest(ask(question), n)
        exact = cosines(texts, question)
        assert (found.dtype, len(set(found.tolist()))) == (np.int32, min(n, len(texts)))
        np.testing.assert_allclose(scores, exact[found], atol=1e-5)
        assert (np.diff(scores) <= 0).all()
        assert np.delete(exact, found).max(initial=-1) <= scores[-1] + 1e-5
        # Ties by id: the same words in another order have the same vector.
        for a, b in pairwise(found.tolist()):
            assert a < b or sorted(texts[a].split()) != sorted(texts[b].split())


def test_of_equal_ones_the_lowest_ids_are_found(tmp_path: Path) -> None:
    # All of the same label but one.
    facts = [EntityRecord(f"k{i}", "the same" if i != 50 else "another") for i in range(100)]
    graph = build([*facts, *((f"k{i}", "r", f"k{i + 1}") for i in range(99))], tmp_path / "same.graph")
    index = index_of(graph, Words(), "entity")
    expected = [i for i in range(100) if graph.label(i) == "the same"][:5]
    assert index.nearest(ask("the same"), 5)[0].tolist() == expected
    assert index.nearest(ask("another"), 1)[0].tolist() == [graph.entity("k50")]


def test_it_is_made_once_and_kept_for_other_processes(graph: Graph) -> None:
    entry = traced(graph)
    advice = f"graphbrick prepare vectors {graph.path} --model 'Words()'"
    values = {"unit": "entity", "n": 8, "reason": "was not made yet", "command": advice}
    assert told(entry.events) == [("vector_index.made", values)]
    assert len(CALLS) == 8
    assert traced(graph).events == traced(Graph.open(graph.path)).events == []
    assert len(CALLS) == 8
    facts = json.loads((folder_of(graph, Words(), "entity").folder / "facts.json").read_text())
    assert (facts["graph"], facts["model"], facts["unit"]) == (graph.hash, "words 48", "entity")
    assert (facts["vectors"], facts["exact"]) == (8, True)
    assert told(traced(graph, "triple").events)[0][1]["n"] == 10
    assert command(graph, Words(), "triple").endswith("--model 'Words()' --triples")


def test_embeddings_that_are_kept_fill_it(graph: Graph) -> None:
    from graphbrick.models.indexes.embed_graph import embed_graph

    embed_graph(graph, Words())
    CALLS.clear()
    build_index(graph, Words(), "entity")
    assert CALLS == []
    build_index(graph, Words(), "triple")
    assert len(CALLS) == graph.n_triples


def test_progress_counts_up_to_all(many: Graph) -> None:
    done = list[float]()
    build_index(many, Words(), "entity", progress=lambda step, at, total: done.append(at))
    assert done == sorted(done)
    assert done[-1] == many.n_entities


@pytest.mark.whole
def test_groups_find_most_of_the_nearest(
    many: Graph, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(vector_index, "_EXACT", 100)
    monkeypatch.setattr(vector_index, "_CHUNK", 300)
    monkeypatch.setattr(vector_files, "_COMPARED", 400)
    index = build_index(many, Words(), "entity")
    assert capfd.readouterr() == ("", "")  # faiss likes to talk
    place = folder_of(many, Words(), "entity")
    assert sorted(file.name for file in place.folder.iterdir()) == [
        "facts.json", "group_sizes.npy", "groups.bin", "ids.npy", "vectors.faiss"
    ]  # fmt: skip
    assert json.loads((place.folder / "facts.json").read_text())["exact"] is False
    texts = [many.label(i) for i in range(many.n_entities)]
    for question in texts[:20]:
        found = index.nearest(ask(question), 10)[0].tolist()
        assert texts[found[0]] == question
        assert len(set(found) & best(texts, question, 10)) >= 6
    monkeypatch.setattr(vector_files, "_COMPARED", 10_000)  # all groups
    again = open_index(place)
    assert again is not None
    for question in texts[:20]:
        assert len(set(again.nearest(ask(question), 10)[0].tolist()) & best(texts, question, 10)) >= 9


@pytest.mark.whole
@pytest.mark.parametrize(
    ("exact", "name", "how"),
    [
        *((exact, name, how) for exact in (True, False) for name in DAMAGED for how in ("cut", "gone", "noise")),
        *((False, "groups.bin", how) for how in ("cut", "gone")),
        *((False, "group_sizes.npy", how) for how in ("cut", "gone", "noise")),
    ],
)
def test_damage_is_told_and_repaired(
    some: Graph, monkeypatch: pytest.MonkeyPatch, exact: bool, name: str, how: str
) -> None:
    if not exact:
        monkeypatch.setattr(vector_index, "_EXACT", 100)
    before = index_of(some, Words(), "entity").nearest(ask("word1 word2"), 9)[0].tolist()
    file = folder_of(some, Words(), "entity").folder / name
    content = file.read_bytes()
    file.unlink()  # who has it open keeps it, as when it is made anew
    if how == "cut":
        file.write_bytes(content[:-7])
    elif how == "noise":
        file.write_bytes(b"\x81" * 60 + content[60:])
    entry = traced(Graph.open(some.path))
    ((code, values),) = told(entry.events)
    assert (code, values["reason"].partition(" (")[0]) == ("vector_index.made", "is damaged")
    assert traced(Graph.open(some.path)).events == []
    assert index_of(Graph.open(some.path), Words(), "entity").nearest(ask("word1 word2"), 9)[0].tolist() == before


def test_that_of_an_older_graph_is_replaced(graph: Graph) -> None:
    old = index_of(graph, Words(), "entity")
    index_of(graph, Words(), "triple")
    newer = build([*TINY, ("Kenya", "borders", "Ethiopia")], graph.path, overwrite=True)
    entry = traced(newer)
    values = told(entry.events)[0][1]
    assert (values["n"], values["reason"]) == (9, "is of an older version of the graph")
    folders = {file.name for file in graph.path.with_name("tiny.graph.index").iterdir()}
    assert folders == {folder_of(newer, Words(), "entity").folder.name, folder_of(graph, Words(), "triple").folder.name}
    assert len(old.nearest(ask("Kenya"), 3)[0]) == 3  # who has it open keeps it


def test_a_large_graph_is_not_indexed_in_passing(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "_IN_PASSING", 5)
    with fails("vector_index.missing", reason="was not made yet"):
        index_of(graph, Words(), "entity")
    assert CALLS == []
    build_index(graph, Words(), "entity")
    assert traced(graph).events == []


def test_a_damaged_index_is_missing_like_one_that_was_never_made(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(graph, Words(), "entity")
    monkeypatch.setattr(vector_index, "_IN_PASSING", 5)
    assert vector_index.missing(graph, Words(), "entity") == ""
    (folder_of(graph, Words(), "entity").folder / "ids.npy").unlink()
    assert vector_index.missing(graph, Words(), "entity") == command(graph, Words(), "entity")


def test_other_models_have_indexes_of_their_own(graph: Graph) -> None:
    assert len(traced(graph).events) == len(traced(graph, embedder=Words(16)).events) == 1
    assert index_of(graph, Words(16), "entity").dimensions == 16
    assert index_of(graph, Words(), "entity").dimensions == 48


def test_a_folder_that_cannot_be_written_is_an_error(graph: Graph) -> None:
    graph.path.with_name("tiny.graph.index").write_text("a file")
    with pytest.raises(GraphbrickError, match=r"the index of .* cannot be kept in .*tiny.graph.index"):
        build_index(graph, Words(), "entity")


def test_vectors_of_another_length_are_refused(graph: Graph) -> None:
    with fails("vector_index.not_unit_length"):
        build_index(graph, Words(length=2.0), "entity")
    assert list(graph.path.with_name("tiny.graph.index").iterdir()) == []


def test_without_the_library_the_error_says_what_to_install(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(GraphbrickError, match=r"pip install 'graphbrick\[vectors\]'"):
        index_of(graph, Words(), "entity")


# Sessions


def test_making_the_index_of_one_graph_does_not_hold_up_another_graph(graph: Graph, tmp_path: Path) -> None:
    other = build(TINY, tmp_path / "other.graph")
    begun, go_on = threading.Event(), threading.Event()

    @dataclass(frozen=True, repr=False)
    class Slow(Words):
        """Waits in the thread that makes the first index."""

        def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            if threading.current_thread() is not threading.main_thread():
                begun.set()
                assert go_on.wait(60)
            return super().encode(texts)

    with Session() as session, ThreadPoolExecutor(1) as pool:
        making = pool.submit(copy_context().run, index_of, graph, Slow(), "entity")
        assert begun.wait(60)
        assert len(index_of(other, Slow(), "entity")) == other.n_entities
        assert not making.done()
        go_on.set()
        assert len(making.result(60)) == graph.n_entities
        assert len(session.opened("vector index")) == 2


@pytest.mark.whole
def test_closing_the_session_lets_the_index_go(graph: Graph) -> None:
    with Session():
        index = ref(index_of(graph, Words(), "entity"))
        gc.collect()
        assert index() is not None
    gc.collect()
    assert index() is None


def test_two_sessions_may_use_the_index_and_the_vectors_of_one_graph(graph: Graph) -> None:
    with Session() as first:
        one = index_of(graph, Words(), "entity")
        with Session() as second:
            other = index_of(graph, Words(), "entity")
            assert (first.opened("vector index"), second.opened("vector index")) == ([one], [other])
        assert len(one) == len(other) == graph.n_entities


@pytest.mark.posix
@pytest.mark.parametrize("exact", [True, False])
def test_a_full_disk_is_one_error_and_leaves_nothing(many: Graph, monkeypatch: pytest.MonkeyPatch, exact: bool) -> None:
    import resource

    if not exact:
        monkeypatch.setattr(vector_index, "_EXACT", 10)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(GraphbrickError, match=rf"cannot be kept in {many.path}\.index \(File too large\)"):
            build_index(many, Words(), "entity")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert list(many.place.with_name("many.graph.index").iterdir()) == []
