"""Folding changes in."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run
from documents import FILES, write_documents
from faults import fails

from graphbrick import index
from graphbrick.graphs.build.builder import GraphBuilder, build
from graphbrick.graphs.changes.compact import compact, parts_of
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.blocks import TripleBlock
from graphbrick.graphs.records.records import EntityRecord, RelationRecord


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return build([("a", "r", "b"), ("b", "r", "c"), RelationRecord("r", "is near")], tmp_path / "any.graph")


def test_a_graph_without_changes_stays(graph: Graph) -> None:
    before = {file.name: file.stat().st_mtime_ns for file in graph.path.iterdir()}
    assert compact(graph.path).hash == graph.hash
    assert {file.name: file.stat().st_mtime_ns for file in graph.path.iterdir()} == before


def test_a_compacted_graph_is_built_from_the_changed_source(graph: Graph, tmp_path: Path) -> None:
    change(graph.path, add=[("d", "s", "a"), EntityRecord("d", "D", ("Dee",), ("letter",), "a letter")])
    change(graph.path, delete=[("a", "r", "b")])
    after = compact(graph.path)
    source = [
        ("b", "r", "c"), ("d", "s", "a"), RelationRecord("r", "is near"),
        EntityRecord("d", "D", ("Dee",), ("letter",), "a letter"),
    ]  # fmt: skip
    expected = build(source, tmp_path / "expected.graph")
    assert after.hash == expected.hash  # file by file the same
    assert after.manifest.source == graph.manifest.source
    assert not after.changes.files


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_what_a_graph_holds_builds_it_again(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """However many triples are streamed at once, a hub's among them."""
    given = [("hub", "r", f"n{i}") for i in range(9)] + [(f"n{i}", "s", "\ud800 \t|") for i in range(9)]
    built = build([*given, EntityRecord("alone"), EntityRecord("n3", "N3", description="d")], tmp_path / "g.graph")
    monkeypatch.setattr("graphbrick.graphs.changes.compact._ENTITIES", size)
    monkeypatch.setattr("graphbrick.graphs.changes.compact._TRIPLES", size)
    blocks = [part for part in parts_of(built) if isinstance(part, TripleBlock)]
    assert [record for block in blocks for record in block.records()] == list(built.key_triples())
    with GraphBuilder(tmp_path / "again.graph", source="test") as builder:
        for part in parts_of(built):
            builder.add(part)
        assert builder.finish().hash == built.hash


def test_progress_and_failure(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    after = change(graph.path, add=[(f"n{i}", "r", "b") for i in range(20)]).graph
    monkeypatch.setattr("graphbrick.graphs.changes.compact._ENTITIES", 5)
    counts: list[float] = []

    def fail(step: str, count: float, total: float | None) -> None:
        counts.append(count)
        if count > 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compact(graph.path, progress=fail)
    assert counts[0] > 0
    assert sorted(counts) == counts
    assert counts[-1] > 7
    assert Graph.open(graph.path).hash == after.hash
    assert [file.name for file in graph.path.parent.iterdir()] == ["any.graph"]


def test_a_file_that_is_not_the_graph_s_stops_it(graph: Graph) -> None:
    change(graph.path, add=[("x", "r", "b")])
    (graph.path / "notes.txt").write_text("mine")
    with fails("place.other_files", file="notes.txt"):
        compact(graph.path)
    assert Graph.open(graph.path).n_triples == 3


def test_a_changed_graph_of_documents_keeps_its_passages(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "n.graph"
    graph = index([write_documents(tmp_path / "docs", FILES)], place).graph
    added = change(place, add=[("Kenya", "borders", f"Land {i}") for i in range(20)])
    assert not added.to_dict()["graph"]["changes"]["compact_advised"]
    assert "compact" not in run("info", place).out
    with fails("compact.from_documents"):
        compact(place)
    opened = TextGraph.open(place)
    assert opened.n_passages == graph.n_passages
    assert opened.n_triples == graph.n_triples + 20
