"""Embedded stores that are damaged or die, and replies without end: one clear line, and nothing hangs."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from commands import Run, refused
from faults import fails
from sparql_server import sparql_server

import graphbrick
from graphbrick import Session, build
from graphbrick.core.session import current_session
from graphbrick.graphs.databases.sparql import sparql
from graphbrick.graphs.export.ladybug import to_ladybug

ENDLESS = "SELECT (COUNT(*) AS ?n) WHERE { " + " ".join(f"?a{i} ?p{i} ?o{i} ." for i in range(12)) + " }"


@pytest.fixture(autouse=True)
def own_session() -> Iterator[None]:
    with Session():
        yield


@pytest.fixture
def store(tmp_path: Path) -> Path:
    made = ox.Store(str(tmp_path / "store"))
    lines = "\n".join(f"<http://e/{i}> <http://e/p> <http://e/{i + 1}> ." for i in range(100))
    made.load(lines.encode(), format=ox.RdfFormat.TURTLE)
    made.flush()
    return tmp_path / "store"


@pytest.mark.whole
@pytest.mark.posix
def test_a_reader_of_a_store_that_dies_is_told_and_replaced(store: Path) -> None:
    graph: Any = graphbrick.open(f"oxigraph:{store}")
    assert graph.query("ASK { ?s ?p ?o }", {}, 1).rows == [(True,)]
    (pool,) = current_session().opened("database processes")
    (process,) = pool.processes()
    killer = threading.Timer(0.3, os.kill, (process, signal.SIGKILL))
    killer.start()
    with fails("database.process_ended", reason="SIGKILL"):
        graph.query(ENDLESS, {}, 1)
    assert graph.query("ASK { ?s ?p ?o }", {}, 1).rows == [(True,)]


def test_a_million_rows_of_a_store_are_cut_at_the_limit(store: Path) -> None:
    graph: Any = graphbrick.open(f"oxigraph:{store}?timeout=600")
    rows = graph.query("SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }", {}, 10)
    assert (len(rows.rows), rows.is_cut) == (10, True)


@pytest.mark.whole
@pytest.mark.parametrize("command", ["info", "query", "ask", "build"])
@pytest.mark.parametrize("kind", ["oxigraph", "ladybug"])
def test_a_damaged_store_is_a_user_error(kind: str, command: str, store: Path, tmp_path: Path, run: Run) -> None:
    if kind == "oxigraph":
        place = store
        for file in store.glob("*.sst"):
            file.write_bytes(b"nothing")
    else:
        pytest.importorskip("ladybug")
        place = to_ladybug(build([("a", "r", "b")], tmp_path / "g"), tmp_path / "db")
        place.write_bytes(b"nothing" * 1000)
    query = "SELECT * { ?s ?p ?o }" if kind == "oxigraph" else "MATCH (n) RETURN n"
    more = {"info": [], "query": [query], "ask": ["What is a?"], "build": [tmp_path / "copy.graph"]}[command]
    refused(run(command, f"{kind}:{place}", *more), str(place), "cannot be opened")


def test_a_reply_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparql, "_MOST_BYTES", 1 << 20)
    row = b'{"s": {"type": "uri", "value": "http://e/1"}}, ' * 1000

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            handler.wfile.write(b'{"head": {"vars": ["s"]}, "results": {"bindings": [')
            while True:
                handler.wfile.write(row)
        except OSError:
            pass  # the client has gone, as it should

    with sparql_server(ox.Store()) as server:
        graph: Any = graphbrick.open(server.address)
        server.faults = [endless]
        with fails("sparql.reply_too_long", megabytes=1):
            graph.query("SELECT * { ?s ?p ?o }", {}, 5)
        assert server.queries[-1].endswith("LIMIT 6")
