"""Folder graphs answer Cypher through a copy beside them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import fails

from graphbrick import Graph, build, change
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.testing import TINY

pytest.importorskip("ladybug")

CAPITALS = "MATCH (a)-[:capital]->(b) RETURN a, b.label ORDER BY b.label"


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with Session():
        yield build(TINY, tmp_path / "tiny.graph")


def copies(graph: Graph) -> list[Path]:
    return sorted(graph.path.with_name(f"{graph.path.name}.ladybug").glob("copy-*"))


@pytest.mark.whole
def test_a_folder_graph_answers_queries_with_its_own_keys(graph: Graph) -> None:
    assert Capability.QUERY_LANGUAGE in capabilities_of(graph)
    rows = graph.query(CAPITALS, {}, 2)
    assert rows == (("a", "b.label"), [("Uganda", "Kampala"), ("Rwanda", "Kigali")], True)
    assert graph.label(graph.entity(rows.rows[0][0])) == "Uganda"
    assert {one.relation: one.count for one in graph.schema().connections} == {
        "borders": 4,
        "capital": 3,
        "currency": 2,
        "largest_city": 1,
    }


@pytest.mark.whole
def test_the_copy_is_made_once_and_again_after_a_change(graph: Graph, tmp_path: Path) -> None:
    trace = Trace()
    with record(trace, "query", "query"):
        graph.query(CAPITALS, {}, 5)
    (first,) = copies(graph)
    assert first.name == f"copy-{graph.hash}"
    made = (first / "facts.json").stat().st_mtime_ns
    with Session(), record(trace, "query", "query"):
        Graph.open(graph.path).query(CAPITALS, {}, 5)
    assert (first / "facts.json").stat().st_mtime_ns == made
    assert trace.event_codes.count("query_copy.made") == 1

    change(graph.path, add=[("Tanzania", "capital", "Dodoma")])
    with Session():
        changed = Graph.open(graph.path)
        assert ("Tanzania", "Dodoma") in changed.query(CAPITALS, {}, 5).rows
    assert [copy.name for copy in copies(graph)] == [f"copy-{changed.hash}"]


@pytest.mark.whole
def test_a_damaged_copy_is_made_again(graph: Graph) -> None:
    with Session():
        graph.query(CAPITALS, {}, 5)
    (copy,) = copies(graph)
    (copy / "graph.ladybug").write_bytes(b"nothing")
    trace = Trace()
    with Session(), record(trace, "query", "query"):
        assert len(graph.query(CAPITALS, {}, 5).rows) == 3
    assert "query_copy.damaged" in trace.event_codes


def test_a_copy_that_cannot_be_kept_is_an_error_with_advice(graph: Graph) -> None:
    place = graph.path.with_name(f"{graph.path.name}.ladybug")
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("in the way")
    with fails("query_copy.not_written"):
        graph.query(CAPITALS, {}, 5)
