"""Two processes that write to one place at once: one waits or is refused, and nothing is lost."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import fails

from graphbrick import Graph, build
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files import folders
from graphbrick.core.files.claims import claim_folder
from graphbrick.graphs.build import builder
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.partitions import Method, keep, part
from graphbrick.graphs.store import beside
from graphbrick.text.indexing import indexing

FORK = multiprocessing.get_context("fork")
BUILT = [(f"e{i}", "r", f"e{i + 1}") for i in range(8)]
_SECONDS = 60  # a process that waits for ever fails the test
REFUSED = {"folder.written_by_another", "place.taken", "delta.graph_replaced", "refresh.changed_meanwhile"}


def _replace(kind: str) -> Callable[[Path], None]:
    return lambda path: build([*BUILT, (kind, "by", "build")], path, overwrite=True) and None


def _add(kind: str) -> Callable[[Path], None]:
    return lambda path: change(path, add=[(kind, "by", "add")]) and None


def _delete(kind: str) -> Callable[[Path], None]:
    return lambda path: change(path, delete=[(f"e{'ab'.index(kind)}", "r", f"e{'ab'.index(kind) + 1}")]) and None


def _compact(kind: str) -> Callable[[Path], None]:
    return lambda path: compact(path) and None


def _prepare(kind: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        graph = Graph.open(path)
        keep(graph, Method(), part(graph, Method()))

    return write


def _learn(kind: str) -> Callable[[Path], None]:
    """Write learned patterns as learning does, without the minute of learning."""

    def write(path: Path) -> None:
        place = path.with_name(f"{path.name}.patterns")
        with folders.new_folder(place, lambda: None) as work:
            (work / "model.json").write_text(kind)

    return write


def _index(kind: str) -> Callable[[Path], None]:
    """Index one more document, while the other process may change the graph."""

    def write(path: Path) -> None:
        document = path.with_name(f"{kind}.txt")
        document.write_text(f"Doctor {kind.upper()}lbert Marsh lives in Uganda.")
        indexing.index([document], path)

    return write


WRITERS: dict[str, Callable[[str], Callable[[Path], None]]] = {
    "build": _replace, "add": _add, "delete": _delete, "compact": _compact, "prepare": _prepare,
    "learn": _learn,
}  # fmt: skip


def _run(write: Callable[[Path], None], path: Path, barrier: Any, results: Any, kind: str) -> None:
    """Write in a forked process, which meets the other one just before it puts its folder in place."""
    put = folders.put_in_place

    def meeting(*arguments: Any) -> None:
        _meet(barrier)
        put(*arguments)

    folders.put_in_place = beside.put_in_place = meeting
    try:
        _meet(barrier)
        write(path)
        results.put((kind, "done"))
    except GraphbrickError as error:
        results.put((kind, str(error.code)))
    except BaseException as error:
        results.put((kind, repr(error)))
        raise


def _meet(barrier: Any) -> None:
    try:
        barrier.wait(0.2)
    except threading.BrokenBarrierError:  # the other one waits for a lock, or has ended
        barrier.reset()


def race(path: Path, writers: list[Callable[[Path], None]]) -> dict[str, str]:
    """Run writers at once in processes of their own, and return what each ended with."""
    barrier, results = FORK.Barrier(len(writers)), FORK.Queue()
    kinds = "abcdefgh"[: len(writers)]
    processes = [
        FORK.Process(target=_run, args=(write, path, barrier, results, kind))
        for kind, write in zip(kinds, writers, strict=True)
    ]
    for process in processes:
        process.start()
    try:
        return dict(results.get(timeout=_SECONDS) for _ in processes)
    finally:
        for process in processes:
            process.join(_SECONDS)
            if process.is_alive():
                process.kill()


def hidden(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.name.startswith("."))


@pytest.mark.whole
@pytest.mark.parametrize("pair", list(itertools.combinations_with_replacement(WRITERS, 2)), ids="-".join)
def test_every_pair_of_writers(tmp_path: Path, pair: tuple[str, str]) -> None:
    path = tmp_path / "g.graph"
    build(BUILT, path)
    change(path, add=[("before", "r", "e0")])  # so that there is something to compact
    ended = race(path, [WRITERS[name](kind) for kind, name in zip("ab", pair, strict=True)])
    assert set(ended.values()) <= {"done", *REFUSED}
    assert "done" in ended.values()
    graph = Graph.open(path)
    graph.check()
    assert hidden(tmp_path) == []
    triples = set(graph.key_triples())
    builds = [kind for kind, name in zip("ab", pair, strict=True) if name == "build" and ended[kind] == "done"]
    if builds:  # a change that was made before is replaced with the graph
        assert any((kind, "by", "build") in triples for kind in builds)
        return
    assert ("before", "r", "e0") in triples
    for (kind, end), name in zip(sorted(ended.items()), pair, strict=True):
        place = "ab".index(kind)
        assert ((kind, "by", "add") in triples) == (name == "add" and end == "done")
        assert ((f"e{place}", "r", f"e{place + 1}") in triples) == (name != "delete" or end != "done")


@pytest.mark.whole
@pytest.mark.parametrize("other", ["build", "add", "delete", "compact", "prepare", "learn", "index"])
def test_index_beside_every_other_writer(tmp_path: Path, other: str) -> None:
    path = tmp_path / "g.graph"
    (tmp_path / "first.txt").write_text("Nairobi is the capital of Kenya. Lake Victoria borders Kenya.")
    graph = indexing.index([tmp_path / "first.txt"], path).graph
    before = set(graph.key_triples())
    writers = WRITERS | {"delete": lambda _: lambda path: change(path, delete=[min(before)]) and None, "index": _index}
    ended = race(path, [_index("a"), writers[other]("b")])
    refused = {*REFUSED, "index.changed_graph", "compact.from_documents", "corpus.no_passages"}
    assert set(ended.values()) <= {"done", *refused}
    graph = Graph.open(path, passages=False)
    graph.check()
    assert hidden(tmp_path) == []
    triples = set(graph.key_triples())
    has_document = any("uganda" in triple for triple in triples)
    assert ("done" in ended.values()) or other == "compact"
    if other == "build":
        assert (("b", "by", "build") in triples) or (ended["a"] == "done" and has_document)
        return
    assert has_document == (ended["a"] == "done")
    assert (("b", "by", "add") in triples) == (other == "add" and ended["b"] == "done")
    assert (min(before) in triples) == (other != "delete" or ended["b"] != "done")


@pytest.mark.whole
@pytest.mark.parametrize("other", ["build", "index"])
def test_of_two_that_make_a_new_graph_beside_index_one_is_refused(tmp_path: Path, other: str) -> None:
    path = tmp_path / "g.graph"
    writer = (lambda path: build([("b", "r", "x")], path) and None) if other == "build" else _index("b")
    ended = race(path, [_index("a"), writer])
    assert "done" in ended.values()
    assert set(ended.values()) <= {"done", "place.taken"}
    Graph.open(path, passages=False).check()
    if other == "build":
        assert sorted(ended.values()) == ["done", "place.taken"]
        assert (("b", "r", "x") in set(Graph.open(path, passages=False).key_triples())) == (ended["b"] == "done")


def test_what_was_added_after_a_killed_index_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, document = tmp_path / "g.graph", tmp_path / "first.txt"
    document.write_text("Nairobi is the capital of Kenya.")
    indexing.index([document], path)
    document.write_text("Nairobi is the capital of Kenya. Lake Victoria borders Kenya.")

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(builder.GraphBuilder, "finish", killed)
        with pytest.raises(KeyboardInterrupt):
            indexing.index([document], path)
    change(path, add=[("n", "r", "nairobi")])
    with fails("index.changed_graph"):
        indexing.index([document], path)
    assert ("n", "r", "nairobi") in set(Graph.open(path, passages=False).key_triples())


@pytest.mark.whole
def test_one_of_many_builds_onto_a_new_place_is_made_and_the_others_are_refused(tmp_path: Path) -> None:
    for turn in range(8):
        path = tmp_path / f"g{turn}.graph"
        names = "abcd"
        ended = race(path, [lambda path, name=name: build([(name, "r", "x")], path) and None for name in names])
        assert sorted(ended.values()) == ["done", *["place.taken"] * 3]
        (winner,) = [name for name, end in ended.items() if end == "done"]
        assert list(Graph.open(path).key_triples()) == [(winner, "r", "x")]
        assert hidden(tmp_path) == []


def test_a_compaction_does_not_replace_a_graph_that_was_built_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.graph"
    build(BUILT, path)
    change(path, add=[("n", "r", "e0")])
    finish = builder.GraphBuilder.finish

    def late(self: builder.GraphBuilder, *arguments: Any) -> Graph:
        monkeypatch.setattr(builder.GraphBuilder, "finish", finish)
        build([("newer", "r", "x")], path, overwrite=True)
        return finish(self, *arguments)

    monkeypatch.setattr(builder.GraphBuilder, "finish", late)
    with pytest.raises(GraphbrickError) as caught:
        compact(path)
    assert caught.value.code == "delta.graph_replaced"
    assert list(Graph.open(path).key_triples()) == [("newer", "r", "x")]
    assert hidden(tmp_path) == []


def test_a_graph_that_a_killed_process_had_replaced_is_removed_and_an_unfinished_build_is_not(tmp_path: Path) -> None:
    path = tmp_path / "g.graph"
    build(BUILT, path)
    shutil.copytree(path, tmp_path / ".g.graph.building-4711-0")
    shutil.copytree(path, tmp_path / ".g.graph.replaced-4711-1")
    (tmp_path / ".g.graph.building-4711-2").mkdir()
    running = tmp_path / ".g.graph.building-4711-3"
    shutil.copytree(path, running)
    held = claim_folder(running)
    compact(path)  # without changes there is nothing else to do
    assert hidden(tmp_path) == [".g.graph.building-4711-2", running.name]
    os.close(held)


def test_what_is_prepared_late_for_an_older_version_removes_nothing_newer(tmp_path: Path) -> None:
    path = tmp_path / "g.graph"
    old = build(BUILT, path)
    new = change(path, add=[("n", "r", "e0")]).graph
    keep(new, Method(), part(new, Method()))
    keep(old, Method(), part(old, Method()))
    made = {folder.name.rpartition("-")[2] for folder in path.with_name("g.graph.partitions").iterdir()}
    assert made == {old.hash, new.hash}
