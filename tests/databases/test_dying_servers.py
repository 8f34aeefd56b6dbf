"""Servers that die or hang in the middle: one clear line, nothing hangs, and copies go on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from cut_line import Line, line_to
from stores import SERVERS, Held

import graphbrick
from graphbrick import BM25, Graph, PathAnswer, Rerank, Session, ShortestPaths
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.changes import copying
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.databases.graph import DatabaseGraph

PIPELINE = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
QUESTION = "What is the capital of Kenya?"
GONE = r"is the server running there\?"


@pytest.fixture
def line(
    request: pytest.FixtureRequest, held: Callable[[str], Held], monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Line, str]]:
    """A line to the server of a kind, and the address over it."""
    found = held(request.param)
    found.log_in(monkeypatch)
    (port,) = re.findall(r"127\.0\.0\.1:(\d+)", found.address)
    with Session(), line_to(int(port)) as opened:
        yield opened, found.address.replace(port, str(opened.port))


over_lines = pytest.mark.parametrize(
    "line", ["sparql", *(pytest.param(kind, marks=pytest.mark.databases) for kind in SERVERS)], indirect=True
)


def opened(address: str, **options: object) -> DatabaseGraph:
    """Open a graph with more options in its address."""
    more = "&".join(f"{name}={value}" for name, value in options.items())
    graph = graphbrick.open(address + ("&" if "?" in address else "?") + more if more else address)
    assert isinstance(graph, DatabaseGraph)
    return graph


@pytest.mark.whole
@over_lines
def test_a_server_that_dies_in_the_middle_is_one_line_and_asked_again_when_it_is_back(line: tuple[Line, str]) -> None:
    connection, address = line
    graph = opened(address, whole=0)
    before = PIPELINE(graph, QUESTION).texts
    assert before
    connection.cut(after=3)
    with pytest.raises(GraphbrickError, match=GONE) as caught:
        PIPELINE(opened(address, whole=0), QUESTION)
    assert "\n" not in str(caught.value)
    connection.mend()
    assert PIPELINE(graph, QUESTION).texts == before


@pytest.mark.whole
@over_lines
def test_a_server_that_hangs_is_given_up_after_the_time_out(line: tuple[Line, str]) -> None:
    connection, address = line
    node, graph = opened(address).find("country:KE"), opened(address, timeout=1)
    assert node is not None
    with suppress(GraphbrickError):  # a busy machine may need longer, but is connected then
        graph.find("country:KE")
    connection.hold()
    with pytest.raises(GraphbrickError, match="no answer within 1 s") as caught:
        graph.neighbours([graph.met(node)])
    assert "\n" not in str(caught.value)


@pytest.mark.whole
@over_lines
def test_a_copy_goes_on_after_the_server_died(
    line: tuple[Line, str], part: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, address = line
    for pages in ("_NODES", "_HEADS", "_TRIPLES"):
        monkeypatch.setattr(copying, pages, 10)
    steps: list[tuple[str, float]] = []

    def report(step: str, done: float, total: float | None) -> None:
        steps.append((step, done))
        if len(steps) == 3:
            connection.cut()

    with pytest.raises(GraphbrickError, match=GONE):
        copy_graph(address, tmp_path / "copy.graph", progress=report)
    connection.mend()
    copied = copy_graph(address, tmp_path / "copy.graph", progress=report)
    assert copied.n_entities == part.n_entities
    assert sorted(triples(copied)) == sorted(triples(part))
    assert [steps.count(step) for step in steps[:2]] == [1, 1]  # no page was copied twice
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.graph", "copy.graph.source.json"]


def triples(graph: Graph) -> list[tuple[str, str, str]]:
    rows = map(graph.triple, graph.triple_ids().tolist())
    return [(graph.label(head), graph.relation_label(relation), graph.label(tail)) for head, relation, tail in rows]
