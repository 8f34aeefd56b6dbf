"""A copy of a database is the graph that is in it, also when it was ended in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
from built_graphs import content_of
from commands import Run, refused
from faults import fails, told
from sparql_server import reply, sparql_server

from graphbrick import Graph, Session, build
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.changes import copying
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.records.records import EntityRecord, RelationRecord

RDF = """<http://e/a> <http://www.w3.org/2000/01/rdf-schema#label> "A"@en ;
  <http://e/p> "1", <http://e/b> ; a <http://e/T> .
<http://e/b> <http://e/q> <http://e/a> ; <http://e/title> "B" ."""


@pytest.fixture(autouse=True)
def own_session() -> Iterator[None]:
    with Session():
        yield


@pytest.fixture
def original(tmp_path: Path) -> Graph:
    facts = EntityRecord("a", "Kenya", ("K",), ("Country", "State"), "a country")
    triples = [("a", "r1", "b"), ("a", "r2", "b"), ("b", "r1", "b"), ("c", "r1", "a"), ("a", "born", "1963")]
    return build(
        [facts, RelationRecord("r1", "next to"), EntityRecord("d", types=("Alone",)), *triples], tmp_path / "g"
    )


@pytest.mark.whole
def test_a_ladybug_database_is_copied_and_notes_its_address(original: Graph, tmp_path: Path) -> None:
    to_ladybug(original, tmp_path / "db")
    copied = copy_graph(f"ladybug:{tmp_path / 'db'}", tmp_path / "copy.graph")
    assert content_of(copied) == content_of(original)
    assert copied.manifest.source == f"ladybug:{tmp_path / 'db'}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.graph", "copy.graph.source.json", "db", "g"]


def test_a_place_that_cannot_be_written_is_an_error_in_words(original: Graph, tmp_path: Path) -> None:
    to_ladybug(original, tmp_path / "db")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with fails("copy.not_written", reason="Not a directory"):
        copy_graph(f"ladybug:{tmp_path / 'db'}", tmp_path / "file" / "x.graph")


@pytest.mark.whole
def test_a_full_disk_is_an_error_in_words(original: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    to_ladybug(original, tmp_path / "db")
    monkeypatch.setattr(Path, "write_text", full)
    with fails("copy.not_written", reason="No space left on device"):
        copy_graph(f"ladybug:{tmp_path / 'db'}", tmp_path / "x.graph")


@pytest.mark.whole
def test_a_damaged_state_of_an_ended_copy_begins_anew(original: Graph, tmp_path: Path) -> None:
    to_ladybug(original, tmp_path / "db")
    (tmp_path / ".x.graph.copy").mkdir()
    (tmp_path / ".x.graph.copy" / "state.json").write_text("[]", encoding="utf-8")
    assert content_of(copy_graph(f"ladybug:{tmp_path / 'db'}", tmp_path / "x.graph")) == content_of(original)


@pytest.mark.whole
def test_a_copy_that_was_ended_goes_on(original: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "_NODES", 2)
    monkeypatch.setattr(copying, "_HEADS", 2)
    to_ladybug(original, tmp_path / "db")
    seen: list[tuple[str, float]] = []

    def copied(stop_after: int) -> Graph:
        calls = 0

        def report(step: str, done: float, total: float | None) -> None:
            nonlocal calls
            calls += 1
            seen.append((step, done))
            if calls == stop_after:
                raise KeyboardInterrupt

        return copy_graph(f"ladybug:{tmp_path / 'db'}", tmp_path / "copy.graph", progress=report)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), Session():
            copied(3)
    assert (tmp_path / ".copy.graph.copy").is_dir()
    graph = copied(-1)
    assert content_of(graph) == content_of(original)
    assert [seen.count(("copying nodes", 2)), seen.count(("copying triples", 2))] == [1, 1]
    assert not (tmp_path / ".copy.graph.copy").exists()


@pytest.mark.parametrize("kind", ["oxigraph", "sparql"])
def test_rdf_is_copied_to_what_a_file_gives(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "_TRIPLES", 2)
    file = tmp_path / "g.ttl"
    file.write_text(RDF, encoding="utf-8")
    expected = content_of(build(file, tmp_path / "g"))
    if kind == "oxigraph":
        store = ox.Store(str(tmp_path / "store"))
        store.load(RDF.encode(), format=ox.RdfFormat.TURTLE)
        store.flush()
        assert content_of(copy_graph(f"oxigraph:{tmp_path / 'store'}", tmp_path / "copy")) == expected
        return
    store = ox.Store()
    store.load(RDF.encode(), format=ox.RdfFormat.TURTLE)
    with sparql_server(store) as server:
        server.faults = [lambda handler: reply(handler, 500, b"down")] * 2  # the first is asked when it was modified
        with fails("sparql.refused_query", reason="down"):
            copy_graph(server.address, tmp_path / "copy")
        copied = copy_graph(f"{server.address}?label=http://e/title", tmp_path / "copy")
    assert copied.label(copied.entity("http://e/b")) == "B"
    assert copied.n_triples == len(expected[1]) - 1


def test_statements_with_blank_nodes_of_an_endpoint_are_left_out_and_told(tmp_path: Path) -> None:
    store = ox.Store()
    store.load(b"<http://e/a> <http://e/p> [ <http://e/q> 1 ] , <http://e/b> .", format=ox.RdfFormat.TURTLE)
    with sparql_server(store) as server, record(Trace(), "copy", "build") as entry:
        assert copy_graph(server.address, tmp_path / "copy").n_triples == 1
    assert told(entry.events) == [("copy.blank_nodes", {"n": 2})]


@pytest.mark.whole
def test_the_commands_copy_and_refresh(original: Graph, tmp_path: Path, run: Run) -> None:
    address, place = f"ladybug:{to_ladybug(original, tmp_path / 'db')}", tmp_path / "copy.graph"
    assert json.loads(run("build", address, place, "--json").out)["triples"] == original.n_triples
    assert "nothing has changed" in run("refresh", place).out
    refused(run("build", address, place), "--overwrite")
    refused(run("build", address, tmp_path / "x", "--skip-bad"), "are for files")
