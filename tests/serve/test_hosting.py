"""Graphs that change while they are served."""

from __future__ import annotations

import pytest
from served import PATHS, serving

from graphbrick import build
from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.delta import change
from graphbrick.pipeline.parsing import parse
from graphbrick.serve.hosting import HostedGraph

OSLO = [("Norway", "capital", "Oslo")]


@pytest.fixture
def place(tmp_path):
    build(OSLO, tmp_path / "north.graph")
    return tmp_path / "north.graph"


def hosted(place) -> HostedGraph:
    return HostedGraph("north", str(place), {"paths": parse(PATHS)})


def test_a_change_and_a_rebuild_are_taken_over(place):
    graph = hosted(place)
    before = graph.now
    assert not graph.refresh()
    change(place, add=[("Sweden", "capital", "Stockholm")])
    assert graph.refresh()
    assert graph.now.graph.entity("Stockholm") >= 0
    build([("Finland", "capital", "Helsinki")], place, overwrite=True)
    assert graph.refresh()
    assert graph.now.graph.entity("Helsinki") >= 0
    assert before.graph.label(before.graph.entity("Oslo")) == "Oslo"  # a run on it goes on
    assert not graph.refresh()


def test_a_graph_that_cannot_be_opened_leaves_the_old_one(place):
    graph = hosted(place)
    manifest = place / "manifest.json"
    text = manifest.read_text()
    manifest.write_text("{")
    assert not graph.refresh()
    assert "damaged" in graph.failure
    assert graph.now.graph.entity("Oslo") >= 0
    manifest.write_text(text)
    graph.refresh()
    assert graph.failure == ""


def test_there_must_be_a_graph_at_the_start(tmp_path):
    with pytest.raises(GraphFormatError, match="does not exist"):
        hosted(tmp_path / "none.graph")


def test_requests_are_answered_from_the_newest_graph(place):
    with serving(graphs={"north": str(place)}, poll=0.01) as client:
        ask = {"question": "What is the capital of Sweden?", "recipe": "paths"}
        assert client.post("/v1/ask", json=ask).status_code == 422
        build([*OSLO, ("Sweden", "capital", "Stockholm")], place, overwrite=True)
        client.app.state.service.graphs["north"].refresh()
        found = client.post("/v1/ask", json=ask).json()
        assert [answer["text"] for answer in found["answers"]] == ["Stockholm"]
