"""What a store of vectors gives back, and how much it keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st
from toy_vectors import CALLS, Toy, files, numbered, same, traced

from graphbrick import Query, Subgraph
from graphbrick.bricks.prune.triples import PruneTriples
from graphbrick.core.compute import limited_by
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.session import current_session
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.models.vectors.store import VectorStore, current_store, store_of, using
from graphbrick.testing import TINY

ODD = ["", " ", "a", "A", "á", "a\u0301", "\x00", "\ud800", "new\nline", "😀", "x" * 5_000]


@pytest.mark.whole
@given(calls=st.lists(st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=2)), max_size=8), max_size=6))
def test_vectors_are_those_made_anew_and_no_text_is_encoded_twice(
    tmp_path_factory: pytest.TempPathFactory, calls: list[list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("round") / "g.vectors"
    CALLS.clear()
    store, seen = VectorStore(folder), set[str]()
    for number, texts in enumerate(calls):
        new = list(dict.fromkeys(text for text in texts if text not in seen))
        assert store.missing(Toy(), texts) == new
        CALLS.clear()
        found = store.get(Toy(), texts)
        assert len(found) == len(texts)
        assert not texts or same(found, texts)
        assert [new] * bool(new) == CALLS
        seen |= set(texts)
        if number % 2:
            store.flush()
            store = VectorStore(folder)  # as another process finds it
    assert store.missing(Toy(), sorted(seen)) == []
    assert files(folder, ".*") == []


def test_vectors_that_another_process_has_written_are_not_missing(tmp_path: Path) -> None:
    here, there = (VectorStore(tmp_path / "g.vectors") for _ in range(2))
    assert here.missing(Toy(), ["a", "b"]) == ["a", "b"]
    there.get(Toy(), ["a"])
    there.flush()
    assert here.missing(Toy(), ["a", "b"]) == ["b"]


def test_what_is_found_is_a_copy(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    for _ in range(2):
        store.get(Toy(), ["a", "b"])[:] = 0
        assert same(store.get(Toy(), ["a", "b"]), ["a", "b"])
        store.flush()
        store = VectorStore(tmp_path / "g.vectors")


def test_hits_are_counted(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    assert traced(lambda: store.get(Toy(), ["a", "b", "c"])).cache_hits == 0
    assert traced(lambda: store.get(Toy(), ["b", "c", "d"])).cache_hits == 2


def test_nothing_is_written_before_there_is_something(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    assert len(store.get(Toy(), [])) == 0
    assert store.missing(Toy(), ["a"]) == ["a"]
    assert store.missing(Toy(), []) == []
    store.flush()
    assert (list(tmp_path.iterdir()), CALLS) == ([], [])


def test_the_folder_says_whose_vectors_they_are(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy("one"), ["a"])
    store.flush()
    (folder,) = (tmp_path / "g.vectors").iterdir()
    assert folder.name.startswith("Toy-")
    assert json.loads((folder / "model.json").read_text()) == {"model": "one 8"}


def test_two_models_do_not_mix(tmp_path: Path) -> None:
    texts = ["a", "b", ""]
    models = [Toy("one"), Toy("two"), Toy("one", dimensions=16)]
    for _ in range(2):
        store = VectorStore(tmp_path / "g.vectors")
        for model in models:
            found = store.get(model, texts)
            assert found.shape == (3, model.dimensions)
            assert same(found, texts, model)
        store.flush()
    assert len(CALLS) == 3
    assert len(list((tmp_path / "g.vectors").iterdir())) == 3


def test_texts_in_memory_and_in_several_files_come_together(tmp_path: Path) -> None:
    folder = tmp_path / "g.vectors"
    for part in (numbered(200), numbered(3, start=200)):
        store = VectorStore(folder)
        store.get(Toy(), part)
        store.flush()
    assert len(files(folder)) == 2
    store = VectorStore(folder)
    store.get(Toy(), ["in memory"])
    CALLS.clear()
    texts = ["text 201", "in memory", "new", "text 7", "text 201", "new"]
    assert same(store.get(Toy(), texts), texts)
    assert CALLS == [["new"]]


def test_with_a_store_scores_are_as_without(tmp_path: Path) -> None:
    texts = [text for text in ODD if "\ud800" not in text] * 2
    without = Toy().score("question", texts)
    store = VectorStore(tmp_path / "g.vectors")
    for _ in range(2):
        with using(store):
            assert current_store() is store
            assert (Toy().score("question", texts) == without).all()
        store.flush()
    assert current_store() is None


def test_a_run_keeps_its_vectors_beside_the_graph(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "tiny.graph")
    pipeline = PruneTriples(Toy(), n=3)
    first = pipeline.run(graph, "What is in Kenya?", seeds=["Kenya"])
    assert first.trace.stages[-1].cache_hits == 0
    assert pipeline.run(graph, "What is in Uganda?", seeds=["Kenya"]).trace.stages[-1].cache_hits == 10
    assert store_of(graph) is store_of(graph)
    current_session().drop(("vector store", tmp_path / "tiny.graph.vectors"))
    assert files(tmp_path / "tiny.graph.vectors") != []
    again = pipeline.run(graph, "What is in Kenya?", seeds=["Kenya"])
    assert again.trace.stages[-1].cache_hits == 10
    assert again.subgraph is not None
    assert first.subgraph is not None
    assert again.subgraph.triples is not None
    assert again.subgraph.triples.tolist() == first.subgraph.triples.tolist()  # type: ignore[union-attr]
    assert [text for call in CALLS for text in call].count("Kenya -> capital -> Nairobi") == 1


def test_without_a_run_no_store_is_used(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "tiny.graph")
    PruneTriples(Toy(), n=3).prune(Query("?"), Subgraph(graph))
    store_of(graph).flush()
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.graph"]


def test_vectors_lie_beside_the_graph_whatever_the_working_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(TINY, tmp_path / "tiny.graph")
    monkeypatch.chdir(tmp_path)
    graph = Graph.open("tiny.graph")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert store_of(graph).folder == tmp_path / "tiny.graph.vectors"


def test_at_the_limit_nothing_more_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "1")
    store, wide = VectorStore(tmp_path / "g.vectors"), Toy(dimensions=64)
    store.get(wide, numbered(9_000))  # of 144 bytes each
    assert traced(store.flush).events == []
    store.get(wide, ["one more"])
    (message,) = traced(store.flush).events
    assert "has reached 1 MB" in message
    assert "raise GRAPHBRICK_VECTORS_MB" in message
    assert same(store.get(wide, ["one more", "text 5"]), ["one more", "text 5"], wide)
    assert VectorStore(tmp_path / "g.vectors").missing(wide, ["one more", "text 5"]) == ["one more"]
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "2")
    assert traced(store.flush).events == []
    assert VectorStore(tmp_path / "g.vectors").missing(wide, ["one more"]) == []


def test_a_limit_of_nothing_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "0")
    store = VectorStore(tmp_path / "g.vectors")
    assert same(store.get(Toy(), ["a"]), ["a"])
    store.flush()
    assert files(tmp_path) == []


NONSENSE = ["4GB", "-1", "1.5", "a lot", " ", "²"]


@pytest.mark.parametrize("value", NONSENSE)
def test_a_nonsense_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", value)
    store = VectorStore(tmp_path / "g.vectors")

    def work() -> None:
        store.get(Toy(), ["a"])
        store.flush()

    with fails("vectors.bad_megabytes"):
        work()


def test_a_nonsense_limit_costs_no_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "a lot")
    with pytest.raises(GraphbrickError):
        store.flush()
    monkeypatch.delenv("GRAPHBRICK_VECTORS_MB")
    store.flush()
    assert VectorStore(tmp_path / "g.vectors").missing(Toy(), ["a"]) == []


def test_a_model_of_other_dimensions_is_told_apart_and_spoils_nothing(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a", "b"])
    store.flush()

    @dataclass(frozen=True, repr=False)
    class Other(Toy):
        """The same name, other vectors."""

        @property
        def identity(self) -> str:
            return Toy().identity

        def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.full((len(texts), 4), 0.5, dtype=np.float32)

    Other.__name__ = "Toy"  # as the folder of a model is named
    reread = VectorStore(tmp_path / "g.vectors")
    with using(reread):
        for texts in (["a", "b"], ["c", "d"], ["a", "c"]):
            with pytest.raises(GraphbrickError) as caught:
                Other().score("?", texts)
            assert caught.value.code in ("embedder.other_dimensions", "vectors.other_dimensions")
    reread.flush()
    assert same(VectorStore(tmp_path / "g.vectors").get(Toy(), ["a", "b"]), ["a", "b"])


@pytest.mark.parametrize("byte", [b"\x00", b"\xff"])
def test_damaged_vectors_in_a_whole_file_are_an_error(tmp_path: Path, byte: bytes) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a", "b"])
    store.flush()
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    end = whole[-8:-4] + bytes(4)  # without a checksum, as an earlier version writes it
    file.write_bytes(whole[: 24 + 2 * 16] + byte * (len(whole) - 24 - 2 * 16 - 8) + end)

    with using(VectorStore(tmp_path / "g.vectors")), fails("embedder.not_unit_length"):
        Toy().score("?", ["a", "b"])


def test_the_question_is_embedded_once_for_all_stages(tmp_path: Path) -> None:
    CALLS.clear()
    with using(VectorStore(tmp_path / "g.vectors")):
        Toy().score("a question", ["a"])
        Toy().score("a question", ["b"])
        Toy().score("another", ["a", "b"])
    assert [call for call in CALLS if "a question" in call or "another" in call] == [["a question"], ["another"]]


def test_a_run_that_is_stopped_keeps_the_vectors_made_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.models.vectors.model_vectors._MADE_ROWS", 3)
    texts, store, checks = [str(i) for i in range(10)], VectorStore(tmp_path / "g.vectors"), 0

    def stop() -> None:
        nonlocal checks
        checks += 1
        if checks == 3:
            raise GraphbrickError("stopped")

    with pytest.raises(GraphbrickError, match="stopped"), limited_by(stop):
        store.get(Toy(), texts)
    assert store.missing(Toy(), texts) == texts[6:]
    assert same(store.get(Toy(), texts), texts)
