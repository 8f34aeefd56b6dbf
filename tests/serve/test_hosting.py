"""Graphs that change while they are served."""

from __future__ import annotations

import shutil
import time

import pytest
from served import PATHS, serving

from graphbrick import build
from graphbrick.core.errors import GraphFormatError
from graphbrick.core.session import Session, current_session
from graphbrick.graphs.changes.delta import change
from graphbrick.pipeline.parsing import parse
from graphbrick.serve import hosting
from graphbrick.serve.hosting import HostedGraph, Watcher

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


def test_what_could_not_be_served_may_be_taken_back(place):
    graph = hosted(place)
    kept = shutil.move(place, place.with_name("kept.graph"))
    assert not graph.refresh()
    assert graph.failure
    shutil.move(kept, place)
    assert not graph.refresh()
    assert graph.failure == ""


@pytest.mark.whole
def test_a_fault_while_a_graph_is_opened_does_not_end_the_watching(place, monkeypatch, caplog):
    graph = hosted(place)
    before, tries, sessions, open_graph = graph.now, [], [], hosting.opening.open

    def sometimes(path):
        tries.append(path)
        if len(tries) < 3:
            raise ValueError("a fault")
        sessions.append(current_session())
        return open_graph(path)

    monkeypatch.setattr(hosting.opening, "open", sometimes)
    change(place, add=[("Sweden", "capital", "Stockholm")])
    session = Session()
    watcher = Watcher([graph], 0.001, session)
    watcher.start()
    end = time.monotonic() + 60
    while graph.now is before and time.monotonic() < end:
        time.sleep(0.001)
    watcher.stop()
    assert graph.now.graph.entity("Stockholm") >= 0
    assert graph.failure == ""
    assert sessions == [session]  # where requests look for models
    assert caplog.text.count("Traceback") == 1  # not every time that it was tried


@pytest.mark.whole
def test_a_server_whose_recipe_fails_gets_ready(monkeypatch, caplog):
    def broken(*_, **__):
        raise ValueError("a fault")

    monkeypatch.setattr("graphbrick.bricks.retrieve.paths.shortest_paths.ShortestPaths.retrieve", broken)
    with serving() as client:
        service = client.app.state.service
        service.warm()
        assert client.get("/readyz").status_code == 200
    assert "recipe paths failed on graph tiny" in caplog.text


def test_there_must_be_a_graph_at_the_start(tmp_path):
    with pytest.raises(GraphFormatError, match="does not exist"):
        hosted(tmp_path / "none.graph")


@pytest.mark.whole
def test_why_a_graph_cannot_be_served_is_told_without_its_folder(place):
    with serving(graphs={"north": str(place)}, poll=1000.0) as client:
        assert client.get("/v1/graphs").json()["graphs"][0]["problem"] is None
        (place / "manifest.json").write_text("{")
        client.app.state.service.graphs["north"].refresh()
        problem = client.get("/v1/graphs").json()["graphs"][0]["problem"]
        assert problem
        assert str(place.parent) not in problem


@pytest.mark.whole
def test_requests_are_answered_from_the_newest_graph(place):
    with serving(graphs={"north": str(place)}, poll=0.01) as client:
        ask = {"question": "What is the capital of Sweden?", "recipe": "paths"}
        assert client.post("/v1/ask", json=ask).status_code == 422
        build([*OSLO, ("Sweden", "capital", "Stockholm")], place, overwrite=True)
        client.app.state.service.graphs["north"].refresh()
        found = client.post("/v1/ask", json=ask).json()
        assert [answer["text"] for answer in found["answers"]] == ["Stockholm"]
